// What pods that wait are told: their PodScheduled condition (docs/scheduler.md). Low priority, at a bounded
// rate, one write per pod and class of reason.
#include <algorithm>

#include "core/scheduler_impl.h"

namespace cadre::core {

namespace {

// What waits shorter than this is not worth a write: autoscalers look every ten seconds.
constexpr Duration kTellAfter{1'000};
// Pods of one group come one after the other.
constexpr Duration kTellIncompleteAfter{5'000};
// Doubled by each change of class while it waits, so often: who sways between two of them is told ever more
// rarely.
constexpr int kMostDoublings = 5;
// A condition that was not written is tried again so much later.
constexpr Duration kTellAgainAfter{2'000};

constexpr std::int64_t kMostWindows = 10;  // per second

}  // namespace

// It was tried and has no place; `group.why` or its problem says why.
void Scheduler::Impl::SayWhy(const model::GroupKey& key, Group& group, WaitClass waits) {
  if (group.waits != waits) {
    if (group.waits != WaitClass::kNone) ++group.waits_changes;
    group.waits = waits;
    group.waits_since = now_;
    group.has_untold = true;
  }
  if (!std::exchange(group.has_untold, false)) return;
  const Duration first = waits == WaitClass::kIncomplete ? kTellIncompleteAfter : kTellAfter;
  const int doublings = std::min(group.waits_changes, kMostDoublings);
  TellFrom(key, group, group.waits_since + first * (1 << doublings));
}

void Scheduler::Impl::SayNoMore(const model::GroupKey& key, Group& group) {
  group.waits = WaitClass::kNone;
  group.waits_changes = 0;
  if (group.tell_at) untold_.erase({*group.tell_at, key});
  group.tell_at.reset();
}

// From the first member on: those that know it already are passed over.
void Scheduler::Impl::TellFrom(const model::GroupKey& key, Group& group, Time at) {
  if (group.waits == WaitClass::kNone) return;
  if (group.tell_at) {
    untold_.erase({*group.tell_at, key});
    at = std::min(at, *group.tell_at);
  }
  group.tell_at = at;
  untold_.insert_or_assign({at, key}, std::string{});
}

// At most so many in each window; a window is a tenth of a second, or longer at very low rates.
bool Scheduler::Impl::MayTellNow() {
  const std::int64_t rate = options_.conditions_per_second;
  const std::int64_t windows = std::min(rate, kMostWindows);
  const Duration window{1'000 / windows};
  if (now_ >= telling_.window_start + window) telling_ = {now_, 0};
  if (telling_.written < rate / windows) {
    ++telling_.written;
    return true;
  }
  WakeAt(telling_.window_start + window);
  return false;
}

void Scheduler::Impl::TellPods() {
  while (!untold_.empty() && untold_.begin()->first.first <= now_) {
    const model::GroupKey key = untold_.begin()->first.second;
    Group* group = state_.Find(key);
    if (group != nullptr && !TellMembers(key, *group, untold_.begin()->second)) return;
    if (group != nullptr) group->tell_at.reset();
    untold_.erase(untold_.begin());
  }
  if (!untold_.empty()) WakeAt(untold_.begin()->first.first);
}

// The words for what it waits for; null when that is over and the next try says what follows.
const std::string* Scheduler::Impl::WordsOf(const Group& group) const {
  if (group.waits == WaitClass::kCannot) return group.spec.problem.empty() ? nullptr : &group.spec.problem;
  return group.why && group.spec.problem.empty() ? &group.why->message : nullptr;
}

// False when it must go on later; `last` is then the member that was looked at last.
bool Scheduler::Impl::TellMembers(const model::GroupKey& key, Group& group, std::string& last) {
  const std::string* says = WordsOf(group);
  if (says == nullptr) return true;
  const std::string& words = *says;
  // Nothing else says these, and what lasts shorter needs no event either.
  if (group.waits == WaitClass::kIncomplete || group.waits == WaitClass::kCannot)
    Tell(group, true, kFailedScheduling, words);
  for (auto member = group.members.upper_bound(last); member != group.members.end(); ++member) {
    if (MustBeTold(member->second, group.waits)) {
      if (!MayTellNow()) return false;
      TellPod(key, *state_.cluster.pod(member->second.pod).pod, group.waits, words);
    }
    last = member->first;
  }
  return true;
}

bool Scheduler::Impl::MustBeTold(const MemberRef& member, WaitClass waits) const {
  if (options_.conditions_per_second <= 0) return false;
  const kube::Pod& pod = *state_.cluster.pod(member.pod).pod;
  // The API server itself says of a pod with gates that it has them.
  if (!state_.IsWaiting(member) || !pod.spec.scheduling_gates.empty() || pod.metadata.deletion_timestamp)
    return false;
  if (ToldClassOf(pod) == waits) return false;
  const auto sent = conditions_sent_.find(pod.metadata.uid);
  return sent == conditions_sent_.end() || sent->second != waits;
}

// The version as a precondition: a pod that is bound meanwhile, by whomever, is not told that it waits.
void Scheduler::Impl::TellPod(const model::GroupKey& key, const kube::Pod& pod, WaitClass waits,
                              const std::string& words) {
  const kube::ObjectMeta& meta = pod.metadata;
  conditions_sent_[meta.uid] = waits;
  drive::PatchStatus patch{.target = {kube::Kind::kPod, meta.namespace_, meta.name},
                           .merge = PodScheduledPatch(pod, waits, words, now_),
                           .strategic = true};
  Emit({.id = {},
        .after = {},
        .lane = drive::Lane::kCondition,
        .uid = meta.uid,
        .resource_version = meta.resource_version,
        .what = std::move(patch)},
       {Purpose::kCondition, key, meta.uid});
}

// The watch shows a condition that was written; what was refused for good is not sent again while the pod
// waits.
void Scheduler::Impl::NoteCondition(const kube::Pod& pod, bool deleted) {
  const auto sent = conditions_sent_.find(pod.metadata.uid);
  if (sent == conditions_sent_.end()) return;
  if (deleted || !pod.spec.node_name.empty() || ToldClassOf(pod) == sent->second)
    conditions_sent_.erase(sent);
}

void Scheduler::Impl::HandleConditionAnswer(const Sent& sent, drive::Outcome outcome) {
  if (outcome == drive::Outcome::kDone || outcome == drive::Outcome::kRejected) return;
  conditions_sent_.erase(sent.uid);
  Group* group = state_.Find(sent.group);
  if (group != nullptr) TellFrom(sent.group, *group, now_ + kTellAgainAfter);
}

}  // namespace cadre::core
