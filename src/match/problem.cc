#include "match/problem.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace cadre::match {
namespace {

class Builder {
 public:
  Builder(NodeTable& nodes, const Rules& rules, View view, Goal goal,
          const std::map<std::uint32_t, NodeIndex>& places)
      : nodes_(nodes), rules_(rules), view_(view), goal_(goal), places_(places) {}

  Problem Build(const Request& request) {
    CollectResources(request.root);
    MeasureResources();
    CollectKeys();
    problem_.group = request.group;
    if (rules_.exclusive) LookAtClaims(request);
    AddUnit(request.root, kNone, "");
    Walk(request.root, 0, "");
    problem_.member_count = next_member_;
    for (std::size_t unit = problem_.units.size(); unit-- > 0;)
      Finish(unit);
    for (ProblemUnit& unit : problem_.units)
      FindTwins(unit);
    return std::move(problem_);
  }

 private:
  void CollectResources(const Unit& root) {
    std::set<model::ShapeId> shapes;
    const auto visit = [&](const auto& self, const Unit& unit) -> void {
      for (const Member& member : unit.members)
        shapes.insert(member.shape);
      for (const Unit& child : unit.units)
        self(self, child);
    };
    visit(visit, root);
    shape_ids_.assign(shapes.begin(), shapes.end());
    std::map<std::string_view, model::ResourceId> by_name;
    for (const model::ShapeId id : shape_ids_) {
      for (const model::Amount& request : nodes_.cluster().shape(id).requests) {
        by_name.emplace(nodes_.cluster().resources().Name(request.resource), request.resource);
      }
    }
    for (const auto& [name, resource] : by_name)
      problem_.resources.push_back(resource);
  }

  void MeasureResources() {
    const std::vector<std::int64_t>& largest = nodes_.Largest();
    for (const model::ResourceId resource : problem_.resources)
      problem_.largest.push_back(resource.Index() < largest.size() ? largest[resource.Index()] : 0);
  }

  // The label keys that can tell members apart.
  void CollectKeys() {
    const model::Cluster& cluster = nodes_.cluster();
    for (const model::ShapeId id : shape_ids_)
      CollectLabelKeys(cluster.shape(id), keys_);
    for (const model::PodId id : cluster.anti_affinity_pods())
      CollectLabelKeys(cluster.shape(cluster.pod(id).shape), keys_);
    for (const auto& [key, reservation] : cluster.reservations()) {
      CollectLabelKeys(cluster.shape(reservation.shape), keys_);
    }
    std::ranges::sort(keys_);
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  }

  static bool HasExclusive(const Unit& unit) {
    return !unit.topology.exclusive.empty() || std::ranges::any_of(unit.units, HasExclusive);
  }

  // Units are told apart by claims only where something in the cluster names one of them.
  void LookAtClaims(const Request& request) {
    const model::Cluster& cluster = nodes_.cluster();
    const bool exclusive = HasExclusive(request.root);
    loners_count_ = exclusive || !cluster.domain_claims().empty();
    const auto& claims = cluster.domain_claims();
    for (auto it = claims.lower_bound({request.group, ""});
         it != claims.end() && it->first.group == request.group; ++it) {
      claiming_.insert(it->first.unit);
    }
    named_ = claiming_;
    if (!exclusive) return;
    for (std::string& unit : cluster.HoldingUnits(request.group))
      named_.insert(std::move(unit));
  }

  // REQUIRES: the normal form: at most one of required and exclusive.
  std::size_t AddUnit(const Unit& source, std::size_t parent, std::string tenant_unit) {
    ProblemUnit unit;
    unit.source = &source;
    unit.parent = parent;
    unit.all = NeedsAll(source);
    unit.need = std::max(source.minimum, 0);
    if (!unit.all) problem_.elastic = true;
    const std::string& key =
        source.topology.exclusive.empty() ? source.topology.required : source.topology.exclusive;
    if (rules_.required_topology && !key.empty()) unit.domains = &nodes_.PathDomains(key);
    unit.exclusive = unit.domains != nullptr && rules_.exclusive && !source.topology.exclusive.empty();
    unit.scope = source.topology.scope;
    unit.alone = source.alone && source.topology.exclusive.empty();
    unit.tenant_unit = std::move(tenant_unit);
    problem_.units.push_back(std::move(unit));
    const std::size_t index = problem_.units.size() - 1;
    if (parent != kNone) problem_.units[parent].units.push_back(index);
    return index;
  }

