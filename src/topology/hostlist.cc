#include "topology/hostlist.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace cadre::topology {
namespace {

constexpr std::size_t kMostDigits = 18;  // below 2^63

// Where a list ends at top level: commas in brackets belong to the bracket.
Result<std::vector<std::string_view>> SplitList(std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' && inside) return Err("\"{}\" has a bracket in a bracket", text);
    if (text[i] == ']' && !inside) return Err("\"{}\" closes a bracket that is not open", text);
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] != ',' || inside) continue;
    items.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (inside) return Err("\"{}\" does not close its bracket", text);
  items.push_back(text.substr(begin));
  return items;
}

std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Error TooMany(std::string_view item) {
  return {fmt::format("\"{}\" stands for more than {} hosts", item, kMostHosts)};
}

// "001-128" or "130", within the bracket of `item`.
Result<void> ExpandRange(std::string_view range, std::string_view item, std::vector<std::string>& numbers) {
  const std::size_t dash = range.find('-');
  const std::string_view low_text = Trim(range.substr(0, dash));
  const std::string_view high_text = dash == std::string_view::npos ? low_text : Trim(range.substr(dash + 1));
  const std::optional<std::uint64_t> low = ParseDigits(low_text);
  const std::optional<std::uint64_t> high = ParseDigits(high_text);
  if (!low || !high)
    return Err("\"{}\": [{}] is no range of numbers; expected something like [1-8,10]", item, range);
  if (*high < *low) return Err("\"{}\": the range {} is reversed", item, range);
  if (*high - *low >= kMostHosts - numbers.size()) return std::unexpected(TooMany(item));
  for (std::uint64_t number = *low; number <= *high; ++number)
    numbers.push_back(fmt::format("{:0{}}", number, low_text.size()));
  return {};
}

Result<void> ExpandItem(std::string_view item, std::size_t room, std::vector<std::string>& out) {
  std::vector<std::string> names = {""};
  for (std::string_view rest = item; !rest.empty();) {
    const std::size_t open = rest.find('[');
    for (std::string& name : names)
      name += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find(']', open);
    std::vector<std::string> numbers;
    for (const std::string_view range : Split(rest.substr(open + 1, close - open - 1), ','))
      CADRE_TRY_VOID(ExpandRange(range, item, numbers));
    if (numbers.size() > room / names.size()) return std::unexpected(TooMany(item));
    std::vector<std::string> longer;
    longer.reserve(names.size() * numbers.size());
    for (const std::string& name : names) {
      for (const std::string& number : numbers)
        longer.push_back(name + number);
    }
    names = std::move(longer);
    rest.remove_prefix(close + 1);
    if (names.front().size() > kMostHostName)
      return Err("\"{}…\" is longer than {} characters", item.substr(0, 40), kMostHostName);
  }
  if (names.front().size() > kMostHostName)
    return Err("\"{}…\" is longer than {} characters", item.substr(0, 40), kMostHostName);
  if (names.size() > room) return std::unexpected(TooMany(item));
  out.insert(out.end(), std::make_move_iterator(names.begin()), std::make_move_iterator(names.end()));
  return {};
}

bool IsOdd(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 127 || c == '"' || c == '\'' || c == '\\' || c == '=' || c == '$' || c == '`';
}

}  // namespace

Result<std::vector<std::string>> ExpandHosts(std::string_view text) {
  text = Trim(text);
  if (text.empty()) return std::vector<std::string>{};
  CADRE_TRY(const std::vector<std::string_view> items, SplitList(text));
  std::vector<std::string> names;
  for (std::string_view item : items) {
    item = Trim(item);
    if (item.empty()) return Err("\"{}\" has an empty item between its commas", text);
    if (std::ranges::any_of(item, IsOdd)) return Err("\"{}\" is no host name", item);
    CADRE_TRY_VOID(ExpandItem(item, kMostHosts - names.size(), names));
  }
  return names;
}

}  // namespace cadre::topology
