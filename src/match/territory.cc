#include "match/territory.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cadre::match {

Territory::Territory(NodeTable& nodes, const Problem& problem, const Rules& rules, View view)
    : nodes_(&nodes), problem_(&problem), view_(view) {
  const bool any_exclusive = std::ranges::any_of(problem.units, &ProblemUnit::exclusive);
  const bool any_claims = view == View::kNow && !nodes.cluster().domain_claims().empty();
  if (!rules.exclusive || (!any_exclusive && !any_claims)) return;
  active_ = true;
  owner_.assign(nodes.size(), kNobody);
  if (any_claims) {
    ResolveClaims();
    BarClaimed();
  }
  if (any_exclusive) BarHeldByMembers();
  claimable_.resize(problem.units.size());
  owners_before_.resize(problem.units.size());
  taken_.assign(problem.units.size(), kNoDomain);
  for (std::size_t unit = 0; unit < problem.units.size(); ++unit) {
    const ProblemUnit& u = problem.units[unit];
    if (!u.exclusive) continue;
    exclusive_units_.push_back(unit);
    // What nothing tells apart finds the same.
    claimable_[unit] = u.twin == kNone ? FreeOfOthers(unit) : claimable_[u.twin];
  }
}

void Territory::ResolveClaims() {
  for (const auto& [holder, claim] : nodes_->cluster().domain_claims()) {
    const Domains& domains = nodes_->PathDomains(claim.key);
    const std::int32_t domain = nodes_->FindDomain(domains, claim.path);
    if (domain == kNoDomain) continue;  // its nodes are gone
    const auto members = domains.NodesOf(domain);
    held_.push_back({&claim, {members.begin(), members.end()}});
  }
}

bool Territory::IsForeign(const model::Claim& claim, const model::Tenant& self) const {
  // A claim of a part of what asks is its own.
  return !Covers(claim.holder, self) && !Covers(self, claim.holder);
}

void Territory::BarClaimed() {
  std::vector<bool> may_enter(problem_->units.size());
  for (const Held& held : held_) {
    const bool groups = held.claim->scope == model::ExclusiveScope::kGroups;
    for (std::size_t unit = 0; unit < may_enter.size(); ++unit) {
      may_enter[unit] = Covers(held.claim->holder, TenantOf(unit)) || (groups && problem_->units[unit].alone);
    }
    Bar(held.nodes, may_enter);
  }
}

// Members that are placed already hold their unit's domain before the search has come to it, and also where
// it never will.
void Territory::BarHeldByMembers() {
  std::vector<bool> may_enter(problem_->units.size());
  ForEachHolding([&](std::size_t holder, std::span<const NodeIndex> nodes) {
    for (std::size_t unit = 0; unit < may_enter.size(); ++unit)
      may_enter[unit] = IsBelow(unit, holder) || LetsIn(holder, unit);
    Bar(nodes, may_enter);
  });
}

template <class Visit>
void Territory::ForEachHolding(Visit visit) const {
  std::set<std::pair<std::size_t, std::int32_t>> seen;
  for (const PrePlaced& pre : problem_->pre) {
    for (std::size_t holder = pre.unit; holder != kNone; holder = problem_->units[holder].parent) {
      const ProblemUnit& u = problem_->units[holder];
      if (!u.exclusive || u.domains->of[pre.node] == kNoDomain) continue;
      const std::int32_t domain = u.domains->of[pre.node];
      if (seen.emplace(holder, domain).second) visit(holder, u.domains->NodesOf(domain));
    }
  }
}

// `may_enter`: by unit, whether its own members may.
void Territory::Bar(std::span<const NodeIndex> nodes, const std::vector<bool>& may_enter) {
  if (barred_.empty()) {
    barred_.assign(problem_->units.size(), std::vector<bool>(nodes_->size(), false));
    foreign_ = barred_;
  }
  std::vector<bool> may_reach = may_enter;
  for (std::size_t unit = may_reach.size(); unit-- > 1;) {
    if (may_reach[unit]) may_reach[problem_->units[unit].parent] = true;
  }
  for (std::size_t unit = 0; unit < may_enter.size(); ++unit) {
    for (const NodeIndex node : nodes) {
      if (!may_enter[unit]) barred_[unit][node] = true;
      if (!may_reach[unit]) foreign_[unit][node] = true;
    }
  }
}

bool Territory::SamePlace(NodeIndex a, NodeIndex b) const {
  return std::ranges::all_of(barred_,
                             [&](const std::vector<bool>& barred) { return barred[a] == barred[b]; });
}

model::Tenant Territory::TenantOf(std::size_t unit) const {
  return {problem_->group, problem_->units[unit].tenant_unit};
}

bool Territory::IsBelow(std::size_t unit, std::size_t top) const {
  for (std::size_t u = unit; u != kNone; u = problem_->units[u].parent) {
    if (u == top) return true;
  }
  return false;
}

bool Territory::HasLoner(std::size_t unit, std::size_t owner) const {
  return LetsIn(owner, unit) || std::ranges::any_of(problem_->units[unit].units, [&](std::size_t child) {
           return HasLoner(child, owner);
         });
}

bool Territory::IsStranger(const model::Cluster& cluster, model::TenantId tenant,
                           const model::Tenant& self) const {
  return tenant.Valid() && !Covers(self, cluster.tenant(tenant));
}

