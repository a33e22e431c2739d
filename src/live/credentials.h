// Credentials that are renewed under a running program: tokens from files, exec plugins.
//
// How a client uses a source, all from its event loop:
//
//   if (source->NeedsRefresh(now)) source->Refresh(now, [&] { post to the loop: try again });
//   Result<Credential> credential = source->Current(now);   // never waits
//
// Current answers with what is there. Only an exec plugin takes time: Refresh starts it in a thread of the
// source's own, and `done` is called when there is a new credential or a reason why there is none. A
// credential is renewed once four fifths of its life have passed, while the old one is still good, so that
// requests do not wait; without an expiry it is good until the server refuses it (Refused).
//
// Thread rule: one thread calls. `done` is called from inside Refresh where nothing has to be waited for,
// else from the source's thread, in which it must do no more than post to the caller's loop. No `done` is
// called after the destructor has returned; the destructor kills a plugin that is running.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "live/cluster_access.h"

namespace cadre::live {

struct Credential {
  std::string bearer_token;            // for Authorization: Bearer; empty: none
  std::string client_certificate_pem;  // both or neither; instead of those of ClusterAccess
  std::string client_key_pem;
  std::optional<Time> expires;

  friend bool operator==(const Credential&, const Credential&) = default;
};

// Whether text can be sent as a bearer token: ASCII without blanks and control characters (RFC 6750), so that
// it cannot end a header. Empty: there is none.
bool IsBearerToken(std::string_view text);
inline constexpr std::string_view kNotABearerToken =
    "not a bearer token: it holds blanks or other characters that "
    "cannot be sent";

class CredentialSource {
 public:
  virtual ~CredentialSource() = default;

  // The credential to use at `now`. An error when there is none that is good: not yet, no longer, or what the
  // last attempt met with. An empty Credential is an answer, too: there is nothing to send.
  virtual Result<Credential> Current(Time now) = 0;

  // Whether Refresh would do something. Refreshing is bounded: after a failure not before a delay that
  // doubles from one second to a minute, and one at a time.
  virtual bool NeedsRefresh(Time now) const = 0;

  // REQUIRES: at most 64 calls wait for their `done`.
  virtual void Refresh(Time now, std::function<void()> done) = 0;

  // The server answered 401 to `credential`. Does nothing when that is no longer the current one.
  virtual void Refused(Time now, const Credential& credential) = 0;
};

// The source for what a kubeconfig says. Token files are read again at most once a minute (the kubelet renews
// them long before they end), and at once after Refused; while one cannot be read the last token is used and
// the log says so.
std::unique_ptr<CredentialSource> MakeCredentialSource(const UserCredential& credential);

}  // namespace cadre::live
