#include "core/request_builder.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "core/home.h"

namespace cadre::core {
namespace {

using model::UnitSpec;

struct UnitMembers {
  std::vector<MemberRef> members;  // by index, then name; gated pods are not among them
  std::int32_t gated = 0;
  std::int32_t placed = 0;
};

std::map<std::string, UnitMembers> MembersByUnit(const State& state, const Group& group) {
  std::map<std::string, UnitMembers> units;
  for (const auto& [uid, member] : group.members) {
    UnitMembers& unit = units[member.unit];
    const bool placed = state.IsPlaced(member);
    if (!placed && !state.IsWaiting(member)) continue;  // lost with its node
    if (!placed && !state.cluster.pod(member.pod).pod->spec.scheduling_gates.empty()) {
      ++unit.gated;
      continue;
    }
    unit.placed += placed ? 1 : 0;
    unit.members.push_back(member);
  }
  const auto name_of = [&](const MemberRef& member) -> const std::string& {
    return state.cluster.pod(member.pod).pod->metadata.name;
  };
  for (auto& [name, unit] : units) {
    std::sort(unit.members.begin(), unit.members.end(), [&](const MemberRef& a, const MemberRef& b) {
      return std::tie(a.index, name_of(a)) < std::tie(b.index, name_of(b));
    });
  }
  return units;
}

// Somebody keeps pods with certain labels away: then no two groups ask for the same, because labels are not
// in a shape.
bool LabelsMatter(const model::Cluster& cluster) {
  return !cluster.anti_affinity_pods().empty() ||
         std::ranges::any_of(cluster.reservations(), [&](const auto& reservation) {
           return !cluster.shape(reservation.second.shape).anti_affinity.empty();
         });
}

class Builder {
 public:
  Builder(State& state, const Group& group)
      : state_(state), group_(group), by_unit_(MembersByUnit(state, group)) {
    ask_.request.root.name = model::ToString(group.spec.key);
    ask_.request.group = model::TenantGroupOf(group.spec.key);
    ask_.request.root.topology = group.spec.topology;
    AddSignature(group.spec.topology);
    plain_ = !LabelsMatter(state.cluster);
    home_ = HomeOf(state, group);
    ask_.home = ToString(home_);
    copies_labels_ = !plain_ || AnyoneHasTerms();
  }

  const UnitMembers& MembersOf(const UnitSpec& unit) { return by_unit_[unit.name]; }

  match::Unit NewUnit(const UnitSpec& unit, std::int32_t minimum) {
    ask_.signature += fmt::format("|{}:", minimum);
    AddSignature(unit.topology);
    return {.name = unit.name,
            .minimum = minimum,
            .topology = unit.topology,
            .alone = unit.alone,
            .units = {},
            .members = {}};
  }

  void AddPod(match::Unit& out, const MemberRef& member) {
    const model::PodEntry& entry = state_.cluster.pod(member.pod);
    const bool placed = state_.IsPlaced(member);
    match::Member asked{.shape = placed ? entry.shape : ShapeOf(entry.pod->spec, entry.shape),
                        .labels = {},
                        .fixed = {},
                        .hint = {}};
    if (copies_labels_) asked.labels = entry.pod->metadata.labels;
    if (placed) {
      asked.fixed = entry.node;
    } else {
      asked.hint = HintFor(member);
    }
    Add(out, std::move(asked), {member.pod, member.unit, member.index, entry.shape, placed, {}});
  }

  // A member of a later stage, whose pod does not exist.
  void AddLater(match::Unit& out, const UnitSpec& unit, std::int32_t index) {
    const kube::PodTemplate& pod_template = *unit.later_template;
    const model::ShapeId shape = state_.cluster.InternShape(pod_template.spec, group_.spec.key.namespace_);
    match::Member asked{
        .shape = ShapeOf(pod_template.spec, shape), .labels = pod_template.labels, .fixed = {}, .hint = {}};
    asked.hint = NodeNamed(group_.plan.NodeOf(unit.name, index));
    Add(out, std::move(asked), {model::PodId{}, unit.name, index, shape, false, pod_template.labels});
  }

