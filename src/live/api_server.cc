#include "live/api_server.h"

#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "net/tls_context.h"

namespace cadre::live {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"pods", "other objects", "writes", "lease"};

net::Url UrlOf(const ServerUrl& url) {
  return {.tls = url.tls, .host = url.host, .port = url.port, .path = url.path_prefix};
}

}  // namespace

ApiServer::ApiServer(net::EventLoop& loop, const drive::Clock& clock, ClusterAccess access,
                     ApiServerOptions options)
    : loop_(loop),
      clock_(clock),
      access_(std::move(access)),
      options_(std::move(options)),
      random_(options_.seed),
      source_(MakeCredentialSource(access_.credential)) {}

ApiServer::~ApiServer() {
  loop_.Cancel(timer_);
}

Result<std::unique_ptr<ApiServer>> ApiServer::Open(net::EventLoop& loop, const drive::Clock& clock,
                                                   ClusterAccess access, ApiServerOptions options) {
  std::unique_ptr<ApiServer> server(new ApiServer(loop, clock, std::move(access), std::move(options)));
  CADRE_TRY_VOID(server->Start());
  return server;
}

Result<void> ApiServer::Start() {
  RefreshCredential();
  std::shared_ptr<const net::TlsContext> tls;
  if (access_.server.tls) {
    CADRE_TRY(tls, RenewedTls());
  }
  for (std::size_t i = 0; i < kClients; ++i) {
    net::Http2ClientOptions options;
    options.name = kNames[i];
    options.user_agent = options_.user_agent;
    options.authorization = [this] { return Authorization(); };
    options.jitter = [this] { return static_cast<double>(random_.Uniform(1U << 20U)) / (1U << 20U); };
    clients_[i] = std::make_unique<net::Http2Client>(loop_, UrlOf(access_.server), tls, std::move(options));
  }
  RenewLater();
  return {};
}

std::string ApiServer::Text() const {
  return access_.origin.empty() ? ToString(access_.server)
                                : fmt::format("{} ({})", ToString(access_.server), access_.origin);
}

void ApiServer::Refused() {
  source_->Refused(clock_.Now(), credential_);
  RefreshCredential();
}

// The value of the header, as it is put on a connection.
Result<std::string> ApiServer::Authorization() {
  RefreshCredential();
  CADRE_TRY(credential_, source_->Current(clock_.Now()));
  return credential_.bearer_token.empty() ? std::string{} : "Bearer " + credential_.bearer_token;
}

void ApiServer::RefreshCredential() {
  if (!source_->NeedsRefresh(clock_.Now())) return;
  // From the source's own thread: it may do no more than post.
  source_->Refresh(clock_.Now(), [this, alive = std::weak_ptr(alive_)] {
    loop_.Post([this, alive] {
      if (!alive.expired()) RenewLater();
    });
  });
}

Result<std::shared_ptr<const net::TlsContext>> ApiServer::RenewedTls() {
  net::ClientTlsOptions tls;
  CADRE_TRY(tls.ca.text, ReadPem(access_.certificate_authority));
  const Result<Credential> credential = source_->Current(clock_.Now());
  if (credential && !credential->client_certificate_pem.empty()) {
    tls.certificate.text = credential->client_certificate_pem;
    tls.key.text = credential->client_key_pem;
  } else {
    CADRE_TRY(tls.certificate.text, ReadPem(access_.client_certificate));
    CADRE_TRY(tls.key.text, ReadPem(access_.client_key));
  }
  tls.server_name = access_.tls_server_name;
  tls.insecure = access_.insecure_skip_tls_verify;
  std::string text = fmt::format("{}\n{}\n{}", tls.ca.text, tls.certificate.text, tls.key.text);
  if (!tls_text_.empty() && text == tls_text_) return nullptr;
  Result<std::shared_ptr<const net::TlsContext>> context = net::TlsContext::ForClient(tls);
  if (context) tls_text_ = std::move(text);
  return context;
}

// Looks at once at what can be seen now, then again and again.
void ApiServer::RenewLater() {
  loop_.Cancel(timer_);
  if (access_.server.tls && clients_.front() != nullptr) {
    const Result<std::shared_ptr<const net::TlsContext>> tls = RenewedTls();
    if (!tls) {
      // A file that is being replaced: the next look finds it whole.
      CADRE_LOG(kWarn, "certificates stay as they are: {}", tls.error().message);
    } else if (*tls != nullptr) {
      for (const std::unique_ptr<net::Http2Client>& client : clients_)
        client->SetTls(*tls, false);
    }
  }
  timer_ = loop_.CallAfter(options_.renew_every, [this] { RenewLater(); });
}

}  // namespace cadre::live
