// A second opinion for tests: every placement tried, every rule checked from scratch. Only for small cases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "match/match.h"
#include "match/oracle_rules.h"

namespace cadre::match::testing {

class Oracle : private OracleRules {
 public:
  Oracle(const model::Cluster& cluster, const Request& request, std::uint64_t most_tries = 20'000)
      : OracleRules(cluster, request), tries_left_(most_tries) {
    CollectRoles();
  }

  // Is there a placement? No value: too many to try.
  std::optional<bool> Feasible() {
    Reset();
    const bool found = Try([] { return true; });
    return tries_left_ == 0 ? std::nullopt : std::optional(found);
  }

  // Could the members have been placed like this, one after another?
  bool Valid(const Placement& placement, const std::function<void()>& look = [] {}) {
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
    const bool valid = Try([&] {
      look();
      return true;
    });
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

  // The steps that a placement takes down the ladders of what is preferred, and the least that is possible;
  // no value: there is none, or too many to try.
  std::optional<std::int64_t> CostOf(const Placement& placement) {
    std::optional<std::int64_t> cost;
    return Valid(placement, [&] { cost = StepsDown(); }) ? cost : std::nullopt;
  }
  std::optional<std::int64_t> LeastCost() {
    Reset();
    least_.reset();
    count_steps_ = true;
    Try([&] {
      least_ = std::min(least_.value_or(StepsDown()), StepsDown());
      return least_ == 0;
    });
    count_steps_ = false;
    return tries_left_ == 0 ? std::nullopt : least_;
  }
  std::size_t PreferringUnits() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        units_, [](const OracleUnit& u) { return !u.unit->topology.preferred.empty(); }));
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
  struct OracleRole {
    std::vector<std::size_t> members;
    bool any_order;
  };

  // --- the order of placing

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

  bool TreeHolds() const {
    if (!Counts(0)) return false;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (Counts(u)) continue;
      for (const OracleMember& m : members_) {
        if (!m.fixed && m.at >= 0 && IsBelow(m.unit, u)) return false;
      }
    }
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (!ExclusiveHolds(u)) return false;
    }
    return !count_steps_ || !least_ || StepsDown() < *least_;
  }

  // --- trying everything

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

  std::uint64_t tries_left_;
  bool count_steps_ = false;  // only placements with fewer steps than the best so far are tried
  std::optional<std::int64_t> least_;
  std::vector<OracleRole> roles_;
  std::set<std::vector<int>> seen_;
};

}  // namespace cadre::match::testing
