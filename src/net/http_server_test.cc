#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/certificate_testing.h"
#include "net/transport.h"

namespace cadre::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

// One connection of a peer that writes what it is told to, byte for byte.
class Peer {
 public:
  Peer(EventLoop& loop, std::uint16_t port, std::shared_ptr<const TlsContext> tls = nullptr) {
    connecting_ = Connect(loop, {"127.0.0.1", port, std::move(tls)}, [this](auto transport) {
      if (!transport) {
        closed = true;
        return;
      }
      transport_ = *std::move(transport);
      if (!out_.empty()) transport_->Write(out_, [](const auto&) {});
      ReadMore();
    });
  }
  void Write(std::string text) {
    out_ = std::move(text);
    if (transport_ != nullptr) transport_->Write(out_, [](const auto&) {});
  }

  std::string received;
  bool closed = false;

 private:
  void ReadMore() {
    transport_->Read([this](const Result<std::string_view>& bytes) {
      if (!bytes) {
        closed = true;
        return;
      }
      received += *bytes;
      ReadMore();
    });
  }

  std::unique_ptr<Connecting> connecting_;
  std::unique_ptr<Transport> transport_;
  std::string out_;
};

class HttpServerTest : public testing::Test {
 protected:
  void Start() {
    auto server = HttpServer::Listen(loop_, options_,
                                     [this](const ServerRequest& request, HttpServer::Respond respond) {
                                       requests_.push_back(request);
                                       if (holds_) return held_.push_back(std::move(respond));
                                       respond({200, {{"content-type", "text/plain"}}, "hello"});
                                     });
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }
  template <class Condition>
  [[nodiscard]] bool Until(Condition condition) {
    const Duration end = loop_.Now() + Duration{20'000};
    while (!condition() && loop_.Now() < end)
      loop_.RunOne(Duration{100});
    return condition();
  }
  [[nodiscard]] bool UntilReceived(const Peer& peer, std::string_view text) {
    return Until([&] { return peer.received.find(text) != std::string::npos; });
  }

  EventLoop loop_;
  HttpServerOptions options_;
  bool holds_ = false;
  std::vector<ServerRequest> requests_;
  std::vector<HttpServer::Respond> held_;
  std::unique_ptr<HttpServer> server_;
};

constexpr const char* kGet = "GET /metrics?a=b HTTP/1.1\r\nHost: x\r\nX-Note: n\r\n\r\n";

TEST_F(HttpServerTest, AnswersARequestWithWhatTheHandlerSays) {
  Start();
  Peer peer(loop_, server_->port());
  peer.Write(kGet);
  ASSERT_TRUE(UntilReceived(peer, "hello"));
  EXPECT_THAT(peer.received,
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("content-type: text/plain\r\n"),
                    HasSubstr("Content-Length: 5\r\n")));
  ASSERT_THAT(requests_, SizeIs(1));
  EXPECT_EQ(requests_[0].method, "GET");
  EXPECT_EQ(requests_[0].target, "/metrics?a=b");
  EXPECT_EQ(FindHeader(requests_[0].headers, "x-note"), "n");
}

