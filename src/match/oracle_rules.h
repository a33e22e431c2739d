// The rules of a placement, checked from scratch on plain lists of pods: the half of the oracle that is about
// what is there. It shares nothing with the search but the rules in src/kube (selectors, taints, ports).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/node.h"
#include "match/request.h"
#include "match/testing.h"
#include "model/cluster.h"

namespace cadre::match::testing {

class OracleRules {
 protected:
  OracleRules(const model::Cluster& cluster, const Request& request)
      : cluster_(cluster), self_group_(request.group) {
    for (std::size_t n = 0; n < cluster.nodes().size(); ++n) {
      if (cluster.nodes()[n].Present()) nodes_.push_back(model::NodeId(n));
    }
    Flatten(request.root, kNo, "");
    CollectPods();
  }

  static constexpr std::size_t kNo = static_cast<std::size_t>(-1);
  static constexpr int kNowhere = -1;
  static constexpr int kUndecided = -2;

  struct OracleUnit {
    const Unit* unit;
    std::size_t parent;
    std::string tenant;  // the unit of the root that it is or lies in; "" for the root
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
    model::TenantId tenant = {};
    bool permanent = false;
  };
  void Flatten(const Unit& unit, std::size_t parent, const std::string& tenant) {
    const std::size_t index = units_.size();
    units_.push_back({&unit, parent, tenant, {}, {}});
    if (parent != kNo) units_[parent].units.push_back(index);
    for (const Member& member : unit.members) {
      units_[index].members.push_back(members_.size());
      members_.push_back(
          {&cluster_.shape(member.shape), member.labels, index, member.fixed, 0, kUndecided, {}});
    }
    for (const Unit& child : unit.units)
      Flatten(child, index, parent == kNo ? child.name : tenant);
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
                       entry.hold == model::Hold::kNominated, entry.tenant, model::IsPermanent(*entry.pod)});
    }
  }

  // --- rules

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
    return matches(m.shape->scheduler_nodes, std::nullopt) &&
           matches(m.shape->node_selector, m.shape->node_affinity) && m.shape->missing_claims.empty() &&
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
           AffinityHolds(m, node, pods) && SpreadHolds(m, node, pods) && ClaimsAllow(m, node);
  }

  // --- claims and exclusive domains (docs/placement.md, "Exclusive")

  // The node's values along the path that names a domain of `key`; none: the node is in no domain of it.
  std::optional<std::vector<std::string>> ValuesAt(int node, const std::string& key) const {
    if (LabelAt(node, key) == nullptr) return std::nullopt;
    std::vector<std::string> keys{"topology.kubernetes.io/region", "topology.kubernetes.io/zone", key};
    if (key == kHost) keys = {key};
    if (key == keys[0]) keys = {key};
    if (keys.size() == 3 && key == keys[1]) keys.pop_back();
    std::vector<std::string> values;
    for (const std::string& step : keys)
      values.push_back(LabelAt(node, step) == nullptr ? "" : *LabelAt(node, step));
    return values;
  }

  bool InDomain(int a, int b, const std::string& key) const {
    return ValuesAt(a, key) && ValuesAt(a, key) == ValuesAt(b, key);
  }

  static bool LetsIn(model::ExclusiveScope scope, const Unit& unit) {
    return scope == model::ExclusiveScope::kGroups && unit.alone && unit.topology.exclusive.empty();
  }

  bool ClaimsAllow(const OracleMember& m, int node) const {
    const OracleUnit& unit = units_[m.unit];
    for (const auto& [holder, claim] : cluster_.domain_claims()) {
      if (ValuesAt(node, claim.key) != claim.path) continue;
      const bool mine = holder.group == self_group_ && (holder.unit.empty() || holder.unit == unit.tenant);
      if (!mine && !LetsIn(claim.scope, *unit.unit)) return false;
    }
    return true;
  }

  // What is there already forbids the unit to have the domain of this node for itself.
  bool TakenByOthers(const OracleUnit& unit, int node) const {
    const model::TopologyAsk& ask = unit.unit->topology;
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      if (!InDomain(n, node, ask.exclusive)) continue;
      for (const auto& [holder, claim] : cluster_.domain_claims()) {
        if (ValuesAt(n, claim.key) != claim.path) continue;
        const bool own = holder.group == self_group_ &&
                         (holder.unit.empty() || unit.tenant.empty() || holder.unit == unit.tenant);
        if (!own) return true;
      }
      for (const OraclePod& pod : pods_) {
        if (pod.node != n) continue;
        if (!pod.tenant.Valid()) {
          if (ask.scope == model::ExclusiveScope::kAll && !pod.permanent) return true;
          continue;
        }
        const model::Tenant& tenant = cluster_.tenant(pod.tenant);
        if (tenant.group != self_group_ || (!unit.tenant.empty() && tenant.unit != unit.tenant)) return true;
      }
    }
    return false;
  }

  int PlaceOf(const OracleMember& m) const { return m.fixed ? IndexOf(*m.fixed) : m.at; }

  // Do the domains of two exclusive units, as far as they have one, share a node?
  bool Overlap(std::size_t a, std::size_t b) const {
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      const auto in_domain_of = [&](std::size_t unit) {
        return std::ranges::any_of(members_, [&](const OracleMember& m) {
          return PlaceOf(m) >= 0 && IsBelow(m.unit, unit) &&
                 InDomain(PlaceOf(m), n, units_[unit].unit->topology.exclusive);
        });
      };
      if (in_domain_of(a) && in_domain_of(b)) return true;
    }
    return false;
  }

  // Every domain that an exclusive unit is in is its own.
  bool ExclusiveHolds(std::size_t index) const {
    const OracleUnit& unit = units_[index];
    const std::string& key = unit.unit->topology.exclusive;
    if (key.empty()) return true;
    const bool holds = std::ranges::any_of(members_, [&](const OracleMember& m) {
      return m.fixed && PlaceOf(m) >= 0 && IsBelow(m.unit, index);
    });
    for (const OracleMember& mine : members_) {
      const int node = PlaceOf(mine);
      if (node < 0 || !IsBelow(mine.unit, index)) continue;
      if (!holds && TakenByOthers(unit, node)) return false;
      for (const OracleMember& other : members_) {
        if (PlaceOf(other) < 0 || IsBelow(other.unit, index) || !InDomain(PlaceOf(other), node, key))
          continue;
        if (LetsIn(unit.unit->topology.scope, *units_[other.unit].unit)) continue;
        if (!other.fixed || !holds) return false;
      }
    }
    for (std::size_t beside = 0; beside < units_.size() && !holds; ++beside) {
      if (units_[beside].unit->topology.exclusive.empty() || IsBelow(beside, index) || IsBelow(index, beside))
        continue;
      if (Overlap(index, beside)) return false;
    }
    return true;
  }

  // --- what is preferred

  static std::vector<std::string> LadderOf(const model::TopologyAsk& ask) {
    std::vector<std::string> ladder{ask.preferred};
    const std::string zone(kZone);
    const std::string region = "topology.kubernetes.io/region";
    if (ask.preferred != kHost && ask.preferred != zone && ask.preferred != region) ladder.push_back(zone);
    if (ask.preferred != kHost && ask.preferred != region) ladder.push_back(region);
    std::vector<std::string> kept;
    for (const std::string& key : ladder) {
      if (key == ask.required || key == ask.exclusive) break;
      kept.push_back(key);
    }
    return kept;
  }

  std::int64_t StepsOf(std::size_t unit) const {
    std::int64_t steps = 0;
    for (const std::string& key : LadderOf(units_[unit].unit->topology)) {
      if (TogetherBy(unit, key)) break;
      ++steps;
    }
    return steps;
  }

  // Summed over the units that prefer something and are placed. While members are undecided: at least so
  // many.
  std::int64_t StepsDown() const {
    std::int64_t steps = 0;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (units_[u].unit->topology.preferred.empty()) continue;
      const bool decided =
          std::ranges::none_of(members_, [](const OracleMember& m) { return m.at == kUndecided; });
      const bool placed = std::ranges::any_of(
          members_, [&](const OracleMember& m) { return !m.fixed && m.at >= 0 && IsBelow(m.unit, u); });
      if (placed || (decided && Counts(u) && AllCountAround(u))) steps += StepsOf(u);
    }
    return steps;
  }

  bool AllCountAround(std::size_t unit) const {
    for (std::size_t u = unit; u != kNo; u = units_[u].parent) {
      if (!Counts(u)) return false;
    }
    return true;
  }

  // --- the tree

  bool IsPlaced(const OracleMember& m) const { return m.fixed || m.at >= 0; }

  // All placed below a unit with a topology lie in one domain of it.
  bool Together(std::size_t unit) const {
    const model::TopologyAsk& ask = units_[unit].unit->topology;
    return (ask.required.empty() || TogetherBy(unit, ask.required)) &&
           (ask.exclusive.empty() || TogetherBy(unit, ask.exclusive));
  }

  bool TogetherBy(std::size_t unit, const std::string& key) const {
    std::set<std::string> paths;
    for (const OracleMember& m : members_) {
      const int node = PlaceOf(m);
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

  const model::Cluster& cluster_;
  std::string self_group_;
  std::vector<model::NodeId> nodes_;
  std::vector<OracleUnit> units_;
  std::vector<OracleMember> members_;
  std::vector<OraclePod> pods_;
};

}  // namespace cadre::match::testing
