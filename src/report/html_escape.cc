#include "report/html_escape.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/utf8.h"

namespace cadre::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char byte) {
  return (static_cast<std::uint8_t>(byte) & 0xC0U) == 0x80U;
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
    const std::size_t length = Utf8SequenceLength(text);
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
