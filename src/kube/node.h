// core/v1 Node, and when a pod's tolerations let it there.
#pragma once

#include <string>
#include <vector>

#include "kube/kind.h"
#include "kube/meta.h"
#include "kube/pod.h"
#include "kube/resources.h"

namespace cadre::kube {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute

  friend bool operator==(const Taint&, const Taint&) = default;
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;  // capacity where the dump has no allocatable
  std::vector<Condition> conditions;

  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

struct Node : Resource {
  static constexpr Kind kKind = Kind::kNode;
  NodeSpec spec;
  NodeStatus status;

  friend bool operator==(const Node&, const Node&) = default;
};

// Source: API reference of Toleration: empty key with Exists tolerates everything; empty effect every effect.
bool Tolerates(const Toleration& toleration, const Taint& taint);

// The first NoSchedule or NoExecute taint that no toleration covers, or null. A cordoned node
// (spec.unschedulable) counts as the taint node.kubernetes.io/unschedulable:NoSchedule whether or not it
// carries it. The pointer is to the node's own taint or to a constant.
const Taint* UntoleratedTaint(const Node& node, const std::vector<Toleration>& tolerations);

// nodeSelector and required node affinity together. Field metadata.name is the node's name.
bool MatchesNodeConstraints(const StringMap& node_selector, const std::optional<NodeSelector>& affinity,
                            const StringMap& node_labels, std::string_view node_name);

std::string ToString(const Taint& taint);

}  // namespace cadre::kube
