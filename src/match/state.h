// What a search has decided so far: members placed, units started with their domains, and what is left on
// every node.
//
// Changes are undone in the reverse order of making them. One State serves one search at a time.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "match/node_table.h"
#include "match/problem.h"
#include "match/terms.h"
#include "match/territory.h"

namespace cadre::match {

// A name for a state that does not depend on how it was reached. Two different states have the same one with
// a chance of 2^-128 per pair.
struct StateName {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  bool operator==(const StateName&) const = default;
  friend std::size_t hash_value(const StateName& name) { return static_cast<std::size_t>(name.a); }
};

class State {
 public:
  enum class Status : std::uint8_t { kUndecided, kStarted, kSkipped };

  struct Placed {
    std::size_t cls;
    NodeIndex node;
    std::int32_t count;
  };

  // Members that are placed already are placed here. All three must outlive this.
  State(NodeTable& nodes, const Problem& problem, const Rules& rules, View view);

  const Problem& problem() const { return *problem_; }
  NodeTable& nodes() const { return *nodes_; }
  const Terms& terms() const { return terms_; }
  const Territory& territory() const { return territory_; }
  View view() const { return view_; }

  // How many more of a shape the node takes: node constraints, resources and ports; not terms.
  std::int32_t Room(std::size_t shape, NodeIndex node) const { return room_[shape][node]; }
  std::int64_t Free(NodeIndex node, std::size_t resource) const {
    return free_[node * resource_count_ + resource];
  }
  bool SameRoom(NodeIndex a,
                NodeIndex b) const;  // nothing but the name tells them apart, terms and domains aside
  std::int32_t Members(NodeIndex node) const { return members_[node]; }  // of this request, on the node

  // REQUIRES: room for all of them.
  void Place(std::size_t cls, NodeIndex node, std::int32_t count);
  // Takes back some of the last placed. REQUIRES: count is at most what that call placed.
  void RemoveLast(std::int32_t count);
  const std::vector<Placed>& placed() const { return log_; }

  std::int64_t Left(std::size_t cls) const { return left_[cls]; }  // members not placed; 0 once closed
  // No more members of it will be placed; nothing is left of it until it is opened again.
  void Close(std::size_t cls);
  void Reopen(std::size_t cls);
  bool IsClosed(std::size_t cls) const { return closed_[cls] >= 0; }

  Status StatusOf(std::size_t unit) const { return units_[unit].status; }
  bool Alive(std::size_t unit) const;  // neither it nor a unit around it is skipped
  std::int32_t DomainOf(std::size_t unit) const { return units_[unit].domain; }
  std::int64_t PartsPlaced(std::size_t unit) const { return units_[unit].placed; }
  std::int64_t PartsOpen(std::size_t unit) const { return units_[unit].open; }
  // How many parts the unit still lacks.
  std::int64_t Lacks(std::size_t unit) const { return problem_->units[unit].need - units_[unit].placed; }
  // REQUIRES: undecided. A started unit counts as a placed part of its parent; the search sees to it that it
  // becomes so.
  void Start(std::size_t unit, std::int32_t domain);
  void Skip(std::size_t unit);
  void Undecide(std::size_t unit);

  StateName name() const { return name_; }

  // By domain of an exclusive unit's key: may it have that one for itself as things stand?
  std::vector<bool> Claimable(std::size_t unit) const;

  // Calls visit(node) for every node that the domains of the unit and of those around it leave, and claims.
  template <class Visit>
  void ForEachNode(std::size_t unit, Visit visit) const;

  // Are the members placed (fixed ones aside) valid one after another, roles in this order?
  // (docs/placement.md)
  bool SequenceHolds(const std::vector<std::size_t>& role_order);

 private:
  struct UnitState {
    Status status = Status::kUndecided;
    std::int32_t domain = kNoDomain;
    std::int64_t placed = 0;
    std::int64_t open = 0;
  };

  void InitRooms(const Rules& rules);
  void Consume(std::size_t shape, NodeIndex node, std::int32_t count);
  void Recount(NodeIndex node);
  std::int32_t RoomFor(std::size_t shape, NodeIndex node) const;
  void Rename(std::uint64_t kind, std::uint64_t x, std::uint64_t y, std::int32_t times);

  NodeTable* nodes_;
  const Problem* problem_;
  View view_;
  bool ports_held_ = false;
  Terms terms_;
  Territory territory_;
  std::size_t resource_count_;
  std::vector<std::int64_t> free_;                   // node-major
  std::vector<std::vector<bool>> may_take_;          // by shape and node: node constraints
  std::vector<std::vector<std::int32_t>> room_;      // by shape and node
  std::vector<std::vector<model::HostPort>> ports_;  // by node; empty when no shape has ports
  std::vector<std::int32_t> members_;
  std::vector<std::int64_t> left_;
  std::vector<std::int64_t> closed_;  // what was left when the class was closed; -1: it is not
  std::vector<UnitState> units_;
  std::vector<Placed> log_;
  StateName name_;
};

// What must still be placed of a class if its unit is to be placed: what the unit lacks, less its other open
// parts.
std::int64_t MustPlace(const State& state, std::size_t cls);
// What its unit lacks, as far as this class can give it.
std::int64_t Wanted(const State& state, std::size_t cls);

template <class Visit>
void State::ForEachNode(std::size_t unit, Visit visit) const {
  // Of the domains chosen on the way up, the smallest is walked and the others are asked.
  const Domains* smallest = nullptr;
  std::int32_t smallest_domain = kNoDomain;
  for (std::size_t u = unit; u != kNone; u = problem_->units[u].parent) {
    const Domains* domains = problem_->units[u].domains;
    if (domains == nullptr || units_[u].domain == kNoDomain) continue;
    if (units_[u].domain == kNoPlace) return;
    if (smallest == nullptr ||
        domains->NodesOf(units_[u].domain).size() < smallest->NodesOf(smallest_domain).size()) {
      smallest = domains;
      smallest_domain = units_[u].domain;
    }
  }
  if (smallest == nullptr) {
    for (NodeIndex node = 0; node < members_.size(); ++node) {
      if (territory_.MayReach(unit, node)) visit(node);
    }
    return;
  }
  for (const NodeIndex node : smallest->NodesOf(smallest_domain)) {
    bool inside = territory_.MayReach(unit, node);
    for (std::size_t u = unit; u != kNone && inside; u = problem_->units[u].parent) {
      const Domains* domains = problem_->units[u].domains;
      inside = domains == nullptr || units_[u].domain == kNoDomain || domains->of[node] == units_[u].domain;
    }
    if (inside) visit(node);
  }
}

}  // namespace cadre::match
