// The places that one item's members may take, in the order of trying.
//
// The order is the placement a first try makes: nodes where the group is already, then as few others as hold
// the rest, the last of them the tightest. The other nodes follow, so that trying all of them in order misses
// nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "match/bound.h"
#include "match/order.h"
#include "match/state.h"

namespace cadre::match {

struct Spot {
  NodeIndex node;
  std::size_t cls;
  std::int32_t room;  // when the fill began
};

struct Fill {
  std::vector<Spot> spots;
  std::vector<std::int64_t> room_from;  // rooms of spots [i...] added up
  std::vector<std::int32_t> here;       // members this fill has put there
  // The nearest spot before it that is its equal, or kNone: equals are filled in order, fullest first. Empty
  // until FindEquals.
  std::vector<std::size_t> equal;
};

// No spots at all when it is clear that not enough can be placed. `bound` keeps account of the work.
Fill MakeFill(const State& state, Bound& bound, const Item& item);

void FindEquals(const State& state, Fill& fill);

}  // namespace cadre::match
