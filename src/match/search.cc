#include "match/search.h"

#include <array>
#include <limits>

namespace cadre::match {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

}  // namespace

using Status = State::Status;

Search::Search(State& state, std::vector<Item> items, Budget& budget, std::size_t forced)
    : state_(state),
      problem_(state.problem()),
      items_(std::move(items)),
      budget_(budget),
      forced_(forced),
      bound_(state),
      extras_help_(OrderMatters(state.problem(), state.terms())),
      fills_(items_.size()),
      domains_(state.problem().units.size()),
      chosen_(state.problem().units.size(), 0) {}

Outcome Search::Run() {
  constexpr std::array<std::uint64_t, 3> kLimits = {32, 1024, kNoLimit};
  Round round = Explore(kNoLimit, false);
  for (const std::uint64_t limit : kLimits) {
    if (round != Round::kFailedOnce && round != Round::kLeftOut) break;
    round = Explore(limit, true);
  }
  if (round == Round::kFound) return Outcome::kFound;
  return round == Round::kImpossible ? Outcome::kImpossible : Outcome::kGaveUp;
}

Outcome Search::RunBriefly(std::uint64_t failures) {
  const Round round = Explore(failures, true);
  if (round == Round::kFound) return Outcome::kFound;
  return round == Round::kImpossible ? Outcome::kImpossible : Outcome::kGaveUp;
}

// Without `check` the round ends at its first failure.
Search::Round Search::Explore(std::uint64_t failure_limit, bool check) {
  check_ = check;
  left_out_ = 0;
  const bool hopeful = bound_.Hopeful();
  budget_.Spend(bound_.TakeWork() / 64 + 1);
  if (!hopeful) return Round::kImpossible;
  if (!Push(0)) return Round::kFound;
  while (!stack_.empty()) {
    budget_.Spend(bound_.TakeWork() / 64);
    const bool exhausted = budget_.Exhausted();
    if (!exhausted && Next(stack_.back())) {
      budget_.Spend(1);
      if (check && !bound_.Hopeful()) continue;
      if (!Push(ItemAfter(stack_.back()))) return Round::kFound;
      continue;
    }
    if (exhausted || !check) {
      while (!stack_.empty())
        Pop();
      return exhausted ? Round::kGaveUp : Round::kFailedOnce;
    }
    Fail(failure_limit);
  }
  return left_out_ > 0 ? Round::kLeftOut : Round::kImpossible;
}

bool Search::Push(std::size_t item) {
  for (; item < items_.size(); ++item) {
    if (items_[item].unit != kNone ? PushOpen(item) : PushFill(item)) return true;
  }
  return false;
}

bool Search::PushOpen(std::size_t item) {
  const std::size_t unit = items_[item].unit;
  if (!state_.Alive(unit)) return false;
  domains_[unit] = DomainsToTry(unit);
  const std::size_t parent = problem_.units[unit].parent;
  if (problem_.units[unit].domains != nullptr) opens_.push_back(stack_.size());
  stack_.push_back({.item = item, .stop_first = !MustStart(unit) && state_.Lacks(parent) <= 0, .name = {}});
  return true;
}

bool Search::PushFill(std::size_t item) {
  const Item& it = items_[item];
  if (std::ranges::none_of(it.classes, [&](std::size_t cls) { return InPlay(cls); })) return false;
  Frame frame{.item = item, .stop_first = HasAllWanted(it), .name = {}, .left_out_before = left_out_};
  const bool first = stack_.empty() || stack_.back().item != item;
  if (first) {
    fills_[item] = MakeFill(state_, bound_, it);
    budget_.Spend(state_.nodes().size() / 64);
    if (check_ && !it.free_order) FindEquals(state_, fills_[item]);
  } else if (!it.free_order) {
    frame.spot = stack_.back().spot + 1;
  }
  if (it.free_order) {
    frame.name = state_.name();
    frame.name.a += item * 0x9e3779b97f4a7c15ULL;
    frame.dead = dead_.contains(frame.name);
  }
  stack_.push_back(frame);
  return true;
}

bool Search::Next(Frame& frame) {
  if (items_[frame.item].unit != kNone) return NextOpen(frame);
  return !frame.dead && NextFill(frame);
}

