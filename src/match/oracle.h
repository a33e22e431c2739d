// A second opinion for tests: every placement tried, every rule checked from scratch on plain lists of pods.
//
// It shares nothing with the search but the rules in src/kube (selectors, taints, ports). Only for small
// cases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kube/node.h"
#include "match/match.h"
#include "model/cluster.h"

namespace cadre::match::testing {

class Oracle {
 public:
  Oracle(const model::Cluster& cluster, const Request& request, std::uint64_t most_tries = 20'000)
      : cluster_(cluster), tries_left_(most_tries) {
    for (std::size_t n = 0; n < cluster.nodes().size(); ++n) {
      if (cluster.nodes()[n].Present()) nodes_.push_back(model::NodeId(n));
    }
    Flatten(request.root, kNo);
    CollectPods();
    CollectRoles();
  }

  // Is there a placement? No value: too many to try.
  std::optional<bool> Feasible() {
    Reset();
    const bool found = Try([] { return true; });
    return tries_left_ == 0 ? std::nullopt : std::optional(found);
  }

  // Could the members have been placed like this, one after another?
  bool Valid(const Placement& placement) {
    Reset();
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const model::NodeId node = placement.nodes[m];
      if (members_[m].fixed) {
        if (node != *members_[m].fixed) return false;
        continue;
      }
      members_[m].only =
          node.Valid() ? static_cast<int>(std::ranges::find(nodes_, node) - nodes_.begin()) : kNowhere;
    }
    const bool valid = Try([] { return true; });
    for (OracleMember& member : members_)
      member.only.reset();
    return valid;
  }

  // The least that `cost` can be over all placements; no value: there is none, or too many to try.
  std::optional<std::int64_t> Least(const std::function<std::int64_t(const Oracle&)>& cost) {
    Reset();
    std::optional<std::int64_t> least;
    Try([&] {
      least = std::min(least.value_or(cost(*this)), cost(*this));
      return false;
    });
    return tries_left_ == 0 ? std::nullopt : least;
  }

  std::int64_t NodesUsed() const {
    std::set<int> used;
    for (const OracleMember& member : members_) {
      if (!member.fixed && member.at >= 0) used.insert(member.at);
    }
    return static_cast<std::int64_t>(used.size());
  }
  std::int64_t MembersPlaced() const {
    return std::ranges::count_if(members_, [](const OracleMember& m) { return m.fixed || m.at >= 0; });
  }

 private:
  static constexpr std::size_t kNo = static_cast<std::size_t>(-1);
  static constexpr int kNowhere = -1;
  static constexpr int kUndecided = -2;

  struct OracleUnit {
    const Unit* unit;
    std::size_t parent;
    std::vector<std::size_t> members;
    std::vector<std::size_t> units;
  };
  struct OracleMember {
    const model::Shape* shape;
    kube::StringMap labels;
    std::size_t unit;
    std::optional<model::NodeId> fixed;
    std::size_t role = 0;
    int at = kUndecided;
    std::optional<int> only;
  };
  struct OraclePod {
    const model::Shape* shape;
    const kube::StringMap* labels;
    int node;
    bool deleting;
    bool nominated;
  };
  struct OracleRole {
    std::vector<std::size_t> members;
    bool any_order;
  };

  void Flatten(const Unit& unit, std::size_t parent) {
    const std::size_t index = units_.size();
    units_.push_back({&unit, parent, {}, {}});
    if (parent != kNo) units_[parent].units.push_back(index);
    for (const Member& member : unit.members) {
      units_[index].members.push_back(members_.size());
      members_.push_back(
          {&cluster_.shape(member.shape), member.labels, index, member.fixed, 0, kUndecided, {}});
    }
    for (const Unit& child : unit.units)
      Flatten(child, index);
  }

  int IndexOf(model::NodeId id) const {
    const auto found = std::ranges::find(nodes_, id);
    return found == nodes_.end() ? kNowhere : static_cast<int>(found - nodes_.begin());
  }

