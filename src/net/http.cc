#include "net/http.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>

namespace cadre::net {
namespace {

constexpr long kMostRetryAfterSeconds = 86'400;
constexpr std::string_view kTokenSigns = "!#$%&'*+-.^_`|~";

// Connection-specific headers (RFC 9113 section 8.2.2), and those that the client writes.
constexpr std::array<std::string_view, 9> kForbiddenHeaders = {
    "authorization",    "connection", "content-length",    "host",   "keep-alive",
    "proxy-connection", "te",         "transfer-encoding", "upgrade"};

bool IsSmallLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// RFC 9110 section 5.6.2, without capitals: HTTP/2 has none in names.
bool IsNameCharacter(char c) {
  return IsSmallLetterOrDigit(c) || kTokenSigns.find(c) != std::string_view::npos;
}

bool IsValueCharacter(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f');
}

bool IsBlank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

std::string_view FindHeader(std::span<const Header> headers, std::string_view name) {
  const auto found = std::ranges::find(headers, name, &Header::name);
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::optional<Duration> RetryAfter(std::span<const Header> headers) {
  const std::string_view text = FindHeader(headers, "retry-after");
  long seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = !text.empty() && text.front() != '-' && end == text.data() + text.size();
  if (!is_number || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) seconds = kMostRetryAfterSeconds;
  return std::chrono::seconds(std::min(seconds, kMostRetryAfterSeconds));
}

Result<void> CheckMethod(std::string_view method) {
  const bool valid =
      !method.empty() && std::ranges::all_of(method, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!valid) return Err("method: expected capital letters, such as GET");
  return {};
}

Result<void> CheckPath(std::string_view path) {
  if (!path.starts_with('/')) return Err("path: must start with \"/\"");
  const bool valid = std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
  if (!valid)
    return Err("path: blanks, control characters, \"#\" and what is not ASCII must be escaped as %XX");
  return {};
}

Result<void> CheckHeader(const Header& header) {
  const auto& [name, value] = header;
  if (name.empty() || !std::ranges::all_of(name, IsNameCharacter))
    return Err("header \"{}\": the name must be small letters, digits and signs such as \"-\"", name);
  if (std::ranges::find(kForbiddenHeaders, name) != kForbiddenHeaders.end())
    return Err("header \"{}\": must not be set here: it is the client's own, or not for HTTP/2", name);
  if (!std::ranges::all_of(value, IsValueCharacter))
    return Err("header \"{}\": the value holds a line end or another control character", name);
  if (!value.empty() && (IsBlank(value.front()) || IsBlank(value.back())))
    return Err("header \"{}\": the value starts or ends with a blank", name);
  return {};
}

std::string_view FailureKindText(FailureKind kind) {
  constexpr std::array<std::string_view, 6> kTexts = {"not sent",  "answer lost", "deadline exceeded",
                                                      "cancelled", "too large",   "bad response"};
  return kTexts.at(static_cast<std::size_t>(kind));
}

}  // namespace cadre::net
