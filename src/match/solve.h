// From a request to a placement: which searches are run, one after another.
//
// 1. Members with a hint that is still right are taken as placed, and the rest is searched around them.
// 2. Where units can do with less than all, all is tried first.
// 3. The minimum; then, in order, as many more as fit.
#pragma once

#include <cstdint>
#include <vector>

#include "match/node_table.h"
#include "match/request.h"
#include "match/search.h"

namespace cadre::match {

struct Question {
  Rules rules;
  View view = View::kNow;
  // Hints, and members beyond the minimum: for placing; a diagnosis only asks whether there is a way.
  bool whole_answer = true;
};

struct Answer {
  Outcome outcome = Outcome::kImpossible;
  std::vector<NodeIndex> nodes;  // by member; kNoNode: not placed
};

// Could some unit do with less than all of its parts?
bool IsElastic(const Unit& unit);

Answer Solve(NodeTable& nodes, const Request& request, const Question& question, Budget& budget);

}  // namespace cadre::match
