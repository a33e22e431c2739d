#include "match/terms.h"

#include <algorithm>
#include <limits>

#include "kube/node.h"

namespace cadre::match {

Terms::Terms(NodeTable& nodes, std::vector<Role> roles, const Rules& rules, View view) : nodes_(&nodes) {
  roles_.resize(roles.size());
  matchers_.reserve(roles.size());
  for (const Role& role : roles) {
    const model::Shape& shape = nodes.cluster().shape(role.shape);
    Matchers matchers{.face = {shape.namespace_, role.labels}, .affinity = {}, .anti = {}};
    for (const kube::PodAffinityTerm& term : shape.affinity) {
      if (rules.pod_affinity) matchers.affinity.emplace_back(term, matchers.face);
    }
    for (const kube::PodAffinityTerm& term : shape.anti_affinity) {
      if (rules.pod_anti_affinity) matchers.anti.emplace_back(term, matchers.face);
    }
    matchers_.push_back(std::move(matchers));
  }
  for (std::size_t role = 0; role < roles.size(); ++role) {
    MakeRole(role);
    if (rules.topology_spread)
      MakeSpread(role, nodes.cluster().shape(roles[role].shape), matchers_[role].face);
  }
  for (std::size_t from = 0; from < roles.size(); ++from) {
    for (std::size_t to = 0; to < roles.size(); ++to)
      LinkRoles(from, to);
  }
  if (view == View::kEmpty) WaiveAffinityToOthers();
  CountNeighbours(rules, view);
}

// Nodes are not to blame that the pods a role looks for are not among those that stay, so without any in the
// request the empty view asks for none.
void Terms::WaiveAffinityToOthers() {
  for (std::size_t role = 0; role < roles_.size(); ++role) {
    bool fed = false;
    for (std::size_t other = 0; other < roles_.size() && !fed; ++other)
      fed = Feeds(other, role);
    if (fed) continue;
    roles_[role].affinity.clear();
    roles_[role].self_affinity = false;
  }
}

std::size_t Terms::NewCounter(const std::string& key) {
  const Domains& domains = nodes_->LabelDomains(key);
  counters_.push_back({.domains = &domains, .count = std::vector<std::int32_t>(domains.size(), 0)});
  return counters_.size() - 1;
}

std::size_t Terms::BackCounter(std::size_t role, const std::string& key) {
  const auto found = back_.find({role, key});
  if (found != back_.end()) return found->second;
  const std::size_t counter = NewCounter(key);
  back_.emplace(std::pair(role, key), counter);
  roles_[role].anti_back.push_back(counter);
  return counter;
}

void Terms::MakeRole(std::size_t role) {
  for (const TermMatcher& term : matchers_[role].affinity) {
    roles_[role].affinity.push_back(NewCounter(term.topology_key()));
  }
  for (const TermMatcher& term : matchers_[role].anti)
    roles_[role].anti.push_back(NewCounter(term.topology_key()));
  roles_[role].self_affinity = MatchesAllAffinity(role, matchers_[role].face);
}

void Terms::MakeSpread(std::size_t role, const model::Shape& shape, const PodFace& face) {
  if (shape.spread.empty()) return;
  std::vector<const Domains*> keys;
  for (const kube::TopologySpreadConstraint& constraint : shape.spread) {
    keys.push_back(&nodes_->LabelDomains(constraint.topology_key));
  }
  for (std::size_t i = 0; i < shape.spread.size(); ++i) {
    const kube::TopologySpreadConstraint& constraint = shape.spread[i];
    std::vector<bool> counted(nodes_->size(), false);
    for (NodeIndex n = 0; n < nodes_->size(); ++n) {
      const kube::Node& node = nodes_->node(n);
      counted[n] = std::ranges::all_of(keys, [&](const Domains* key) { return key->of[n] != kNoDomain; }) &&
                   (!constraint.honor_node_affinity ||
                    kube::MatchesNodeConstraints(shape.node_selector, shape.node_affinity,
                                                 node.metadata.labels, node.metadata.name)) &&
                   (!constraint.honor_node_taints || TaintAgainst(shape, node) == nullptr);
    }
    roles_[role].spread.push_back(spreads_.size());
    spreads_.emplace_back(constraint, face, *keys[i], std::move(counted));
  }
}

bool Terms::MatchesAllAffinity(std::size_t role, const PodFace& pod) const {
  const std::vector<TermMatcher>& terms = matchers_[role].affinity;
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const TermMatcher& t) { return t.Matches(nodes_->cluster(), pod); });
}