bool Territory::HasStrangers(std::size_t unit, NodeIndex node) const {
  const model::Cluster& cluster = nodes_->cluster();
  const model::NodeEntry& entry = nodes_->entry(node);
  const model::Tenant self = TenantOf(unit);
  const bool all = problem_->units[unit].scope == model::ExclusiveScope::kAll;
  for (const model::PodId id : entry.pods) {
    const model::PodEntry& pod = cluster.pod(id);
    if (IsStranger(cluster, pod.tenant, self)) return true;
    if (all && !pod.tenant.Valid() && !model::IsPermanent(*pod.pod)) return true;
  }
  return std::ranges::any_of(entry.reservations, [&](const std::string& key) {
    const model::Reservation& reservation = cluster.reservations().at(key);
    return IsStranger(cluster, reservation.tenant, self) || (all && !reservation.tenant.Valid());
  });
}

std::vector<bool> Territory::FreeOfOthers(std::size_t unit) const {
  const ProblemUnit& u = problem_->units[unit];
  std::vector<bool> free(u.domains->size(), true);
  const auto close = [&](NodeIndex node) {
    if (u.domains->of[node] != kNoDomain) free[static_cast<std::size_t>(u.domains->of[node])] = false;
  };
  ForEachHolding([&](std::size_t holder, std::span<const NodeIndex> nodes) {
    if (!IsBelow(unit, holder) && !IsBelow(holder, unit)) std::ranges::for_each(nodes, close);
  });
  if (view_ == View::kEmpty) return free;
  const model::Tenant self = TenantOf(unit);
  for (const Held& held : held_) {
    if (!IsForeign(*held.claim, self)) continue;
    std::ranges::for_each(held.nodes, close);
  }
  for (NodeIndex node = 0; node < nodes_->size(); ++node) {
    const std::int32_t domain = u.domains->of[node];
    if (domain != kNoDomain && free[static_cast<std::size_t>(domain)] && HasStrangers(unit, node))
      close(node);
  }
  return free;
}

std::vector<bool> Territory::Claimable(std::size_t unit, std::span<const Occupied> occupied) const {
  const Domains& domains = *problem_->units[unit].domains;
  std::vector<bool> claimable = claimable_[unit];
  const auto close = [&](NodeIndex node) {
    if (domains.of[node] != kNoDomain) claimable[static_cast<std::size_t>(domains.of[node])] = false;
  };
  const bool groups = problem_->units[unit].scope == model::ExclusiveScope::kGroups;
  for (const Occupied& member : occupied) {
    const bool lets_in = groups && problem_->units[member.unit].alone;
    if (!lets_in && !IsBelow(member.unit, unit)) close(member.node);
  }
  for (const std::size_t other : exclusive_units_) {
    if (taken_[other] < 0 || IsBelow(unit, other) || IsBelow(other, unit)) continue;
    const Domains& others = *problem_->units[other].domains;
    if (&others == &domains) {
      claimable[static_cast<std::size_t>(taken_[other])] = false;
    } else {
      std::ranges::for_each(others.NodesOf(taken_[other]), close);
    }
  }
  return claimable;
}

std::int32_t Territory::HeldBy(std::size_t unit) const {
  if (!active_) return kNoDomain;
  const model::Tenant self = TenantOf(unit);
  const Domains& domains = *problem_->units[unit].domains;
  for (const Held& held : held_) {
    if (held.claim->holder == self && held.claim->key == domains.key && !held.nodes.empty())
      return domains.of[held.nodes.front()];
  }
  return kNoDomain;
}

void Territory::Start(std::size_t unit, std::int32_t domain) {
  if (!active_ || !problem_->units[unit].exclusive || domain < 0) return;
  taken_[unit] = domain;
  std::vector<std::uint32_t>& before = owners_before_[unit];
  before.clear();
  for (const NodeIndex node : problem_->units[unit].domains->NodesOf(domain)) {
    before.push_back(owner_[node]);
    if (owner_[node] == kNobody || !IsBelow(owner_[node], unit))
      owner_[node] = static_cast<std::uint32_t>(unit);
  }
}

void Territory::Undecide(std::size_t unit, std::int32_t domain) {
  if (!active_ || !problem_->units[unit].exclusive || domain < 0) return;
  taken_[unit] = kNoDomain;
  auto before = owners_before_[unit].begin();
  for (const NodeIndex node : problem_->units[unit].domains->NodesOf(domain))
    owner_[node] = *before++;
}

Territory::Closed Territory::CountClosed(std::size_t unit) const {
  Closed closed;
  const Domains& domains = *problem_->units[unit].domains;
  const model::Tenant self = TenantOf(unit);
  std::vector<bool> claimed(domains.size(), false);
  for (const Held& held : held_) {
    if (!IsForeign(*held.claim, self)) continue;
    for (const NodeIndex node : held.nodes) {
      if (domains.of[node] == kNoDomain) continue;
      claimed[static_cast<std::size_t>(domains.of[node])] = true;
      if (closed.first_holder.empty()) closed.first_holder = held.claim->text;
    }
  }
  for (std::size_t d = 0; d < claimed.size(); ++d) {
    closed.claimed += claimed[d] ? 1 : 0;
    closed.in_use += !claimed[d] && !claimable_[unit][d] ? 1 : 0;
  }
  return closed;
}

Territory::Closed Territory::CountClosedNodes() const {
  Closed closed;
  if (foreign_.empty()) return closed;
  closed.claimed = static_cast<std::size_t>(std::ranges::count(foreign_[0], true));
  for (const Held& held : held_) {
    const bool shuts = std::ranges::any_of(held.nodes, [&](NodeIndex node) { return foreign_[0][node]; });
    if (shuts && closed.first_holder.empty()) closed.first_holder = held.claim->text;
  }
  return closed;
}

}  // namespace cadre::match
