#include "match/candidates.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace cadre::match {
namespace {

// Sets of loose nodes, by how many times what is needed they hold. The first is enough where there is one
// shape.
constexpr std::int64_t kLooseTimes[] = {1, 2, 8};
// A larger set is no shortcut.
constexpr std::size_t kLargestSet = 8192;

void Unique(std::vector<NodeIndex>& nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

Candidates::Candidates(RoomIndex& index, const Problem& problem, View view)
    : index_(index), problem_(problem), view_(view) {
  MakeParts();
  for (const Need& need : needs_) {
    unknown_ |= need.rooms->Clamped();
    impossible_ |= need.rooms->total() < need.count;
  }
  if (unknown_ || impossible_) return;
  impossible_ = !HasEnough(top_, nullptr, kNoDomain);
  if (unknown_) impossible_ = false;
  if (!impossible_ && !unknown_ && !loose_ && top_.size() == 1)
    ranked_ = Ranked(parts_[top_.front()], nullptr, kNoDomain);
}

void Candidates::MakeParts() {
  needs_ = NeedsOf(problem_.units.front().all_classes);
  if (problem_.units.front().domains != nullptr) {
    CollectParts(0, top_);
    return;
  }
  for (const std::size_t unit : problem_.units.front().units)
    CollectParts(unit, top_);
  loose_ = IsLoose(0);
}

std::vector<Candidates::Need> Candidates::NeedsOf(const std::vector<std::size_t>& classes) {
  std::vector<Need> needs;
  for (const std::size_t cls : classes) {
    const ProblemClass& c = problem_.classes[cls];
    const Newcomer who = problem_.units[c.unit].alone ? Newcomer::kAlone : Newcomer::kGang;
    ShapeRooms* rooms = &index_.Rooms(problem_.shapes[c.shape].id, who, view_);
    auto need = std::ranges::find(needs, rooms, &Need::rooms);
    if (need == needs.end()) need = needs.insert(needs.end(), {rooms, 0});
    need->count += static_cast<std::int64_t>(c.members.size());
  }
  return needs;
}

// Members of the unit, or of units below it, that lie in no domain but its own.
bool Candidates::IsLoose(std::size_t unit) const {
  const ProblemUnit& u = problem_.units[unit];
  return !u.classes.empty() || std::ranges::any_of(u.units, [&](std::size_t child) {
    return problem_.units[child].domains == nullptr && IsLoose(child);
  });
}

// The nearest units with domains, from this one down.
void Candidates::CollectParts(std::size_t unit, std::vector<std::size_t>& into) {
  const ProblemUnit& u = problem_.units[unit];
  if (u.all_classes.empty()) return;
  std::vector<std::size_t> below;
  std::vector<std::size_t>& target = u.domains == nullptr ? into : below;
  for (const std::size_t child : u.units)
    CollectParts(child, target);
  if (u.domains == nullptr) return;
  Part part{.unit = unit,
            .domains = u.domains,
            .exclusive = u.exclusive,
            .scope = u.scope,
            .needs = NeedsOf(u.all_classes),
            .loose = IsLoose(unit),
            .parts = std::move(below)};
  std::int64_t most = -1;
  for (const std::size_t cls : u.all_classes) {
    const ProblemClass& c = problem_.classes[cls];
    const std::int64_t weight =
        SaturatingMultiply(problem_.shapes[c.shape].share, static_cast<std::int64_t>(c.members.size()));
    if (weight <= most) continue;
    most = weight;
    const ShapeRooms* rooms = NeedsOf({cls}).front().rooms;
    part.heaviest =
        static_cast<std::size_t>(std::ranges::find(part.needs, rooms, &Need::rooms) - part.needs.begin());
  }
  into.push_back(parts_.size());
  parts_.push_back(std::move(part));
}

bool Candidates::Alike(const Part& a, const Part& b) const {
  return a.domains == b.domains && a.exclusive == b.exclusive && a.scope == b.scope && a.needs == b.needs &&
         a.parts.empty() && b.parts.empty();
}

// Domains of the part's key, within a domain of another one or (nullptr) anywhere.
const std::vector<std::int32_t>& Candidates::DomainsWithin(const Part& part, const Domains* around,
                                                           std::int32_t domain) {
  if (around != nullptr && around != part.domains) {
    const Nesting& nesting = index_.NestingOf(*around, *part.domains);
    unknown_ |= !nesting.exact;
    return nesting.inner[static_cast<std::size_t>(domain)];
  }
  std::vector<std::int32_t>& list = all_[part.domains];
  list.clear();
  if (around == part.domains) {
    list.push_back(domain);
  } else {
    for (std::size_t d = 0; d < part.domains->size(); ++d)
      list.push_back(static_cast<std::int32_t>(d));
  }
  return list;
}

// Could all of the part lie in this domain, by sums?
bool Candidates::Holds(const Part& part, std::int32_t domain) {
  if (part.exclusive && view_ == View::kNow && !index_.OccupancyOf(*part.domains).Free(domain, part.scope))
    return false;
  const auto d = static_cast<std::size_t>(domain);
  for (const Need& need : part.needs) {
    if (need.rooms->SumsBy(*part.domains)[d] < need.count) return false;
  }
  return HasEnough(part.parts, part.domains, domain);
}

// How many parts like this one the domain takes at most, when it takes one.
std::int64_t Candidates::HowMany(const Part& part, std::int32_t domain) const {
  if (part.exclusive) return 1;
  std::int64_t count = std::numeric_limits<std::int64_t>::max();
  for (const Need& need : part.needs)
    count = std::min(count, need.rooms->SumsBy(*part.domains)[static_cast<std::size_t>(domain)] / need.count);
  return count;
}

// Are there enough domains for all of these parts, each kind of them looked at alone?
bool Candidates::HasEnough(const std::vector<std::size_t>& parts, const Domains* around,
                           std::int32_t domain) {
  for (std::size_t first = 0; first < parts.size();) {
    const Part& part = parts_[parts[first]];
    std::size_t last = first + 1;
    while (last < parts.size() && Alike(part, parts_[parts[last]]))
      ++last;
    const auto wanted = static_cast<std::int64_t>(last - first);
    std::int64_t found = 0;
    const std::vector<std::int32_t> within = DomainsWithin(part, around, domain);
    for (auto it = within.begin(); it != within.end() && found < wanted; ++it) {
      if (Holds(part, *it)) found = SaturatingAdd(found, HowMany(part, *it));
    }
    if (found < wanted) return false;
    first = last;
  }
  return true;
}

// Domains that could hold the part: the tightest first, as Bound::RankDomains has them.
std::vector<std::int32_t> Candidates::Ranked(const Part& part, const Domains* around, std::int32_t domain) {
  std::vector<std::int32_t> ranked;
  for (const std::int32_t d : std::vector<std::int32_t>(DomainsWithin(part, around, domain))) {
    if (Holds(part, d)) ranked.push_back(d);
  }
  const std::vector<std::int64_t>& room = part.needs[part.heaviest].rooms->SumsBy(*part.domains);
  std::ranges::sort(ranked, {},
                    [&](std::int32_t d) { return std::tuple(room[static_cast<std::size_t>(d)], d); });
  return ranked;
}

std::optional<std::vector<NodeIndex>> Candidates::Next() {
  if (impossible_ || unknown_) return std::nullopt;
  std::vector<NodeIndex> nodes;
  if (!loose_ && top_.size() == 1) {
    if (next_ >= std::min(ranked_.size(), kMostSets)) return std::nullopt;
    Add(parts_[top_.front()], ranked_[next_], nodes);
  } else {
    if (next_ >= std::size(kLooseTimes) || (!loose_ && next_ > 0)) return std::nullopt;
    if (!AddParts(top_, nullptr, kNoDomain, nodes)) return std::nullopt;
    if (loose_) AddLoose(kLooseTimes[next_], nodes);
  }
  ++next_;
  Unique(nodes);
  if (unknown_ || nodes.size() > kLargestSet) return std::nullopt;
  return nodes;
}

// What the part needs of a domain that holds it. False: its parts take each other's domains.
bool Candidates::Add(const Part& part, std::int32_t domain, std::vector<NodeIndex>& nodes) {
  if (!part.loose && !part.parts.empty()) {
    const std::size_t before = nodes.size();
    if (AddParts(part.parts, part.domains, domain, nodes)) return true;
    nodes.resize(before);
  }
  const auto members = part.domains->NodesOf(domain);
  nodes.insert(nodes.end(), members.begin(), members.end());
  return true;
}

bool Candidates::AddParts(const std::vector<std::size_t>& parts, const Domains* around, std::int32_t domain,
                          std::vector<NodeIndex>& nodes) {
  std::set<std::pair<const Domains*, std::int32_t>> taken;
  for (std::size_t first = 0; first < parts.size();) {
    const Part& part = parts_[parts[first]];
    std::size_t last = first + 1;
    while (last < parts.size() && Alike(part, parts_[parts[last]]))
      ++last;
    auto wanted = static_cast<std::int64_t>(last - first);
    for (const std::int32_t d : Ranked(part, around, domain)) {
      if (wanted <= 0) break;
      if (part.exclusive && !taken.emplace(part.domains, d).second) continue;
      Add(part, d, nodes);
      wanted -= HowMany(part, d);
    }
    if (wanted > 0) return false;
    first = last;
  }
  return true;
}

// Nodes for members that may go anywhere, `times` as many as they need where others want some of the same.
void Candidates::AddLoose(std::int64_t times, std::vector<NodeIndex>& nodes) {
  const bool only = top_.empty() && needs_.size() == 1;
  for (const Need& need : needs_) {
    const std::int64_t wanted = only ? need.count : SaturatingMultiply(need.count + 1, 2 * times);
    const std::vector<NodeIndex> best = need.rooms->Best(std::min(wanted, need.rooms->total()));
    nodes.insert(nodes.end(), best.begin(), best.end());
  }
  // One key's domains can reach into another's.
  for (std::size_t before = 0; before != nodes.size() && nodes.size() <= kLargestSet;) {
    before = nodes.size();
    for (const Part& part : parts_) {
      if (part.exclusive) CompleteDomains(*part.domains, nodes);
    }
  }
}

// Whether a domain can be somebody's own hangs on all of its nodes.
void Candidates::CompleteDomains(const Domains& domains, std::vector<NodeIndex>& nodes) {
  std::set<std::int32_t> touched;
  for (const NodeIndex node : nodes) {
    if (domains.of[node] != kNoDomain) touched.insert(domains.of[node]);
  }
  for (const std::int32_t domain : touched) {
    const auto members = domains.NodesOf(domain);
    nodes.insert(nodes.end(), members.begin(), members.end());
  }
  Unique(nodes);
}

}  // namespace cadre::match
