// ClusterAccess: where an API server is, how to know that it is the right one, and who we are to it.
//
// Plain values that kubeconfig.h fills in; a client takes one. Nothing here is read again later except the
// files that PemSource and TokenFile name: certificates and tokens are renewed under a running program.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace cadre::live {

// "https://[fd00::1]:6443/k8s/clusters/c-1" in its parts.
struct ServerUrl {
  bool tls = true;          // https
  std::string host;         // without the brackets of an IPv6 address
  std::uint16_t port = 0;   // 443 or 80 where the URL has none
  std::string path_prefix;  // "/k8s/clusters/c-1": empty or starting with '/', never ending in one

  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

// http and https; user names, queries and fragments are refused.
Result<ServerUrl> ParseServerUrl(std::string_view text);

// As it was parsed, with its port.
std::string ToString(const ServerUrl& url);

// PEM text (RFC 7468), or the file that holds it. At most one of the two is set; neither: there is none.
struct PemSource {
  std::string pem;
  std::string file;

  bool IsSet() const { return !pem.empty() || !file.empty(); }
};

// The PEM text, read now; empty where there is none. An error where a file cannot be read, is larger than a
// mebibyte or holds no PEM block.
Result<std::string> ReadPem(const PemSource& source);

// A bearer token that never changes.
struct StaticToken {
  std::string token;
};

// A file with a bearer token, which somebody renews (the kubelet, for service accounts).
struct TokenFile {
  std::string path;
};

// A program that prints credentials: users[].user.exec of a kubeconfig.
// Source: https://kubernetes.io/docs/reference/config-api/client-authentication.v1/ and kubeconfig (v1).
struct ExecPlugin {
  std::string api_version;  // client.authentication.k8s.io/v1 or …/v1beta1
  std::string command;      // an absolute path, or a name that is looked for in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to the environment of this program
  std::string install_hint;                              // how to get the program, in its vendor's words
  // spec.cluster of KUBERNETES_EXEC_INFO as JSON; empty unless provideClusterInfo is set.
  std::string cluster_info;
};

// monostate: nothing but the client certificate, if there is one.
using UserCredential = std::variant<std::monostate, StaticToken, TokenFile, ExecPlugin>;

struct ClusterAccess {
  std::string origin;  // for messages: context "dev" of /home/me/.kube/config
  ServerUrl server;
  std::string tls_server_name;  // the name to ask for and to check; empty: the host
  bool insecure_skip_tls_verify = false;
  PemSource certificate_authority;  // none: the system's
  PemSource client_certificate;     // both or neither of these
  PemSource client_key;
  UserCredential credential;
  std::string default_namespace = "default";
};

}  // namespace cadre::live
