// Node labels that an import gives, as something to hand to kubectl.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "topology/import.h"

namespace cadre::app {

// What has to change on one node.
struct LabelChange {
  std::string node;
  kube::StringMap labels;    // the new values, those already there left out
  bool overwrites = false;   // at least one label has another value now
  kube::StringMap wanted{};  // all labels of the import that it is to have
};

// `wanted` against what nodes have; nodes that have it all already are left out. Nodes in name order.
std::vector<LabelChange> ChangesOf(const topology::NodeLabels& wanted, const topology::NodeLabels& present);

// A script: one `kubectl label node` for nodes with equal changes, at most 50 nodes in one command. Names and
// values are quoted for a POSIX shell. A name that no node of Kubernetes can have is left out, in a comment.
std::string KubectlCommands(const std::vector<LabelChange>& changes);

// YAML for `kubectl apply --server-side`: a Node with nothing but labels for each node, all that it is to
// have, for applying takes away what the same field manager set before and no longer mentions. Only for nodes
// that exist: applying makes those that do not.
std::string PatchFile(const std::vector<LabelChange>& changes);

}  // namespace cadre::app