  void CollectPods() {
    for (std::size_t p = 0; p < cluster_.pod_slots(); ++p) {
      const model::PodEntry& entry = cluster_.pod(model::PodId(p));
      if (entry.pod == nullptr || entry.hold == model::Hold::kNone || IndexOf(entry.node) == kNowhere)
        continue;
      pods_.push_back({&cluster_.shape(entry.shape), &entry.pod->metadata.labels, IndexOf(entry.node),
                       entry.pod->metadata.deletion_timestamp.has_value(),
                       entry.hold == model::Hold::kNominated});
    }
  }

  // --- rules
  // -------------------------------------------------------------------------------------------------------------

  const kube::Node& NodeAt(int node) const {
    return *cluster_.node(nodes_[static_cast<std::size_t>(node)]).node;
  }

  const std::string* LabelAt(int node, const std::string& key) const {
    const kube::StringMap& labels = NodeAt(node).metadata.labels;
    const auto found = labels.find(key);
    return found == labels.end() ? nullptr : &found->second;
  }

  bool SameDomain(int a, int b, const std::string& key) const {
    const std::string* x = LabelAt(a, key);
    const std::string* y = LabelAt(b, key);
    return x != nullptr && y != nullptr && *x == *y;
  }

  // Domains of required topology are paths.
  std::optional<std::string> PathAt(int node, const std::string& key) const {
    if (LabelAt(node, key) == nullptr) return std::nullopt;
    if (key == "kubernetes.io/hostname") return *LabelAt(node, key);
    std::string path;
    for (const char* coarse : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
      const std::string* value = LabelAt(node, coarse);
      path += value == nullptr ? "(none)/" : *value + "/";
      if (key == coarse) return path;
    }
    return path + *LabelAt(node, key);
  }

  bool Selects(std::optional<kube::LabelSelector> selector, const std::vector<std::string>& match_keys,
               const std::vector<std::string>& mismatch_keys, const kube::StringMap& owner,
               const kube::StringMap& pod) const {
    if (!selector || !kube::Matches(*selector, pod)) return false;
    const auto value = [](const kube::StringMap& labels, const std::string& key) {
      const auto found = labels.find(key);
      return found == labels.end() ? std::optional<std::string>{} : std::optional(found->second);
    };
    for (const std::string& key : match_keys) {
      if (value(owner, key) && value(owner, key) != value(pod, key)) return false;
    }
    for (const std::string& key : mismatch_keys) {
      if (value(owner, key) && value(owner, key) == value(pod, key)) return false;
    }
    return true;
  }

  bool Means(const kube::PodAffinityTerm& term, const std::string& owner_ns, const kube::StringMap& owner,
             const std::string& pod_ns, const kube::StringMap& pod) const {
    bool in = std::ranges::find(term.namespaces, pod_ns) != term.namespaces.end();
    if (term.namespaces.empty() && !term.namespace_selector) in = pod_ns == owner_ns;
    if (term.namespace_selector) {
      const kube::StringMap* labels = cluster_.NamespaceLabels(pod_ns);
      in = in || kube::Matches(
                     *term.namespace_selector,
                     labels != nullptr ? *labels : kube::StringMap{{"kubernetes.io/metadata.name", pod_ns}});
    }
    return in && Selects(term.label_selector, term.match_label_keys, term.mismatch_label_keys, owner, pod);
  }

  bool MeansAll(const OracleMember& m, const std::string& ns, const kube::StringMap& labels) const {
    return std::ranges::all_of(m.shape->affinity, [&](const kube::PodAffinityTerm& term) {
      return Means(term, m.shape->namespace_, m.labels, ns, labels);
    });
  }

  std::vector<OraclePod> AllPods() const {
    std::vector<OraclePod> pods = pods_;
    for (const OracleMember& m : members_) {
      if (!m.fixed && m.at >= 0) pods.push_back({m.shape, &m.labels, m.at, false, false});
    }
    return pods;
  }