void Search::Undo(Frame& frame) {
  const Item& item = items_[frame.item];
  if (item.unit != kNone) {
    if (frame.started || frame.stopped) state_.Undecide(item.unit);
    frame.started = false;
  } else {
    if (frame.count > 0) TakeBack(frame, frame.count);
    if (frame.stopped) SetClosed(item, false);
  }
  frame.stopped = false;
}

void Search::Pop() {
  Undo(stack_.back());
  stack_.pop_back();
  if (!opens_.empty() && opens_.back() == stack_.size()) opens_.pop_back();
}

void Search::Fail(std::uint64_t failure_limit) {
  const Frame& failed = stack_.back();
  if (items_[failed.item].free_order && failed.left_out_before == left_out_) dead_.insert(failed.name);
  Pop();
  if (opens_.empty()) return;
  const std::size_t height = opens_.back() + 1;
  if (++stack_[opens_.back()].failures <= failure_limit || stack_.size() == height) return;
  while (stack_.size() > height)
    Pop();
  ++left_out_;
}

std::size_t Search::ItemAfter(const Frame& frame) const {
  const Item& item = items_[frame.item];
  const bool more = item.unit == kNone && !frame.stopped &&
                    std::ranges::any_of(item.classes, [&](std::size_t cls) { return InPlay(cls); });
  return more ? frame.item : frame.item + 1;
}

// --- units

std::vector<std::int32_t> Search::DomainsToTry(std::size_t unit) {
  const ProblemUnit& u = problem_.units[unit];
  if (u.torn) return {};
  // Where order does not matter, twins can be told apart only by their domains: they take them in one order,
  // so that no two ways of swapping them are tried. The rooms left have only shrunk since the first of them
  // ranked the domains.
  const bool follows =
      u.twin != kNone && !extras_help_ && unit != forced_ && state_.StatusOf(u.twin) != Status::kUndecided;
  if (follows && state_.StatusOf(u.twin) == Status::kSkipped) return {};
  if (u.domains == nullptr) return {kNoDomain};
  std::vector<std::int32_t> ranked = bound_.RankDomains(unit);
  budget_.Spend(bound_.TakeWork() / 64);
  // A member that is placed as hinted has chosen the domain of its own already.
  const bool needs_nothing = !(u.exclusive && u.pinned != kNoDomain) && bound_.NeedsNothing(unit);
  if (ranked.empty() && needs_nothing) return {kNoPlace};
  if (follows) {
    std::vector<bool> holds(u.domains->size(), false);
    for (const std::int32_t domain : ranked)
      holds[static_cast<std::size_t>(domain)] = true;
    ranked.assign(domains_[u.twin].begin() + static_cast<std::ptrdiff_t>(chosen_[u.twin]),
                  domains_[u.twin].end());
    std::erase_if(ranked, [&](std::int32_t domain) {
      return domain == kNoPlace || !holds[static_cast<std::size_t>(domain)];
    });
  }
  // What needs nothing must not take a domain that others need.
  if (u.exclusive && needs_nothing) ranked.push_back(kNoPlace);
  return ranked;
}

bool Search::MustStart(std::size_t unit) const {
  return unit == forced_ || problem_.units[unit].must || problem_.units[unit].parent == kNone;
}

bool Search::MaySkip(std::size_t unit) const {
  const std::size_t parent = problem_.units[unit].parent;
  return !MustStart(unit) && state_.Lacks(parent) < state_.PartsOpen(parent);
}

bool Search::StartNext(Frame& frame) {
  const std::size_t unit = items_[frame.item].unit;
  if (frame.stop_first && !extras_help_) return false;
  if (frame.next_domain == domains_[unit].size()) return false;
  chosen_[unit] = frame.next_domain;
  state_.Start(unit, domains_[unit][frame.next_domain]);
  ++frame.next_domain;
  frame.failures = 0;
  frame.started = true;
  return true;
}

bool Search::NextOpen(Frame& frame) {
  Undo(frame);
  const std::size_t unit = items_[frame.item].unit;
  for (; frame.phase < 2; ++frame.phase) {
    const bool stop = (frame.phase == 0) == frame.stop_first;
    if (!stop) {
      if (StartNext(frame)) return true;
    } else if (!frame.stop_tried && MaySkip(unit)) {
      state_.Skip(unit);
      frame.stop_tried = true;
      frame.stopped = true;
      return true;
    }
  }
  return false;
}

// --- members

