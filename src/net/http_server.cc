#include "net/http_server.h"

#include <map>
#include <optional>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "base/check.h"
#include "base/log.h"
#include "base/text.h"
#include "net/event_loop_asio.h"
#include "net/transport_asio.h"

namespace cadre::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kPayloadTooLarge = 413;
constexpr int kHeadTooLarge = 431;
constexpr int kUnavailable = 503;
constexpr int kBadRequest = 400;
constexpr unsigned kHttp11 = 11;  // as Beast writes it
constexpr std::size_t kMostReadAhead = std::size_t{64} << 10;

// What all connections share; it goes with the server.
struct Shared {
  EventLoop& loop;
  HttpServerOptions options;
  HttpServer::Handler handler;
};

// A connection as the server sees it.
class Session {
 public:
  virtual ~Session() = default;
  virtual void Start() = 0;
  virtual void Close() = 0;
};

ServerRequest RequestOf(http::request<http::string_body>&& message) {
  ServerRequest request;
  request.method = std::string_view(message.method_string());
  request.target = std::string_view(message.target());
  for (const auto& field : message) {
    const std::string_view name(field.name_string());
    const std::string_view value(field.value());
    request.headers.push_back({Lower(name), std::string(value)});
  }
  request.body = std::move(message.body());
  return request;
}

// The answer to a request that cannot be read; 0: none, the peer has gone.
int StatusOf(const error_code& error) {
  if (error == http::error::body_limit) return kPayloadTooLarge;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return kHeadTooLarge;
  const bool is_of_http = error.category() == http::make_error_code(http::error::bad_version).category();
  return is_of_http && error != http::error::end_of_stream && error != http::error::partial_message
             ? kBadRequest
             : 0;
}

template <class Stream>
class StreamSession : public Session, public std::enable_shared_from_this<StreamSession<Stream>> {
 public:
  StreamSession(std::shared_ptr<Shared> shared, Stream stream, std::function<void()> closed)
      : shared_(std::move(shared)), stream_(std::move(stream)), closed_(std::move(closed)) {}

  void Start() override {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      SetTimer(shared_->options.handshake_timeout);
      stream_.async_handshake(TlsStream::server, [self = this->shared_from_this()](const error_code& error) {
        if (error) return self->Close();
        self->ReadRequest();
      });
    } else {
      ReadRequest();
    }
  }

  void Close() override {
    if (!closed_) return;
    CancelTimer();
    error_code error;  // of no interest: the connection is given up
    error = stream_.lowest_layer().close(error);
    std::exchange(closed_, nullptr)();
  }

 private:
  void ReadRequest() {
    if (!closed_) return;
    parser_.emplace();
    parser_->body_limit(shared_->options.max_body_bytes);
    parser_->header_limit(shared_->options.max_head_bytes);
    SetTimer(shared_->options.request_timeout);
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](const error_code& error, std::size_t) {
                       if (self->closed_) self->RequestRead(error);
                     });
  }

  void RequestRead(const error_code& error) {
    CancelTimer();
    if (error) {
      const int status = StatusOf(error);
      if (status == 0) return Close();
      keep_alive_ = false;  // where the next request begins is not known
      return Write({status, {}, {}});
    }
    keep_alive_ = parser_->keep_alive();
    ++request_number_;
    handler_is_at_work_ = true;
    SetTimer(shared_->options.answer_timeout);
    const ServerRequest request = RequestOf(parser_->release());
    is_head_ = request.method == "HEAD";
    shared_->handler(request,
                     [weak = this->weak_from_this(), number = request_number_](ServerResponse response) {
                       const auto self = weak.lock();
                       if (self == nullptr) return;
                       // Later, as the handler may be at work still, and the connection closed by then.
                       self->shared_->loop.Post([weak, number, response = std::move(response)]() mutable {
                         const auto alive = weak.lock();
                         if (alive == nullptr || !alive->closed_) return;
                         if (alive->handler_is_at_work_ && alive->request_number_ == number)
                           alive->Write(std::move(response));
                       });
                     });
  }

  void Write(ServerResponse response) {
    handler_is_at_work_ = false;  // what it still says is too late
    message_ = {};
    message_.version(kHttp11);
    message_.result(static_cast<unsigned>(response.status));
    message_.keep_alive(keep_alive_);
    for (const Header& header : response.headers)
      message_.insert(header.name, header.value);
    message_.body() = std::move(response.body);
    message_.prepare_payload();
    if (is_head_) message_.body().clear();  // the length stays
    SetTimer(shared_->options.write_timeout);
    http::async_write(stream_, message_,
                      [self = this->shared_from_this()](const error_code& error, std::size_t) {
                        if (!self->closed_) return;
                        if (error || !self->keep_alive_) return self->Close();
                        self->ReadRequest();
                      });
  }

  // The one timer: of the step that is under way.
  void SetTimer(Duration after) {
    CancelTimer();
    timer_ = shared_->loop.CallAfter(after, [weak = this->weak_from_this()] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      self->timer_.reset();
      self->TimedOut();
    });
  }

  void TimedOut() {
    if (!handler_is_at_work_) return Close();  // the peer is late
    CADRE_LOG(kWarn, "a request was not answered within {}", FormatDuration(shared_->options.answer_timeout));
    Write({kUnavailable, {}, {}});
  }

  void CancelTimer() {
    if (timer_) shared_->loop.Cancel(*timer_);
    timer_.reset();
  }

  const std::shared_ptr<Shared> shared_;
  Stream stream_;
  std::function<void()> closed_;  // null once closed
  beast::flat_buffer buffer_{kMostReadAhead};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> message_;
  std::optional<EventLoop::Timer> timer_;
  std::uint64_t request_number_ = 0;
  bool handler_is_at_work_ = false;
  bool keep_alive_ = false;
  bool is_head_ = false;
};

