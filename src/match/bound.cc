#include "match/bound.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace cadre::match {

using Status = State::Status;

Bound::Bound(const State& state) : state_(state), problem_(state.problem()) {
  for (std::size_t role = 0; role < problem_.roles.size(); ++role) {
    apart_.push_back(state.terms().ApartDomains(role));
  }
}

std::uint64_t Bound::TakeWork() {
  return std::exchange(work_, 0);
}

std::int64_t Bound::RoomAt(std::size_t cls, NodeIndex node) const {
  const ProblemClass& c = problem_.classes[cls];
  const std::int32_t room = state_.Room(c.shape, node);
  if (room == 0 || state_.terms().Free(c.role)) return room;
  if (state_.terms().Closed(c.role, node)) return 0;
  const bool one =
      std::ranges::any_of(apart_[c.role], [&](const Domains* d) { return d->of[node] != kNoDomain; });
  return one ? 1 : room;
}

std::int64_t Bound::Reach(std::size_t cls) {
  std::int64_t reach = 0;
  state_.ForEachNode(problem_.classes[cls].unit, [&](NodeIndex node) {
    ++work_;
    reach += RoomAt(cls, node);
  });
  for (const Domains* apart : apart_[problem_.classes[cls].role])
    reach = std::min(reach, DistinctDomains(cls, *apart));
  return reach;
}

// Members of the class keep apart over this key, so each domain takes one.
std::int64_t Bound::DistinctDomains(std::size_t cls, const Domains& apart) {
  ++seen_mark_;
  if (seen_.size() < apart.size()) seen_.resize(apart.size(), 0);
  std::int64_t count = 0;
  state_.ForEachNode(problem_.classes[cls].unit, [&](NodeIndex node) {
    ++work_;
    const std::int64_t room = RoomAt(cls, node);
    if (room == 0) return;
    const std::int32_t domain = apart.of[node];
    if (domain == kNoDomain) {
      count += room;
    } else if (std::exchange(seen_[static_cast<std::size_t>(domain)], seen_mark_) != seen_mark_) {
      ++count;
    }
  });
  return count;
}

bool Bound::Hopeful() {
  return CanBePlaced(0) && TotalsHold();
}

// The unit is started, or would be with no domain of its own.
bool Bound::CanBePlaced(std::size_t unit) {
  const ProblemUnit& u = problem_.units[unit];
  if (u.torn) return false;
  std::int64_t parts = state_.PartsPlaced(unit);
  for (const std::size_t cls : u.classes) {
    if (state_.Left(cls) > 0) parts += std::min(state_.Left(cls), Reach(cls));
  }
  for (std::size_t i = 0; i < u.units.size(); ++i) {
    const std::size_t child = u.units[i];
    const ProblemUnit& c = problem_.units[child];
    if (c.must && c.all_classes.empty() && (c.torn || c.placed < c.need)) return false;
    if (c.all_classes.empty() || state_.StatusOf(child) == Status::kSkipped) continue;
    if (state_.StatusOf(child) == Status::kStarted) {
      if (!CanBePlaced(child)) return false;
      continue;
    }
    std::int64_t twins = 1;
    while (i + 1 < u.units.size() && problem_.units[u.units[i + 1]].twin == u.units[i] &&
           state_.StatusOf(u.units[i + 1]) == Status::kUndecided) {
      ++twins;
      ++i;
    }
    parts += UnitsThatFit(child, twins);
  }
  return parts >= u.need;
}

// How many of `wanted` units like this undecided one could be placed at most.
std::int64_t Bound::UnitsThatFit(std::size_t unit, std::int64_t wanted) {
  const ProblemUnit& u = problem_.units[unit];
  if (u.torn) return 0;
  if (u.domains == nullptr) return CanBePlaced(unit) ? wanted : 0;
  if (NeedsNothing(unit)) return wanted;
  const Sums sums = SumByDomain(unit);
  const std::vector<bool> claimable = u.exclusive ? state_.Claimable(unit) : std::vector<bool>{};
  std::int64_t count = 0;
  for (std::size_t domain = 0; domain < u.domains->size() && count < wanted; ++domain) {
    if (u.pinned != kNoDomain && u.pinned != static_cast<std::int32_t>(domain)) continue;
    if (u.exclusive && !u.holds && !claimable[domain]) continue;
    if (PartsWithin(unit, unit, sums, domain) < u.need || !DemandFits(unit, sums, domain)) continue;
    count += wanted == 1 || u.exclusive ? 1 : UnitsWithin(unit, sums, domain);
  }
  return std::min(count, wanted);
}

bool Bound::NeedsNothing(std::size_t unit) const {
  std::int64_t lacks = state_.Lacks(unit);
  for (const std::size_t child : problem_.units[unit].units) {
    if (problem_.units[child].all_classes.empty() || problem_.units[child].torn) continue;
    if (NeedsNothing(child)) --lacks;
  }
  return lacks <= 0;
}

