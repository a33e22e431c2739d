// TlsContext: what one side of TLS connections needs: whom it trusts, who it is, and what it speaks.
//
// Immutable and shared: a connection keeps the context it was opened with. A renewed certificate or CA bundle
// is a new context, handed to the client or server, and used from its next connection on. TLS 1.2 is the
// least.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX
struct ssl_st;      // OpenSSL's SSL

namespace cadre::net {

// PEM text, or the file that holds it (at most 1 MiB, read once). The text wins; both empty means none.
struct PemSource {
  std::string text;
  std::string file;

  bool empty() const { return text.empty() && file.empty(); }
};

struct ClientTlsOptions {
  // Any number of certificates; a chain that leads to one of them is trusted, be it a root or not (as
  // client-go does). Empty: the roots of the system.
  PemSource ca;
  // The client's certificate, with the rest of its chain behind it, and its key. Both or neither. Keys with a
  // pass phrase are refused.
  PemSource certificate;
  PemSource key;
  // The name or address that the server's certificate must be for, also sent as SNI. Empty: the URL's host.
  std::string server_name;
  // Takes any certificate of the server's. Refused together with `ca`, whose effect it would hide.
  bool insecure = false;
};

struct ServerTlsOptions {
  PemSource certificate;
  PemSource key;
  // When given, a client without a certificate of this authority is turned away.
  PemSource client_ca;
  // Names of RFC 7301 in the order of preference, such as "h2", "http/1.1". A client that names none of them
  // is turned away, one that names nothing at all is not.
  std::vector<std::string> protocols;
};

class TlsContext {
 public:
  // A client that speaks HTTP/2 ("h2") and nothing else. Errors name the option, and the file when there is
  // one.
  static Result<std::shared_ptr<const TlsContext>> ForClient(const ClientTlsOptions& options);
  static Result<std::shared_ptr<const TlsContext>> ForServer(const ServerTlsOptions& options);

  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // The state of one new connection of a client to `host` (of a server: the host is ignored). The caller owns
  // it. Null only when memory has run out.
  ssl_st* NewConnection(const std::string& host) const;

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}

  ssl_ctx_st* context_;            // owned
  std::string server_name_;        // replaces the host
  std::string protocols_on_wire_;  // of a server, each after its length
  bool verifies_host_ = false;
};

// Which protocol both sides agreed on, "" when none. Of a connection whose handshake is done.
std::string_view AgreedProtocol(const ssl_st* connection);

// Why the peer's certificate was not trusted, as OpenSSL says it; "" when it was.
std::string UntrustedReason(const ssl_st* connection);

}  // namespace cadre::net
