#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace cadre {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint8_t ByteAt(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

// How many bytes at the start are ASCII, eight at a time as far as that goes.
std::size_t AsciiPrefix(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && ByteAt(text, at) < 0x80)
    ++at;
  return at;
}

// Of a well-formed sequence of at most three bytes; longer ones hold nothing that is looked for here.
std::uint32_t CodePoint(std::string_view sequence) {
  const std::uint32_t first = ByteAt(sequence, 0);
  if (sequence.size() == 1) return first;
  const std::uint32_t second = ByteAt(sequence, 1) & 0x3FU;
  if (sequence.size() == 2) return ((first & 0x1FU) << 6U) | second;
  return ((first & 0x0FU) << 12U) | (second << 6U) | (ByteAt(sequence, 2) & 0x3FU);
}

struct Range {
  std::uint32_t from;
  std::uint32_t to;
};

// What a terminal acts upon instead of showing it.
constexpr auto kControls = std::to_array<Range>(
    {{0x00, 0x1F}, {0x7F, 0x9F}, {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}});

bool IsControl(std::uint32_t code) {
  return std::ranges::any_of(kControls,
                             [&](const Range& range) { return code >= range.from && code <= range.to; });
}

std::string WrittenOut(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

std::string_view HintFor(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return "the file looks like UTF-16: convert it, for example with `iconv -f UTF-16 -t UTF-8`";
  return "save the file as UTF-8, or convert it, for example with `iconv -f LATIN1 -t UTF-8`";
}

}  // namespace

std::size_t Utf8SequenceLength(std::string_view text) {
  const std::uint8_t first = ByteAt(text, 0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((ByteAt(text, i) & 0xC0U) != 0x80U) return 0;
  }
  const std::uint8_t second = ByteAt(text, 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

std::size_t FindInvalidUtf8(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    at += AsciiPrefix(text.substr(at));
    if (at == text.size()) return std::string_view::npos;
    const std::size_t length = Utf8SequenceLength(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
}

std::expected<void, Utf8Error> CheckUtf8(std::string_view text) {
  const std::size_t bad = FindInvalidUtf8(text);
  if (bad == std::string_view::npos) return {};
  const auto lines = std::ranges::count(text.substr(0, bad), '\n');
  return std::unexpected(Utf8Error{
      .line = static_cast<std::size_t>(lines) + 1,
      .offset = bad,
      .message = fmt::format("byte 0x{:02x} at offset {} is not UTF-8, and nothing of the file is used: {}",
                             ByteAt(text, bad), bad, HintFor(text))});
}

std::string ToValidUtf8(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t bad = FindInvalidUtf8(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos) return out;
    out += kReplacement;
    text.remove_prefix(bad + 1);
  }
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", ByteAt(text, 0));
      text.remove_prefix(1);
      continue;
    }
    const std::string_view sequence = text.substr(0, length);
    const bool control = length <= 3 && IsControl(CodePoint(sequence));
    if (control)
      out += WrittenOut(CodePoint(sequence));
    else
      out += sequence;
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace cadre