class Server : public HttpServer {
 public:
  Server(EventLoop& loop, HttpServerOptions options, Handler handler)
      : shared_(std::make_shared<Shared>(Shared{loop, std::move(options), std::move(handler)})),
        acceptor_(loop.impl().io) {}
  ~Server() override {
    *alive_ = false;
    error_code error;  // of no interest: it goes
    error = acceptor_.close(error);
    const auto sessions = std::exchange(sessions_, {});
    for (const auto& [number, session] : sessions)
      session->Close();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Result<void> Open() {
    const HttpServerOptions& options = shared_->options;
    const auto failed = [&](const error_code& error) {
      return Err("cannot listen on {} port {}: {}", options.address, options.port, error.message());
    };
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options.address, error);
    if (error) return failed(error);
    const tcp::endpoint endpoint(address, options.port);
    if (acceptor_.open(endpoint.protocol(), error)) return failed(error);
    if (acceptor_.set_option(tcp::acceptor::reuse_address(true), error)) return failed(error);
    if (acceptor_.bind(endpoint, error)) return failed(error);
    if (acceptor_.listen(asio::socket_base::max_listen_connections, error)) return failed(error);
    Accept();
    return {};
  }

  std::uint16_t port() const override {
    error_code error;  // none: it is open
    return acceptor_.local_endpoint(error).port();
  }
  std::size_t connections() const override { return sessions_.size(); }
  void SetTls(std::shared_ptr<const TlsContext> tls) override {
    CADRE_ASSERT(tls != nullptr && shared_->options.tls != nullptr, "a plain server stays plain");
    shared_->options.tls = std::move(tls);
  }

 private:
  static constexpr Duration kPauseAfterError{100};

  void Accept() {
    acceptor_.async_accept([this, alive = alive_](const error_code& error, tcp::socket socket) {
      if (!*alive) return;
      if (!error) {
        Begin(std::move(socket));
        return Accept();
      }
      // Out of file descriptors, most likely: some will be closed.
      CADRE_LOG(kWarn, "a connection could not be accepted: {}", error.message());
      shared_->loop.CallAfter(kPauseAfterError, [this, alive] {
        if (*alive) Accept();
      });
    });
  }

  void Begin(tcp::socket socket) {
    if (sessions_.size() >= shared_->options.max_connections) {
      CADRE_LOG(kWarn, "a connection was closed: there are {} already, which is the limit", sessions_.size());
      return;  // and the socket closes
    }
    error_code error;
    if (socket.set_option(tcp::no_delay(true), error)) return;  // the peer has gone already
    const std::uint64_t number = ++last_session_;
    const auto closed = [this, alive = alive_, number] {
      if (*alive) sessions_.erase(number);
    };
    std::shared_ptr<Session> session;
    if (shared_->options.tls == nullptr) {
      session = std::make_shared<StreamSession<TcpStream>>(shared_, std::move(socket), closed);
    } else {
      ssl_st* connection = shared_->options.tls->NewConnection("");
      CADRE_ASSERT(connection != nullptr, "out of memory");
      session = std::make_shared<StreamSession<TlsStream>>(shared_, TlsStream(std::move(socket), connection),
                                                           closed);
    }
    sessions_.emplace(number, session);
    session->Start();
  }

  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  tcp::acceptor acceptor_;
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
  std::uint64_t last_session_ = 0;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(EventLoop& loop, HttpServerOptions options,
                                                       Handler handler) {
  CADRE_ASSERT(handler != nullptr, "a server needs somebody who answers");
  auto server = std::make_unique<Server>(loop, std::move(options), std::move(handler));
  CADRE_TRY_VOID(server->Open());
  return server;
}

}  // namespace cadre::net