  void Finish(match::Unit unit) { ask_.request.root.units.push_back(std::move(unit)); }
  void SetMinimum(std::int32_t units) {
    ask_.request.root.minimum = units;
    ask_.signature += fmt::format("#{}", units);
  }
  void NotReady(std::string why) {
    if (ask_.not_ready.empty()) ask_.not_ready = std::move(why);
  }
  Ask Take() {
    // Whether a stage may choose a domain hangs on the stages that come later, too.
    if (!plain_ || SharesHome(group_.spec)) ask_.signature.clear();
    return std::move(ask_);
  }

 private:
  // What it asks for, at home.
  model::ShapeId ShapeOf(const kube::PodSpec& spec, model::ShapeId shape) {
    return home_.empty() ? shape
                         : state_.cluster.InternShape(Within(spec, {home_}), group_.spec.key.namespace_);
  }

  // A waiting group is asked for again and again; copies of labels that nobody looks at would be most of
  // that. The shapes of later stages are not known yet: they may have terms.
  bool AnyoneHasTerms() const {
    const auto has_terms = [this](const MemberRef& member) {
      return state_.cluster.shape(state_.cluster.pod(member.pod).shape).HasTerms();
    };
    return std::ranges::any_of(group_.spec.units,
                               [](const UnitSpec& unit) { return unit.later_template != nullptr; }) ||
           std::ranges::any_of(by_unit_, [&](const auto& unit) {
             return std::ranges::any_of(unit.second.members, has_terms);
           });
  }

  // Who holds domains, or is held off them, does not ask for the same as anybody else.
  void AddSignature(const model::TopologyAsk& ask) {
    ask_.signature += fmt::format("{}/{}/", ask.required, ask.preferred);
    plain_ &= ask.exclusive.empty();
  }

  std::optional<model::NodeId> NodeNamed(std::string_view name) const {
    const model::NodeId node = name.empty() ? model::NodeId{} : state_.cluster.FindNode(name);
    return node.Valid() ? std::optional(node) : std::nullopt;
  }

  // Members without an index share the unit's nodes: each takes one that no placed member holds.
  std::optional<model::NodeId> HintFor(const MemberRef& member) {
    if (member.index >= 0) return NodeNamed(group_.plan.NodeOf(member.unit, member.index));
    auto [left, first_time] = free_places_.try_emplace(member.unit);
    if (first_time) {
      left->second = group_.plan.NodesOf(member.unit);
      for (const MemberRef& other : by_unit_[member.unit].members) {
        const model::PodEntry& entry = state_.cluster.pod(other.pod);
        if (!entry.node.Valid()) continue;
        const auto taken =
            std::find(left->second.begin(), left->second.end(), state_.cluster.node(entry.node).name);
        if (taken != left->second.end()) left->second.erase(taken);
      }
    }
    if (left->second.empty()) return std::nullopt;
    const std::string name = std::move(left->second.back());
    left->second.pop_back();
    return NodeNamed(name);
  }

  void Add(match::Unit& out, match::Member member, Slot slot) {
    const bool terms = state_.cluster.shape(member.shape).HasTerms();
    // With terms, labels count; with fixed or hinted members, where they are. Then no two groups ask for the
    // same.
    plain_ &= !terms && !member.fixed && !member.hint;
    ask_.signature += fmt::format("{},", member.shape.value);
    out.members.push_back(std::move(member));
    ask_.slots.push_back(std::move(slot));
  }

