#include "match/diagnose.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "match/scene.h"
#include "match/wording.h"

namespace cadre::match {
namespace {

class Diagnoser {
 public:
  Diagnoser(NodeTable& nodes, const Request& request, Outcome outcome, std::uint64_t steps)
      : nodes_(nodes), request_(request), outcome_(outcome), steps_(steps) {}

  Diagnosis Run() {
    {
      const Scene now(nodes_, request_, base_, View::kNow);
      need_ = NeedText(nodes_, now.problem());
      if (auto broken = BrokenRequest(now.problem())) return *broken;
    }
    if (const std::string claims = MissingClaims(); !claims.empty()) {
      base_.claims = false;  // what is said below is about the rest
      if (Ask(base_, View::kNow) == Outcome::kFound) return Say(No::kConstraints, claims);
      also_ = "; besides, " + claims;
    }
    const Outcome empty = Ask(base_, View::kEmpty);
    if (empty == Outcome::kImpossible) return Say(No::kNever, WhyNever());
    if (outcome_ == Outcome::kGaveUp) {
      return Say(No::kGaveUp,
                 fmt::format("the search for a place ended at its bound of {}; {} was found",
                             Quantify(static_cast<std::int64_t>(steps_), "step"), RoomText(base_)));
    }
    if (const std::string constraint = WhichConstraint(); !constraint.empty())
      return Say(No::kConstraints, constraint);
    if (empty == Outcome::kGaveUp) {
      return Say(No::kGaveUp,
                 fmt::format("there is {} now, and whether empty nodes could hold it was not decided in {}",
                             RoomText(base_), Quantify(static_cast<std::int64_t>(steps_), "step")));
    }
    return Say(No::kNotNow, WhyNotNow());
  }

 private:
  Diagnosis Say(No kind, std::string_view why) const {
    return {kind, fmt::format("{}; {}{}", need_, why, also_)};
  }

  Outcome Ask(const Rules& rules, View view) {
    // "Never" is worth more effort than the choice of words.
    Budget budget(steps_ / (view == View::kEmpty ? 2 : 8));
    return Solve(nodes_, request_, {.rules = rules, .view = view, .whole_answer = false}, budget).outcome;
  }

  // "room for 7 of 8": how many of the members that wait could be placed now if none had to be.
  std::string RoomText(const Rules& rules) {
    const auto [placed, waiting] = CountRoom(nodes_, request_, rules, steps_ / 8);
    return fmt::format("room for {} of {}", placed, waiting);
  }

  static std::optional<Diagnosis> BrokenPart(const ProblemUnit& unit, const std::string& need) {
    if (unit.need > unit.parts) {
      return Diagnosis{No::kNever, fmt::format("{}; {} has only {}", need,
                                               unit.source->name.empty() ? "it" : unit.source->name,
                                               Quantify(unit.parts, "part"))};
    }
    if (unit.torn) {
      return Diagnosis{
          No::kConstraints,
          fmt::format("{}; the members that are placed already are not in one {}", need, unit.domains->key)};
    }
    return std::nullopt;
  }

  // What no cluster can mend, in units that cannot be done without.
  std::optional<Diagnosis> BrokenRequest(const Problem& problem) const {
    for (std::size_t u = 0; u < problem.units.size(); ++u) {
      bool must = true;
      for (std::size_t p = problem.units[u].parent; p != kNone; p = problem.units[p].parent)
        must &= problem.units[p].all;
      if (auto broken = BrokenPart(problem.units[u], need_); broken && must) return broken;
    }
    return std::nullopt;
  }

  std::vector<model::ShapeId> OpenShapes() const {
    const Problem problem = MakeProblem(nodes_, request_, base_, View::kNow, Goal::kMinimum, {});
    std::vector<model::ShapeId> shapes;
    for (const ProblemClass& cls : problem.classes)
      shapes.push_back(problem.shapes[cls.shape].id);
    return shapes;
  }

