// Http2Client: requests to one server over one connection that is kept open, and opened again when it is
// lost.
//
// Who needs requests that cannot hold each other up makes several clients: one per lane (leases, watches,
// writes). What is never sent twice: a request that the server may have processed; that is the caller's to
// decide (FailureKind). What is sent again by itself, a bounded number of times and within its timeout, on a
// new connection: a request that the old one ended before (a GOAWAY that came first, a loss before it left).
//
// The connection is made for the first request. Attempts that fail are repeated while requests wait, after
// pauses that double up to a bound, each between half and all of its length (the jitter).
//
// Thread rule: everything on the loop's thread. No callback comes from inside a call. Each Send is answered
// by exactly one call of its `done`, unless the client is destroyed before: then nothing is called any more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/http.h"
#include "net/tls_context.h"
#include "net/url.h"

namespace cadre::net {

enum class RequestId : std::uint64_t {};

struct Http2ClientOptions {
  // For messages and the log: "writes to https://…".
  std::string name = "requests";
  std::string user_agent = "cadre";
  // The value of "authorization", asked for each time a request is put on a connection; "" sends none. An
  // error ends the request as kNotSent. Empty: never any. It must not call the client.
  std::function<Result<std::string>()> authorization;
  // A number in [0, 1) for each pause. Empty: 0.5 always.
  std::function<double()> jitter;

  Duration connect_timeout{10'000};  // name, TCP, TLS and the server's SETTINGS
  int connect_attempts = 4;          // that a waiting request lives through before it ends as kNotSent
  int sends = 3;                     // of one request, when connections end before it
  Duration backoff_first{100};
  Duration backoff_most{10'000};

  Duration ping_after{30'000};  // of nothing read
  Duration ping_timeout{15'000};

  std::size_t max_in_flight = 1'000;  // fewer when the server says so
  std::size_t max_waiting = 10'000;   // requests beyond those in flight; more end as kNotSent
  std::size_t max_request_bytes = std::size_t{64} << 20;  // bodies of all that wait or are in flight
  std::size_t max_header_bytes = std::size_t{64} << 10;   // of one response
  // Connections that finish their requests after a GOAWAY while a new one is in use; the oldest is cut off
  // when there are more.
  std::size_t max_draining = 8;
};

class Http2Client {
 public:
  struct Counters {
    std::uint64_t connections = 0;         // that were ready for requests
    std::uint64_t failed_connections = 0;  // none came about, or one that answered nothing
    std::uint64_t requests = 0;            // put on a connection, repetitions included
    std::uint64_t repetitions = 0;         // of those
    std::size_t waiting = 0;               // now
    std::size_t in_flight = 0;             // now
  };

  // `tls` is for https URLs: REQUIRES one then. The loop is borrowed and must outlive the client.
  Http2Client(EventLoop& loop, Url url, std::shared_ptr<const TlsContext> tls, Http2ClientOptions options);
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  // REQUIRES: done is set, 0 <= priority < kPriorities, timeout > 0, head_timeout >= 0.
  RequestId Send(Request request, std::function<void(RequestEnd)> done);

  // The request ends as kCancelled, and the server is told when it was sent. Ids of requests that have ended
  // are ignored.
  void Cancel(RequestId id);

  // From the next connection on. With `reconnect` that comes at once: the present one takes no new requests.
  void SetTls(std::shared_ptr<const TlsContext> tls, bool reconnect);

  Counters counters() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace cadre::net