  bool AffinityHolds(const OracleMember& m, int node, const std::vector<OraclePod>& pods) const {
    if (m.shape->affinity.empty()) return true;
    bool all = true;
    bool any_anywhere = false;
    for (const kube::PodAffinityTerm& term : m.shape->affinity) {
      if (LabelAt(node, term.topology_key) == nullptr) return false;
      bool here = false;
      for (const OraclePod& pod : pods) {
        if (pod.nominated || !MeansAll(m, pod.shape->namespace_, *pod.labels)) continue;
        any_anywhere |= LabelAt(pod.node, term.topology_key) != nullptr;
        here |= SameDomain(pod.node, node, term.topology_key);
      }
      all &= here;
    }
    return all || (!any_anywhere && MeansAll(m, m.shape->namespace_, m.labels));
  }

  bool AntiAffinityHolds(const OracleMember& m, int node, const std::vector<OraclePod>& pods) const {
    for (const OraclePod& pod : pods) {
      for (const kube::PodAffinityTerm& term : m.shape->anti_affinity) {
        if (SameDomain(pod.node, node, term.topology_key) &&
            Means(term, m.shape->namespace_, m.labels, pod.shape->namespace_, *pod.labels)) {
          return false;
        }
      }
      for (const kube::PodAffinityTerm& term : pod.shape->anti_affinity) {
        if (SameDomain(pod.node, node, term.topology_key) &&
            Means(term, pod.shape->namespace_, *pod.labels, m.shape->namespace_, m.labels)) {
          return false;
        }
      }
    }
    return true;
  }

  bool IsCounted(const OracleMember& m, const kube::TopologySpreadConstraint& constraint, int node) const {
    for (const kube::TopologySpreadConstraint& other : m.shape->spread) {
      if (LabelAt(node, other.topology_key) == nullptr) return false;
    }
    const kube::Node& n = NodeAt(node);
    return (!constraint.honor_node_affinity ||
            kube::MatchesNodeConstraints(m.shape->node_selector, m.shape->node_affinity, n.metadata.labels,
                                         n.metadata.name)) &&
           (!constraint.honor_node_taints || kube::UntoleratedTaint(n, m.shape->tolerations) == nullptr);
  }

  bool SpreadHolds(const OracleMember& m, int node, const std::vector<OraclePod>& pods) const {
    for (const kube::TopologySpreadConstraint& constraint : m.shape->spread) {
      const std::string* value = LabelAt(node, constraint.topology_key);
      if (value == nullptr) return false;
      const auto selects = [&](const kube::StringMap& labels) {
        return Selects(constraint.label_selector, constraint.match_label_keys, {}, m.labels, labels);
      };
      std::map<std::string, std::int64_t> counts;
      for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
        if (!IsCounted(m, constraint, n)) continue;
        std::int64_t& count = counts[*LabelAt(n, constraint.topology_key)];
        for (const OraclePod& pod : pods) {
          if (pod.node == n && !pod.deleting && pod.shape->namespace_ == m.shape->namespace_ &&
              selects(*pod.labels))
            ++count;
        }
      }
      std::int64_t least = 0;
      if (!counts.empty() && static_cast<std::int64_t>(counts.size()) >= constraint.min_domains.value_or(1)) {
        least = std::ranges::min_element(counts, {}, [](const auto& entry) { return entry.second; })->second;
      }
      const std::int64_t here = counts.contains(*value) ? counts[*value] : 0;
      if (here + (selects(m.labels) ? 1 : 0) - least > constraint.max_skew) return false;
    }
    return true;
  }

  bool StaticallyFits(const OracleMember& m, int node) const {
    const kube::Node& n = NodeAt(node);
    const auto matches = [&](const kube::StringMap& selector,
                             const std::optional<kube::NodeSelector>& affinity) {
      return kube::MatchesNodeConstraints(selector, affinity, n.metadata.labels, n.metadata.name);
    };
    return matches(m.shape->node_selector, m.shape->node_affinity) && m.shape->missing_claims.empty() &&
           kube::UntoleratedTaint(n, m.shape->tolerations) == nullptr &&
           std::ranges::all_of(m.shape->volume_affinities,
                               [&](const kube::NodeSelector& s) { return matches({}, s); });
  }

