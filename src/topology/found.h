// Which of the well-known levels a cluster has: found from the labels that its nodes carry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/tree.h"

namespace cadre::topology {

// Nodes by the value path of a key: a number for each domain, kNowhere where the last label is missing.
// Numbers count up in the order in which the domains appear.
struct Cut {
  static constexpr std::int32_t kNowhere = -1;
  std::vector<std::int32_t> of;  // by node
  std::int32_t count = 0;        // domains
  std::size_t covered = 0;       // nodes in a domain
};

Cut CutBy(std::span<const NodeView> nodes, const std::vector<std::string>& path);

// Every domain of `fine` lies in one of `coarse`; nodes that lack either are not looked at.
bool Nests(const Cut& fine, const Cut& coarse);

// The same domains on the same nodes.
bool CutsAlike(const Cut& a, const Cut& b);

struct Found {
  std::vector<std::string> levels{};    // coarse to fine, without the host
  std::vector<std::string> left_out{};  // well-known keys on nodes that are no level, with reasons
};

// Region and zone; the family on most nodes; keys of other families where they nest with these and cut
// otherwise; node pools only when there is nothing below the zone and they cut more than once.
Found PresentLevels(std::span<const NodeView> nodes);

}  // namespace cadre::topology
