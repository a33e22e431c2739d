// What looks wrong or useless in a cluster's topology labels, worded for the people who maintain them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/tree.h"

namespace cadre::topology {

enum class OddityKind : std::uint8_t {
  kMissing,    // nodes without a level's label; holes: such a node is in no domain of that level
  kNoDomain,   // no node has the label
  kOneDomain,  // a level that narrows nothing down
  kAlike,      // two levels that cut alike, or a level whose domains are single nodes
  kShared,     // one value under two parents: two domains. Usual where values are numbers
  kStray,      // a few nodes of a domain that another level puts elsewhere: probably a wrong label
  kSize,       // a domain that is far larger or smaller than its siblings
  kLeftOut,    // a well-known key that is no level of the tree
};

// "missing", "stray", …: for JSON.
std::string_view NameOf(OddityKind kind);

struct Oddity {
  OddityKind kind{};
  std::string key{};                 // the level; empty with kLeftOut
  std::string text{};                // one sentence, with numbers and up to five names
  std::vector<std::string> nodes{};  // all nodes that it is about: kMissing and kStray
};

// Siblings farther than this factor from their median are kSize; below three siblings none is.
inline constexpr std::size_t kFarFromMedian = 3;

// Level by level, coarse to fine; then what was left out. At most five of one kind and level, the rest
// counted in the last of them.
std::vector<Oddity> FindOddities(const Tree& tree);

}  // namespace cadre::topology
