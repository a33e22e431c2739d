// In which order a search decides.
#pragma once

#include <cstddef>
#include <vector>

#include "match/problem.h"
#include "match/terms.h"

namespace cadre::match {

// One decision of the search: a unit is started (and its domain chosen) or skipped, or members are placed.
// The classes of one item are placed member by member in any order among them; that is needed where a role
// has spread constraints.
struct Item {
  std::size_t unit = kNone;  // to open, or kNone
  std::vector<std::size_t> classes;
  bool free_order = false;  // see above
};

// Validity of affinity and spread depends on who came first. Then, and only then, classes are placed in role
// order.
bool OrderMatters(const Problem& problem, const Terms& terms);

// Roles whose members the affinity of other roles looks for come first; otherwise in order of their first
// member. In a circle of roles the first of them begins.
std::vector<std::size_t> RoleOrder(const Problem& problem, const Terms& terms);

// Every undecided unit and every class, units before what is in them. Where order does not matter: what is
// hardest to place first (the largest share of the largest node; whole units with a domain of their own weigh
// as one).
std::vector<Item> MakeItems(const Problem& problem, const Terms& terms);

}  // namespace cadre::match
