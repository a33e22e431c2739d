// The placement search: a pure function of the cluster and the request.
//
// Complete or nothing: every unit reaches its minimum or there is no placement. Pods are placed by
// Kubernetes' own rules (node selector and affinity, taints, cordon, ports, volumes, inter-pod affinity and
// anti-affinity with symmetry, hard topology spread), members in the order of docs/placement.md (roles that
// other roles' affinity looks for come first). Quality, in order: members beyond the minimum placed; smallest
// required domain that holds the group; fewest nodes; least stranded capacity. Ties by node name, so that the
// same cluster gives the same placement. Bounds: at most Limits::steps assignments tried; then kGaveUp, never
// a false "no". Thread rule: const inputs, no shared state; may run on any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include "match/request.h"
#include "model/cluster.h"

namespace cadre::match {

struct Limits {
  std::uint64_t steps = 200'000;
};

std::expected<Placement, Diagnosis> Match(const model::Cluster& cluster, const Request& request,
                                          Limits limits = {});

// The same without the reasons when there is none: most of the cost of a "no" is to word it.
std::optional<Placement> Place(const model::Cluster& cluster, const Request& request, Limits limits = {});

// Would `shape` with these labels be allowed on `node` as the cluster stands (all rules, capacity included)?
// Used to check a hint or an old plan; a pod that is not ours to judge is never asked about.
bool Fits(const model::Cluster& cluster, model::ShapeId shape, const kube::StringMap& labels,
          model::NodeId node);

}  // namespace cadre::match
