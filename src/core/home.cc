#include "core/home.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "match/node_table.h"

namespace cadre::core {
namespace {

std::vector<std::string> KeysOf(const model::TopologyAsk& ask) {
  std::vector<std::string> keys;
  for (const std::string& key : {ask.required, ask.exclusive}) {
    if (!key.empty()) keys.push_back(key);
  }
  return keys;
}

void AddPath(const std::string& key, const std::vector<std::string>& values, DomainLabels& labels) {
  const std::vector<std::string> steps = match::PathOf(key);
  for (std::size_t i = 0; i < std::min(steps.size(), values.size()); ++i)
    labels[steps[i]] = values[i];
}

// None when the node lies in no domain of one of the keys.
std::optional<DomainLabels> DomainsAt(const kube::Node& node, const std::vector<std::string>& keys) {
  DomainLabels labels;
  for (const std::string& key : keys) {
    if (!node.metadata.labels.contains(key)) return std::nullopt;
    AddPath(key, match::PathValuesOf(node, key), labels);
  }
  return labels;
}

// Does anything of the JobSet run, or has anything ended in its present attempt, this stage aside?
bool OthersHaveStarted(const State& state, const model::GroupKey& key) {
  const model::GroupKey whole = model::WholeOf(key);
  const model::GroupSpec spec = state.catalog.Describe(whole, {});
  const auto has_ended = [](const model::UnitSpec& unit) { return unit.exists && unit.expected == 0; };
  if (std::ranges::any_of(spec.units, has_ended)) return true;
  const auto& groups = state.groups();
  for (auto it = groups.lower_bound(whole); it != groups.end() && it->first.uid == whole.uid; ++it) {
    if (it->first != key && model::WholeOf(it->first) == whole && state.PlacedCount(it->second) > 0)
      return true;
  }
  return false;
}

// What a stage will ask for when its pods are there, all of them in one of these domains.
match::Request RequestOf(State& state, const model::GroupSpec& spec, const kube::JobSet& jobset,
                         const DomainLabels& home) {
  match::Request request;
  request.root.name = model::ToString(spec.key);
  request.root.topology = spec.topology;
  request.group = model::TenantGroupOf(spec.key);
  for (const model::UnitSpec& unit : spec.units) {
    const auto replicated =
        std::ranges::find(jobset.spec.replicated_jobs, unit.role, &kube::ReplicatedJob::name);
    if (replicated == jobset.spec.replicated_jobs.end() || (unit.exists && unit.expected == 0)) continue;
    const kube::PodTemplate& pod_template = replicated->job.pod_template;
    const model::ShapeId shape =
        state.cluster.InternShape(Within(pod_template.spec, {home}), spec.key.namespace_);
    match::Unit asked{.name = unit.name,
                      .minimum = match::Unit::kAll,
                      .topology = unit.topology,
                      .alone = unit.alone,
                      .units = {},
                      .members = {}};
    for (std::int32_t i = 0; i < model::NeededMembers(unit); ++i)
      asked.members.push_back({.shape = shape, .labels = pod_template.labels, .fixed = {}, .hint = {}});
    request.root.units.push_back(std::move(asked));
  }
  if (spec.minimum_units != model::UnitSpec::kAll) {
    request.root.minimum = std::min(spec.minimum_units, static_cast<std::int32_t>(request.root.units.size()));
  }
  return request;
}

std::vector<model::GroupSpec> OtherStages(const State& state, const model::GroupKey& key) {
  std::vector<model::GroupSpec> stages;
  for (const model::GroupKey& other : state.catalog.PartsOf(key)) {
    if (other != key && model::WholeOf(other) == model::WholeOf(key))
      stages.push_back(state.catalog.Describe(other, {}));
  }
  return stages;
}

// Could each of the stages lie there, were the domain empty? The last one that could not is put into
// `in_vain`.
bool Holds(State& state, match::Finder& finder, const std::vector<model::GroupSpec>& stages,
           const DomainLabels& home, std::string& in_vain) {
  return std::ranges::all_of(stages, [&](const model::GroupSpec& stage) {
    const kube::JobSet* jobset = state.catalog.FindJobSet(stage.key.uid);
    if (jobset == nullptr) return true;
    const match::Request request = RequestOf(state, stage, *jobset, home);
    if (match::MemberCount(request.root) == 0) return true;
    const auto placement = finder.Match(request);
    if (placement || placement.error().kind != match::No::kNever) return true;
    in_vain = stage.key.part;
    return false;
  });
}

// Every domain there is, by its labels.
std::set<DomainLabels> AllDomains(const State& state, const std::vector<std::string>& keys) {
  std::set<DomainLabels> all;
  for (const model::NodeEntry& entry : state.cluster.nodes()) {
    if (!entry.Present()) continue;
    if (auto domain = DomainsAt(*entry.node, keys)) all.insert(*std::move(domain));
  }
  return all;
}

// The same request, with every member that has no place yet within one of the domains.
match::Request Restrict(State& state, const Group& group, const Ask& ask,
                        const std::vector<DomainLabels>& domains) {
  match::Request request = ask.request;
  std::size_t number = 0;
  const auto visit = [&](const auto& self, match::Unit& unit) -> void {
    for (match::Member& member : unit.members) {
      const Slot& slot = ask.slots[number++];
      if (slot.placed) continue;
      const model::UnitSpec* of = model::FindUnit(group.spec, slot.unit);
      const kube::PodSpec& spec =
          slot.pod.Valid() ? state.cluster.pod(slot.pod).pod->spec : of->later_template->spec;
      member.shape = state.cluster.InternShape(Within(spec, domains), group.spec.key.namespace_);
    }
    for (match::Unit& child : unit.units)
      self(self, child);
  };
  visit(visit, request.root);
  return request;
}

}  // namespace

bool SharesHome(const model::GroupSpec& spec) {
  return spec.key.part.starts_with(model::kStagePrefix) && !KeysOf(spec.topology).empty();
}

DomainLabels HomeOf(const State& state, const Group& group) {
  DomainLabels home;
  if (!SharesHome(group.spec) || !OthersHaveStarted(state, group.spec.key)) return home;
  for (const ClaimEntry& entry : state.claims.Of(group.spec.key)) {
    if (entry.unit.empty()) AddPath(entry.key, entry.path, home);
  }
  return home;
}

std::string ToString(const DomainLabels& home) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : home) {
    if (!value.empty()) parts.push_back(fmt::format("{} {}", key, value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

kube::PodSpec Within(kube::PodSpec spec, const std::vector<DomainLabels>& domains) {
  std::optional<kube::NodeSelector>& required = spec.affinity.required_node;
  // Spread looks at the nodes that the pod's own affinity allows, and the pod has none.
  if (spec.node_selector.empty() && !required) {
    for (kube::TopologySpreadConstraint& constraint : spec.topology_spread)
      constraint.honor_node_affinity = false;
  }
  const std::vector<kube::NodeSelectorTerm> own =
      required ? required->terms : std::vector<kube::NodeSelectorTerm>(1);
  kube::NodeSelector within;
  for (const kube::NodeSelectorTerm& term : own) {
    const bool matches_nothing = required && term.match_expressions.empty() && term.match_fields.empty();
    if (matches_nothing) continue;
    for (const DomainLabels& domain : domains) {
      kube::NodeSelectorTerm& both = within.terms.emplace_back(term);
      for (const auto& [key, value] : domain) {
        both.match_expressions.push_back(
            value.empty() ? kube::Requirement{key, kube::SelectorOperator::kDoesNotExist, {}}
                          : kube::Requirement{key, kube::SelectorOperator::kIn, {value}});
      }
    }
  }
  if (within.terms.empty()) return spec;  // it matches nothing as it is
  required = std::move(within);
  return spec;
}

std::expected<match::Placement, match::Diagnosis> PlaceForAllStages(State& state, match::Finder& finder,
                                                                    const Group& group, const Ask& ask,
                                                                    match::Placement placement) {
  if (!SharesHome(group.spec) || !HomeOf(state, group).empty()) return placement;
  const auto placed =
      std::ranges::find_if(placement.nodes, [](const model::NodeId& node) { return node.Valid(); });
  if (placed == placement.nodes.end()) return placement;
  const std::vector<std::string> keys = KeysOf(group.spec.topology);
  const std::vector<model::GroupSpec> others = OtherStages(state, group.spec.key);
  const auto here = DomainsAt(*state.cluster.node(*placed).node, keys);
  std::string in_vain;
  if (!here || Holds(state, finder, others, *here, in_vain)) return placement;
  std::vector<DomainLabels> good;
  for (const DomainLabels& domain : AllDomains(state, keys)) {
    if (domain != *here && Holds(state, finder, others, domain, in_vain)) good.push_back(domain);
  }
  if (good.empty()) {
    return std::unexpected(match::Diagnosis{
        match::No::kNever, fmt::format("all of it must lie in one domain of {}, and none could hold its {}",
                                       fmt::join(keys, " and "), in_vain)});
  }
  auto elsewhere = finder.Match(Restrict(state, group, ask, good));
  if (!elsewhere) {
    elsewhere.error().message +=
        fmt::format("; only {} of the domains of {} could hold its later stages, too", good.size(),
                    fmt::join(keys, " and "));
  }
  return elsewhere;
}

}  // namespace cadre::core
