#include "report/html_escape.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cadre::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char byte) {
  return (static_cast<std::uint8_t>(byte) & 0xC0U) == 0x80U;
}

// The length of the well-formed UTF-8 sequence that starts here, or 0. Source: Unicode, table 3-7.
std::size_t SequenceLength(std::string_view text) {
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  const auto second = static_cast<std::uint8_t>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

std::string_view ReferenceFor(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool IsForbiddenControl(char character) {
  const auto byte = static_cast<std::uint8_t>(character);
  return (byte < 0x20 && character != '\t' && character != '\n') || byte == 0x7F;
}

}  // namespace

std::string EscapeCut(std::string_view text, std::size_t bytes) {
  std::string out;
  out.reserve(std::min(text.size() + text.size() / 8, bytes));
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const bool bad = length == 0 || IsForbiddenControl(text[0]);
    const std::string_view reference = ReferenceFor(text[0]);
    const std::string_view piece = bad                 ? kReplacement
                                   : reference.empty() ? text.substr(0, length)
                                                       : reference;
    if (piece.size() > bytes - out.size()) return out + "…";
    out += piece;
    text.remove_prefix(bad ? 1 : length);
  }
  return out;
}

std::string Escape(std::string_view text) {
  return EscapeCut(text, std::numeric_limits<std::size_t>::max());
}

std::string CutText(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && IsContinuation(text[bytes]))
    --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace cadre::report
