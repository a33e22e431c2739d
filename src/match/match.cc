#include "match/match.h"

#include "match/diagnose.h"
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

}  // namespace

std::expected<Placement, Diagnosis> Match(const model::Cluster& cluster, const Request& request,
                                          Limits limits) {
  NodeTable nodes(cluster);
  Budget budget(limits.steps);
  const Answer answer = Solve(nodes, request, {}, budget);
  if (answer.outcome != Outcome::kFound) {
    return std::unexpected(Diagnose(nodes, request, answer.outcome, limits.steps));
  }
  Placement placement;
  placement.nodes.reserve(answer.nodes.size());
  for (const NodeIndex node : answer.nodes) {
    placement.nodes.push_back(node == kNoNode ? model::NodeId{} : nodes.id(node));
  }
  std::size_t number = 0;
  KeepFixed(request.root, number, placement);
  return placement;
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