  static std::int64_t PartsOf(const Unit& source) {
    return static_cast<std::int64_t>(source.members.size() + source.units.size());
  }

  // A minimum above the number of parts can never be met; such a unit stays as it is.
  bool NeedsAll(const Unit& source) const {
    if (source.minimum < 0 || source.minimum == PartsOf(source)) return true;
    return goal_ == Goal::kEverything && source.minimum < PartsOf(source);
  }

  // `tenant`: of the source, which is the unit or has become part of it.
  void Walk(const Unit& source, std::size_t unit, const std::string& tenant) {
    for (const Member& member : source.members)
      AddMember(member, unit);
    for (const Unit& child : source.units) {
      const bool free =
          (child.topology.required.empty() && child.topology.exclusive.empty()) || !rules_.required_topology;
      // Units of the root, or of what only wraps it, are tenants by their names.
      const std::string& child_tenant = tenant.empty() && !child.same_tenant ? child.name : tenant;
      const bool same_to_claims =
          !(loners_count_ && child.alone) && (child_tenant == tenant || !claiming_.contains(child_tenant));
      const bool says_nothing = problem_.units[unit].all && NeedsAll(child) && free && same_to_claims;
      Walk(child, says_nothing ? unit : AddUnit(child, unit, child_tenant), child_tenant);
    }
  }

  void AddMember(const Member& member, std::size_t unit) {
    const std::uint32_t number = next_member_++;
    const std::size_t shape = ShapeOf(member.shape);
    const std::size_t role = RoleOf(member);
    ++problem_.units[unit].parts;
    const auto place = places_.find(number);
    if (!member.fixed && place == places_.end()) {
      ClassOf(unit, shape, role).members.push_back(number);
      return;
    }
    ++problem_.units[unit].placed;
    const NodeIndex node = member.fixed ? nodes_.IndexOf(*member.fixed) : place->second;
    if (node == kNoNode) return;  // its node is gone: it counts, but it is nowhere
    problem_.pre.push_back(
        {number, shape, role, unit, node, !member.fixed, !member.fixed || view_ == View::kEmpty});
    for (std::size_t u = unit; u != kNone; u = problem_.units[u].parent) {
      Pin(problem_.units[u], node);
      problem_.units[u].must = problem_.units[u].must || !member.fixed;
      problem_.units[u].holds = problem_.units[u].holds || member.fixed;
    }
  }

  static void Pin(ProblemUnit& unit, NodeIndex node) {
    if (unit.domains == nullptr) return;
    const std::int32_t domain = unit.domains->of[node];
    if (domain == kNoDomain || (unit.pinned != kNoDomain && unit.pinned != domain)) unit.torn = true;
    unit.pinned = domain;
  }

  std::size_t ShapeOf(model::ShapeId id) {
    const auto [entry, added] = shape_index_.try_emplace(id, problem_.shapes.size());
    if (added) problem_.shapes.push_back(MakeShape(id));
    return entry->second;
  }

  ProblemShape MakeShape(model::ShapeId id) const {
    const model::Shape& shape = nodes_.cluster().shape(id);
    ProblemShape made{
        .id = id, .requests = std::vector<std::int64_t>(problem_.resources.size(), 0), .asks = {}};
    for (const model::Amount& request : shape.requests) {
      const auto at = std::ranges::find(problem_.resources, request.resource) - problem_.resources.begin();
      made.requests[static_cast<std::size_t>(at)] = request.amount;
    }
    for (std::size_t r = 0; r < made.requests.size(); ++r) {
      if (made.requests[r] <= 0) continue;
      made.asks.push_back(r);
      if (kube::IsExtended(nodes_.cluster().resources().Name(problem_.resources[r]))) ++made.extended;
      if (problem_.resources[r] == model::ResourceNames::kPods) continue;
      // More than the largest node has counts as all of it: it will not fit anyway.
      const double part = static_cast<double>(made.requests[r]) /
                          static_cast<double>(std::max<std::int64_t>(problem_.largest[r], 1));
      made.share = std::max(made.share, static_cast<std::int64_t>(std::min(part, 1.0) * 4096));
    }
    made.has_ports = !shape.host_ports.empty();
    return made;
  }

