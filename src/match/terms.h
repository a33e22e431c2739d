// Inter-pod affinity, anti-affinity and hard topology spread during a search: counts per domain for every
// role of the request, of the pods that are there and of the members placed so far.
//
// Rules, as kube-scheduler applies them (source: API reference of Affinity and TopologySpreadConstraint,
// KEP-895):
// - Pods that hold a node count, those being deleted too (spread leaves the latter out); terminal pods never
// do. A pod
//   that another scheduler has only nominated keeps others away, but nobody can rely on it.
// - Affinity: every term must hold. A pod counts for it if it matches all terms. A node without a term's key
// is out.
//   When no pod anywhere matches, a pod that matches its own terms may go to any node that carries the keys.
// - Anti-affinity: no pod that a term means in the node's domain, and no term of a pod there that means this
// one. A node
//   without the key is in no domain, so there is no conflict.
// Domains here are label values, not Cadre's paths: these are Kubernetes' rules.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "match/node_table.h"
#include "match/pod_terms.h"
#include "match/spread.h"

namespace cadre::match {

// Members that no term of the request or of a pod in the cluster can tell apart.
struct Role {
  model::ShapeId shape;
  const kube::StringMap* labels;
};

class Terms {
 public:
  // `nodes` must outlive this.
  Terms(NodeTable& nodes, std::vector<Role> roles, const Rules& rules, View view);

  // No term can ever keep this role off a node.
  bool Free(std::size_t role) const;
  // Whether a node is allowed can depend on what was placed before in more than "taken stays taken".
  bool HasAffinity(std::size_t role) const { return !roles_[role].affinity.empty(); }
  bool HasSpread(std::size_t role) const { return !roles_[role].spread.empty(); }

  bool Allows(std::size_t role, NodeIndex node) const;
  // Forbidden, whatever else is placed: anti-affinity in both directions, or a missing key.
  bool Closed(std::size_t role, NodeIndex node) const;
  bool AffinityAllows(std::size_t role, NodeIndex node) const;

  void Add(std::size_t role, NodeIndex node, std::int32_t weight);  // negative: taken away again

  // The affinity of this role looks for a pod and there is none yet, but the role itself will do.
  bool Bootstraps(std::size_t role) const;
  // The keys of its affinity terms, and those over which two members of the role keep apart.
  std::vector<const Domains*> AffinityDomains(std::size_t role) const;
  std::vector<const Domains*> ApartDomains(std::size_t role) const;
  // Upper bound from the role's spread constraints on how many more can be placed; `room` by node.
  std::int64_t SpreadRoom(std::size_t role,
                          const std::vector<std::pair<NodeIndex, std::int64_t>>& room) const;

  // No term can tell these nodes apart.
  bool SamePlace(NodeIndex a, NodeIndex b) const;

  // Does a member of role `a` count for the affinity of role `b`?
  bool Feeds(std::size_t a, std::size_t b) const;

 private:
  struct Counter {
    const Domains* domains;
    std::vector<std::int32_t> count;
    std::int64_t total = 0;
  };
  struct RoleState {
    std::vector<std::size_t> affinity;  // counters, one per term
    bool self_affinity = false;
    std::vector<std::size_t> anti;       // counters of pods that this role's terms mean
    std::vector<std::size_t> anti_back;  // counters of pods whose terms mean this role
    std::vector<std::size_t> spread;
    std::vector<std::size_t> feeds;  // counters that a member of this role adds to
    std::vector<std::size_t> feeds_spread;
  };
  struct Matchers {
    PodFace face;
    std::vector<TermMatcher> affinity;
    std::vector<TermMatcher> anti;
  };
  struct Neighbour {
    PodFace face;
    const model::Shape* shape;
    NodeIndex node;
    bool terminating;
    bool nominated;
  };

  void MakeRole(std::size_t role);
  void MakeSpread(std::size_t role, const model::Shape& shape, const PodFace& face);
  void LinkRoles(std::size_t from, std::size_t to);
  void WaiveAffinityToOthers();
  void CountNeighbours(const Rules& rules, View view);
  void CountNeighbour(const Neighbour& neighbour);
  void CountTermsOf(const Neighbour& neighbour);
  std::size_t NewCounter(const std::string& key);
  std::size_t BackCounter(std::size_t role, const std::string& key);
  void Count(std::size_t counter, NodeIndex node, std::int32_t weight);
  bool MatchesAllAffinity(std::size_t role, const PodFace& pod) const;

  NodeTable* nodes_;
  std::vector<RoleState> roles_;
  std::vector<Matchers> matchers_;
  std::vector<Counter> counters_;
  std::vector<SpreadCounter> spreads_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> back_;  // (role, key) -> counter
};

}  // namespace cadre::match
