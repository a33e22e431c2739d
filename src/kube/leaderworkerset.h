// leaderworkerset.x-k8s.io/v1 LeaderWorkerSet: what its groups are planned from. Names of labels and
// annotations are upstream's; its pod controller and pod webhook say which pods carry them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kube/kind.h"
#include "kube/meta.h"
#include "kube/pod.h"

namespace cadre::kube {

// On every pod of a set.
inline constexpr std::string_view kLwsNameLabel = "leaderworkerset.sigs.k8s.io/name";
inline constexpr std::string_view kLwsGroupIndexLabel = "leaderworkerset.sigs.k8s.io/group-index";
inline constexpr std::string_view kLwsWorkerIndexLabel =
    "leaderworkerset.sigs.k8s.io/worker-index";  // 0: leader
inline constexpr std::string_view kLwsGroupKeyLabel = "leaderworkerset.sigs.k8s.io/group-key";
inline constexpr std::string_view kLwsSizeAnnotation = "leaderworkerset.sigs.k8s.io/size";
// On the set and on every pod of it.
inline constexpr std::string_view kLwsExclusiveTopologyAnnotation =
    "leaderworkerset.sigs.k8s.io/exclusive-topology";

struct LeaderWorkerSetSpec {
  std::int32_t replicas = 1;  // groups
  std::int32_t size = 1;      // leaderWorkerTemplate.size: pods of a group, its leader included
  std::optional<PodTemplate> leader_template;  // none: leaders are made from the workers' template
  PodTemplate worker_template;
  bool leader_ready = false;  // startupPolicy LeaderReady: workers are made when their leader is ready
};

struct LeaderWorkerSet : Resource {
  static constexpr Kind kKind = Kind::kLeaderWorkerSet;
  LeaderWorkerSetSpec spec;
};

}  // namespace cadre::kube
