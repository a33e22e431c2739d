#include "match/match.h"

#include "match/diagnose.h"
#include "match/preferences.h"
#include "match/solve.h"

namespace cadre::match {
namespace {

// A fixed member stays where it is, even where that node is gone.
void KeepFixed(const Unit& unit, std::size_t& number, Placement& placement) {
  for (const Member& member : unit.members) {
    if (member.fixed) placement.nodes[number] = *member.fixed;
    ++number;
  }
  for (const Unit& child : unit.units)
    KeepFixed(child, number, placement);
}

// The first of the tries that has a placement. All but the last may spend only a part of what is left.
Answer SolvePreferred(NodeTable& nodes, const Request& request, Limits limits) {
  Budget budget(limits.steps);
  const Preferences preferences(request);
  if (preferences.Trivial()) return Solve(nodes, request, {}, budget);
  const std::vector<std::vector<std::size_t>> tries = preferences.Tries();
  Answer answer;
  for (std::size_t i = 0; i < tries.size(); ++i) {
    Budget share(i + 1 == tries.size() ? budget.left() : budget.left() / 4);
    const std::uint64_t before = share.left();
    answer = Solve(nodes, preferences.Apply(tries[i]), {}, share);
    budget.Spend(before - share.left());
    if (answer.outcome == Outcome::kFound) break;
  }
  return answer;
}

Placement PlacementOf(const NodeTable& nodes, const Request& request, const Answer& answer) {
  Placement placement;
  placement.nodes.reserve(answer.nodes.size());
  for (const NodeIndex node : answer.nodes) {
    placement.nodes.push_back(node == kNoNode ? model::NodeId{} : nodes.id(node));
  }
  std::size_t number = 0;
  KeepFixed(request.root, number, placement);
  return placement;
}

}  // namespace

std::expected<Placement, Diagnosis> Match(const model::Cluster& cluster, const Request& request,
                                          Limits limits) {
  NodeTable nodes(cluster);
  const Answer answer = SolvePreferred(nodes, request, limits);
  if (answer.outcome != Outcome::kFound) {
    return std::unexpected(Diagnose(nodes, Preferences(request).Plain(), answer.outcome, limits.steps));
  }
  return PlacementOf(nodes, request, answer);
}

std::optional<Placement> Place(const model::Cluster& cluster, const Request& request, Limits limits) {
  NodeTable nodes(cluster);
  const Answer answer = SolvePreferred(nodes, request, limits);
  if (answer.outcome != Outcome::kFound) return std::nullopt;
  return PlacementOf(nodes, request, answer);
}

bool Fits(const model::Cluster& cluster, model::ShapeId shape, const kube::StringMap& labels,
          model::NodeId node) {
  if (!node.Valid() || !cluster.node(node).Present()) return false;
  const model::Shape& s = cluster.shape(shape);
  const model::NodeEntry& entry = cluster.node(node);
  const Rules rules;
  if (StaticMisfit(s, *entry.node, rules) != Misfit::kNone) return false;
  for (const model::Amount& request : s.requests) {
    if (entry.Free(request.resource) < request.amount) return false;
  }
  if (!s.host_ports.empty() && AnyCollide(s.host_ports, PortsInUse(cluster, entry, View::kNow))) return false;
  bool foreign_terms = !cluster.anti_affinity_pods().empty();
  for (const auto& [key, reservation] : cluster.reservations()) {
    foreign_terms = foreign_terms || !cluster.shape(reservation.shape).anti_affinity.empty();
  }
  if (!s.HasTerms() && !foreign_terms) return true;
  NodeTable nodes(cluster);
  return Terms(nodes, {{shape, &labels}}, rules, View::kNow).Allows(0, nodes.IndexOf(node));
}

}  // namespace cadre::match
