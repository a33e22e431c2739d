#include "live/kubeconfig.h"

#include <array>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "live/file.h"
#include "live/kubeconfig_file.h"

namespace cadre::live {
namespace {

constexpr std::size_t kLargestSmallFileBytes = std::size_t{1} << 20U;
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// A field that we would have to act on and do not: leaving it out would be worse than saying so.
struct Refused {
  std::string_view field;
  std::string_view why;
};

constexpr std::array<Refused, 7> kRefusedOfUsers = {{
    {"username",
     "names and passwords are not supported (Kubernetes 1.19 removed them); use a token, "
     "a client certificate or exec"},
    {"password",
     "names and passwords are not supported (Kubernetes 1.19 removed them); use a token, "
     "a client certificate or exec"},
    {"auth-provider", "not supported (Kubernetes 1.26 removed it); use the exec plugin of your provider"},
    {"as", "impersonation is not supported; use credentials of the account itself"},
    {"as-uid", "impersonation is not supported; use credentials of the account itself"},
    {"as-groups", "impersonation is not supported; use credentials of the account itself"},
    {"as-user-extra", "impersonation is not supported; use credentials of the account itself"},
}};
constexpr std::array<Refused, 1> kRefusedOfClusters = {{
    {"proxy-url", "proxies are not supported; connect directly, or through a tunnel on this machine"},
}};

std::expected<void, Error> CheckRefused(const KubeconfigEntry& entry, std::span<const Refused> refused) {
  for (const Refused& field : refused) {
    const json::value* found = entry.object->if_contains(field.field);
    const bool empty = found == nullptr || found->is_null() ||
                       (found->is_string() && found->get_string().empty()) ||
                       (found->is_array() && found->get_array().empty()) ||
                       (found->is_object() && found->get_object().empty());
    if (!empty) return std::unexpected(entry.Wrong(field.field, field.why));
  }
  return {};
}

// FIELD or FIELD-data: the data wins, as in kubectl. What is named must be there.
Result<PemSource> ReadPemField(const KubeconfigEntry& entry, const std::string& field) {
  std::string file;
  std::string data;
  const std::string data_field = field + "-data";
  CADRE_TRY_VOID(entry.Read([&](const kube::Reader& reader) {
    reader.Read(field, file);
    reader.Read(data_field, data);
  }));
  if (data.empty()) {
    PemSource source{.pem = {}, .file = entry.Resolve(file)};
    if (const Result<std::string> pem = ReadPem(source); !pem)
      return std::unexpected(entry.Wrong(field, pem.error().message));
    return source;
  }
  Result<std::string> pem = DecodeBase64(data);
  if (!pem) return std::unexpected(entry.Wrong(data_field, pem.error().message));
  if (pem->find("-----BEGIN ") == std::string::npos)
    return std::unexpected(entry.Wrong(data_field, "holds no PEM block (-----BEGIN …-----) in its base64"));
  return PemSource{.pem = *std::move(pem), .file = {}};
}

std::expected<void, Error> ReadCluster(const KubeconfigEntry& entry, ClusterAccess& out) {
  CADRE_TRY_VOID(CheckRefused(entry, kRefusedOfClusters));
  std::string server;
  CADRE_TRY_VOID(entry.Read([&](const kube::Reader& cluster) {
    cluster.Read("server", server);
    cluster.Read("tls-server-name", out.tls_server_name);
    cluster.Read("insecure-skip-tls-verify", out.insecure_skip_tls_verify);
  }));
  Result<ServerUrl> url = ParseServerUrl(server);
  if (!url) return std::unexpected(entry.Wrong("server", url.error().message));
  out.server = *std::move(url);
  CADRE_TRY(out.certificate_authority, ReadPemField(entry, "certificate-authority"));
  if (out.insecure_skip_tls_verify && out.certificate_authority.IsSet()) {
    return std::unexpected(entry.Wrong("insecure-skip-tls-verify",
                                       "set together with a certificate-authority, which it would leave "
                                       "unused; remove one of them"));
  }
  return {};
}

// The `extension` that a plugin is given as its configuration; null where there is none.
json::value ExtensionOf(const KubeconfigEntry& cluster) {
  const json::value* list = cluster.object->if_contains("extensions");
  if (list == nullptr || !list->is_array()) return nullptr;
  for (const json::value& item : list->get_array()) {
    if (!item.is_object() || FindString(item, {"name"}) != kExecExtension) continue;
    const json::value* extension = item.get_object().if_contains("extension");
    return extension == nullptr ? json::value() : *extension;
  }
  return nullptr;
}

// spec.cluster of an ExecCredential.
Result<std::string> ClusterInfo(const KubeconfigEntry& cluster, const ClusterAccess& access) {
  json::object info;
  info["server"] = cluster.object->at("server");
  if (!access.tls_server_name.empty()) info["tls-server-name"] = access.tls_server_name;
  if (access.insecure_skip_tls_verify) info["insecure-skip-tls-verify"] = true;
  CADRE_TRY(const std::string authority, ReadPem(access.certificate_authority));
  if (!authority.empty()) info["certificate-authority-data"] = EncodeBase64(authority);
  json::value extension = ExtensionOf(cluster);
  if (!extension.is_null()) info["config"] = std::move(extension);
  return json::serialize(info);
}

struct ExecFields {
  ExecPlugin plugin;
  std::string interactive_mode;
  bool provide_cluster_info = false;
};

void ReadExecFields(const kube::Reader& exec, ExecFields& out) {
  exec.Read("apiVersion", out.plugin.api_version);
  exec.Read("command", out.plugin.command);
  exec.Read("args", out.plugin.args);
  exec.ReadList("env", out.plugin.env, [](const kube::Reader& variable, auto& to) {
    variable.Read("name", to.first);
    variable.Read("value", to.second);
  });
  exec.Read("installHint", out.plugin.install_hint);
  exec.Read("interactiveMode", out.interactive_mode);
  exec.Read("provideClusterInfo", out.provide_cluster_info);
}

std::expected<void, Error> CheckExec(const KubeconfigEntry& user, const ExecFields& exec) {
  const std::string_view version = exec.plugin.api_version;
  const bool v1 = version == "client.authentication.k8s.io/v1";
  if (!v1 && version != "client.authentication.k8s.io/v1beta1") {
    return std::unexpected(
        user.Wrong("exec.apiVersion", fmt::format("found \"{}\", expected client.authentication.k8s.io/v1 or "
                                                  "client.authentication.k8s.io/v1beta1; update the plugin",
                                                  version)));
  }
  if (exec.plugin.command.empty())
    return std::unexpected(user.Wrong("exec.command", "missing: the program to run"));
  for (const auto& [name, value] : exec.plugin.env) {
    if (name.empty() || name.find('=') != std::string::npos)
      return std::unexpected(user.Wrong("exec.env", "a variable without a name, or with '=' in it"));
  }
  const std::string_view mode = exec.interactive_mode;
  if (mode == "Always") {
    return std::unexpected(user.Wrong("exec.interactiveMode",
                                      "Always: the plugin needs a terminal, which this program has not; "
                                      "use a service account or another user"));
  }
  const bool absent = mode.empty() && !v1;  // v1beta1 has the default IfAvailable, v1 has none
  if (!absent && mode != "Never" && mode != "IfAvailable") {
    return std::unexpected(
        user.Wrong("exec.interactiveMode", fmt::format("found \"{}\", expected Never or IfAvailable", mode)));
  }
  return {};
}

Result<ExecPlugin> ReadExec(const KubeconfigEntry& user, const KubeconfigEntry& cluster,
                            const ClusterAccess& access) {
  ExecFields exec;
  CADRE_TRY_VOID(user.Read([&](const kube::Reader& reader) {
    reader.ReadObject("exec", [&](const kube::Reader& fields) { ReadExecFields(fields, exec); });
  }));
  CADRE_TRY_VOID(CheckExec(user, exec));
  ExecPlugin& plugin = exec.plugin;
  if (plugin.command.find('/') != std::string::npos) plugin.command = user.Resolve(plugin.command);
  if (exec.provide_cluster_info) {
    CADRE_TRY(plugin.cluster_info, ClusterInfo(cluster, access));
  }
  return std::move(plugin);
}

Result<UserCredential> ReadCredential(const KubeconfigEntry& user, const KubeconfigEntry& cluster,
                                      const ClusterAccess& access) {
  std::string token;
  std::string token_file;
  bool has_exec = false;
  CADRE_TRY_VOID(user.Read([&](const kube::Reader& reader) {
    reader.Read("token", token);
    reader.Read("tokenFile", token_file);
    has_exec = reader.Has("exec");
  }));
  if (has_exec && !(token.empty() && token_file.empty()))
    return std::unexpected(user.Wrong("exec", "set together with a token; remove one of them"));
  if (has_exec) return ReadExec(user, cluster, access);
  if (!token_file.empty()) {  // wins over `token`, as in kubectl
    TokenFile file{.path = user.Resolve(token_file)};
    const Result<std::string> read = ReadSmallFile(file.path, kLargestSmallFileBytes);
    if (!read) return std::unexpected(user.Wrong("tokenFile", read.error().message));
    return file;
  }
  if (!token.empty()) return StaticToken{.token = std::move(token)};
  return UserCredential();
}

std::expected<void, Error> ReadUser(const KubeconfigEntry& user, const KubeconfigEntry& cluster,
                                    ClusterAccess& out) {
  CADRE_TRY_VOID(CheckRefused(user, kRefusedOfUsers));
  CADRE_TRY(out.client_certificate, ReadPemField(user, "client-certificate"));
  CADRE_TRY(out.client_key, ReadPemField(user, "client-key"));
  if (out.client_certificate.IsSet() != out.client_key.IsSet()) {
    const bool has_key = out.client_key.IsSet();
    return std::unexpected(user.Wrong(
        has_key ? "client-certificate" : "client-key",
        has_key ? "missing, and there is a client-key" : "missing, and there is a client-certificate"));
  }
  CADRE_TRY(out.credential, ReadCredential(user, cluster, out));
  return {};
}

Result<ClusterAccess> AccessOf(const std::vector<KubeconfigFile>& files, std::string context_name) {
  if (context_name.empty()) {
    CADRE_TRY(context_name, CurrentContext(files));
  }
  if (context_name.empty()) {
    return Err("{}: no current-context; give --context, or set one with kubectl config use-context",
               PathsOf(files));
  }
  CADRE_TRY(const KubeconfigEntry context, FindEntry(files, kContexts, context_name));
  ClusterAccess access;
  std::string cluster_name;
  std::string user_name;
  std::string name_space;
  CADRE_TRY_VOID(context.Read([&](const kube::Reader& reader) {
    reader.Read("cluster", cluster_name);
    reader.Read("user", user_name);
    reader.Read("namespace", name_space);
  }));
  if (cluster_name.empty())
    return std::unexpected(context.Wrong("cluster", "missing: the name of a cluster"));
  access.origin = fmt::format("context \"{}\" of {}", context_name, context.file->path);
  if (!name_space.empty()) access.default_namespace = name_space;
  CADRE_TRY(const KubeconfigEntry cluster, FindEntry(files, kClusters, cluster_name));
  CADRE_TRY_VOID(ReadCluster(cluster, access));
  if (user_name.empty()) return access;  // nobody in particular: the server decides what that may do
  CADRE_TRY(const KubeconfigEntry user, FindEntry(files, kUsers, user_name));
  CADRE_TRY_VOID(ReadUser(user, cluster, access));
  return access;
}

Result<ClusterAccess> ServiceAccountAccess(const KubeconfigOptions& options, const std::string& host,
                                           const std::string& port) {
  const std::string& folder = options.service_account_folder;
  ClusterAccess access;
  access.origin = "the service account of this pod";
  const bool ipv6 = host.find(':') != std::string::npos;
  Result<ServerUrl> url =
      ParseServerUrl(fmt::format("https://{}{}{}:{}", ipv6 ? "[" : "", host, ipv6 ? "]" : "", port));
  if (!url) return Err("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: {}", url.error().message);
  access.server = *std::move(url);
  access.certificate_authority.file = folder + "/ca.crt";
  CADRE_TRY_VOID(ReadPem(access.certificate_authority));
  access.credential = TokenFile{.path = folder + "/token"};
  CADRE_TRY_VOID(ReadSmallFile(folder + "/token", kLargestSmallFileBytes));
  CADRE_TRY(const std::string name_space, ReadSmallFile(folder + "/namespace", kLargestSmallFileBytes));
  if (!Trim(name_space).empty()) access.default_namespace = Trim(name_space);
  return access;
}

// The files to look for, in order.
std::vector<std::string> Candidates(const KubeconfigOptions& options) {
  std::vector<std::string> paths;
  if (const std::optional<std::string> list = options.variable("KUBECONFIG")) {
    for (const std::string_view path : Split(*list, ':')) {
      if (!path.empty()) paths.emplace_back(path);
    }
  } else if (const std::optional<std::string> home = options.variable("HOME")) {
    paths.push_back(*home + "/.kube/config");
  }
  return paths;
}

}  // namespace

std::optional<std::string> EnvironmentVariable(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets any
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<ClusterAccess> LoadClusterAccess(const KubeconfigOptions& options) {
  std::vector<KubeconfigFile> files;
  if (!options.kubeconfig.empty()) {
    CADRE_TRY(KubeconfigFile file, ReadKubeconfigFile(options.kubeconfig));
    files.push_back(std::move(file));
    return AccessOf(files, options.context);
  }
  const std::vector<std::string> candidates = Candidates(options);
  for (const std::string& path : candidates) {
    if (!Exists(path)) continue;
    CADRE_TRY(KubeconfigFile file, ReadKubeconfigFile(path));
    files.push_back(std::move(file));
  }
  if (!files.empty()) return AccessOf(files, options.context);
  const std::optional<std::string> host = options.variable("KUBERNETES_SERVICE_HOST");
  const std::optional<std::string> port = options.variable("KUBERNETES_SERVICE_PORT");
  if (host && port && options.context.empty()) return ServiceAccountAccess(options, *host, *port);
  return Err(
      "no cluster to connect to: there is no {} and this is not a pod with a service account; "
      "give --kubeconfig or set KUBECONFIG",
      candidates.empty() ? "kubeconfig" : FirstAndMore(candidates, candidates.size()));
}

}  // namespace cadre::live
