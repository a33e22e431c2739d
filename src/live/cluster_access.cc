#include "live/cluster_access.h"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "live/file.h"

namespace cadre::live {
namespace {

constexpr std::size_t kLargestPemBytes = std::size_t{1} << 20U;

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto parsed = std::from_chars(begin, end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end || port == 0) return std::nullopt;
  return port;
}

// Fills in host and port from "host", "host:6443", "[fd00::1]" or "[fd00::1]:6443".
bool ReadAuthority(std::string_view text, ServerUrl& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    url.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return false;
  } else {
    const std::size_t colon = text.find(':');
    url.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (url.host.empty()) return false;
  if (port.empty()) return true;
  const std::optional<std::uint16_t> number = ParsePort(port.substr(1));
  if (number) url.port = *number;
  return number.has_value();
}

}  // namespace

Result<ServerUrl> ParseServerUrl(std::string_view text) {
  constexpr std::string_view kExpected = "expected a URL like https://10.0.0.1:6443";
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    url.port = 443;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    url.tls = false;
    url.port = 80;
    rest.remove_prefix(7);
  } else {
    return Err("found \"{}\", {}", text, kExpected);
  }
  if (rest.find_first_of("@?# \t\r\n") != std::string_view::npos)
    return Err("{}, without user name, query, fragment or blanks", kExpected);  // may hold a password
  const std::size_t slash = rest.find('/');
  if (!ReadAuthority(rest.substr(0, slash), url)) return Err("found \"{}\", {}", text, kExpected);
  if (slash != std::string_view::npos) url.path_prefix = rest.substr(slash);
  while (url.path_prefix.ends_with('/'))
    url.path_prefix.pop_back();
  return url;
}

std::string ToString(const ServerUrl& url) {
  const bool ipv6 = url.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}{}", url.tls ? "https" : "http", ipv6 ? "[" : "", url.host,
                     ipv6 ? "]" : "", url.port, url.path_prefix);
}

Result<std::string> ReadPem(const PemSource& source) {
  if (source.file.empty()) return source.pem;
  CADRE_TRY(std::string pem, ReadSmallFile(source.file, kLargestPemBytes));
  if (pem.find("-----BEGIN ") == std::string::npos)
    return Err("{}: holds no PEM block (-----BEGIN …-----)", source.file);
  return pem;
}

}  // namespace cadre::live