// What a member of `from`, once placed, means to members of `to`.
void Terms::LinkRoles(std::size_t from, std::size_t to) {
  const PodFace& face = matchers_[from].face;
  std::vector<std::size_t>& feeds = roles_[from].feeds;
  if (MatchesAllAffinity(to, face)) {
    feeds.insert(feeds.end(), roles_[to].affinity.begin(), roles_[to].affinity.end());
  }
  for (std::size_t i = 0; i < matchers_[to].anti.size(); ++i) {
    if (matchers_[to].anti[i].Matches(nodes_->cluster(), face)) feeds.push_back(roles_[to].anti[i]);
  }
  for (const TermMatcher& term : matchers_[from].anti) {
    if (term.Matches(nodes_->cluster(), matchers_[to].face))
      feeds.push_back(BackCounter(to, term.topology_key()));
  }
  for (const std::size_t spread : roles_[to].spread) {
    if (spreads_[spread].Matches(face)) roles_[from].feeds_spread.push_back(spread);
  }
}

void Terms::CountNeighbours(const Rules& rules, View view) {
  const model::Cluster& cluster = nodes_->cluster();
  const bool look_around = !counters_.empty() || !spreads_.empty();
  const auto visit = [&](const PodFace& face, model::ShapeId shape, model::NodeId node, bool terminating,
                         bool nominated) {
    const NodeIndex at = nodes_->IndexOf(node);
    if (at == kNoNode) return;
    const Neighbour neighbour{face, &cluster.shape(shape), at, terminating, nominated};
    if (look_around) CountNeighbour(neighbour);
    if (rules.pod_anti_affinity) CountTermsOf(neighbour);
  };
  const auto visit_pod = [&](model::PodId id) {
    const model::PodEntry& entry = cluster.pod(id);
    if (entry.hold == model::Hold::kNone || (view == View::kEmpty && !model::IsPermanent(*entry.pod))) return;
    const kube::ObjectMeta& meta = entry.pod->metadata;
    visit({meta.namespace_, &meta.labels}, entry.shape, entry.node, meta.deletion_timestamp.has_value(),
          entry.hold == model::Hold::kNominated);
  };
  if (look_around) {
    for (NodeIndex node = 0; node < nodes_->size(); ++node) {
      for (const model::PodId id : nodes_->entry(node).pods)
        visit_pod(id);
    }
  } else {
    for (const model::PodId id : cluster.anti_affinity_pods())
      visit_pod(id);
  }
  if (view == View::kEmpty) return;
  for (const auto& [key, reservation] : cluster.reservations()) {
    visit({cluster.shape(reservation.shape).namespace_, &reservation.labels}, reservation.shape,
          reservation.node, false, false);
  }
}

void Terms::CountNeighbour(const Neighbour& neighbour) {
  for (std::size_t role = 0; role < roles_.size(); ++role) {
    if (!neighbour.nominated && !roles_[role].affinity.empty() && MatchesAllAffinity(role, neighbour.face)) {
      for (const std::size_t counter : roles_[role].affinity)
        Count(counter, neighbour.node, 1);
    }
    for (std::size_t i = 0; i < matchers_[role].anti.size(); ++i) {
      if (matchers_[role].anti[i].Matches(nodes_->cluster(), neighbour.face)) {
        Count(roles_[role].anti[i], neighbour.node, 1);
      }
    }
  }
  if (neighbour.terminating) return;
  for (SpreadCounter& spread : spreads_) {
    if (spread.Matches(neighbour.face)) spread.Add(neighbour.node, 1);
  }
}

void Terms::CountTermsOf(const Neighbour& neighbour) {
  for (const kube::PodAffinityTerm& term : neighbour.shape->anti_affinity) {
    const TermMatcher matcher(term, neighbour.face);
    for (std::size_t role = 0; role < roles_.size(); ++role) {
      if (matcher.Matches(nodes_->cluster(), matchers_[role].face)) {
        Count(BackCounter(role, term.topology_key), neighbour.node, 1);
      }
    }
  }
}

void Terms::Count(std::size_t counter, NodeIndex node, std::int32_t weight) {
  Counter& c = counters_[counter];
  const std::int32_t domain = c.domains->of[node];
  if (domain == kNoDomain) return;
  c.count[static_cast<std::size_t>(domain)] += weight;
  c.total += weight;
}

