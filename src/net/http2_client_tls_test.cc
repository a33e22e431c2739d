// The HTTP/2 client over TLS: whom it trusts, who it is, and certificates that change.
#include "net/http2_client_testing.h"

namespace cadre::net {
namespace {

using testing::HasSubstr;

class Http2Tls : public Http2ClientTest {
 protected:
  Http2Tls() {
    options_.connect_attempts = 1;
    options_.backoff_first = Duration{1};
  }
  static std::shared_ptr<const TlsContext> Client(const ClientTlsOptions& options) {
    auto context = TlsContext::ForClient(options);
    EXPECT_TRUE(context) << context.error().message;
    return *context;
  }
  void StartServerFor(const std::vector<std::string>& names, int days = 1, std::string protocol = "h2") {
    const TestCertificate certificate = MakeTestCertificate(authority_, names, days);
    ServerTlsOptions options;
    options.certificate.text = certificate.certificate;
    options.key.text = certificate.key;
    options.protocols = {std::move(protocol)};
    options.client_ca.text = client_ca_;
    auto context = TlsContext::ForServer(options);
    ASSERT_TRUE(context) << context.error().message;
    StartServer({.tls = *context});
  }
  void StartClientWith(const ClientTlsOptions& options) {
    client_ = std::make_unique<Http2Client>(loop_, server_->url(), Client(options), options_);
  }
  ClientTlsOptions Trusting(const TestCertificate& authority) const {
    ClientTlsOptions options;
    options.ca.text = authority.certificate;
    return options;
  }
  ClientTlsOptions WithCertificate() const {
    const TestCertificate certificate = MakeTestCertificate(authority_, {"client"});
    ClientTlsOptions options = Trusting(authority_);
    options.certificate.text = certificate.certificate;
    options.key.text = certificate.key;
    return options;
  }

  const TestCertificate authority_ = MakeTestAuthority();
  std::string client_ca_;
};

TEST_F(Http2Tls, CarriesRequestsToAServerThatItTrusts) {
  StartServerFor({"127.0.0.1"});
  StartClientWith(Trusting(authority_));
  const std::string body(3'000'000, 'x');
  server_->on_request = [&](const TestRequest& request) { server_->Answer(request, 200, {}, request.body); };
  const RequestEnd end = Ask(Post("/", body));
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->body == body);
}

TEST_F(Http2Tls, SendsNothingToAServerOfAnotherAuthority) {
  StartServerFor({"127.0.0.1"});
  StartClientWith(Trusting(MakeTestAuthority("other")));
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "certificate is not trusted"));
}

TEST_F(Http2Tls, SendsNothingToAServerOfAnotherName) {
  StartServerFor({"127.0.0.2", "localhost"});
  StartClientWith(Trusting(authority_));
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "mismatch"));
}

TEST_F(Http2Tls, SendsNothingToAServerWhoseCertificateHasExpired) {
  StartServerFor({"127.0.0.1"}, -1);
  StartClientWith(Trusting(authority_));
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "expired"));
}

TEST_F(Http2Tls, ChecksTheServerNameThatItWasGivenInsteadOfTheHost) {
  StartServerFor({"kubernetes.default"});
  ClientTlsOptions options = Trusting(authority_);
  options.server_name = "kubernetes.default";
  StartClientWith(options);
  EXPECT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
}

TEST_F(Http2Tls, TrustsAnybodyWhenToldToBeInsecure) {
  StartServerFor({"elsewhere"}, -1);
  ClientTlsOptions options;
  options.insecure = true;
  StartClientWith(options);
  EXPECT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
}

TEST_F(Http2Tls, TrustsTheServersOwnCertificateInPlaceOfAnAuthority) {
  const TestCertificate certificate = MakeTestCertificate(authority_, {"127.0.0.1"});
  ServerTlsOptions server;
  server.certificate.text = certificate.certificate;
  server.key.text = certificate.key;
  server.protocols = {"h2"};
  StartServer({.tls = TlsContext::ForServer(server).value()});
  StartClientWith(Trusting(certificate));
  EXPECT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
}

TEST_F(Http2Tls, ShowsItsCertificateToAServerThatAsks) {
  client_ca_ = authority_.certificate;
  StartServerFor({"127.0.0.1"});
  StartClientWith(WithCertificate());
  EXPECT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
}

TEST_F(Http2Tls, IsTurnedAwayWithoutACertificateWhereOneIsNeeded) {
  client_ca_ = authority_.certificate;
  StartServerFor({"127.0.0.1"});
  StartClientWith(Trusting(authority_));
  const RequestEnd end = Ask(Get("/"));
  ASSERT_FALSE(end);
  EXPECT_FALSE(end.error().sent) << end.error().message;
}

TEST_F(Http2Tls, RefusesAServerThatDoesNotSpeakHttp2) {
  StartServerFor({"127.0.0.1"}, 1, "http/1.1");
  StartClientWith(Trusting(authority_));
  const RequestEnd end = Ask(Get("/"));
  EXPECT_THAT(end, IsFailure(FailureKind::kNotSent, false, "no connection"));
}

TEST_F(Http2Tls, UsesANewContextFromTheNextConnectionOn) {
  client_ca_ = authority_.certificate;
  StartServerFor({"127.0.0.1"});
  StartClientWith(Trusting(authority_));
  ASSERT_FALSE(Ask(Get("/")));
  client_->SetTls(Client(WithCertificate()), false);
  EXPECT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
}

TEST_F(Http2Tls, FinishesWhatIsInFlightWhenANewContextComes) {
  StartServerFor({"127.0.0.1"});
  StartClientWith(Trusting(authority_));
  HoldRequests();
  Answered held;
  client_->Send(Get("/held"), held.Here());
  ASSERT_TRUE(UntilRequests(1));
  server_->Begin(server_->requests[0], 200);
  Settle();
  client_->SetTls(Client(WithCertificate()), true);
  Answered next;
  client_->Send(Get("/next"), next.Here());
  ASSERT_TRUE(UntilRequests(2));
  EXPECT_EQ(server_->requests[1].connection, 1U);
  server_->Chunk(server_->requests[0], "done");
  server_->Finish(server_->requests[0]);
  EXPECT_THAT(Wait(held), IsResponse(200, "done"));
}

TEST_F(Http2Tls, SaysWhatTheCertificateWasNotGoodFor) {
  StartServerFor({"127.0.0.2"});
  StartClientWith(Trusting(authority_));
  const RequestEnd end = Ask(Get("/"));
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message, HasSubstr(server_->url().Authority()));
}

}  // namespace
}  // namespace cadre::net
