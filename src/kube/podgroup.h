// PodGroups, native (scheduling.k8s.io, KEP-4671) and scheduler-plugins' (scheduling.x-k8s.io), as one
// struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/kind.h"
#include "kube/meta.h"

namespace cadre::kube {

inline constexpr std::string_view kSchedulerPluginsPodGroupLabel = "scheduling.x-k8s.io/pod-group";

struct PodGroup : Resource {
  // scheduling.k8s.io: gang.minCount (none for policy `basic`: no gang). scheduling.x-k8s.io: minMember.
  std::optional<std::int32_t> min_count;
  std::string topology_key;  // schedulingConstraints.topology[0].key; empty: none
  std::optional<std::int32_t> priority;
  std::string priority_class_name;
  std::optional<std::int64_t> schedule_timeout_seconds;  // scheduling.x-k8s.io only; Cadre needs no timeout
  std::vector<Condition> conditions;
};

}  // namespace cadre::kube
