#include "match/scene.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "match/fill.h"
#include "match/solve.h"
#include "match/wording.h"

namespace cadre::match {
namespace {

void AddOnce(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

void Relax(Unit& unit) {
  unit.minimum = 0;
  for (Unit& child : unit.units)
    Relax(child);
}

void CollectTopologies(const Unit& unit, std::vector<std::string>& keys) {
  if (!unit.topology.required.empty()) AddOnce(keys, unit.topology.required);
  for (const Unit& child : unit.units)
    CollectTopologies(child, keys);
}

void CollectExclusive(const Unit& unit, std::vector<std::string>& keys) {
  if (!unit.topology.exclusive.empty()) AddOnce(keys, unit.topology.exclusive);
  for (const Unit& child : unit.units)
    CollectExclusive(child, keys);
}

}  // namespace

Constraints CollectConstraints(NodeTable& nodes, const Request& request) {
  Constraints found;
  CollectTopologies(request.root, found.topologies);
  CollectExclusive(request.root, found.exclusive);
  const Problem problem = MakeProblem(nodes, request, {}, View::kNow, Goal::kMinimum, {});
  for (const ProblemClass& cls : problem.classes) {
    const model::Shape& shape = nodes.cluster().shape(problem.shapes[cls.shape].id);
    for (const auto& spread : shape.spread)
      AddOnce(found.spread_keys, spread.topology_key);
    for (const auto& term : shape.affinity)
      AddOnce(found.affinity_keys, term.topology_key);
    for (const auto& term : shape.anti_affinity)
      AddOnce(found.anti_affinity_keys, term.topology_key);
    for (const model::HostPort& port : shape.host_ports)
      AddOnce(found.ports, fmt::format("{}", port.port));
    if (found.selector.empty()) found.selector = SelectorText(shape.node_selector);
    found.node_affinity |= shape.node_affinity.has_value();
    found.volumes |= !shape.volume_affinities.empty();
  }
  for (const auto& [key, reservation] : nodes.cluster().reservations()) {
    found.reserved_anti_affinity |= !nodes.cluster().shape(reservation.shape).anti_affinity.empty();
  }
  return found;
}

std::pair<std::int64_t, std::int64_t> CountRoom(NodeTable& nodes, const Request& request, const Rules& rules,
                                                std::uint64_t steps) {
  const Problem problem = MakeProblem(nodes, request, rules, View::kNow, Goal::kMinimum, {});
  std::int64_t waiting = 0;
  for (const ProblemClass& cls : problem.classes)
    waiting += static_cast<std::int64_t>(cls.members.size());
  Request relaxed = request;
  Relax(relaxed.root);
  Budget budget(steps);
  const Answer answer = Solve(nodes, relaxed, {.rules = rules}, budget);
  std::int64_t placed = 0;
  for (const ProblemClass& cls : problem.classes) {
    for (const std::uint32_t member : cls.members) {
      placed += answer.outcome == Outcome::kFound && answer.nodes[member] != kNoNode ? 1 : 0;
    }
  }
  return {placed, waiting};
}

Scene::Scene(NodeTable& nodes, const Request& request, const Rules& rules, View view)
    : nodes_(&nodes),
      problem_(MakeProblem(nodes, request, rules, view, Goal::kMinimum, {})),
      state_(nodes, problem_, rules, view),
      bound_(state_) {}

const model::Shape& Scene::ShapeOf(std::size_t shape) const {
  return nodes_->cluster().shape(problem_.shapes[shape].id);
}

bool Scene::MustBePlaced(std::size_t unit) const {
  const std::size_t parent = problem_.units[unit].parent;
  return parent == kNone || (MustBePlaced(parent) && state_.Lacks(parent) >= state_.PartsOpen(parent));
}

std::optional<Shortage> Scene::FindShortage() const {
  for (std::size_t shape = 0; shape < problem_.shapes.size(); ++shape) {
    Shortage shortage{shape, 0, 0};
    for (std::size_t cls = 0; cls < problem_.classes.size(); ++cls) {
      const ProblemClass& c = problem_.classes[cls];
      if (c.shape == shape && MustBePlaced(c.unit)) shortage.must += MustPlace(state_, cls);
    }
    for (NodeIndex node = 0; node < nodes_->size(); ++node) {
      if (state_.territory().MayReach(0, node)) shortage.room += state_.Room(shape, node);
    }
    if (shortage.room < shortage.must) return shortage;
  }
  return std::nullopt;
}

std::string Scene::TotalText(std::string_view when) const {
  for (std::size_t r = 0; r < problem_.resources.size(); ++r) {
    std::int64_t free = 0;
    for (NodeIndex node = 0; node < nodes_->size(); ++node) {
      bool usable = false;
      for (std::size_t shape = 0; shape < problem_.shapes.size(); ++shape)
        usable |= state_.Room(shape, node) > 0;
      if (usable) free = SaturatingAdd(free, std::max<std::int64_t>(0, state_.Free(node, r)));
    }
    const std::int64_t demand = bound_.LeastDemand(0, r);
    if (demand <= free) continue;
    const std::string& name = nodes_->cluster().resources().Name(problem_.resources[r]);
    return fmt::format("it takes {} in all, and the nodes that may take some of it have {} {}",
                       kube::FormatAmount(name, demand), kube::FormatAmount(name, free), when);
  }
  return {};
}

std::size_t Scene::FindUnitWithoutDomain() {
  for (std::size_t unit = 0; unit < problem_.units.size(); ++unit) {
    if (problem_.units[unit].domains == nullptr || problem_.units[unit].all_classes.empty()) continue;
    if (MustBePlaced(unit) && !bound_.NeedsNothing(unit) && bound_.RankDomains(unit).empty()) return unit;
  }
  return kNone;
}

std::size_t Scene::FindExclusiveUnit() const {
  const auto waits = [](const ProblemUnit& unit) { return unit.exclusive && !unit.all_classes.empty(); };
  const auto found = std::ranges::find_if(problem_.units, waits);
  return found == problem_.units.end() ? kNone : static_cast<std::size_t>(found - problem_.units.begin());
}

std::int64_t Scene::CountExclusiveUnits(const Domains& domains) const {
  std::int64_t count = 0;
  for (std::size_t unit = 0; unit < problem_.units.size(); ++unit) {
    const ProblemUnit& u = problem_.units[unit];
    if (!u.exclusive || u.domains != &domains) continue;
    bool within = false;  // one that it shares the domain with
    for (std::size_t p = u.parent; p != kNone; p = problem_.units[p].parent)
      within |= problem_.units[p].exclusive && problem_.units[p].domains == &domains;
    const bool takes = u.all_classes.empty() ? u.holds : MustBePlaced(unit) && !bound_.NeedsNothing(unit);
    if (!within && (takes || u.holds)) ++count;
  }
  return count;
}

std::string Scene::TooFewDomainsText() const {
  for (const ProblemUnit& unit : problem_.units) {
    if (!unit.exclusive) continue;
    const std::int64_t takes = CountExclusiveUnits(*unit.domains);
    const auto has = static_cast<std::int64_t>(unit.domains->size());
    if (takes <= has) continue;
    return fmt::format("it takes {}, and there {} only {}", Quantify(takes, ShortKey(unit.domains->key)),
                       has == 1 ? "is" : "are", has);
  }
  return {};
}

bool Scene::PortsAreTaken(std::size_t shape) const {
  const ProblemShape& s = problem_.shapes[shape];
  if (!s.has_ports) return false;
  const std::vector<Misfit>& misfits = nodes_->Misfits(s.id, {});
  for (NodeIndex node = 0; node < nodes_->size(); ++node) {
    const bool fits =
        std::ranges::all_of(s.asks, [&](std::size_t r) { return state_.Free(node, r) >= s.requests[r]; });
    if (fits && misfits[node] == Misfit::kNone) return true;
  }
  return false;
}

std::string Scene::ScarcestText(const Shortage& shortage, const std::vector<Misfit>& misfits) const {
  const ProblemShape& shape = problem_.shapes[shortage.shape];
  std::vector<Scarcity> amounts;
  for (const std::size_t r : shape.asks) {
    std::int64_t free = 0;
    std::int64_t total = 0;
    for (NodeIndex node = 0; node < misfits.size(); ++node) {
      if (misfits[node] != Misfit::kNone) continue;
      free = SaturatingAdd(free, std::max<std::int64_t>(0, state_.Free(node, r)));
      total =
          SaturatingAdd(total, model::NodeEntry::At(nodes_->entry(node).allocatable, problem_.resources[r]));
    }
    amounts.push_back(
        {nodes_->cluster().resources().Name(problem_.resources[r]), shape.requests[r], free, total});
  }
  return match::ScarcestText(amounts);
}

std::int64_t Scene::CountNodesMatching(std::size_t shape, bool Rules::* rule) const {
  Rules only{.node_selector = false, .node_affinity = false, .volumes = false, .claims = false};
  only.*rule = true;
  std::int64_t count = 0;
  for (NodeIndex node = 0; node < nodes_->size(); ++node) {
    const Misfit misfit = StaticMisfit(ShapeOf(shape), nodes_->node(node), only);
    count += misfit == Misfit::kNone || misfit == Misfit::kTaint || misfit == Misfit::kCordon ? 1 : 0;
  }
  return count;
}

bool Scene::AnyPodForAffinity() const {
  for (std::size_t role = 0; role < problem_.roles.size(); ++role) {
    if (!state_.terms().HasAffinity(role)) continue;
    bool any = false;
    for (NodeIndex node = 0; node < nodes_->size() && !any; ++node)
      any = state_.terms().AffinityAllows(role, node);
    for (std::size_t other = 0; other < problem_.roles.size() && !any; ++other)
      any = state_.terms().Feeds(other, role);
    if (!any) return false;
  }
  return true;
}

}  // namespace cadre::match