Bound::Sums Bound::SumByDomain(std::size_t unit) {
  const ProblemUnit& u = problem_.units[unit];
  const std::vector<std::int64_t> zeros(u.domains->size(), 0);
  Sums sums{.rooms = std::vector(u.all_classes.size(), zeros),
            .free = std::vector(problem_.resources.size(), zeros)};
  state_.ForEachNode(unit, [&](NodeIndex node) {
    if (u.domains->of[node] == kNoDomain) return;
    const auto domain = static_cast<std::size_t>(u.domains->of[node]);
    work_ += u.all_classes.size();
    bool usable = false;
    for (std::size_t i = 0; i < u.all_classes.size(); ++i) {
      const std::int64_t room = RoomAt(u.all_classes[i], node);
      sums.rooms[i][domain] += room;
      usable = usable || room > 0;
    }
    for (std::size_t r = 0; usable && r < problem_.resources.size(); ++r) {
      const std::int64_t free = std::max<std::int64_t>(0, state_.Free(node, r));
      sums.free[r][domain] = SaturatingAdd(sums.free[r][domain], free);
    }
  });
  return sums;
}

std::int64_t Bound::LeastDemand(std::size_t unit, std::size_t resource) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;  // demand of one, how many
  std::int64_t demand = 0;
  for (const std::size_t cls : problem_.units[unit].classes) {
    if (state_.Left(cls) > 0) {
      parts.emplace_back(problem_.shapes[problem_.classes[cls].shape].requests[resource], state_.Left(cls));
    }
  }
  for (const std::size_t child : problem_.units[unit].units) {
    if (problem_.units[child].all_classes.empty() || state_.StatusOf(child) == Status::kSkipped) continue;
    const std::int64_t below = LeastDemand(child, resource);
    if (state_.StatusOf(child) == Status::kStarted) {
      demand = SaturatingAdd(demand, below);
    } else {
      parts.emplace_back(below, 1);
    }
  }
  std::ranges::sort(parts);
  std::int64_t lacks = state_.Lacks(unit);
  for (const auto& [each, count] : parts) {
    if (lacks <= 0) break;
    demand = SaturatingAdd(demand, SaturatingMultiply(each, std::min(count, lacks)));
    lacks -= count;
  }
  return demand;
}

bool Bound::DemandFits(std::size_t unit, const Sums& sums, std::size_t domain) const {
  for (std::size_t r = 0; r < problem_.resources.size(); ++r) {
    if (LeastDemand(unit, r) > sums.free[r][domain]) return false;
  }
  return true;
}

// Parts of `unit` that could be placed if it lay in this domain of `top`, a unit around it or itself.
std::int64_t Bound::PartsWithin(std::size_t unit, std::size_t top, const Sums& sums,
                                std::size_t domain) const {
  const ProblemUnit& u = problem_.units[unit];
  std::int64_t parts = state_.PartsPlaced(unit);
  for (const std::size_t cls : u.classes) {
    const std::vector<std::size_t>& all = problem_.units[top].all_classes;
    const auto at = static_cast<std::size_t>(std::ranges::find(all, cls) - all.begin());
    parts += std::min(state_.Left(cls), sums.rooms[at][domain]);
  }
  for (const std::size_t child : u.units) {
    if (problem_.units[child].all_classes.empty() || problem_.units[child].torn) continue;
    if (PartsWithin(child, top, sums, domain) >= problem_.units[child].need) ++parts;
  }
  return parts;
}

// How many units like this one share a domain at most; units with twins have no units of their own.
std::int64_t Bound::UnitsWithin(std::size_t unit, const Sums& sums, std::size_t domain) const {
  const ProblemUnit& u = problem_.units[unit];
  std::int64_t count = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < u.all_classes.size(); ++i) {
    sum = SaturatingAdd(sum, sums.rooms[i][domain]);
    const std::int64_t must = MustPlace(state_, u.all_classes[i]);
    if (must > 0) count = std::min(count, sums.rooms[i][domain] / must);
  }
  return u.need > 0 ? std::min(count, sum / u.need) : count;
}

void Bound::CollectMusts(std::size_t unit, std::vector<std::int64_t>& musts) const {
  for (const std::size_t cls : problem_.units[unit].classes)
    musts[cls] = MustPlace(state_, cls);
  for (const std::size_t child : problem_.units[unit].units) {
    if (problem_.units[child].all_classes.empty()) continue;
    const bool must =
        state_.StatusOf(child) == Status::kStarted ||
        (state_.StatusOf(child) == Status::kUndecided && state_.Lacks(unit) >= state_.PartsOpen(unit));
    if (must) CollectMusts(child, musts);
  }
}

