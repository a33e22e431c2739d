#include "net/http2_server_testing.h"

#include <map>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <nghttp2/nghttp2.h>

#include "base/check.h"
#include "net/event_loop_asio.h"
#include "net/transport_asio.h"

namespace cadre::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct ServerStream {
  TestRequest request;
  std::string out;
  std::size_t out_sent = 0;
  bool finished = false;
};

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(EventLoop& loop, TestServer& server, const TestServer::Options& options,
                   std::size_t number, std::unique_ptr<Transport> transport)
      : loop_(loop), server_(server), options_(options), number_(number), transport_(std::move(transport)) {}
  ~ServerConnection() { nghttp2_session_del(session_); }
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  void Start() {
    if (!options_.raw_reply.empty()) out_ = options_.raw_reply;
    if (!options_.raw_reply.empty() || options_.says_nothing) {
      Flush();
      return ReadMore();
    }
    NewSession();
    LimitStreams(options_.max_concurrent_streams);
    if (options_.goes_away_at_once) Goaway(0);
    ReadMore();
  }

  bool open() const { return open_; }
  void Cut() {
    open_ = false;
    transport_->Close();
  }
  void StopReading() { reading_ = false; }
  void LimitStreams(std::uint32_t most) {
    const nghttp2_settings_entry entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, most};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, 1);
    Flush();
  }
  void Goaway(std::int32_t last_stream) {
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last_stream, NGHTTP2_NO_ERROR, nullptr, 0);
    Flush();
  }
  std::int32_t last_stream() const { return nghttp2_session_get_last_proc_stream_id(session_); }
  void FloodWithPings(int count) {
    for (int i = 0; i < count; ++i)
      nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
    Flush();
  }
  void Begin(std::int32_t stream, int status, const std::vector<Header>& headers) {
    std::vector<Header> all = {{":status", std::to_string(status)}};
    all.insert(all.end(), headers.begin(), headers.end());
    std::vector<nghttp2_nv> views;
    for (Header& header : all) {
      views.push_back({reinterpret_cast<std::uint8_t*>(header.name.data()),
                       reinterpret_cast<std::uint8_t*>(header.value.data()), header.name.size(),
                       header.value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    nghttp2_data_provider provider{};
    provider.read_callback = ReadBody;
    nghttp2_submit_response(session_, stream, views.data(), views.size(), &provider);
    Flush();
  }
  void Chunk(std::int32_t stream, const std::string& data, bool finish) {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return;
    found->second.out += data;
    found->second.finished = finish;
    nghttp2_session_resume_data(session_, stream);
    Flush();
  }
  void Reset(std::int32_t stream, std::uint32_t code) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, code);
    Flush();
  }

 private:
  static ServerConnection& Self(void* user_data) { return *static_cast<ServerConnection*>(user_data); }

  static ssize_t ReadBody(nghttp2_session* /*session*/, std::int32_t id, std::uint8_t* into, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* /*source*/, void* user_data) {
    ServerStream& stream = Self(user_data).streams_[id];
    const std::size_t piece = stream.out.copy(reinterpret_cast<char*>(into), size, stream.out_sent);
    stream.out_sent += piece;
    if (stream.out_sent == stream.out.size() && stream.finished) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (piece == 0 && !stream.finished) return NGHTTP2_ERR_DEFERRED;
    return static_cast<ssize_t>(piece);
  }

  static int OneHeader(nghttp2_session* /*session*/, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t /*flags*/, void* user_data) {
    TestRequest& request = Self(user_data).streams_[frame->hd.stream_id].request;
    const std::string name_text(reinterpret_cast<const char*>(name), name_size);
    const std::string value_text(reinterpret_cast<const char*>(value), value_size);
    if (name_text == ":method") request.method = value_text;
    if (name_text == ":path") request.path = value_text;
    if (name_text == ":authority") request.authority = value_text;
    if (!name_text.starts_with(':')) request.headers.push_back({name_text, value_text});
    return 0;
  }

  static int DataCame(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t id,
                      const std::uint8_t* data, std::size_t size, void* user_data) {
    Self(user_data).streams_[id].request.body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }

  static int FrameCame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    ServerConnection& self = Self(user_data);
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) ++self.server_.pings;
    const bool is_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!is_request || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    TestRequest request = self.streams_[frame->hd.stream_id].request;
    request.connection = self.number_;
    request.stream = frame->hd.stream_id;
    // Not from here: nghttp2 is at work.
    self.loop_.Post([weak = self.weak_from_this(), request] {
      const auto alive = weak.lock();
      if (alive == nullptr) return;
      alive->server_.requests.push_back(request);
      alive->server_.on_request(request);
    });
    return 0;
  }

  static int StreamClosed(nghttp2_session* /*session*/, std::int32_t id, std::uint32_t code,
                          void* user_data) {
    if (code == NGHTTP2_CANCEL) ++Self(user_data).server_.cancelled;
    Self(user_data).streams_.erase(id);
    return 0;
  }

  void NewSession() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OneHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, DataCame);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, FrameCame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, StreamClosed);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_ping_ack(option, options_.answers_pings ? 0 : 1);
    // It may also send what is not valid.
    nghttp2_option_set_no_http_messaging(option, 1);
    nghttp2_session_server_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
  }

  void ReadMore() {
    transport_->Read([weak = weak_from_this()](Result<std::string_view> bytes) {
      const auto self = weak.lock();
      if (self == nullptr || !self->open_) return;
      if (!bytes) return self->Cut();
      if (self->session_ != nullptr) {
        nghttp2_session_mem_recv(self->session_, reinterpret_cast<const std::uint8_t*>(bytes->data()),
                                 bytes->size());
        self->Flush();
      }
      if (self->reading_) self->ReadMore();
    });
  }

  void Flush() {
    if (writing_ || !open_) return;
    while (session_ != nullptr) {
      const std::uint8_t* data = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &data);
      if (size <= 0) break;
      out_.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    }
    if (out_.empty()) return;
    writing_ = true;
    transport_->Write(out_, [weak = weak_from_this()](const Result<void>& result) {
      const auto self = weak.lock();
      if (self == nullptr || !self->open_) return;
      self->writing_ = false;
      if (result) self->Flush();
    });
  }

  EventLoop& loop_;
  TestServer& server_;
  const TestServer::Options& options_;
  const std::size_t number_;
  std::unique_ptr<Transport> transport_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, ServerStream> streams_;
  std::string out_;
  bool open_ = true;
  bool reading_ = true;
  bool writing_ = false;
};

}  // namespace

class TestServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(EventLoop& its_loop, TestServer& its_server, Options its_options)
      : loop(its_loop), server(its_server), options(std::move(its_options)), acceptor(loop.impl().io) {
    acceptor.open(tcp::v4());
    acceptor.bind({asio::ip::address_v4::loopback(), 0});
    acceptor.listen();
    port = acceptor.local_endpoint().port();
  }

  void Accept() {
    acceptor.async_accept([self = shared_from_this()](const error_code& error, tcp::socket socket) {
      if (error) return;
      socket.set_option(tcp::no_delay(true));
      if (self->options.tls == nullptr) {
        self->Begin(std::make_unique<StreamTransport<TcpStream>>(std::move(socket)));
      } else {
        self->ShakeHands(std::move(socket));
      }
      self->Accept();
    });
  }

  void ShakeHands(tcp::socket socket) {
    auto stream = std::make_shared<TlsStream>(std::move(socket), options.tls->NewConnection(""));
    stream->async_handshake(TlsStream::server, [self = shared_from_this(), stream](const error_code& error) {
      if (!error) self->Begin(std::make_unique<StreamTransport<TlsStream>>(std::move(*stream)));
    });
  }

  void Begin(std::unique_ptr<Transport> transport) {
    if (stopped) return;
    connections.push_back(
        std::make_shared<ServerConnection>(loop, server, options, connections.size(), std::move(transport)));
    connections.back()->Start();
  }

  ServerConnection& Of(const TestRequest& request) { return *connections.at(request.connection); }

  template <class Act>
  void ForEachOpen(Act act) {
    for (const auto& connection : connections) {
      if (connection->open()) act(*connection);
    }
  }

  EventLoop& loop;
  TestServer& server;
  const Options options;
  tcp::acceptor acceptor;
  std::uint16_t port = 0;
  bool stopped = false;
  std::vector<std::shared_ptr<ServerConnection>> connections;
};

TestServer::TestServer(EventLoop& loop, Options options)
    : impl_(std::make_shared<Impl>(loop, *this, std::move(options))) {
  on_request = [this](const TestRequest& request) { Answer(request, 200, {}, "ok"); };
  impl_->Accept();
}

TestServer::~TestServer() {
  impl_->stopped = true;
  StopListening();
  CutConnections();
  impl_->connections.clear();
}

Url TestServer::url() const {
  return {impl_->options.tls != nullptr, "127.0.0.1", impl_->port, ""};
}

void TestServer::Answer(const TestRequest& request, int status, std::vector<Header> headers,
                        std::string body) {
  Begin(request, status, std::move(headers));
  impl_->Of(request).Chunk(request.stream, body, true);
}

void TestServer::Begin(const TestRequest& request, int status, std::vector<Header> headers) {
  impl_->Of(request).Begin(request.stream, status, headers);
}

void TestServer::Chunk(const TestRequest& request, std::string data) {
  impl_->Of(request).Chunk(request.stream, data, false);
}

void TestServer::Finish(const TestRequest& request) {
  impl_->Of(request).Chunk(request.stream, "", true);
}

void TestServer::Reset(const TestRequest& request, std::uint32_t code) {
  impl_->Of(request).Reset(request.stream, code);
}

void TestServer::Goaway() {
  impl_->ForEachOpen([](ServerConnection& connection) { connection.Goaway(connection.last_stream()); });
}

void TestServer::Goaway(std::int32_t last_stream) {
  impl_->ForEachOpen([&](ServerConnection& connection) { connection.Goaway(last_stream); });
}

void TestServer::CutConnections() {
  impl_->ForEachOpen([](ServerConnection& connection) { connection.Cut(); });
}

void TestServer::StopReading() {
  impl_->ForEachOpen([](ServerConnection& connection) { connection.StopReading(); });
}

void TestServer::FloodWithPings(int count) {
  impl_->ForEachOpen([&](ServerConnection& connection) { connection.FloodWithPings(count); });
}

void TestServer::LimitStreams(std::uint32_t max_concurrent_streams) {
  impl_->ForEachOpen([&](ServerConnection& connection) { connection.LimitStreams(max_concurrent_streams); });
}

void TestServer::StopListening() {
  error_code ignored;
  static_cast<void>(impl_->acceptor.close(ignored));
}

std::size_t TestServer::accepted() const {
  return impl_->connections.size();
}

std::size_t TestServer::open() const {
  std::size_t count = 0;
  impl_->ForEachOpen([&](ServerConnection&) { ++count; });
  return count;
}

}  // namespace cadre::net
