// The facts that a diagnosis is made of: what a request asks for beside resources, and where a view falls
// short.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "match/bound.h"
#include "match/problem.h"
#include "match/state.h"

namespace cadre::match {

// What the members that wait (and the units) ask for, for people.
struct Constraints {
  std::vector<std::string> topologies;  // required label keys
  std::vector<std::string> exclusive;   // label keys of domains of one's own
  std::vector<std::string> spread_keys;
  std::vector<std::string> affinity_keys;
  std::vector<std::string> anti_affinity_keys;
  std::vector<std::string> ports;
  std::string selector;  // of the first member that has one
  bool node_affinity = false;
  bool volumes = false;
  bool reserved_anti_affinity = false;  // a reservation in the cluster has anti-affinity
};

Constraints CollectConstraints(NodeTable& nodes, const Request& request);

// How many of the members that wait could be placed now if none had to be, and how many wait.
std::pair<std::int64_t, std::int64_t> CountRoom(NodeTable& nodes, const Request& request, const Rules& rules,
                                                std::uint64_t steps);

// Too little room for one shape, whatever the topology and terms.
struct Shortage {
  std::size_t shape;
  std::int64_t must;  // how many of it cannot be done without
  std::int64_t room;  // how many could be placed if there were nothing else
};

// A view of the request before anything is placed.
class Scene {
 public:
  Scene(NodeTable& nodes, const Request& request, const Rules& rules, View view);

  const Problem& problem() const { return problem_; }
  const State& state() const { return state_; }
  Bound& bound() { return bound_; }
  const model::Shape& ShapeOf(std::size_t shape) const;

  // The first shape that cannot be placed often enough.
  std::optional<Shortage> FindShortage() const;
  // "it takes 40 CPU in all, and ... has 32 CPU": the first resource of which the nodes that have room for
  // some member have too little for all that must be placed; empty when there is none. `when`: of what the
  // nodes have.
  std::string TotalText(std::string_view when) const;
  // The first unit that must be placed and that no domain of its topology could hold; kNone when there is
  // none.
  std::size_t FindUnitWithoutDomain();

  // The first unit that asks for a domain of its own and has members that wait; kNone when there is none.
  std::size_t FindExclusiveUnit() const;
  // How many domains of these the units that must be placed take, and those that hold one.
  std::int64_t CountExclusiveUnits(const Domains& domains) const;
  // "it takes 3 racks, and there are only 2"; empty when there are enough.
  std::string TooFewDomainsText() const;

  // Resources and node constraints would allow one somewhere; only its ports do not.
  bool PortsAreTaken(std::size_t shape) const;
  // "16 CPU free of 31.4 CPU" on the nodes that may take it, of the resource that runs out first.
  std::string ScarcestText(const Shortage& shortage, const std::vector<Misfit>& misfits) const;
  // Nodes that this one of the node constraints leaves.
  std::int64_t CountNodesMatching(std::size_t shape, bool Rules::* rule) const;
  // Some pod or placed member counts for the affinity of every role that has one.
  bool AnyPodForAffinity() const;

 private:
  bool MustBePlaced(std::size_t unit) const;

  NodeTable* nodes_;
  Problem problem_;
  State state_;
  Bound bound_;
};

}  // namespace cadre::match