TEST_F(HttpServerTest, HandsOverTheBody) {
  Start();
  Peer peer(loop_, server_->port());
  peer.Write("POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
  ASSERT_TRUE(UntilReceived(peer, "hello"));
  EXPECT_EQ(requests_[0].body, "body");
}

TEST_F(HttpServerTest, KeepsTheConnectionForTheNextRequest) {
  Start();
  Peer peer(loop_, server_->port());
  peer.Write(kGet);
  ASSERT_TRUE(UntilReceived(peer, "hello"));
  peer.received.clear();
  peer.Write(kGet);
  ASSERT_TRUE(UntilReceived(peer, "hello"));
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(HttpServerTest, ClosesWhenThePeerAsksForThat) {
  Start();
  Peer peer(loop_, server_->port());
  peer.Write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(Until([&] { return peer.closed; }));
  EXPECT_THAT(peer.received, HasSubstr("hello"));
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  Start();
  Peer peer(loop_, server_->port());
  peer.Write("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(Until([&] { return peer.closed; }));
  EXPECT_THAT(peer.received, AllOf(HasSubstr("Content-Length: 5"), testing::EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, AnswersOverTls) {
  const TestCertificate authority = MakeTestAuthority();
  const TestCertificate certificate = MakeTestCertificate(authority, {"127.0.0.1"});
  ServerTlsOptions tls;
  tls.certificate.text = certificate.certificate;
  tls.key.text = certificate.key;
  tls.protocols = {"h2"};  // the peer's transport asks for it; here it only carries bytes
  options_.tls = TlsContext::ForServer(tls).value();
  Start();
  ClientTlsOptions trusting;
  trusting.ca.text = authority.certificate;
  Peer peer(loop_, server_->port(), TlsContext::ForClient(trusting).value());
  peer.Write(kGet);
  EXPECT_TRUE(UntilReceived(peer, "hello"));
}

TEST_F(HttpServerTest, RefusesABodyBeyondItsLimit) {
  options_.max_body_bytes = 10;
  Start();
  Peer peer(loop_, server_->port());
  peer.Write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
  EXPECT_TRUE(UntilReceived(peer, "HTTP/1.1 413"));
  EXPECT_TRUE(Until([&] { return peer.closed; }));
  EXPECT_THAT(requests_, SizeIs(0));
}

TEST_F(HttpServerTest, RefusesAHeadBeyondItsLimit) {
  options_.max_head_bytes = 100;
  Start();
  Peer peer(loop_, server_->port());
  peer.Write("GET / HTTP/1.1\r\nX-Long: " + std::string(200, 'x') + "\r\n\r\n");
  EXPECT_TRUE(UntilReceived(peer, "HTTP/1.1 431"));
}

TEST_F(HttpServerTest, RefusesWhatIsNotHttp) {
  Start();
  Peer peer(loop_, server_->port());
  peer.Write("\x16\x03\x01 not HTTP\r\n\r\n");
  EXPECT_TRUE(UntilReceived(peer, "HTTP/1.1 400"));
}

TEST_F(HttpServerTest, ClosesAConnectionThatSendsNothing) {
  options_.request_timeout = Duration{30};
  Start();
  const Peer peer(loop_, server_->port());
  EXPECT_TRUE(Until([&] { return peer.closed; }));
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(HttpServerTest, ClosesAConnectionThatStopsInTheMiddleOfARequest) {
  options_.request_timeout = Duration{50};
  Start();
  Peer peer(loop_, server_->port());
  peer.Write("GET / HTT");
  EXPECT_TRUE(Until([&] { return peer.closed; }));
}

TEST_F(HttpServerTest, SaysUnavailableWhenTheHandlerIsLate) {
  options_.answer_timeout = Duration{30};
  holds_ = true;
  Start();
  Peer peer(loop_, server_->port());
  peer.Write(kGet);
  EXPECT_TRUE(UntilReceived(peer, "HTTP/1.1 503"));
  held_[0]({200, {}, "too late"});
  peer.received.clear();
  holds_ = false;
  peer.Write(kGet);
  EXPECT_TRUE(UntilReceived(peer, "hello"));
  EXPECT_THAT(peer.received, testing::Not(HasSubstr("too late")));
}

TEST_F(HttpServerTest, ClosesConnectionsBeyondItsLimit) {
  options_.max_connections = 1;
  Start();
  const Peer first(loop_, server_->port());
  ASSERT_TRUE(Until([&] { return server_->connections() == 1; }));
  const Peer second(loop_, server_->port());
  EXPECT_TRUE(Until([&] { return second.closed; }));
  EXPECT_FALSE(first.closed);
}

TEST_F(HttpServerTest, MayBeAnsweredAfterItsEnd) {
  holds_ = true;
  Start();
  Peer peer(loop_, server_->port());
  peer.Write(kGet);
  ASSERT_TRUE(Until([&] { return !held_.empty(); }));
  server_.reset();
  held_[0]({200, {}, "nobody"});
  EXPECT_TRUE(Until([&] { return peer.closed; }));
  EXPECT_EQ(peer.received, "");
}

TEST_F(HttpServerTest, NamesThePortThatIsTaken) {
  Start();
  HttpServerOptions options;
  options.port = server_->port();
  const auto second =
      HttpServer::Listen(loop_, options, [](const ServerRequest&, const HttpServer::Respond&) {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, AllOf(HasSubstr("127.0.0.1"), HasSubstr(std::to_string(options.port))));
}

}  // namespace
}  // namespace cadre::net
