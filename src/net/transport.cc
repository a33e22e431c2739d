#include "net/transport.h"

#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/connect.hpp>

#include "base/check.h"
#include "net/event_loop_asio.h"
#include "net/transport_asio.h"

namespace cadre::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Lookup, connection, handshake: each step starts the next, and none does once it was stopped.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  using Done = std::function<void(Result<std::unique_ptr<Transport>>)>;

  Attempt(EventLoop& loop, Endpoint endpoint, Done done)
      : endpoint_(std::move(endpoint)),
        done_(std::move(done)),
        resolver_(loop.impl().io),
        socket_(loop.impl().io) {}

  void Start() {
    error_code not_an_address;
    const asio::ip::address address = asio::ip::make_address(endpoint_.host, not_an_address);
    if (!not_an_address) return ConnectTo({tcp::endpoint(address, endpoint_.port)});
    resolver_.async_resolve(
        endpoint_.host, std::to_string(endpoint_.port),
        [self = shared_from_this()](const error_code& error, const tcp::resolver::results_type& found) {
          if (self->stopped_) return;
          if (error) return self->Fail("the name cannot be resolved: " + error.message());
          self->ConnectTo({found.begin(), found.end()});
        });
  }

  void Stop() {
    stopped_ = true;
    resolver_.cancel();
    error_code error;
    // Thrown away as it is: whether it could be closed well is of no interest.
    error = (stream_ ? stream_->lowest_layer() : socket_).close(error);
  }

 private:
  void ConnectTo(std::vector<tcp::endpoint> addresses) {
    addresses_ = std::move(addresses);
    asio::async_connect(socket_, addresses_,
                        [self = shared_from_this()](const error_code& error, const tcp::endpoint&) {
                          if (self->stopped_) return;
                          if (error) return self->Fail(error.message());
                          self->Connected();
                        });
  }

  void Connected() {
    error_code error;
    // Requests are small and waited for: never held back to be sent with later ones.
    if (socket_.set_option(tcp::no_delay(true), error)) return Fail(error.message());
    if (endpoint_.tls == nullptr)
      return done_(std::make_unique<StreamTransport<TcpStream>>(std::move(socket_)));
    ssl_st* connection = endpoint_.tls->NewConnection(endpoint_.host);
    if (connection == nullptr) return Fail("TLS cannot be started: the server's name is not valid");
    stream_.emplace(std::move(socket_), connection);  // which owns `connection` now
    stream_->async_handshake(TlsStream::client, [self = shared_from_this()](const error_code& failed) {
      if (self->stopped_) return;
      if (failed) return self->HandshakeFailed(failed);
      if (AgreedProtocol(self->stream_->native_handle()) != "h2")
        return self->Fail("the server does not agree to HTTP/2 (ALPN \"h2\")");
      self->done_(std::make_unique<StreamTransport<TlsStream>>(std::move(*self->stream_)));
    });
  }

  void HandshakeFailed(const error_code& error) {
    const std::string reason = UntrustedReason(stream_->native_handle());
    if (!reason.empty()) return Fail("the server's certificate is not trusted: " + reason);
    Fail("TLS handshake: " + StreamError(error).message);
  }

  void Fail(const std::string& reason) {
    done_(Err("no connection to {}: {}", EndpointText(endpoint_), reason));
  }

  const Endpoint endpoint_;
  const Done done_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  std::vector<tcp::endpoint> addresses_;
  std::optional<TlsStream> stream_;
  bool stopped_ = false;
};

class AttemptHandle : public Connecting {
 public:
  explicit AttemptHandle(std::shared_ptr<Attempt> attempt) : attempt_(std::move(attempt)) {}
  ~AttemptHandle() override { attempt_->Stop(); }
  AttemptHandle(const AttemptHandle&) = delete;
  AttemptHandle& operator=(const AttemptHandle&) = delete;

 private:
  std::shared_ptr<Attempt> attempt_;
};

}  // namespace

std::string EndpointText(const Endpoint& endpoint) {
  const bool is_ipv6 = endpoint.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", endpoint.host, is_ipv6 ? "]" : "", endpoint.port);
}

std::unique_ptr<Connecting> Connect(EventLoop& loop, Endpoint endpoint, Attempt::Done done) {
  auto attempt = std::make_shared<Attempt>(loop, std::move(endpoint), std::move(done));
  attempt->Start();
  return std::make_unique<AttemptHandle>(std::move(attempt));
}

}  // namespace cadre::net
