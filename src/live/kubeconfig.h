// Kubeconfig, read as kubectl reads it, and the service account of a pod.
//
// Which files: --kubeconfig alone if given; else those of KUBECONFIG (separated by ':'; the first file that
// has an entry, or a current-context, wins; what does not exist is skipped); else ~/.kube/config. Where none
// of these exists, the service account of the pod that this program runs in. Relative paths are relative to
// the file that they stand in. Source:
// https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/ and
// https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/.
//
// Stricter than kubectl: what would be left out in silence and change who we are or whom we talk to is an
// error (proxy-url, user names and passwords, auth-provider, impersonation, a plugin that needs a terminal).
// HTTPS_PROXY is not looked at. Errors name the file, the entry and the field; they never repeat a secret.
// Thread rule: pure functions that read files and environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "live/cluster_access.h"

namespace cadre::live {

inline constexpr std::string_view kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

// An environment variable that is set and not empty.
std::optional<std::string> EnvironmentVariable(const std::string& name);

struct KubeconfigOptions {
  std::string kubeconfig;  // --kubeconfig; empty: see above
  std::string context;     // --context; empty: current-context
  std::function<std::optional<std::string>(const std::string&)> variable = EnvironmentVariable;
  std::string service_account_folder{kServiceAccountFolder};
};

// Every file that the result names has been read once, so that a wrong path is an error now.
Result<ClusterAccess> LoadClusterAccess(const KubeconfigOptions& options);

}  // namespace cadre::live
