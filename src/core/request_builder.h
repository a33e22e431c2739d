// From a group to what is asked of the matcher: who is placed, who is to be placed, what must be whole.
#pragma once

#include <string>
#include <vector>

#include "core/state.h"
#include "match/request.h"

namespace cadre::core {

// One member of the request, in the matcher's numbering.
struct Slot {
  model::PodId pod;  // invalid: the pod does not exist yet (a later stage)
  std::string unit;
  std::int32_t index = -1;
  model::ShapeId shape;
  bool placed = false;
  kube::StringMap labels;  // only of members whose pod does not exist yet
};

struct Ask {
  match::Request request;
  std::vector<Slot> slots;
  std::string not_ready;  // not empty: do not match now, and why ("waits for 2 of 8 pods of Job train-0")
  std::string home;       // not empty: the domain it must lie in because other stages do, for people
  std::string signature;  // equal for groups that ask for the same; empty when the answer depends on more
                          // than the request
};

// A group that has not started: all of its minimum, or nothing. Half placed members are fixed.
Ask AskToStart(State& state, const Group& group);

// A started group: its placed members are fixed; units of which nothing is placed come whole, the rest one by
// one.
Ask AskToComplete(State& state, const Group& group);

// Adds to `why` what the other stages have to do with it.
void NameHome(const Ask& ask, match::Diagnosis& why);

// The same with nothing that may be left out, to learn what keeps the rest out.
Ask WithAll(Ask ask);

}  // namespace cadre::core
