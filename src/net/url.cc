#include "net/url.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <arpa/inet.h>

#include "base/text.h"

namespace cadre::net {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::size_t kMostHostBytes = 253;  // RFC 1035

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsUnreserved(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool IsHostName(std::string_view host) {
  return !host.empty() && host.size() <= kMostHostBytes && std::ranges::all_of(host, [](char c) {
    return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_';
  });
}

bool IsIpv6(std::string_view host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET6, std::string(host).c_str(), address.data()) == 1;
}

bool IsIpv4(std::string_view host) {
  std::array<unsigned char, sizeof(in_addr)> address{};
  return inet_pton(AF_INET, std::string(host).c_str(), address.data()) == 1;
}

// What may stand in a path as it is: printable ASCII but blanks and what ends a path.
bool IsPathText(std::string_view path) {
  return std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f' && c != '?' && c != '#'; });
}

Result<std::uint16_t> ParsePort(std::string_view text, std::string_view url) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) {
    return Err("URL \"{}\": the port is \"{}\", expected a number from 1 to 65535", url, text);
  }
  return port;
}

// Reads "host", "host:port", "[v6]" or "[v6]:port" into `url`.
Result<void> ParseAuthority(std::string_view authority, std::string_view text, Url& url) {
  std::string_view host = authority;
  std::string_view rest;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return Err("URL \"{}\": \"[\" without \"]\"", text);
    host = authority.substr(1, close - 1);
    rest = authority.substr(close + 1);
    if (!IsIpv6(host)) return Err("URL \"{}\": \"{}\" is not an IPv6 address", text, host);
  } else {
    const std::size_t colon = authority.find(':');
    host = authority.substr(0, colon);
    rest = authority.substr(host.size());
    if (!IsHostName(host)) return Err("URL \"{}\": \"{}\" is not a host name", text, host);
  }
  url.host = Lower(host);
  if (rest.empty()) return {};
  if (!rest.starts_with(':'))
    return Err("URL \"{}\": expected \":port\" after the host, not \"{}\"", text, rest);
  CADRE_TRY(url.port, ParsePort(rest.substr(1), text));
  return {};
}

}  // namespace

std::string Url::Authority() const {
  std::string text = IsIpv6(host) ? "[" + host + "]" : host;
  if (port != (tls ? kHttpsPort : kHttpPort)) text += ":" + std::to_string(port);
  return text;
}

std::string Url::Text() const {
  return (tls ? "https://" : "http://") + Authority() + path;
}

Result<Url> ParseUrl(std::string_view text) {
  Url url;
  std::string_view rest = text;
  const std::size_t scheme_end = text.find("://");
  const std::string scheme = Lower(text.substr(0, scheme_end));
  if (scheme_end == std::string_view::npos || (scheme != "https" && scheme != "http")) {
    return Err("URL \"{}\": expected https://HOST:PORT or http://HOST:PORT", text);
  }
  rest.remove_prefix(scheme_end + 3);
  url.tls = scheme == "https";
  url.port = url.tls ? kHttpsPort : kHttpPort;

  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.find('@') != std::string_view::npos) {
    // Not quoted: it holds a password.
    return Err("a URL of a server must not hold a user name or password; put credentials where they belong");
  }
  CADRE_TRY_VOID(ParseAuthority(authority, text, url));
  std::string_view path = rest.substr(authority.size());
  if (!IsPathText(path)) {
    return Err("URL \"{}\": a query, a fragment, blanks and unescaped characters are not allowed here", text);
  }
  while (path.ends_with('/'))
    path.remove_suffix(1);
  url.path = path;
  return url;
}

bool IsIpAddress(std::string_view host) {
  return IsIpv4(host) || IsIpv6(host);
}

std::string EscapePathSegment(std::string_view segment) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(segment.size());
  for (const char c : segment) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

std::string QueryText(const std::vector<std::pair<std::string_view, std::string_view>>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += out.empty() ? '?' : '&';
    out += EscapePathSegment(name) + "=" + EscapePathSegment(value);
  }
  return out;
}

}  // namespace cadre::net
