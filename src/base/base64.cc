#include "base/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace cadre {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotInAlphabet = 64;
constexpr std::size_t kQuantum = 4;  // characters that stand for three bytes

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNotInAlphabet);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values.at(static_cast<unsigned char>(kAlphabet[i])) = static_cast<std::uint8_t>(i);
  return values;
}();

std::uint32_t ByteAt(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * kQuantum);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t bits = ByteAt(bytes, at) << 16U | ByteAt(bytes, at + 1) << 8U | ByteAt(bytes, at + 2);
    text += kAlphabet[bits >> 18U & 63U];
    text += kAlphabet[bits >> 12U & 63U];
    text += at + 1 < bytes.size() ? kAlphabet[bits >> 6U & 63U] : '=';
    text += at + 2 < bytes.size() ? kAlphabet[bits & 63U] : '=';
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / kQuantum * 3);
  std::uint32_t bits = 0;
  std::size_t taken = 0;  // characters, without line ends
  std::size_t padding = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' || text[at] == '\r') continue;
    const std::uint8_t value = kValues.at(static_cast<unsigned char>(text[at]));
    if (text[at] == '=') {
      ++padding;
    } else if (value == kNotInAlphabet || padding > 0) {
      return Err("not base64: character {} of {} does not belong there", at + 1, text.size());
    }
    bits = bits << 6U | (text[at] == '=' ? 0U : value);
    if (++taken % kQuantum != 0) continue;
    if (padding > 2) return Err("not base64: it ends in more than two \"=\"");
    for (std::size_t i = 0; i + padding < 3; ++i)
      bytes += static_cast<char>(bits >> (16U - 8U * i) & 255U);
    bits = 0;
  }
  if (taken % kQuantum != 0) return Err("not base64: it is cut short ({} characters)", taken);
  if (padding > 2) return Err("not base64: it ends in more than two \"=\"");
  return bytes;
}

}  // namespace cadre