bool Search::NextFill(Frame& frame) {
  const Item& item = items_[frame.item];
  if (frame.count > 0) {
    if (NextCount(frame)) return true;
    ++frame.spot;
  }
  Undo(frame);
  for (; frame.phase < 2; ++frame.phase) {
    const bool stop = (frame.phase == 0) == frame.stop_first;
    if (!stop) {
      if (NextSpot(frame)) return true;
    } else if (!frame.stop_tried && MayStop(item)) {
      SetClosed(item, true);
      frame.stop_tried = true;
      frame.stopped = true;
      return true;
    }
  }
  return false;
}

bool Search::NextSpot(Frame& frame) {
  const Item& item = items_[frame.item];
  const Fill& fill = fills_[frame.item];
  if (frame.stop_first && !extras_help_) return false;
  const std::int64_t must = item.free_order ? 0 : MustPlace(state_, item.classes.front());
  for (; frame.spot < fill.spots.size(); ++frame.spot) {
    if (fill.room_from[frame.spot] < must) return false;
    const std::int64_t wanted = item.free_order ? 1 : Wanted(state_, fill.spots[frame.spot].cls);
    frame.count = PlaceUpTo(frame, std::max<std::int64_t>(wanted, 1));
    frame.first_count = frame.count;
    frame.rising = false;
    if (frame.count > 0) return true;
  }
  return false;
}

// Another number of members at the same spot.
bool Search::NextCount(Frame& frame) {
  if (!frame.rising && frame.count > 1) {
    TakeBack(frame, 1);
    return true;
  }
  if (!extras_help_ || items_[frame.item].free_order) {
    TakeBack(frame, frame.count);
    return false;
  }
  const std::int32_t goal = (frame.rising ? frame.count : frame.first_count) + 1;
  frame.rising = true;
  frame.count += PlaceUpTo(frame, goal - frame.count);
  if (frame.count == goal) return true;
  TakeBack(frame, frame.count);
  return false;
}

// Places members at the frame's spot as long as it takes them, `count` at most; returns how many.
std::int32_t Search::PlaceUpTo(const Frame& frame, std::int64_t count) {
  Fill& fill = fills_[frame.item];
  const auto [node, cls, room] = fill.spots[frame.spot];
  const ProblemClass& c = problem_.classes[cls];
  count = std::min({count, state_.Left(cls), static_cast<std::int64_t>(state_.Room(c.shape, node))});
  if (!fill.equal.empty()) {
    const std::size_t equal = fill.equal[frame.spot];
    if (equal != kNone) count = std::min<std::int64_t>(count, fill.here[equal] - fill.here[frame.spot]);
  }
  std::int32_t placed = 0;
  if (state_.terms().Free(c.role)) {
    placed = static_cast<std::int32_t>(std::max<std::int64_t>(count, 0));
    if (placed > 0) state_.Place(cls, node, placed);
  } else {
    while (placed < count && state_.terms().Allows(c.role, node) && state_.Room(c.shape, node) > 0) {
      state_.Place(cls, node, 1);
      ++placed;
    }
  }
  fill.here[frame.spot] += placed;
  return placed;
}

void Search::TakeBack(Frame& frame, std::int32_t count) {
  fills_[frame.item].here[frame.spot] -= count;
  frame.count -= count;
  while (count > 0) {
    const std::int32_t part = std::min(count, state_.placed().back().count);
    state_.RemoveLast(part);
    count -= part;
  }
}

void Search::SetClosed(const Item& item, bool closed) {
  for (const std::size_t cls : item.classes) {
    if (!state_.Alive(problem_.classes[cls].unit)) continue;
    if (closed) {
      state_.Close(cls);
    } else {
      state_.Reopen(cls);
    }
  }
}

// Every unit could still reach what it needs if none of these classes got more members.
bool Search::MayStop(const Item& item) const {
  return std::ranges::all_of(item.classes, [&](std::size_t cls) {
    if (!InPlay(cls)) return true;
    const std::size_t unit = problem_.classes[cls].unit;
    std::int64_t without = state_.PartsOpen(unit);
    for (const std::size_t other : item.classes) {
      if (problem_.classes[other].unit == unit) without -= state_.Left(other);
    }
    return state_.Lacks(unit) <= without;
  });
}

bool Search::HasAllWanted(const Item& item) const {
  return std::ranges::all_of(item.classes,
                             [&](std::size_t cls) { return !InPlay(cls) || Wanted(state_, cls) <= 0; });
}

}  // namespace cadre::match
