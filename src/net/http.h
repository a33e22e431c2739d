// HTTP as its users see it: requests, responses, and the ways in which a request can fail.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace cadre::net {

struct Header {
  std::string name;  // in small letters
  std::string value;

  friend bool operator==(const Header&, const Header&) = default;
};

// The first header of that name (in small letters), "" when there is none.
std::string_view FindHeader(std::span<const Header> headers, std::string_view name);

// The delay of a Retry-After header in its form of whole seconds, at most a day; nothing when it is absent,
// not a number, or a date (which the API server does not send).
std::optional<Duration> RetryAfter(std::span<const Header> headers);

// Whether the text can go into a request: a method, the path and query (in origin form, escaped: visible
// ASCII from "/" on, no "#"), a header. What would let one header or request become two is refused (RFC 9113
// section 8.2.1), and so are headers that HTTP/2 forbids or that the client writes itself. The error names
// the header, not its value, which may be secret.
Result<void> CheckMethod(std::string_view method);
Result<void> CheckPath(std::string_view path);
Result<void> CheckHeader(const Header& header);

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers;
};

struct Response {
  int status = 0;
  std::vector<Header> headers;
  std::string body;  // empty when it was streamed
};

struct Request {
  // 0 goes first; what has the same priority goes in the order it came.
  static constexpr int kPriorities = 8;

  std::string method = "GET";
  std::string path;             // "/api/v1/pods?limit=500", put behind the path of the client's URL
  std::vector<Header> headers;  // names in small letters; "user-agent" replaces the client's
  std::string body;             // empty: none. With a "content-type" among the headers
  int priority = 0;
  // From Send to the end of the response, waiting for a connection and all of a watch included.
  Duration timeout{30'000};
  // From Send to the status and headers of the response. 0: only `timeout` counts. For watches, whose timeout
  // is long.
  Duration head_timeout{0};
  // The longest body of a response that is collected.
  std::size_t max_body_bytes = std::size_t{64} << 20;

  // When `on_data` is set, the body of a successful (2xx) response is handed over piece by piece as it comes
  // and is not bounded; the body of any other is collected. `on_head` (may be empty) comes once, before.
  // Neither comes after the request's end, and data keeps nothing back: the piece is gone after the call.
  std::function<void(const ResponseHead&)> on_head;
  std::function<void(std::string_view)> on_data;
};

enum class FailureKind {
  // Surely not processed: the request is invalid, the queue is full, no connection came about, or the server
  // refused it unread (REFUSED_STREAM, or above the last stream of its GOAWAY).
  kNotSent,
  // Sent, and the answer was lost, all or the rest of it: the server may have processed it.
  kUnknown,
  kDeadline,
  kCancelled,
  // The response is larger than the limit that the message names. The server has processed the request.
  kTooLarge,
  // The response is not valid HTTP.
  kBadResponse,
};

std::string_view FailureKindText(FailureKind kind);

struct Failure {
  FailureKind kind = FailureKind::kUnknown;
  // Whether any of it may have reached the server: false means surely not processed.
  bool sent = false;
  std::string message;  // for people: what failed, where, what to do
};

// A response of any status, also 4xx and 5xx, or why there is none.
using RequestEnd = std::expected<Response, Failure>;

}  // namespace cadre::net