  State& state_;
  const Group& group_;
  std::map<std::string, UnitMembers> by_unit_;
  std::map<std::string, std::vector<std::string>> free_places_;
  DomainLabels home_;
  Ask ask_;
  bool plain_ = true;
  bool copies_labels_ = true;
};

// Its pods may still come: none of it is placed yet.
bool MayComeLater(const UnitSpec& unit, const UnitMembers& members) {
  return unit.later_template != nullptr && members.placed == 0;
}

// How many pods must be there for it to start.
std::int32_t NeededToStart(const UnitSpec& unit) {
  return unit.gathers ? unit.expected : model::NeededMembers(unit);
}

bool HasItsMinimum(const UnitSpec& unit, const UnitMembers& members) {
  return static_cast<std::int32_t>(members.members.size()) >= NeededToStart(unit);
}

// Why this unit cannot be part of a start yet; empty when it can.
std::string WhyNotReady(const UnitSpec& unit, const UnitMembers& members) {
  if (MayComeLater(unit, members)) return {};
  if (!unit.exists && unit.later_template == nullptr)
    return fmt::format("waits for Job {} to be created", unit.name);
  if (HasItsMinimum(unit, members)) return {};
  const std::string gated =
      members.gated > 0 ? fmt::format(", {} held by scheduling gates", members.gated) : std::string{};
  return fmt::format("waits for pods of {}: {} of {} are there{}", unit.name, members.members.size(),
                     NeededToStart(unit), gated);
}

// The indexes that a unit's absent pods will have: the lowest ones that none of its pods has.
std::vector<std::int32_t> AbsentIndexes(const UnitMembers& members, std::int32_t count) {
  std::vector<std::int32_t> absent;
  std::int32_t index = 0;
  std::set<std::int32_t> there;
  for (const MemberRef& member : members.members)
    there.insert(member.index);
  while (static_cast<std::int32_t>(absent.size()) < count) {
    if (!there.contains(index)) absent.push_back(index);
    ++index;
  }
  return absent;
}

}  // namespace

Ask AskToStart(State& state, const Group& group) {
  Builder builder(state, group);
  std::int32_t ready = 0;
  std::int32_t wanted = 0;
  std::string first_missing;
  for (const UnitSpec& unit : group.spec.units) {
    if (unit.exists && unit.expected == 0) continue;  // finished already
    ++wanted;
    const UnitMembers& members = builder.MembersOf(unit);
    const std::string why_not = WhyNotReady(unit, members);
    if (!why_not.empty()) {
      if (first_missing.empty()) first_missing = why_not;
      continue;
    }
    ++ready;
    match::Unit asked = builder.NewUnit(
        unit, unit.minimum == UnitSpec::kAll ? match::Unit::kAll : model::NeededMembers(unit));
    // Of a later unit all pods are bound together, or room is held for all of them.
    const bool is_held = MayComeLater(unit, members) && !HasItsMinimum(unit, members);
    const UnitMembers none;
    const UnitMembers& bound = is_held ? none : members;
    for (const MemberRef& member : bound.members)
      builder.AddPod(asked, member);
    if (unit.later_template != nullptr) {
      const std::int32_t absent =
          std::max(0, unit.expected - static_cast<std::int32_t>(bound.members.size()));
      for (const std::int32_t index : AbsentIndexes(bound, absent))
        builder.AddLater(asked, unit, index);
    }
    builder.Finish(std::move(asked));
  }
  const bool all = group.spec.minimum_units == UnitSpec::kAll;
  const std::int32_t needed = all ? wanted : std::min(group.spec.minimum_units, wanted);
  if (ready < needed) builder.NotReady(first_missing);
  builder.SetMinimum(all ? match::Unit::kAll : needed);
  return builder.Take();
}

Ask AskToComplete(State& state, const Group& group) {
  Builder builder(state, group);
  std::int32_t holding = 0;
  std::int32_t waiting = 0;
  for (const UnitSpec& unit : group.spec.units) {
    const UnitMembers& members = builder.MembersOf(unit);
    if (members.members.empty()) continue;
    // A unit of which nothing is placed starts whole, like a group of its own.
    if (members.placed == 0 && !WhyNotReady(unit, members).empty()) continue;
    if (MayComeLater(unit, members) && !HasItsMinimum(unit, members)) continue;
    const std::int32_t whole =
        unit.minimum == UnitSpec::kAll ? match::Unit::kAll : model::NeededMembers(unit);
    match::Unit asked = builder.NewUnit(unit, members.placed > 0 ? members.placed : whole);
    for (const MemberRef& member : members.members)
      builder.AddPod(asked, member);
    waiting += static_cast<std::int32_t>(members.members.size()) - members.placed;
    holding += members.placed > 0 ? 1 : 0;
    builder.Finish(std::move(asked));
  }
  if (waiting == 0) builder.NotReady("nothing waits");
  builder.SetMinimum(holding);
  return builder.Take();
}

void NameHome(const Ask& ask, match::Diagnosis& why) {
  if (!ask.home.empty())
    why.message += fmt::format("; it must be in {}, where its other stages are", ask.home);
}

Ask WithAll(Ask ask) {
  ask.signature.clear();
  ask.request.root.minimum = match::Unit::kAll;
  for (match::Unit& unit : ask.request.root.units)
    unit.minimum = match::Unit::kAll;
  return ask;
}

}  // namespace cadre::core
