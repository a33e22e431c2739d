// Members beyond the minimum: what still fits once every unit has its minimum.
#pragma once

#include <cstddef>
#include <vector>

#include "match/search.h"
#include "match/state.h"

namespace cadre::match {

// Adds to the placement in `state`, unit by unit in the order of the request: first members of the unit
// itself, then units of it that were left out (with all of their minimum or not at all). No single further
// member or unit then fits, unless the budget ended or the order of placing matters (then only what keeps the
// whole sequence valid is added).
void Extend(State& state, const std::vector<Item>& items, Budget& budget);

}  // namespace cadre::match
