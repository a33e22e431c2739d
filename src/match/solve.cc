#include "match/solve.h"

#include <algorithm>
#include <map>

#include "match/extend.h"
#include "match/neighbours.h"

namespace cadre::match {
namespace {

using Places = std::map<std::uint32_t, NodeIndex>;

// Calls visit(member, number) depth first: the numbering of members.
template <class Visit>
void ForEachMember(const Unit& unit, std::uint32_t& number, Visit& visit) {
  for (const Member& member : unit.members)
    visit(member, number++);
  for (const Unit& child : unit.units)
    ForEachMember(child, number, visit);
}

// Members that can be placed as their hints say, each valid at its time.
Places RightHints(NodeTable& nodes, const Request& request, const Question& question) {
  Places hints;
  std::uint32_t number = 0;
  const auto collect = [&](const Member& member, std::uint32_t n) {
    const NodeIndex node = member.fixed || !member.hint ? kNoNode : nodes.IndexOf(*member.hint);
    if (node != kNoNode) hints.emplace(n, node);
  };
  ForEachMember(request.root, number, collect);
  if (hints.empty()) return hints;

  const Problem problem = MakeProblem(nodes, request, question.rules, question.view, Goal::kMinimum, {});
  State state(nodes, problem, question.rules, question.view);
  std::vector<std::int32_t> domain_of(problem.units.size());
  for (std::size_t u = 0; u < problem.units.size(); ++u)
    domain_of[u] = problem.units[u].pinned;
  const auto domains_agree = [&](std::size_t unit, NodeIndex node, bool take) {
    for (std::size_t u = unit; u != kNone; u = problem.units[u].parent) {
      const Domains* domains = problem.units[u].domains;
      if (domains == nullptr) continue;
      if (take) domain_of[u] = domains->of[node];
      if (domains->of[node] == kNoDomain || (domain_of[u] != kNoDomain && domain_of[u] != domains->of[node]))
        return false;
    }
    return true;
  };
  Places right;
  for (const std::size_t role : RoleOrder(problem, state.terms())) {
    for (std::size_t cls = 0; cls < problem.classes.size(); ++cls) {
      const ProblemClass& c = problem.classes[cls];
      if (c.role != role) continue;
      for (const std::uint32_t member : c.members) {
        const auto hint = hints.find(member);
        if (hint == hints.end()) continue;
        const NodeIndex node = hint->second;
        const bool fits = state.Room(c.shape, node) > 0 && state.territory().MayEnter(c.unit, node) &&
                          state.terms().Allows(role, node);
        if (!fits || !domains_agree(c.unit, node, false)) continue;
        domains_agree(c.unit, node, true);
        state.Place(cls, node, 1);
        right.emplace(member, node);
      }
    }
  }
  // Hints that put units into one another's domains are all given up: which of them is wrong nobody can tell.
  for (std::size_t u = 0; u < problem.units.size(); ++u) {
    if (!problem.units[u].exclusive || problem.units[u].holds || domain_of[u] == kNoDomain) continue;
    if (!state.Claimable(u)[static_cast<std::size_t>(domain_of[u])]) return {};
  }
  return right;
}

// Members of a class are equals: consecutive numbers go to one node, then to its neighbours.
std::vector<NodeIndex> Assign(const State& state, const Places& places) {
  const Problem& problem = state.problem();
  std::vector<NodeIndex> nodes(problem.member_count, kNoNode);
  std::vector<std::vector<NodeIndex>> taken(problem.classes.size());
  for (const State::Placed& placed : state.placed()) {
    taken[placed.cls].insert(taken[placed.cls].end(), static_cast<std::size_t>(placed.count), placed.node);
  }
  for (std::size_t cls = 0; cls < taken.size(); ++cls) {
    std::ranges::sort(taken[cls]);
    KeepNeighboursTogether(state.nodes(), taken[cls]);
    for (std::size_t i = 0; i < taken[cls].size(); ++i)
      nodes[problem.classes[cls].members[i]] = taken[cls][i];
  }
  for (const auto& [member, node] : places)
    nodes[member] = node;
  for (const PrePlaced& pre : problem.pre)
    nodes[pre.member] = pre.node;
  return nodes;
}

Answer SolveFor(NodeTable& nodes, const Request& request, const Question& question, Goal goal,
                const Places& places, Budget& budget) {
  const Problem problem = MakeProblem(nodes, request, question.rules, question.view, goal, places);
  State state(nodes, problem, question.rules, question.view);
  const std::vector<Item> items = MakeItems(problem, state.terms());
  Search search(state, items, budget);
  const Outcome outcome = search.Run();
  if (outcome != Outcome::kFound) return {outcome, {}};
  if (goal == Goal::kMinimum && problem.elastic && question.whole_answer) Extend(state, items, budget);
  if (!places.empty() && OrderMatters(problem, state.terms()) &&
      !state.SequenceHolds(RoleOrder(problem, state.terms()))) {
    return {Outcome::kImpossible, {}};
  }
  return {Outcome::kFound, Assign(state, places)};
}

// Spends at most this part of what is left.
Answer SolveWithin(NodeTable& nodes, const Request& request, const Question& question, Goal goal,
                   const Places& places, Budget& budget, std::uint64_t part) {
  Budget share(budget.left() / part);
  const std::uint64_t before = share.left();
  Answer answer = SolveFor(nodes, request, question, goal, places, share);
  budget.Spend(before - share.left());
  return answer;
}

}  // namespace

bool IsElastic(const Unit& unit) {
  const auto parts = static_cast<std::int64_t>(unit.members.size() + unit.units.size());
  return (unit.minimum >= 0 && unit.minimum < parts) || std::ranges::any_of(unit.units, IsElastic);
}

Answer Solve(NodeTable& nodes, const Request& request, const Question& question, Budget& budget) {
  if (!question.whole_answer) return SolveFor(nodes, request, question, Goal::kMinimum, {}, budget);
  const bool elastic = IsElastic(request.root);
  const Places hints = RightHints(nodes, request, question);
  if (!hints.empty()) {
    for (const Goal goal : {Goal::kEverything, Goal::kMinimum}) {
      if (goal == Goal::kEverything && !elastic) continue;
      Answer answer = SolveWithin(nodes, request, question, goal, hints, budget, 8);
      if (answer.outcome == Outcome::kFound) return answer;
    }
  }
  if (elastic) {
    Answer answer = SolveWithin(nodes, request, question, Goal::kEverything, {}, budget, 4);
    if (answer.outcome == Outcome::kFound) return answer;
  }
  return SolveFor(nodes, request, question, Goal::kMinimum, {}, budget);
}

}  // namespace cadre::match
