// YAML 1.1 scalars as go-yaml v2 reads them, which is what kubectl sends to the API server.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "kube/yaml.h"

namespace cadre::kube {
namespace json = boost::json;
namespace {

struct Word {
  std::string_view text;
  enum Meaning { kTrue, kFalse, kNull, kNan, kInfinity, kMinusInfinity } meaning;
};

constexpr std::array<Word, 39> kWords = {{
    {"y", Word::kTrue},
    {"Y", Word::kTrue},
    {"yes", Word::kTrue},
    {"Yes", Word::kTrue},
    {"YES", Word::kTrue},
    {"true", Word::kTrue},
    {"True", Word::kTrue},
    {"TRUE", Word::kTrue},
    {"on", Word::kTrue},
    {"On", Word::kTrue},
    {"ON", Word::kTrue},
    {"n", Word::kFalse},
    {"N", Word::kFalse},
    {"no", Word::kFalse},
    {"No", Word::kFalse},
    {"NO", Word::kFalse},
    {"false", Word::kFalse},
    {"False", Word::kFalse},
    {"FALSE", Word::kFalse},
    {"off", Word::kFalse},
    {"Off", Word::kFalse},
    {"OFF", Word::kFalse},
    {"", Word::kNull},
    {"~", Word::kNull},
    {"null", Word::kNull},
    {"Null", Word::kNull},
    {"NULL", Word::kNull},
    {".nan", Word::kNan},
    {".NaN", Word::kNan},
    {".NAN", Word::kNan},
    {".inf", Word::kInfinity},
    {".Inf", Word::kInfinity},
    {".INF", Word::kInfinity},
    {"+.inf", Word::kInfinity},
    {"+.Inf", Word::kInfinity},
    {"+.INF", Word::kInfinity},
    {"-.inf", Word::kMinusInfinity},
    {"-.Inf", Word::kMinusInfinity},
    {"-.INF", Word::kMinusInfinity},
}};

json::value ValueOf(Word::Meaning meaning) {
  switch (meaning) {
    case Word::kTrue:
      return true;
    case Word::kFalse:
      return false;
    case Word::kNull:
      return nullptr;
    case Word::kNan:
      return std::numeric_limits<double>::quiet_NaN();
    case Word::kInfinity:
      return std::numeric_limits<double>::infinity();
    case Word::kMinusInfinity:
      return -std::numeric_limits<double>::infinity();
  }
  return nullptr;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// 0x1F, 0o17, 017, 0b101, 12; with a sign. None when it is none of these or does not fit 64 bits.
std::optional<json::value> ParseInteger(std::string_view text) {
  const bool signed_text = text.starts_with('-') || text.starts_with('+');
  const bool negative = text.starts_with('-');
  if (signed_text) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  std::uint64_t number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto parsed = std::from_chars(begin, end, number, base);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative) {
    if (number > kMost + 1) return std::nullopt;
    return json::value(static_cast<std::int64_t>(0 - number));
  }
  if (number <= kMost) return json::value(static_cast<std::int64_t>(number));
  if (signed_text) return std::nullopt;
  return json::value(number);
}

std::size_t SkipDigits(std::string_view text, std::size_t at) {
  while (at < text.size() && IsDigit(text[at]))
    ++at;
  return at;
}

// [-+]? (. digits | digits [. [digits]]) [e [-+]? digits]
bool LooksLikeFloat(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole_end = SkipDigits(text, at);
  const bool has_whole = whole_end > at;
  at = whole_end;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction_end = SkipDigits(text, at + 1);
    if (!has_whole && fraction_end == at + 1) return false;
    at = fraction_end;
  } else if (!has_whole) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t exponent_end = SkipDigits(text, at);
    if (exponent_end == at) return false;
    at = exponent_end;
  }
  return at == text.size();
}

std::optional<json::value> ParseFloat(std::string_view text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;  // out of range: it stays a string
  return json::value(number);
}

}  // namespace

json::value ResolvePlainScalar(std::string_view text) {
  constexpr std::size_t kLongestWord = 5;
  if (text.size() <= kLongestWord) {
    const auto word = std::ranges::find(kWords, text, &Word::text);
    if (word != kWords.end()) return ValueOf(word->meaning);
  }
  if (text.starts_with('.')) {
    if (auto number = ParseFloat(text)) return *std::move(number);
  } else if (IsDigit(text.front()) || text.front() == '-' || text.front() == '+') {
    std::string plain(text);
    std::erase(plain, '_');  // 1_000
    if (auto number = ParseInteger(plain)) return *std::move(number);
    if (auto number = ParseFloat(plain)) return *std::move(number);
  }
  return json::string(text);
}

}  // namespace cadre::kube
