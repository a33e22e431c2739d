// Foresight: when the head of the queue can start, from the known ends of what runs; and where nobody knows,
// which nodes are nearest to being free for it.
//
// "When" is the first instant at which match::Place finds a place for it in the cluster without those who
// have left by then: exact for requests without inter-pod affinity and topology spread, where more room never
// hurts; with them, the first of at most kMostInstants instants that pass a quick look. Cost: one quick look
// at each instant until the sums allow a start, then at most 2·log2(instants) + 1 searches. Thread rule: the
// cluster is changed and changed back (model/hypothesis.h). Nothing here reads a clock or keeps anything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "match/finder.h"
#include "model/hypothesis.h"

namespace cadre::queue {

// A group, or a pod, that leaves all it holds at a known time.
struct Departure {
  Time at{};
  Time believed_until = Time::max();  // if it is still there then, nobody knows when it leaves
  std::string who;                    // for people: "Job default/train"
  std::vector<model::PodId> pods;
  std::vector<std::string> reservations;  // keys in the cluster
  std::string tenants;                    // model::TenantGroupOf: its claims end; empty: it has none
};

// Sorted by time, then `who`.
void Sort(std::vector<Departure>& departures);

struct Foresight {
  Time at{};
  std::size_t departures = 0;  // the first so many have left by then
  match::Placement placement;  // where it goes
};

// `finder`: of the cluster, here and below. `searches` grows by the number of searches made. None: even
// without all of these it has no place.
std::optional<Foresight> Foresee(model::Cluster& cluster, const match::Request& head,
                                 std::span<const Departure> departures, match::Finder& finder,
                                 std::uint64_t& searches);

// Lets them leave.
void Leave(model::Hypothesis& hypothesis, std::span<const Departure> departures);

// The nodes nearest to being free for it: where the fewest of its members lack room now, as far as an order
// by free room finds them, best domain first where it must be within one. Pods of DaemonSets and static pods
// stay, all others are taken to leave some day.
struct Nearest {
  match::Placement placement;
  std::int64_t lacking = 0;  // members that have no room there now
};
std::optional<Nearest> FindNearest(model::Cluster& cluster, const match::Request& head, match::Finder& finder,
                                   std::uint64_t& searches);

// Would it have a place if all that can leave the nodes of this placement had?
bool CouldHold(model::Cluster& cluster, const match::Request& head, const match::Placement& placement,
               match::Finder& finder, std::uint64_t& searches);

// How many members of the placement have no room on their nodes now; none when a node of it is gone.
std::optional<std::int64_t> CountLacking(const model::Cluster& cluster, const match::Request& head,
                                         const match::Placement& placement);

// What the members of a request that are not fixed take on the nodes of a placement.
std::vector<std::pair<model::NodeId, model::Amount>> DemandOf(const model::Cluster& cluster,
                                                              const match::Request& request,
                                                              const match::Placement& placement);

// The label key that all of the request must share one domain of (required or exclusive); empty when there is
// none.
std::string KeyOfAll(const match::Request& request);

// In the order of their numbers.
std::vector<const match::Member*> MembersOf(const match::Request& request);

}  // namespace cadre::queue
