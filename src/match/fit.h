// Whether a shape may go on a node, pods already there and room aside: what does not change during one
// search.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace cadre::match {

// Which rules are held. All of them, except while a diagnosis asks what would fit without one.
struct Rules {
  bool node_selector = true;
  bool node_affinity = true;
  bool volumes = true;  // node affinity of bound volumes
  bool claims = true;   // claims that do not exist or are not bound
  bool host_ports = true;
  bool pod_affinity = true;
  bool pod_anti_affinity = true;
  bool topology_spread = true;
  bool required_topology = true;
  bool exclusive = true;  // domains of one's own, and the claims of others

  bool operator==(const Rules&) const = default;
};

// The cluster as it stands, or with every node holding nothing but its DaemonSet and static pods and the
// fixed members of the request ("never" is a claim about that one).
enum class View : std::uint8_t { kNow, kEmpty };

// Why a node may not take a shape, in the order in which they are looked at: what its author asked for before
// what others did, so that nodes he did not mean are not blamed for their taints. kTerritory: not of the
// shape, but another's claim (Territory).
enum class Misfit : std::uint8_t {
  kNone,
  kOutside,  // of the nodes that the scheduler uses
  kNodeSelector,
  kNodeAffinity,
  kVolume,
  kCordon,
  kTaint,
  kClaim,
  kTerritory
};

Misfit StaticMisfit(const model::Shape& shape, const kube::Node& node, const Rules& rules);

// The taint that keeps `shape` off `node`, or null; the cordon too.
const kube::Taint* TaintAgainst(const model::Shape& shape, const kube::Node& node);

// Ports that the pods and reservations on a node hold.
std::vector<model::HostPort> PortsInUse(const model::Cluster& cluster, const model::NodeEntry& node,
                                        View view);

bool AnyCollide(const std::vector<model::HostPort>& a, const std::vector<model::HostPort>& b);

// How much of `free` a pod leaves unused where it goes, in 1/1024 of the largest node; `scale` is WasteScale
// of what that one has in all.
inline double WasteScale(std::int64_t largest) {
  return largest > 0 ? 1024.0 / static_cast<double>(largest) : 0;
}
inline std::int64_t WasteOf(std::int64_t free, double scale) {
  return static_cast<std::int64_t>(static_cast<double>(free) * scale);
}

// Amounts can come from hostile manifests and reach the ends of int64.
std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b);
std::int64_t SaturatingMultiply(std::int64_t a, std::int64_t b);

}  // namespace cadre::match
