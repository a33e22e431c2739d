// Territory: which nodes a unit may enter, and which domains a unit may have for itself, by the claims of
// others, the gangs that are there, and the exclusive units of the request at hand.
//
// - Nobody enters a domain that another holds a claim on, or that another exclusive unit of the request has
//   taken or has fixed members in. Under scope kGroups a pod on its own may.
// - A unit gets a domain for itself only if no claim of another and no domain of an exclusive unit beside it
// touches
//   it, and no member of another gang or of another part of the request is there (scope kAll: no other pod at
//   all but of DaemonSets and static pods). A unit that has a fixed member in a domain keeps that one,
//   whoever else is there.
// Follows what the search decides (Start, Undecide). Without claims and exclusive units it costs nothing. One
// Territory serves one State.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "match/node_table.h"
#include "match/problem.h"

namespace cadre::match {

// Where members of the request are, as the search has put them.
struct Occupied {
  std::size_t unit;
  NodeIndex node;
};

class Territory {
 public:
  Territory(NodeTable& nodes, const Problem& problem, const Rules& rules, View view);

  bool Active() const { return active_; }
  // May a member that is directly in the unit go there?
  bool MayEnter(std::size_t unit, NodeIndex node) const {
    if (!active_) return true;
    if (!barred_.empty() && barred_[unit][node]) return false;
    const std::uint32_t owner = owner_[node];
    return owner == kNobody || IsBelow(unit, owner) || LetsIn(owner, unit);
  }
  // May any member of the unit, or of those below it, go there? Never false where one may.
  bool MayReach(std::size_t unit, NodeIndex node) const {
    if (!active_) return true;
    if (!foreign_.empty() && foreign_[unit][node]) return false;
    const std::uint32_t owner = owner_[node];
    return owner == kNobody || IsBelow(unit, owner) || IsBelow(owner, unit) || HasLoner(unit, owner);
  }

  // By domain of the unit's key: may it have that one for itself, with these members of the request in place?
  // REQUIRES: the unit is exclusive.
  std::vector<bool> Claimable(std::size_t unit, std::span<const Occupied> occupied) const;

  // Nothing that does not change during a search tells the nodes apart, for any unit; domains aside.
  bool SamePlace(NodeIndex a, NodeIndex b) const;

  // The domain that the unit's own claim is on; kNoDomain when it has none.
  std::int32_t HeldBy(std::size_t unit) const;

  void Start(std::size_t unit, std::int32_t domain);
  void Undecide(std::size_t unit, std::int32_t domain);

  // Why domains are closed to an exclusive unit, for people: how many are claimed, how many hold other gangs.
  struct Closed {
    std::size_t claimed = 0;
    std::size_t in_use = 0;
    std::string first_holder;  // of the first claimed one
  };
  Closed CountClosed(std::size_t unit) const;
  // The same of nodes, for the members of a request that asks for no domain of its own.
  Closed CountClosedNodes() const;

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  // Under scope kGroups a pod on its own may share a domain.
  bool LetsIn(std::size_t owner, std::size_t unit) const {
    return problem_->units[unit].alone && problem_->units[owner].scope == model::ExclusiveScope::kGroups;
  }
  // Is the unit, or one below it, a pod on its own that the owner lets in?
  bool HasLoner(std::size_t unit, std::size_t owner) const;
  bool IsBelow(std::size_t unit, std::size_t top) const;
  model::Tenant TenantOf(std::size_t unit) const;
  void ResolveClaims();
  void BarClaimed();
  void BarHeldByMembers();
  // Calls visit(exclusive unit, nodes of a domain of it) where members that are placed already hold one.
  template <class Visit>
  void ForEachHolding(Visit visit) const;
  void Bar(std::span<const NodeIndex> nodes, const std::vector<bool>& may_enter);
  bool IsStranger(const model::Cluster& cluster, model::TenantId tenant, const model::Tenant& self) const;
  bool HasStrangers(std::size_t unit, NodeIndex node) const;
  std::vector<bool> FreeOfOthers(std::size_t unit) const;
  bool IsForeign(const model::Claim& claim, const model::Tenant& self) const;

  struct Held {
    const model::Claim* claim;
    std::vector<NodeIndex> nodes;
  };

  NodeTable* nodes_;
  const Problem* problem_;
  View view_;
  bool active_ = false;
  std::vector<Held> held_;
  // By unit and node, for its own members: claimed by others, or held by fixed members of others. Empty when
  // nothing is.
  std::vector<std::vector<bool>> barred_;
  std::vector<std::vector<bool>> foreign_;  // the same, for those below it too
  std::vector<std::uint32_t> owner_;        // by node: the innermost exclusive unit that has it
  std::vector<std::size_t> exclusive_units_;
  std::vector<std::int32_t> taken_;           // by exclusive unit that has started: its domain, or kNoPlace
  std::vector<std::vector<bool>> claimable_;  // by unit, before anything is placed; empty for others
  std::vector<std::vector<std::uint32_t>> owners_before_;  // by unit that has started: of its domain's nodes
};

}  // namespace cadre::match
