// URLs of servers, and the escapes of paths and queries (RFC 3986).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cadre::net {

// Where a server is: "https://host:port/prefix".
struct Url {
  bool tls = true;   // https, or http
  std::string host;  // in small letters; an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string path;  // put before every request's path: "" or "/prefix", never with a slash at its end

  // "host", "host:8443", "[::1]:6443": the port only when it is not the scheme's own. For ":authority".
  std::string Authority() const;
  // The whole, for messages.
  std::string Text() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// REFUSED: another scheme than http and https, user names and passwords, a query, a fragment, an IPv6 zone,
// escapes in the host. The message quotes the URL.
Result<Url> ParseUrl(std::string_view text);

// True for "10.0.0.1" and "::1" (no brackets, no zone): what is checked in a certificate as an address, not
// as a name, and is not sent as SNI (RFC 6066 section 3).
bool IsIpAddress(std::string_view host);

// One segment of a path: everything but RFC 3986's unreserved characters becomes %XX, "/" among them.
std::string EscapePathSegment(std::string_view segment);

// "?limit=500&continue=abc%3D", names and values escaped like a segment; empty without parameters.
std::string QueryText(const std::vector<std::pair<std::string_view, std::string_view>>& parameters);

}  // namespace cadre::net