// All that must be placed, together, against the room of each shape and the sum of each resource.
bool Bound::TotalsHold() {
  std::vector<std::int64_t> musts(problem_.classes.size(), 0);
  CollectMusts(0, musts);
  std::vector<std::int64_t> shapes(problem_.shapes.size(), 0);
  std::vector<std::int64_t> resources(problem_.resources.size(), 0);
  for (std::size_t cls = 0; cls < musts.size(); ++cls)
    shapes[problem_.classes[cls].shape] += musts[cls];
  for (std::size_t r = 0; r < resources.size(); ++r)
    resources[r] = LeastDemand(0, r);
  state_.ForEachNode(0, [&](NodeIndex node) {
    work_ += shapes.size();
    bool usable = false;
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      const std::int32_t room = state_.Room(shape, node);
      usable = usable || room > 0;
      shapes[shape] -= room;
    }
    for (std::size_t r = 0; usable && r < resources.size(); ++r) {
      if (resources[r] > 0) resources[r] -= std::max<std::int64_t>(0, state_.Free(node, r));
    }
  });
  const auto met = [](std::int64_t lacking) { return lacking <= 0; };
  return std::ranges::all_of(shapes, met) && std::ranges::all_of(resources, met);
}

Bound::BestDomain Bound::FindBestDomain(std::size_t unit) {
  const ProblemUnit& u = problem_.units[unit];
  const Sums sums = SumByDomain(unit);
  const std::vector<bool> claimable = u.exclusive ? state_.Claimable(unit) : std::vector<bool>{};
  BestDomain best;
  for (std::size_t d = 0; d < u.domains->size(); ++d) {
    if (u.pinned != kNoDomain && u.pinned != static_cast<std::int32_t>(d)) continue;
    if (u.exclusive && !u.holds && !claimable[d]) continue;
    // Classes of one shape share the room.
    std::vector<std::int64_t> left(problem_.shapes.size(), 0);
    std::vector<std::int64_t> room(problem_.shapes.size(), 0);
    for (std::size_t i = 0; i < u.all_classes.size(); ++i) {
      const std::size_t shape = problem_.classes[u.all_classes[i]].shape;
      left[shape] += state_.Left(u.all_classes[i]);
      room[shape] = std::max(room[shape], sums.rooms[i][d]);
    }
    std::int64_t members = 0;
    for (std::size_t shape = 0; shape < left.size(); ++shape)
      members += std::min(left[shape], room[shape]);
    if (best.domain == kNoDomain || members > best.members) best = {static_cast<std::int32_t>(d), members};
  }
  return best;
}

std::vector<std::int32_t> Bound::RankDomains(std::size_t unit) {
  const ProblemUnit& u = problem_.units[unit];
  struct Candidate {
    std::int64_t members;  // that could be placed
    std::int64_t room;     // for the heaviest class
    std::int32_t domain;
  };
  std::size_t heaviest = 0;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < u.all_classes.size(); ++i) {
    const ProblemClass& cls = problem_.classes[u.all_classes[i]];
    const std::int64_t weight =
        SaturatingMultiply(problem_.shapes[cls.shape].share, state_.Left(u.all_classes[i]));
    if (weight > most) {
      most = weight;
      heaviest = i;
    }
  }
  const Sums sums = SumByDomain(unit);
  const std::vector<bool> claimable = u.exclusive ? state_.Claimable(unit) : std::vector<bool>{};
  const std::int32_t held = u.exclusive ? state_.territory().HeldBy(unit) : kNoDomain;
  std::vector<Candidate> candidates;
  for (std::size_t d = 0; d < u.domains->size(); ++d) {
    const auto domain = static_cast<std::int32_t>(d);
    if (u.torn || (u.pinned != kNoDomain && u.pinned != domain)) continue;
    if (u.exclusive && !u.holds && !claimable[d]) continue;
    if (PartsWithin(unit, unit, sums, d) < u.need || !DemandFits(unit, sums, d)) continue;
    std::int64_t members = 0;
    for (std::size_t i = 0; i < u.all_classes.size(); ++i) {
      members += std::min(state_.Left(u.all_classes[i]), sums.rooms[i][d]);
    }
    candidates.push_back({members, u.all_classes.empty() ? 0 : sums.rooms[heaviest][d], domain});
  }
  std::ranges::sort(candidates, [held](const Candidate& a, const Candidate& b) {
    return std::tuple(a.domain != held, -a.members, a.room, a.domain) <
           std::tuple(b.domain != held, -b.members, b.room, b.domain);
  });
  std::vector<std::int32_t> domains;
  for (const Candidate& candidate : candidates)
    domains.push_back(candidate.domain);
  return domains;
}

}  // namespace cadre::match
