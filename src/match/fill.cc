#include "match/fill.h"

#include <algorithm>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>

namespace cadre::match {
namespace {

// How good a spot is for what is left to place; smaller is better, node last.
struct Rated {
  Spot spot;
  std::int32_t order = 0;     // of its domain, where the class will be held to one
  bool used = false;          // the group is there already
  bool holds_rest = false;    // all that is still to be placed in the unit's domain would fit there
  std::int32_t stranded = 0;  // extended resources free there that the class does not ask for
  std::int64_t waste = 0;     // what is free of what it asks for, in 1/1024 of the largest node
};

std::int64_t WasteAt(const State& state, const ProblemShape& shape, NodeIndex node) {
  const Problem& problem = state.problem();
  std::int64_t waste = 0;
  for (const std::size_t r : shape.asks) {
    if (problem.resources[r] == model::ResourceNames::kPods || problem.largest[r] <= 0) continue;
    waste += WasteOf(state.Free(node, r), WasteScale(problem.largest[r]));
  }
  return waste;
}

bool MoreRoom(const Rated& a, const Rated& b) {
  return std::tuple(-a.spot.room, a.stranded, a.waste, a.spot.node) <
         std::tuple(-b.spot.room, b.stranded, b.waste, b.spot.node);
}

bool Tighter(const Rated& a, const Rated& b) {
  return std::tuple(!a.holds_rest, a.stranded, a.waste, a.spot.room, a.spot.node) <
         std::tuple(!b.holds_rest, b.stranded, b.waste, b.spot.room, b.spot.node);
}

// What is left to place within the domain of a class, in sum.
struct Rest {
  std::vector<std::int64_t> demand;  // by resource
  std::vector<std::size_t> shapes;
};

Rest RestAround(const State& state, std::size_t cls) {
  const Problem& problem = state.problem();
  std::size_t top = problem.classes[cls].unit;
  while (problem.units[top].domains == nullptr && problem.units[top].parent != kNone)
    top = problem.units[top].parent;
  Rest rest{.demand = std::vector<std::int64_t>(problem.resources.size(), 0), .shapes = {}};
  for (const std::size_t other : problem.units[top].all_classes) {
    const std::size_t shape = problem.classes[other].shape;
    if (state.Left(other) == 0 || !state.Alive(problem.classes[other].unit)) continue;
    rest.shapes.push_back(shape);
    for (const std::size_t r : problem.shapes[shape].asks) {
      const std::int64_t more = SaturatingMultiply(problem.shapes[shape].requests[r], state.Left(other));
      rest.demand[r] = SaturatingAdd(rest.demand[r], more);
    }
  }
  return rest;
}

bool HoldsRest(const State& state, const Rest& rest, NodeIndex node) {
  for (std::size_t r = 0; r < rest.demand.size(); ++r) {
    if (rest.demand[r] > 0 && state.Free(node, r) < rest.demand[r]) return false;
  }
  return std::ranges::all_of(rest.shapes, [&](std::size_t shape) { return state.Room(shape, node) > 0; });
}

std::vector<Rated> Collect(const State& state, std::size_t cls) {
  const ProblemClass& c = state.problem().classes[cls];
  const ProblemShape& shape = state.problem().shapes[c.shape];
  const Terms& terms = state.terms();
  const bool free = terms.Free(c.role);
  const bool bound_by_affinity = terms.HasAffinity(c.role) && !terms.Bootstraps(c.role);
  const Rest rest = RestAround(state, cls);
  std::vector<Rated> rated;
  state.ForEachNode(c.unit, [&](NodeIndex node) {
    const std::int32_t room = state.Room(c.shape, node);
    if (room == 0 || !state.territory().MayEnter(c.unit, node)) return;
    if (!free && (terms.Closed(c.role, node) || (bound_by_affinity && !terms.AffinityAllows(c.role, node))))
      return;
    rated.push_back({.spot = {node, cls, room},
                     .used = state.Members(node) > 0,
                     .holds_rest = HoldsRest(state, rest, node),
                     .stranded = std::max(0, state.nodes().FreeExtended(node, state.view()) - shape.extended),
                     .waste = WasteAt(state, shape, node)});
  });
  return rated;
}

// The first member of a role that looks for its own kind decides the domain of all others: a domain that
// cannot hold what must be placed is out, the tightest of the others comes first.
void HoldToOneDomain(const State& state, std::size_t cls, std::vector<Rated>& rated) {
  const std::size_t role = state.problem().classes[cls].role;
  const std::int64_t must = MustPlace(state, cls);
  for (const Domains* domains : state.terms().AffinityDomains(role)) {
    std::vector<std::int64_t> sums(domains->size(), 0);
    const auto sum_at = [&](const Rated& r) -> std::int64_t& {
      return sums[static_cast<std::size_t>(domains->of[r.spot.node])];
    };
    for (const Rated& r : rated)
      sum_at(r) += r.spot.room;
    std::erase_if(rated, [&](const Rated& r) { return sum_at(r) < must; });
    const std::int64_t wanted = std::max<std::int64_t>(Wanted(state, cls), 1);
    std::vector<std::int32_t> ranks(domains->size());
    std::vector<std::size_t> by_size(domains->size());
    for (std::size_t d = 0; d < by_size.size(); ++d)
      by_size[d] = d;
    std::ranges::sort(by_size, [&](std::size_t a, std::size_t b) {
      return std::tuple(-std::min(sums[a], wanted), sums[a], a) <
             std::tuple(-std::min(sums[b], wanted), sums[b], b);
    });
    for (std::size_t i = 0; i < by_size.size(); ++i)
      ranks[by_size[i]] = static_cast<std::int32_t>(i);
    for (Rated& r : rated)
      r.order = ranks[static_cast<std::size_t>(domains->of[r.spot.node])];
  }
}

// Takes the best spots for `wanted` members out of rated[from...] and puts them first; returns what is not
// placed.
std::int64_t Plan(std::vector<Rated>& rated, std::size_t& from, std::size_t to, std::int64_t wanted) {
  const auto at = [&](std::size_t i) { return rated.begin() + static_cast<std::ptrdiff_t>(i); };
  // A heap at the end of the range: its top is the roomiest.
  const auto less = [](const Rated& a, const Rated& b) { return MoreRoom(b, a); };
  std::vector<Rated> heap(at(from), at(to));
  std::ranges::make_heap(heap, less);
  std::vector<Rated> chosen;
  while (wanted > 0 && !heap.empty()) {
    if (heap.front().spot.room >= wanted) {
      auto best = heap.begin();
      for (auto it = heap.begin(); it != heap.end(); ++it) {
        if (it->spot.room >= wanted && Tighter(*it, *best)) best = it;
      }
      chosen.push_back(*best);
      heap.erase(best);
      wanted = 0;
      break;
    }
    wanted -= heap.front().spot.room;
    std::ranges::pop_heap(heap, less);
    chosen.push_back(heap.back());
    heap.pop_back();
  }
  std::ranges::copy(chosen, at(from));
  std::ranges::copy(heap, at(from + chosen.size()));
  from += chosen.size();
  return wanted;
}

void OrderByPlan(const State& state, std::size_t cls, std::vector<Rated>& rated) {
  const auto used_end = std::ranges::stable_partition(rated, &Rated::used).begin();
  const auto used = static_cast<std::size_t>(used_end - rated.begin());
  std::size_t planned = 0;
  const std::int64_t wanted = std::max<std::int64_t>(Wanted(state, cls), 1);
  const std::int64_t rest = Plan(rated, planned, used, wanted);
  if (rest == 0) return;
  planned = used;
  Plan(rated, planned, rated.size(), rest);
}

// With terms in play no plan holds; this is the order in which single places are taken.
void OrderByWorth(const State& state, const Terms& terms, std::size_t cls, std::vector<Rated>& rated) {
  const bool apart = !terms.ApartDomains(state.problem().classes[cls].role).empty();
  const std::int64_t wanted = apart ? 1 : std::max<std::int64_t>(Wanted(state, cls), 1);
  const auto key = [&](const Rated& r) {
    return std::tuple(r.order, !r.used, !r.holds_rest, -std::min<std::int64_t>(r.spot.room, wanted),
                      r.stranded, r.waste, r.spot.node);
  };
  std::ranges::sort(rated, [&](const Rated& a, const Rated& b) { return key(a) < key(b); });
}

bool EnoughRoom(const State& state, Bound& bound, std::size_t cls, const std::vector<Rated>& rated) {
  const std::size_t role = state.problem().classes[cls].role;
  std::int64_t reach = 0;
  std::vector<std::pair<NodeIndex, std::int64_t>> rooms;
  for (const Rated& r : rated) {
    reach += r.spot.room;
    rooms.emplace_back(r.spot.node, r.spot.room);
  }
  if (!state.terms().ApartDomains(role).empty()) reach = std::min(reach, bound.Reach(cls));
  if (state.terms().HasSpread(role)) reach = std::min(reach, state.terms().SpreadRoom(role, rooms));
  return reach >= MustPlace(state, cls);
}

bool AreEqual(const State& state, const Spot& a, const Spot& b) {
  if (a.cls != b.cls || !state.SameRoom(a.node, b.node) || !state.terms().SamePlace(a.node, b.node) ||
      !state.territory().SamePlace(a.node, b.node)) {
    return false;
  }
  return std::ranges::all_of(state.problem().units, [&](const ProblemUnit& unit) {
    return unit.domains == nullptr || unit.domains->of[a.node] == unit.domains->of[b.node];
  });
}

}  // namespace

Fill MakeFill(const State& state, Bound& bound, const Item& item) {
  std::vector<Rated> all;
  const Terms& terms = state.terms();
  // Classes of one role help each other's spread, so no bound is drawn from one alone.
  const bool alone = item.classes.size() == 1;
  for (const std::size_t cls : item.classes) {
    if (state.Left(cls) == 0 || !state.Alive(state.problem().classes[cls].unit)) continue;
    std::vector<Rated> rated = Collect(state, cls);
    const std::size_t role = state.problem().classes[cls].role;
    if (terms.Bootstraps(role) && alone) HoldToOneDomain(state, cls, rated);
    if (alone && !EnoughRoom(state, bound, cls, rated)) return {};
    if (terms.Free(role)) {
      OrderByPlan(state, cls, rated);
    } else {
      OrderByWorth(state, terms, cls, rated);
    }
    all.insert(all.end(), rated.begin(), rated.end());
  }
  Fill fill;
  fill.spots.reserve(all.size());
  for (const Rated& rated : all)
    fill.spots.push_back(rated.spot);
  fill.here.assign(all.size(), 0);
  fill.room_from.assign(all.size() + 1, 0);
  for (std::size_t i = all.size(); i-- > 0;)
    fill.room_from[i] = fill.room_from[i + 1] + fill.spots[i].room;
  return fill;
}

void FindEquals(const State& state, Fill& fill) {
  fill.equal.assign(fill.spots.size(), kNone);
  boost::unordered_flat_map<std::uint64_t, std::vector<std::size_t>>
      last;  // of each kind of spot, by a hash of it
  for (std::size_t i = 0; i < fill.spots.size(); ++i) {
    std::uint64_t hash = fill.spots[i].cls;
    for (std::size_t r = 0; r < state.problem().resources.size(); ++r) {
      hash = hash * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(state.Free(fill.spots[i].node, r));
    }
    std::vector<std::size_t>& kinds = last[hash];
    const auto kind = std::ranges::find_if(
        kinds, [&](std::size_t other) { return AreEqual(state, fill.spots[i], fill.spots[other]); });
    if (kind == kinds.end()) {
      kinds.push_back(i);
    } else {
      fill.equal[i] = *kind;
      *kind = i;
    }
  }
}

}  // namespace cadre::match
