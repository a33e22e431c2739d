#include "kube/kind.h"

#include <array>

#include "base/check.h"

namespace cadre::kube {
namespace {

// scheduling.k8s.io PodGroup: v1alpha2 (Kubernetes 1.36), v1alpha3 and v1beta1 (1.37). The fields we use are
// the same.
constexpr std::array<std::string_view, 2> kOlderPodGroups = {"v1alpha3", "v1alpha2"};

constexpr std::array<KindInfo, 15> kKinds = {{
    {Kind::kNamespace, "", "v1", "Namespace", "namespaces", false, {}},
    {Kind::kNode, "", "v1", "Node", "nodes", false, {}},
    {Kind::kPod, "", "v1", "Pod", "pods", true, {}},
    {Kind::kService, "", "v1", "Service", "services", true, {}},
    {Kind::kConfigMap, "", "v1", "ConfigMap", "configmaps", true, {}},
    {Kind::kEvent, "", "v1", "Event", "events", true, {}},
    {Kind::kLease, "coordination.k8s.io", "v1", "Lease", "leases", true, {}},
    {Kind::kPriorityClass, "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false, {}},
    {Kind::kPersistentVolume, "", "v1", "PersistentVolume", "persistentvolumes", false, {}},
    {Kind::kPersistentVolumeClaim, "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true, {}},
    {Kind::kStorageClass, "storage.k8s.io", "v1", "StorageClass", "storageclasses", false, {}},
    {Kind::kJob, "batch", "v1", "Job", "jobs", true, {}},
    {Kind::kJobSet, "jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", true, {}},
    {Kind::kPodGroup, "scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups", true, kOlderPodGroups},
    {Kind::kSchedulerPluginsPodGroup, "scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups", true, {}},
}};

constexpr bool InOrderOfTheEnumeration() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return kKinds.back().kind == Kind::kSchedulerPluginsPodGroup;
}
static_assert(InOrderOfTheEnumeration(), "the table is indexed by Kind and must hold each one");

bool HasVersion(const KindInfo& info, std::string_view version) {
  if (info.version == version) return true;
  for (const std::string_view other : info.also_read) {
    if (other == version) return true;
  }
  return false;
}

}  // namespace

std::span<const KindInfo> AllKinds() {
  return kKinds;
}

const KindInfo& Info(Kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  CADRE_ASSERT(index < kKinds.size(), "a value outside of enum Kind");
  return kKinds[index];
}

std::string ApiVersion(Kind kind) {
  const KindInfo& info = Info(kind);
  if (info.group.empty()) return std::string(info.version);
  return std::string(info.group) + "/" + std::string(info.version);
}

std::optional<Kind> KindOf(std::string_view api_version, std::string_view kind_name) {
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  for (const KindInfo& info : kKinds) {
    if (info.name == kind_name && info.group == group && HasVersion(info, version)) return info.kind;
  }
  return std::nullopt;
}

}  // namespace cadre::kube