  std::string MissingClaims() const {
    std::vector<std::string> names;
    for (const model::ShapeId id : OpenShapes()) {
      const model::Shape& shape = nodes_.cluster().shape(id);
      for (const std::string& claim : shape.missing_claims) {
        const std::string name = shape.namespace_ + "/" + claim;
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
    if (names.empty()) return {};
    const bool one = names.size() == 1;
    return fmt::format("PersistentVolumeClaim{} {} {} not exist or {} not bound to a volume", one ? "" : "s",
                       ListText(names), one ? "does" : "do", one ? "is" : "are");
  }

  // --- never
  // -----------------------------------------------------------------------------------------------------------

  std::string WhyNever() {
    Scene empty(nodes_, request_, base_, View::kEmpty);
    if (const auto shortage = empty.FindShortage()) return ShortWhenEmpty(empty, *shortage);
    if (const std::size_t unit = empty.FindUnitWithoutDomain(); unit != kNone) {
      return DomainText(empty, unit, Which("the largest", empty, unit), "could hold", " when empty");
    }
    if (const std::string total = empty.TotalText("when empty"); !total.empty()) return total;
    if (const std::string few = empty.TooFewDomainsText(); !few.empty()) return few;
    for (const Lift& lift : Lifts()) {
      Rules rules = base_;
      rules.*lift.rule = false;
      if (Ask(rules, View::kEmpty) == Outcome::kFound) {
        return fmt::format("its {} cannot be met even on empty nodes", lift.name);
      }
    }
    return "each role alone would fit on the nodes when they are empty, but not all of them together";
  }

  std::string ShortWhenEmpty(Scene& empty, const Shortage& shortage) {
    const model::Shape& shape = empty.ShapeOf(shortage.shape);
    const std::vector<Misfit>& misfits = nodes_.Misfits(empty.problem().shapes[shortage.shape].id, base_);
    const auto may = std::ranges::count(misfits, Misfit::kNone);
    if (nodes_.size() == 0) return "there are no nodes";
    if (may == 0) return NoNodeText(nodes_, shape, misfits);
    if (shortage.room == 0) return TooLargeText(empty, shortage.shape, misfits);
    const std::string_view ports = shape.host_ports.empty() ? "" : ", one on each for its host ports";
    return CouldHoldText(may, shortage.room, ports, OthersText(nodes_, shape, misfits));
  }

  // No node that may take one has the room even when empty.
  std::string TooLargeText(const Scene& empty, std::size_t shape, const std::vector<Misfit>& misfits) {
    const auto free = [&empty](NodeIndex node, std::size_t r) { return empty.state().Free(node, r); };
    const std::string others = OthersText(nodes_, empty.ShapeOf(shape), misfits);
    if (const auto resource = FindTooLarge(empty.problem(), shape, misfits, free))
      return match::TooLargeText(nodes_, empty.problem(), shape, *resource) + others;
    if (empty.PortsAreTaken(shape)) return "its host ports are taken on every node that may take it" + others;
    return NearestText(nodes_, empty.problem(), shape, misfits, free) + others;
  }

  static std::string Which(std::string_view which, const Scene& scene, std::size_t unit) {
    return fmt::format("{} {}", which, ShortKey(scene.problem().units[unit].domains->key));
  }

  std::string DomainText(Scene& scene, std::size_t unit, std::string_view which, std::string_view verb,
                         std::string_view when) {
    const Domains& domains = *scene.problem().units[unit].domains;
    const Bound::BestDomain best = scene.bound().FindBestDomain(unit);
    if (domains.size() == 0) return NoLabelText(domains.key);
    if (best.domain == kNoDomain)
      return fmt::format("every {} holds other members of it", ShortKey(domains.key));
    std::int64_t members = 0;
    for (const std::size_t cls : scene.problem().units[unit].all_classes)
      members += scene.state().Left(cls);
    if (best.members == members && members > 1) {
      return fmt::format("{}, {}, {} each role alone{}, but not all of them together", which,
                         nodes_.NameOf(domains, best.domain), verb, when);
    }
    return match::DomainText(which, nodes_.NameOf(domains, best.domain), verb, best.members, members, when);
  }

  // --- not now
  // -----------------------------------------------------------------------------------------------------------

  std::string WhyNotNow() {
    Scene now(nodes_, request_, base_, View::kNow);
    const auto shortage = now.FindShortage();
    std::string text =
        shortage ? ShortNow(now, *shortage) : "each role alone would fit now, but not all of them together";
    const std::size_t unit = now.FindUnitWithoutDomain();
    if (unit != kNone) {
      const bool exclusive = now.problem().units[unit].exclusive;
      text +=
          "; " + (exclusive ? ClaimsText(now)
                            : DomainText(now, unit, Which("the best", now, unit), "has room for", " now"));
    }
    return text;
  }

  std::string ShortNow(const Scene& now, const Shortage& shortage) {
    const model::Shape& shape = now.ShapeOf(shortage.shape);
    const std::vector<Misfit>& misfits = nodes_.Misfits(now.problem().shapes[shortage.shape].id, base_);
    const auto may = std::ranges::count(misfits, Misfit::kNone);
    return FitNowText(shortage.room, may, OthersText(nodes_, shape, misfits),
                      now.ScarcestText(shortage, misfits));
  }

  // --- constraints
  // ---------------------------------------------------------------------------------------------------------

  struct Lift {
    // Made in place only: g++ 12 sees an overflow in the move of a temporary that is none.
    Lift(bool Rules::* rule_to_lift, std::string name_of_it)
        : rule(rule_to_lift), name(std::move(name_of_it)) {}

    bool Rules::* rule;
    std::string name;
  };

  // What the request asks for beside resources, in the order in which it is blamed.
  std::vector<Lift> Lifts() const {
    const model::Cluster& cluster = nodes_.cluster();
    std::vector<Lift> lifts;
    const Constraints has = CollectConstraints(nodes_, request_);
    const auto over = [](std::string_view name, const std::vector<std::string>& keys) {
      return keys.empty() ? std::string(name) : fmt::format("{} over {}", name, ListText(keys));
    };
    if (!has.exclusive.empty()) {
      lifts.emplace_back(&Rules::exclusive, "exclusive " + ListText(has.exclusive));
    } else if (!cluster.domain_claims().empty()) {
      lifts.emplace_back(&Rules::exclusive, "the claims of other groups");
    }
    std::vector<std::string> one_domain;
    for (const std::string& key : has.topologies)
      one_domain.push_back("required " + key);
    for (const std::string& key : has.exclusive) {
      if (std::ranges::find(has.topologies, key) == has.topologies.end())
        one_domain.push_back(fmt::format("one {} for all of it", key));
    }
    if (!one_domain.empty()) lifts.emplace_back(&Rules::required_topology, ListText(one_domain));
    if (!has.spread_keys.empty())
      lifts.emplace_back(&Rules::topology_spread, over("topology spread", has.spread_keys));
    if (!has.affinity_keys.empty())
      lifts.emplace_back(&Rules::pod_affinity, over("pod affinity", has.affinity_keys));
    if (!has.anti_affinity_keys.empty()) {
      lifts.emplace_back(&Rules::pod_anti_affinity, over("pod anti-affinity", has.anti_affinity_keys));
    } else if (!cluster.anti_affinity_pods().empty() || has.reserved_anti_affinity) {
      lifts.emplace_back(&Rules::pod_anti_affinity, "the anti-affinity of pods that run");
    }
    if (!has.ports.empty()) {
      lifts.emplace_back(&Rules::host_ports,
                         (has.ports.size() == 1 ? "host port " : "host ports ") + ListText(has.ports));
    }
    if (!has.selector.empty()) lifts.emplace_back(&Rules::node_selector, "node selector " + has.selector);
    if (has.node_affinity) lifts.emplace_back(&Rules::node_affinity, "node affinity");
    if (has.volumes) lifts.emplace_back(&Rules::volumes, "the node affinity of its volumes");
    return lifts;
  }

  std::string WhichConstraint() {
    const std::vector<Lift> lifts = Lifts();
    if (lifts.empty()) return {};
    Rules none = base_;
    for (const Lift& lift : lifts)
      none.*lift.rule = false;
    if (Ask(none, View::kNow) != Outcome::kFound) return {};
    for (const Lift& lift : lifts) {
      Rules rules = base_;
      rules.*lift.rule = false;
      if (Ask(rules, View::kNow) == Outcome::kFound)
        return fmt::format("fits without {}: {}", lift.name, WithIt(lift));
    }
    std::vector<std::string> names;
    for (const Lift& lift : lifts)
      names.push_back(lift.name);
    return fmt::format("fits without {}, though not without one of them alone: with them there is {}",
                       ListText(names), RoomText(base_));
  }

  // How far the constraint leaves it from fitting.
  std::string WithIt(const Lift& lift) {
    Scene now(nodes_, request_, base_, View::kNow);
    if (lift.rule == &Rules::exclusive) return ClaimsText(now);
    if (lift.rule == &Rules::required_topology) {
      const std::size_t unit = now.FindUnitWithoutDomain();
      if (unit != kNone) return DomainText(now, unit, Which("the best", now, unit), "has room for", "");
    }
    const bool about_nodes = lift.rule == &Rules::node_selector || lift.rule == &Rules::node_affinity ||
                             lift.rule == &Rules::volumes;
    if (about_nodes && now.problem().shapes.size() == 1) {
      const auto matching = now.CountNodesMatching(0, lift.rule);
      return fmt::format(
          "the {} {}",
          matching == 1 ? "node that matches has" : fmt::format("{} nodes that match have", matching),
          RoomText(base_));
    }
    if (lift.rule == &Rules::pod_affinity && !now.AnyPodForAffinity())
      return "there is no pod that it looks for";
    return "with it there is " + RoomText(base_);
  }

  // How the domains stand that exclusive units could have, or the nodes where none asks for one.
  std::string ClaimsText(Scene& now) {
    std::size_t unit = now.FindUnitWithoutDomain();
    const bool fits_nowhere = unit != kNone && now.problem().units[unit].exclusive;
    if (!fits_nowhere) unit = now.FindExclusiveUnit();
    if (unit == kNone) return ClaimedNodesText(now);
    const Domains& domains = *now.problem().units[unit].domains;
    const Territory::Closed closed = now.state().territory().CountClosed(unit);
    std::string text = ClosedText(now.problem().units[unit], closed);
    if (fits_nowhere) {
      if (closed.claimed + closed.in_use == domains.size()) return text;
      if (text.empty()) return DomainText(now, unit, Which("the best", now, unit), "has room for", "");
      return text + "; " + DomainText(now, unit, "the best of the others", "has room for", "");
    }
    const std::int64_t takes = now.CountExclusiveUnits(domains);
    if (text.empty()) {
      const std::string of = Quantify(static_cast<std::int64_t>(domains.size()), ShortKey(domains.key));
      return fmt::format("it takes {} of {}, and there is {}", takes, of, RoomText(base_));
    }
    return fmt::format("{}, and it takes {}; there is {}", text, takes, RoomText(base_));
  }

  // "of 8 racks, 5 are claimed (the first by JobSet default/a) and 2 hold members of other groups"; empty
  // when every domain is open to the unit.
  static std::string ClosedText(const ProblemUnit& unit, const Territory::Closed& closed) {
    const std::size_t count = unit.domains->size();
    const std::string_view name = ShortKey(unit.domains->key);
    const std::string_view others =
        unit.scope == model::ExclusiveScope::kAll ? "other pods" : "members of other groups";
    const std::string every = count == 1
                                  ? fmt::format("the only {}", name)
                                  : fmt::format("all {}", Quantify(static_cast<std::int64_t>(count), name));
    if (closed.claimed == count) {
      return count == 1 ? fmt::format("{} is claimed by {}", every, closed.first_holder)
                        : fmt::format("{} are claimed (the first by {})", every, closed.first_holder);
    }
    if (closed.in_use == count) return fmt::format("{} {} {}", every, count == 1 ? "holds" : "hold", others);
    std::vector<std::string> parts;
    if (closed.claimed == 1) parts.push_back(fmt::format("1 is claimed (by {})", closed.first_holder));
    if (closed.claimed > 1) {
      parts.push_back(fmt::format("{} are claimed (the first by {})", closed.claimed, closed.first_holder));
    }
    if (closed.in_use > 0) {
      parts.push_back(fmt::format("{} {} {}", closed.in_use, closed.in_use == 1 ? "holds" : "hold", others));
    }
    if (parts.empty()) return {};
    return fmt::format("of {}, {}", Quantify(static_cast<std::int64_t>(count), name), ListText(parts));
  }

  std::string ClaimedNodesText(const Scene& now) {
    const Territory::Closed closed = now.state().territory().CountClosedNodes();
    if (closed.claimed == 0) return "with them there is " + RoomText(base_);
    return fmt::format("of {}, {} claimed ({}by {}); there is {}",
                       Quantify(static_cast<std::int64_t>(nodes_.size()), "node"),
                       closed.claimed == 1 ? "1 is" : fmt::format("{} are", closed.claimed),
                       closed.claimed == 1 ? "" : "the first ", closed.first_holder, RoomText(base_));
  }

  NodeTable& nodes_;
  const Request& request_;
  Outcome outcome_;
  std::uint64_t steps_;
  Rules base_;
  std::string need_;
  std::string also_;
};

}  // namespace

Diagnosis Diagnose(NodeTable& nodes, const Request& request, Outcome outcome, std::uint64_t steps) {
  return Diagnoser(nodes, request, outcome, steps).Run();
}

}  // namespace cadre::match
