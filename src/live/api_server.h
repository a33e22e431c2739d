// ApiServer: the connections to one API server, with who we are on them: certificates and tokens that are
// renewed while the program runs.
//
// One connection for pods, one for all other kinds, one for writes, one for the lease, so that a long list
// never holds up a bind, or costs the leadership. Thread rule: the event loop's thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "drive/clock.h"
#include "live/cluster_access.h"
#include "live/credentials.h"
#include "live/http_api.h"
#include "net/event_loop.h"
#include "net/http2_client.h"

namespace cadre::live {

struct ApiServerOptions {
  std::string user_agent = "cadre";
  std::uint64_t seed = 0;        // spreads reconnections
  Duration renew_every{60'000};  // how often certificate files are looked at
};

class ApiServer {
 public:
  // Nothing is connected yet: the first request does that. An error when certificates cannot be read or do
  // not fit together. Loop and clock are borrowed and must outlive it.
  static Result<std::unique_ptr<ApiServer>> Open(net::EventLoop& loop, const drive::Clock& clock,
                                                 ClusterAccess access, ApiServerOptions options);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  HttpApiLanes lanes() { return {*clients_[0], *clients_[1], *clients_[2]}; }
  net::Http2Client& lease() { return *clients_[3]; }
  // "https://10.0.0.1:6443 (context "dev" of /home/me/.kube/config)".
  std::string Text() const;

  // The server has answered 401: the token that was sent is not good any more.
  void Refused();

 private:
  static constexpr std::size_t kClients = 4;

  ApiServer(net::EventLoop& loop, const drive::Clock& clock, ClusterAccess access, ApiServerOptions options);
  Result<void> Start();
  Result<std::string> Authorization();
  void RefreshCredential();
  // The TLS context of what the files and the credential say now, when that is not what it was; null: no
  // news.
  Result<std::shared_ptr<const net::TlsContext>> RenewedTls();
  void RenewLater();

  net::EventLoop& loop_;
  const drive::Clock& clock_;
  ClusterAccess access_;
  ApiServerOptions options_;
  Random random_;
  Credential credential_;  // as it was sent last
  std::string tls_text_;   // what the present TLS context was made of
  net::EventLoop::Timer timer_{};
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  std::array<std::unique_ptr<net::Http2Client>, kClients> clients_;
  // Destroyed first: its thread calls back until then.
  std::unique_ptr<CredentialSource> source_;
};

}  // namespace cadre::live
