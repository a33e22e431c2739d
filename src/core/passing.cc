// Which waiting groups are tried, in order, and whether one may pass those ahead of it (docs/queue.md).
#include <algorithm>

#include <fmt/format.h>

#include "core/scheduler_impl.h"

namespace cadre::core {
namespace {

// A step that goes through the queue so often has done enough: the next one goes on.
constexpr int kMostRounds = 16;
// The next step comes so soon when this one left something to do.
constexpr Duration kSoon{1};

}  // namespace

void Scheduler::Impl::PlaceWaiting() {
  outlook_.Advance(now_);
  for (int round = 0; round < kMostRounds; ++round) {
    switch (PlaceInOrder()) {
      case Round::kDone:
        if (const auto wake = outlook_.NextWake(now_)) WakeAt(*wake);
        return;
      case Round::kAgain:
        break;
      case Round::kOutOfSearches:
        round = kMostRounds;
        break;
    }
  }
  scanned_version_ = 0;
  WakeAt(now_ + kSoon);
}

// Once through the groups that are worth a try.
Scheduler::Impl::Round Scheduler::Impl::PlaceInOrder() {
  const std::uint64_t room = state_.cluster.room_version();
  const std::uint64_t outlook = outlook_.version();
  const std::uint64_t version = room + state_.cluster.pods_version() + outlook;
  const bool only_fresh = version == scanned_version_;
  const bool everybody = room != scanned_room_version_;
  scanned_version_ = version;
  scanned_room_version_ = room;
  const auto version_of = [&](const model::GroupKey& key) { return VersionFor(*state_.Find(key)); };
  for (const model::GroupKey& key : queue_.Due(now_, only_fresh, version_of)) {
    if (!queue_.Contains(key)) continue;
    queue_.Tried(key, version_of(key));
    if (!TryGroup(key)) {
      queue_.Touch(key);
      return Round::kOutOfSearches;
    }
    outlook_.NoteHead();
    // There is another head: groups that were held back for the last one come before what is left of this
    // round.
    if (!everybody && outlook_.version() != outlook) return Round::kAgain;
  }
  return outlook_.version() != outlook ? Round::kAgain : Round::kDone;
}

// What must change before a group that was refused is worth another try.
std::uint64_t Scheduler::Impl::VersionFor(const Group& group) const {
  return state_.cluster.room_version() + (group.looks_for_pods ? state_.cluster.pods_version() : 0) +
         (group.held_back ? outlook_.version() : 0);
}

// It has a place. False: whether it may take it is to be asked again in the next step.
bool Scheduler::Impl::Pass(const model::GroupKey& key, Group& group, const Ask& ask,
                           match::Placement placement) {
  const bool must_ask = options_.queue.backfill == queue::Backfill::kEasy && MayBeHeldBack(key, group);
  if (must_ask) {
    switch (outlook_.Judge(group, ask, placement, now_)) {
      case Outlook::Verdict::kMayStart:
        break;
      case Outlook::Verdict::kMustWait:
        HoldBack(key, group, outlook_.WhyHeldBack(group, now_));
        return true;
      case Outlook::Verdict::kNotNow:
        return false;
    }
  }
  Commit(key, group, ask, placement);
  if (must_ask) outlook_.Accepted(group, ask, placement, now_);
  return true;
}

// What has started holds resources and must be made whole, whoever waits.
bool Scheduler::Impl::MayBeHeldBack(const model::GroupKey& key, const Group& group) const {
  return !group.started && state_.PlacedCount(group) == 0 && queue_.Contains(key) && queue_.IsBehindHead(key);
}

void Scheduler::Impl::HoldBack(const model::GroupKey& key, Group& group, std::string why) {
  group.why = match::Diagnosis{match::No::kNotNow, std::move(why)};
  group.why_for = 0;
  group.held_back = true;
  queue_.Tried(key, VersionFor(group));
  SayWhy(key, group, WaitClass::kRoom);
  Tell(group, true, kFailedScheduling, group.why->message);
}

// Under strict order nobody passes.
bool Scheduler::Impl::WaitsInLine(const model::GroupKey& key, Group& group) {
  if (options_.queue.backfill != queue::Backfill::kFifo || !MayBeHeldBack(key, group)) return false;
  HoldBack(key, group, fmt::format("waits behind {}, which has no room", model::ToString(*queue_.Head())));
  return true;
}

// It waits for volumes, whatever room there is.
bool Scheduler::Impl::WaitsForVolumes(const Group& group) const {
  return std::ranges::any_of(group.members, [this](const auto& member) {
    const model::PodEntry& pod = state_.cluster.pod(member.second.pod);
    return !state_.cluster.shape(pod.shape).missing_claims.empty();
  });
}

// It was refused: may it be the head that others are kept from delaying? Not what no node could hold, nor
// what no node's room would help, nor what is being made whole or given back.
void Scheduler::Impl::NoteRefusal(const model::GroupKey& key, Group& group) {
  group.held_back = false;
  if (!group.started && group.why->kind != match::No::kNever && !WaitsForVolumes(group)) {
    queue_.Block(key);
  } else {
    queue_.Unblock(key);
  }
}

}  // namespace cadre::core
