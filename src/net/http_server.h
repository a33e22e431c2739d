// HttpServer: HTTP/1.1 with keep-alive, plain or over TLS, for health checks, metrics and webhooks. (Who
// prefers HTTP/2 there falls back to this.)
//
// Everything a peer can make it hold is bounded: connections, the size of heads and bodies, and the time that
// a handshake, a request, an answer and the pause between requests may take. One request per connection is
// worked on at a time. Thread rule: all on the loop's thread; the handler is never called from inside a call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/http.h"
#include "net/tls_context.h"

namespace cadre::net {

struct ServerRequest {
  std::string method;
  std::string target;           // path and query as they came: "/metrics?x=1"
  std::vector<Header> headers;  // names in small letters
  std::string body;
};

struct ServerResponse {
  int status = 200;
  // Without "content-length" and "connection", which the server writes.
  std::vector<Header> headers{};
  std::string body{};
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";                       // an IP address; "0.0.0.0" and "::" are all
  std::uint16_t port = 0;                                  // 0: any that is free
  std::shared_ptr<const TlsContext> tls{};                 // of ForServer; null: plain
  std::size_t max_connections = 256;                       // one more is closed at once
  std::size_t max_body_bytes = std::size_t{3} << 20;       // more is answered with 413
  std::uint32_t max_head_bytes = std::uint32_t{16} << 10;  // more is answered with 431
  Duration handshake_timeout{10'000};
  Duration request_timeout{
      30'000};                      // from one answer, or the handshake, to the last byte of the next request
  Duration answer_timeout{30'000};  // the handler's; then 503
  Duration write_timeout{30'000};
};

class HttpServer {
 public:
  // Answers one request, from the loop's thread. Calls after the first, after the server's end or the
  // connection's have no effect.
  using Respond = std::function<void(ServerResponse)>;
  using Handler = std::function<void(const ServerRequest&, Respond)>;

  // Listens. An error names the address and the port.
  static Result<std::unique_ptr<HttpServer>> Listen(EventLoop& loop, HttpServerOptions options,
                                                    Handler handler);

  // Closes everything; the handler is not called again.
  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;

  // For connections from now on: a renewed certificate. REQUIRES: the server had one from the start.
  virtual void SetTls(std::shared_ptr<const TlsContext> tls) = 0;
};

}  // namespace cadre::net
