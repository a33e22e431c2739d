// Topology levels: node label keys, coarse to fine.
//
// Two kinds. *Well known*: the keys that clouds, Topograph and Cadre's own importers write, a family for each
// source below region and zone. *Given* (--topology zone,rack,host): exactly the keys of the list, in its
// order. Either way a request may name any other key.
//
// A domain of a key is named by the values along PathOf(key), so two racks named 1 in two zones differ.
// Values; immutable after construction, so they may be read from any thread.
//
// Sources of keys: Kubernetes' "Well-Known Labels, Annotations and Taints"; GKE's, AWS's and Topograph's
// documentation of the labels they put on nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cadre::topology {

inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRack = "topology.kubernetes.io/rack";
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";

// Most levels that --topology may list.
inline constexpr std::size_t kMostLevels = 16;

class Levels {
 public:
  Levels() = default;  // the well-known ones
  static Levels WellKnown() { return {}; }

  // Exactly these, coarse to fine. REQUIRES: at least one, none empty, none twice.
  static Levels Given(std::vector<std::string> keys);

  // The text of --topology: short names (region, zone, rack, gce-block, spine, host, …) and full label keys,
  // with commas between. A key without a slash that is not a short name is written label:KEY. An error names
  // the flag, the item and what is expected. `flag` is how messages name it.
  static Result<Levels> Parse(std::string_view text, std::string_view flag = "--topology");

  bool given() const { return !given_.empty(); }

  // All keys, coarse to fine; of the well-known ones family after family, the host last.
  std::vector<std::string> Keys() const;

  // The keys whose values, coarse to fine, name a domain of `key`; `key` is the last. A key that a node lacks
  // is an empty value of its path (but a node without `key` itself is in no domain).
  //  - a given level: all levels up to it;
  //  - a well-known key: region, zone, then its family up to it;
  //  - region, hostname and node pools, whose values are unique in a cluster: alone;
  //  - any other key: region, zone, key.
  std::vector<std::string> PathOf(std::string_view key) const;

  // The levels that are coarser, nearest first: where a group that prefers one domain of `key` falls back to.
  std::vector<std::string> Coarser(std::string_view key) const;

  // The levels that are finer, nearest first. Below zone the families stand side by side: all of them.
  std::vector<std::string> Finer(std::string_view key) const;

  friend bool operator==(const Levels&, const Levels&) = default;

 private:
  std::vector<std::string> given_;  // empty: the well-known ones
};

// One source of well-known keys: coarse to fine, below the zone.
struct Family {
  std::string_view name;  // for people: "GKE"
  std::vector<std::string> keys;
};

// In the order in which they are preferred where nodes carry several.
const std::vector<Family>& Families();

// Node pools: a label that groups nodes, but by how they were bought rather than by where they are.
const std::vector<std::string>& PoolKeys();

// PREFIX/NAME or NAME as Kubernetes has label keys. Source: "Labels and Selectors", Kubernetes.
bool IsLabelKey(std::string_view key);

// "rack" for topology.kubernetes.io/rack, "gce-subblock"; the key itself where there is no short name. What
// Parse reads back.
std::string ShortName(std::string_view key);

}  // namespace cadre::topology
