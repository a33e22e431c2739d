#include "live/api_server.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/live_testing.h"
#include "live/loop_clock.h"
#include "net/certificate_testing.h"
#include "net/http2_server_testing.h"

namespace cadre::live {
namespace {

using testing::HasSubstr;

class ApiServerTest : public testing::Test {
 protected:
  static constexpr Duration kLong{20'000};

  // The way to the server that runs.
  ClusterAccess Access(const net::TestServer& server) const {
    const net::Url url = server.url();
    ClusterAccess access;
    access.server = {.tls = url.tls, .host = url.host, .port = url.port, .path_prefix = ""};
    access.certificate_authority.pem = url.tls ? authority_.certificate : "";
    return access;
  }
  std::shared_ptr<const net::TlsContext> ServerTls() const {
    const net::TestCertificate certificate =
        net::MakeTestCertificate(authority_, {"127.0.0.1", "kubernetes"});
    net::ServerTlsOptions options;
    options.certificate.text = certificate.certificate;
    options.key.text = certificate.key;
    options.client_ca.text = client_ca_;
    options.protocols = {"h2"};
    auto context = net::TlsContext::ForServer(options);
    EXPECT_TRUE(context) << ErrorOf(context);
    return *context;
  }
  void Open(ClusterAccess access) {
    Result<std::unique_ptr<ApiServer>> server = ApiServer::Open(loop_, clock_, std::move(access), options_);
    ASSERT_TRUE(server) << ErrorOf(server);
    server_ = *std::move(server);
  }
  net::RequestEnd Ask(net::Http2Client& client) {
    std::optional<net::RequestEnd> end;
    net::Request request;
    request.path = "/version";
    client.Send(std::move(request), [&](net::RequestEnd arrived) { end = std::move(arrived); });
    const Duration until = loop_.Now() + kLong;
    while (!end && loop_.Now() < until)
      loop_.RunOne(Duration{50});
    return end ? *std::move(end)
               : std::unexpected(
                     net::Failure{net::FailureKind::kUnknown, false, "the test has waited in vain"});
  }

  net::EventLoop loop_;
  LoopClock clock_{loop_};
  ApiServerOptions options_;
  net::TestCertificate authority_ = net::MakeTestAuthority();
  std::string client_ca_;  // when set, the server wants certificates of this authority
  TempFolder folder_;
  std::unique_ptr<ApiServer> server_;
};

TEST_F(ApiServerTest, HasAConnectionForEachLane) {
  net::TestServer peer(loop_);
  Open(Access(peer));
  for (net::Http2Client* client :
       {&server_->lanes().pods, &server_->lanes().others, &server_->lanes().writes, &server_->lease()})
    EXPECT_TRUE(Ask(*client));
  EXPECT_EQ(peer.accepted(), 4U);
}

TEST_F(ApiServerTest, SendsTheTokenOfItsFileAndTheNextOneAfterARefusal) {
  net::TestServer peer(loop_);
  ClusterAccess access = Access(peer);
  access.credential = TokenFile{folder_.Write("token", "first")};
  Open(std::move(access));
  ASSERT_TRUE(Ask(server_->lanes().pods));
  folder_.Write("token", "second");
  server_->Refused();
  ASSERT_TRUE(Ask(server_->lanes().pods));
  EXPECT_EQ(net::FindHeader(peer.requests[0].headers, "authorization"), "Bearer first");
  EXPECT_EQ(net::FindHeader(peer.requests[1].headers, "authorization"), "Bearer second");
}

TEST_F(ApiServerTest, TrustsTheAuthorityThatTheKubeconfigNames) {
  net::TestServer peer(loop_, {.tls = ServerTls()});
  Open(Access(peer));
  const net::RequestEnd end = Ask(server_->lanes().pods);
  EXPECT_TRUE(end) << end.error().message;
}

TEST_F(ApiServerTest, ShowsItsCertificateAndTakesARenewedOne) {
  client_ca_ = authority_.certificate;
  net::TestServer peer(loop_, {.tls = ServerTls()});
  const net::TestCertificate stranger =
      net::MakeTestCertificate(net::MakeTestAuthority("another"), {"client"});
  ClusterAccess access = Access(peer);
  access.client_certificate.file = folder_.Write("client.crt", stranger.certificate);
  access.client_key.file = folder_.Write("client.key", stranger.key);
  options_.renew_every = Duration{20};
  Open(std::move(access));
  const net::TestCertificate ours = net::MakeTestCertificate(authority_, {"client"});
  folder_.Write("client.crt", ours.certificate);
  folder_.Write("client.key", ours.key);
  const net::RequestEnd end = Ask(server_->lanes().pods);
  EXPECT_TRUE(end) << end.error().message;
}

TEST_F(ApiServerTest, NamesTheFileThatCannotBeRead) {
  ClusterAccess access;
  access.server = {.tls = true, .host = "127.0.0.1", .port = 1, .path_prefix = ""};
  access.certificate_authority.file = folder_ / "missing.crt";
  EXPECT_THAT(ErrorOf(ApiServer::Open(loop_, clock_, access, options_)), HasSubstr("missing.crt"));
}

}  // namespace
}  // namespace cadre::live