  bool RoomFor(const OracleMember& m, int node, const std::vector<OraclePod>& pods) const {
    for (const model::Amount& request : m.shape->requests) {
      const model::NodeEntry& entry = cluster_.node(nodes_[static_cast<std::size_t>(node)]);
      std::int64_t free = entry.Free(request.resource);
      for (const OracleMember& other : members_) {
        if (other.fixed || other.at != node) continue;
        for (const model::Amount& taken : other.shape->requests) {
          if (taken.resource == request.resource) free -= taken.amount;
        }
      }
      if (free < request.amount) return false;
    }
    for (const OraclePod& pod : pods) {
      if (pod.node != node) continue;
      for (const model::HostPort& a : m.shape->host_ports) {
        for (const model::HostPort& b : pod.shape->host_ports) {
          if (model::Collide(a, b)) return false;
        }
      }
    }
    return true;
  }

  bool MayGo(const OracleMember& m, int node) const {
    const std::vector<OraclePod> pods = AllPods();
    return StaticallyFits(m, node) && RoomFor(m, node, pods) && AntiAffinityHolds(m, node, pods) &&
           AffinityHolds(m, node, pods) && SpreadHolds(m, node, pods);
  }

  // --- the order of placing
  // ------------------------------------------------------------------------------------------------

  void CollectRoles() {
    std::set<std::string> keys;
    const auto look = [&](const std::optional<kube::LabelSelector>& selector) {
      if (!selector) return;
      for (const kube::Requirement& requirement : selector->requirements)
        keys.insert(requirement.key);
    };
    const auto collect = [&](const model::Shape& shape) {
      for (const auto* terms : {&shape.affinity, &shape.anti_affinity}) {
        for (const kube::PodAffinityTerm& term : *terms) {
          look(term.label_selector);
          keys.insert(term.match_label_keys.begin(), term.match_label_keys.end());
          keys.insert(term.mismatch_label_keys.begin(), term.mismatch_label_keys.end());
        }
      }
      for (const kube::TopologySpreadConstraint& spread : shape.spread) {
        look(spread.label_selector);
        keys.insert(spread.match_label_keys.begin(), spread.match_label_keys.end());
      }
    };
    for (const OracleMember& m : members_)
      collect(*m.shape);
    for (const OraclePod& pod : pods_) {
      if (!pod.shape->anti_affinity.empty()) collect(*pod.shape);
    }
    std::vector<std::pair<std::pair<const model::Shape*, std::string>, std::vector<std::size_t>>> found;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      std::string text;
      for (const std::string& key : keys) {
        const auto label = members_[m].labels.find(key);
        text += key + (label == members_[m].labels.end() ? "?" : "=" + label->second) + ";";
      }
      const auto name = std::pair(members_[m].shape, text);
      auto same = std::ranges::find(found, name, [](const auto& role) { return role.first; });
      if (same == found.end()) same = found.insert(found.end(), {name, {}});
      same->second.push_back(m);
    }
    while (!found.empty()) {
      // The first role that no other waiting role should come before; in a circle the first.
      auto next = std::ranges::find_if(found, [&](const auto& role) {
        const OracleMember& m = members_[role.second.front()];
        return std::ranges::none_of(found, [&](const auto& other) {
          const OracleMember& o = members_[other.second.front()];
          return &other != &role && !m.shape->affinity.empty() && MeansAll(m, o.shape->namespace_, o.labels);
        });
      });
      if (next == found.end()) next = found.begin();
      const model::Shape* shape = next->first.first;
      OracleRole role{{}, !shape->spread.empty() || !shape->affinity.empty()};
      for (const std::size_t m : next->second) {
        if (!members_[m].fixed) role.members.push_back(m);
      }
      roles_.push_back(std::move(role));
      found.erase(next);
    }
  }

  // --- the tree
  // ------------------------------------------------------------------------------------------------------------

  bool IsPlaced(const OracleMember& m) const { return m.fixed || m.at >= 0; }

  // All placed below a unit with a topology lie in one domain of it.
  bool Together(std::size_t unit) const {
    const std::string& key = units_[unit].unit->required_topology;
    if (key.empty()) return true;
    std::set<std::string> paths;
    for (const OracleMember& m : members_) {
      const int node = m.fixed ? IndexOf(*m.fixed) : m.at;
      if (node < 0 || !IsBelow(m.unit, unit)) continue;
      const auto path = PathAt(node, key);
      if (!path) return false;
      paths.insert(*path);
    }
    return paths.size() <= 1;
  }

  bool IsBelow(std::size_t unit, std::size_t top) const {
    for (std::size_t u = unit; u != kNo; u = units_[u].parent) {
      if (u == top) return true;
    }
    return false;
  }

  // The unit is placed, or can still be.
  bool Counts(std::size_t unit) const {
    if (!Together(unit)) return false;
    std::int64_t parts = 0;
    for (const std::size_t m : units_[unit].members)
      parts += members_[m].at == kUndecided || IsPlaced(members_[m]) ? 1 : 0;
    for (const std::size_t u : units_[unit].units)
      parts += Counts(u) ? 1 : 0;
    const auto all = static_cast<std::int64_t>(units_[unit].members.size() + units_[unit].units.size());
    return parts >= (units_[unit].unit->minimum < 0 ? all : units_[unit].unit->minimum);
  }

  bool TreeHolds() const {
    if (!Counts(0)) return false;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (Counts(u)) continue;
      for (const OracleMember& m : members_) {
        if (!m.fixed && m.at >= 0 && IsBelow(m.unit, u)) return false;
      }
    }
    return true;
  }

  // --- trying everything
  // ---------------------------------------------------------------------------------------------------

  void Reset() {
    for (OracleMember& m : members_)
      m.at = m.fixed ? kNowhere : kUndecided;
    seen_.clear();
  }

  // Calls `leaf` for every valid placement until it returns true.
  bool Try(const std::function<bool()>& leaf) {
    if (tries_left_ == 0) return false;
    --tries_left_;
    if (!TreeHolds()) return false;
    const auto role = std::ranges::find_if(roles_, [&](const OracleRole& r) {
      return std::ranges::any_of(r.members, [&](std::size_t m) { return members_[m].at == kUndecided; });
    });
    if (role == roles_.end()) return leaf();
    if (role->any_order && !seen_.insert(Snapshot()).second) return false;
    std::set<std::size_t> units;
    for (const std::size_t m : role->members) {
      if (members_[m].at != kUndecided) continue;
      if (!members_[m].only && !units.insert(members_[m].unit).second) continue;
      if (TryMember(*role, m, leaf)) return true;
      if (!role->any_order) break;
    }
    return false;
  }

  // Equal members of one unit: the first that is undecided goes next; if it stays out, so do the others.
  bool TryMember(const OracleRole& role, std::size_t member, const std::function<bool()>& leaf) {
    OracleMember& m = members_[member];
    int from = 0;
    if (!role.any_order && !m.only) {
      for (const std::size_t other : role.members) {
        if (other < member && members_[other].unit == m.unit) from = std::max(from, members_[other].at);
      }
    }
    for (int node = from; node < static_cast<int>(nodes_.size()); ++node) {
      if ((m.only && *m.only != node) || !MayGo(m, node)) continue;
      m.at = node;
      const bool done = Try(leaf);
      m.at = kUndecided;
      if (done) return true;
    }
    if (m.only && *m.only != kNowhere) return false;
    std::vector<std::size_t> out;
    for (const std::size_t other : role.members) {
      OracleMember& o = members_[other];
      if (o.unit != m.unit || o.at != kUndecided || (m.only && other != member)) continue;
      o.at = kNowhere;
      out.push_back(other);
    }
    const bool done = Try(leaf);
    for (const std::size_t other : out)
      members_[other].at = kUndecided;
    return done;
  }

  std::vector<int> Snapshot() const {
    std::vector<int> at;
    for (const OracleMember& m : members_)
      at.push_back(m.at);
    return at;
  }

  const model::Cluster& cluster_;
  std::uint64_t tries_left_;
  std::vector<model::NodeId> nodes_;
  std::vector<OracleUnit> units_;
  std::vector<OracleMember> members_;
  std::vector<OraclePod> pods_;
  std::vector<OracleRole> roles_;
  std::set<std::vector<int>> seen_;
};

}  // namespace cadre::match::testing
