#include "kube/kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"

namespace cadre::kube {
namespace {

// scheduling.k8s.io PodGroup: v1alpha2 (Kubernetes 1.36), v1alpha3 and v1beta1 (1.37). The fields we use are
// the same.
constexpr std::array<std::string_view, 2> kOlderPodGroups = {"v1alpha3", "v1alpha2"};

constexpr std::array<KindInfo, 16> kKinds = {{
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
    {Kind::kLeaderWorkerSet,
     "leaderworkerset.x-k8s.io",
     "v1",
     "LeaderWorkerSet",
     "leaderworkersets",
     true,
     {}},
}};

constexpr bool InOrderOfTheEnumeration() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return kKinds.back().kind == Kind::kLeaderWorkerSet;
}
static_assert(InOrderOfTheEnumeration(), "the table is indexed by Kind and must hold each one");

bool HasVersion(const KindInfo& info, std::string_view version) {
  if (info.version == version) return true;
  for (const std::string_view other : info.also_read) {
    if (other == version) return true;
  }
  return false;
}

// The group and the version of an apiVersion; without a slash it is the core group's.
std::pair<std::string_view, std::string_view> SplitApiVersion(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {std::string_view(), api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

bool EqualInAnyCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
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
  const auto [group, version] = SplitApiVersion(api_version);
  for (const KindInfo& info : kKinds) {
    if (info.name == kind_name && info.group == group && HasVersion(info, version)) return info.kind;
  }
  return std::nullopt;
}

std::string ReadInstead(std::string_view api_version, std::string_view kind_name) {
  const std::string_view group = SplitApiVersion(api_version).first;
  const KindInfo* meant = nullptr;
  std::size_t in_any_group = 0;
  for (const KindInfo& info : kKinds) {
    if (!EqualInAnyCase(info.name, kind_name)) continue;
    ++in_any_group;
    if (info.group == group) meant = &info;
    if (group.empty() && meant == nullptr) meant = &info;
  }
  if (meant == nullptr || (meant->group != group && in_any_group > 1)) return "";
  std::string text = fmt::format("{} {}", ApiVersion(meant->kind), meant->name);
  if (!meant->also_read.empty()) text += fmt::format(" ({} too)", fmt::join(meant->also_read, " and "));
  return text;
}

}  // namespace cadre::kube