  std::size_t RoleOf(const Member& member) {
    std::string text;
    for (const std::string& key : keys_) {
      const auto label = member.labels.find(key);
      // Label keys and values hold no control characters.
      text += label == member.labels.end() ? std::string("\x01") : "\x02" + label->second;
    }
    const auto [entry, added] = role_index_.try_emplace({member.shape, text}, problem_.roles.size());
    if (added) problem_.roles.push_back({member.shape, &member.labels});
    return entry->second;
  }

  ProblemClass& ClassOf(std::size_t unit, std::size_t shape, std::size_t role) {
    const auto [entry, added] = class_index_.try_emplace({unit, role}, problem_.classes.size());
    if (added) {
      problem_.classes.push_back({unit, shape, role, {}});
      problem_.units[unit].classes.push_back(entry->second);
      for (std::size_t u = unit; u != kNone; u = problem_.units[u].parent) {
        problem_.units[u].all_classes.push_back(entry->second);
      }
    }
    return problem_.classes[entry->second];
  }

  // Called bottom up: a unit under which nothing is left to decide is placed or not already.
  void Finish(std::size_t index) {
    ProblemUnit& unit = problem_.units[index];
    unit.parts += static_cast<std::int64_t>(unit.units.size());
    for (const std::size_t c : unit.classes)
      unit.open += static_cast<std::int64_t>(problem_.classes[c].members.size());
    if (unit.all) unit.need = unit.parts;
    if (unit.parent == kNone) return;
    ProblemUnit& parent = problem_.units[unit.parent];
    if (!unit.all_classes.empty()) {
      ++parent.open;
    } else if (unit.placed >= unit.need && !unit.torn) {
      ++parent.placed;
    }
  }

  void FindTwins(ProblemUnit& parent) {
    for (std::size_t i = 1; i < parent.units.size(); ++i) {
      const std::size_t before = parent.units[i - 1];
      if (AreTwins(problem_.units[before], problem_.units[parent.units[i]])) {
        problem_.units[parent.units[i]].twin = before;
      }
    }
  }

  bool AreTwins(const ProblemUnit& a, const ProblemUnit& b) const {
    if (!a.units.empty() || !b.units.empty() || a.placed != 0 || b.placed != 0 || a.classes.empty())
      return false;
    if (a.tenant_unit != b.tenant_unit && (named_.contains(a.tenant_unit) || named_.contains(b.tenant_unit)))
      return false;
    if (a.domains != b.domains || a.exclusive != b.exclusive || a.scope != b.scope || a.alone != b.alone ||
        a.need != b.need || a.parts != b.parts) {
      return false;
    }
    return std::ranges::equal(a.classes, b.classes, [&](std::size_t x, std::size_t y) {
      return problem_.classes[x].role == problem_.classes[y].role &&
             problem_.classes[x].members.size() == problem_.classes[y].members.size();
    });
  }

  NodeTable& nodes_;
  const Rules& rules_;
  View view_;
  Goal goal_;
  const std::map<std::uint32_t, NodeIndex>& places_;
  Problem problem_;
  std::vector<model::ShapeId> shape_ids_;
  std::vector<std::string> keys_;
  std::uint32_t next_member_ = 0;
  // Where exclusive domains and claims are looked at: does it matter which pods are on their own; the units
  // of this group that hold claims; and those that hold claims or have pods.
  bool loners_count_ = false;
  std::set<std::string> claiming_;
  std::set<std::string> named_;
  std::map<model::ShapeId, std::size_t> shape_index_;
  std::map<std::pair<model::ShapeId, std::string>, std::size_t> role_index_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> class_index_;
};

}  // namespace

Problem MakeProblem(NodeTable& nodes, const Request& request, const Rules& rules, View view, Goal goal,
                    const std::map<std::uint32_t, NodeIndex>& places) {
  return Builder(nodes, rules, view, goal, places).Build(request);
}

}  // namespace cadre::match
