// The kinds of objects Cadre knows, and how the API server names them.
//
// One table (kind.cc) holds group, version, plural and scope; nobody spells an apiVersion anywhere else.
// Thread rule: everything here is immutable and may be used from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cadre::kube {

enum class Kind : std::uint8_t {
  kNamespace,
  kNode,
  kPod,
  kService,
  kConfigMap,
  kEvent,
  kLease,
  kPriorityClass,
  kPersistentVolume,
  kPersistentVolumeClaim,
  kStorageClass,
  kJob,
  kJobSet,
  kPodGroup,                  // scheduling.k8s.io (KEP-4671)
  kSchedulerPluginsPodGroup,  // scheduling.x-k8s.io (scheduler-plugins' coscheduling)
  kLeaderWorkerSet,
};

struct KindInfo {
  Kind kind;
  std::string_view group;    // "" for the core group
  std::string_view version;  // the version we write; others of `also_read` are read too
  std::string_view name;     // "Pod"
  std::string_view plural;   // "pods"
  bool namespaced;
  std::span<const std::string_view> also_read;  // further versions whose fields we use are the same
};

// All kinds, in the order of the enumeration.
std::span<const KindInfo> AllKinds();

const KindInfo& Info(Kind kind);

// "batch/v1", "v1".
std::string ApiVersion(Kind kind);

// The kind that an object with this apiVersion and kind is; none when Cadre does not know it.
std::optional<Kind> KindOf(std::string_view api_version, std::string_view kind_name);

// For a type that KindOf does not know: what is read of the kind that was probably meant, "batch/v1 Job", or
// "scheduling.k8s.io/v1beta1 PodGroup (v1alpha3 and v1alpha2 too)". That is a kind of this name, in whatever
// case, of the same group, or where the group is left out ("v1" for "batch/v1") of the only one that has it.
// Empty for a kind that Cadre does not know in any version.
std::string ReadInstead(std::string_view api_version, std::string_view kind_name);

}  // namespace cadre::kube