void Terms::Add(std::size_t role, NodeIndex node, std::int32_t weight) {
  for (const std::size_t counter : roles_[role].feeds)
    Count(counter, node, weight);
  for (const std::size_t spread : roles_[role].feeds_spread)
    spreads_[spread].Add(node, weight);
}

bool Terms::Free(std::size_t role) const {
  const RoleState& state = roles_[role];
  return state.affinity.empty() && state.anti.empty() && state.anti_back.empty() && state.spread.empty();
}

bool Terms::AffinityAllows(std::size_t role, NodeIndex node) const {
  const RoleState& state = roles_[role];
  bool all = true;
  std::int64_t total = 0;
  for (const std::size_t counter : state.affinity) {
    const Counter& c = counters_[counter];
    const std::int32_t domain = c.domains->of[node];
    if (domain == kNoDomain) return false;
    all = all && c.count[static_cast<std::size_t>(domain)] > 0;
    total += c.total;
  }
  return all || (total == 0 && state.self_affinity);
}

bool Terms::Closed(std::size_t role, NodeIndex node) const {
  const RoleState& state = roles_[role];
  const auto taken = [&](std::size_t counter) {
    const Counter& c = counters_[counter];
    const std::int32_t domain = c.domains->of[node];
    return domain != kNoDomain && c.count[static_cast<std::size_t>(domain)] > 0;
  };
  const auto lacks_key = [&](const Domains& domains) { return domains.of[node] == kNoDomain; };
  return std::ranges::any_of(state.anti, taken) || std::ranges::any_of(state.anti_back, taken) ||
         std::ranges::any_of(state.affinity,
                             [&](std::size_t c) { return lacks_key(*counters_[c].domains); }) ||
         std::ranges::any_of(state.spread, [&](std::size_t s) { return lacks_key(spreads_[s].domains()); });
}

bool Terms::Allows(std::size_t role, NodeIndex node) const {
  return !Closed(role, node) && AffinityAllows(role, node) &&
         std::ranges::all_of(roles_[role].spread, [&](std::size_t s) { return spreads_[s].Allows(node); });
}

bool Terms::Bootstraps(std::size_t role) const {
  const RoleState& state = roles_[role];
  return state.self_affinity &&
         std::ranges::all_of(state.affinity, [&](std::size_t c) { return counters_[c].total == 0; });
}

std::vector<const Domains*> Terms::AffinityDomains(std::size_t role) const {
  std::vector<const Domains*> keys;
  for (const std::size_t counter : roles_[role].affinity)
    keys.push_back(counters_[counter].domains);
  return keys;
}

std::vector<const Domains*> Terms::ApartDomains(std::size_t role) const {
  const RoleState& state = roles_[role];
  std::vector<const Domains*> keys;
  for (const std::size_t counter : state.feeds) {
    const bool mine = std::ranges::find(state.anti, counter) != state.anti.end() ||
                      std::ranges::find(state.anti_back, counter) != state.anti_back.end();
    if (mine) keys.push_back(counters_[counter].domains);
  }
  return keys;
}

std::int64_t Terms::SpreadRoom(std::size_t role,
                               const std::vector<std::pair<NodeIndex, std::int64_t>>& room) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t spread : roles_[role].spread) {
    const Domains& domains = spreads_[spread].domains();
    std::vector<std::int64_t> by_domain(domains.size(), 0);
    for (const auto& [node, count] : room) {
      const std::int32_t domain = domains.of[node];
      if (domain != kNoDomain) by_domain[static_cast<std::size_t>(domain)] += count;
    }
    least = std::min(least, spreads_[spread].Room(by_domain));
  }
  return least;
}

bool Terms::SamePlace(NodeIndex a, NodeIndex b) const {
  return std::ranges::all_of(counters_,
                             [&](const Counter& c) { return c.domains->of[a] == c.domains->of[b]; }) &&
         std::ranges::all_of(spreads_, [&](const SpreadCounter& s) {
           return s.domains().of[a] == s.domains().of[b] && s.Counts(a) == s.Counts(b);
         });
}

bool Terms::Feeds(std::size_t a, std::size_t b) const {
  return MatchesAllAffinity(b, matchers_[a].face);
}

}  // namespace cadre::match
