// What cannot roll forward is rolled back: never left half. Owners are suspended, and resumed when their pods
// are gone: evicting a member would count against its Job's backoffLimit and may end it (measured on
// Kubernetes 1.36).
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/scheduler_impl.h"

namespace cadre::core {
namespace {

constexpr Duration kFirstResumeDelay{1'000};
constexpr Duration kLongestResumeDelay{300'000};
constexpr int kMostDoublings = 9;

int RollbacksOf(const model::OwnerObject& owner) {
  const auto found = owner.annotations.find(kRollbacksAnnotation);
  int count = 0;
  if (found != owner.annotations.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), count);
  }
  return std::max(0, count);
}

Duration ResumeDelay(int rollbacks) {
  return std::min(kFirstResumeDelay * (1 << std::clamp(rollbacks - 1, 0, kMostDoublings)),
                  kLongestResumeDelay);
}

boost::json::object SuspendPatch(bool suspend, boost::json::object annotations) {
  return {{"metadata", boost::json::object{{"annotations", std::move(annotations)}}},
          {"spec", boost::json::object{{"suspend", suspend}}}};
}

}  // namespace

bool Scheduler::Impl::IsBeingRolledBack(const Group& group) const {
  return std::any_of(
      group.spec.owners.begin(), group.spec.owners.end(), [&](const model::OwnerObject& owner) {
        return owners_in_patch_.contains(owner.uid) || state_.rolled_back().contains(owner.uid);
      });
}

void Scheduler::Impl::RollBack(const model::GroupKey& key, Group& group, const std::string& why) {
  Tell(group, true, "RolledBack", "gives its places back, because it cannot be made whole: " + why);
  queue_.BackOff(key, now_);
  // Its owners may have been seen, or changed, since its pods last did.
  group.spec_stale = true;
  state_.Refresh(group);
  bool suspends = false;
  for (const model::OwnerObject& owner : group.spec.owners) {
    if (owner.finished || owner.suspended || owners_in_patch_.contains(owner.uid)) continue;
    suspends = true;
    owners_in_patch_[owner.uid] = true;
    boost::json::object annotations{
        {std::string(kRolledBackAnnotation), why},
        {std::string(kRollbacksAnnotation), std::to_string(RollbacksOf(owner) + 1)}};
    Emit({.id = {},
          .after = {},
          .lane = drive::Lane::kWrite,
          .uid = owner.uid,
          .what = drive::Patch{{owner.kind, owner.namespace_, owner.name},
                               SuspendPatch(true, std::move(annotations))}},
         {Purpose::kOther, key, owner.uid});
  }
  if (suspends || !group.spec.owners.empty()) return;
  for (const auto& [uid, member] : group.members) {
    const model::PodEntry& entry = state_.cluster.pod(member.pod);
    if (entry.hold != model::Hold::kBound) continue;
    const kube::ObjectMeta& meta = entry.pod->metadata;
    Emit({.id = {},
          .after = {},
          .lane = drive::Lane::kWrite,
          .uid = uid,
          .what = drive::Evict{{kube::Kind::kPod, meta.namespace_, meta.name}}},
         {});
  }
}

void Scheduler::Impl::ResumeRolledBack() {
  for (const auto& [uid, owner] : state_.rolled_back()) {
    if (owners_in_patch_.contains(uid) || state_.HasLivePods(owner)) continue;
    const auto [at, first_time] = resume_at_.try_emplace(uid, now_ + ResumeDelay(RollbacksOf(owner)));
    if (at->second > now_) {
      WakeAt(at->second);
      continue;
    }
    resume_at_.erase(at);
    owners_in_patch_[uid] = false;
    boost::json::object annotations{{std::string(kRolledBackAnnotation), nullptr}};
    Emit({.id = {},
          .after = {},
          .lane = drive::Lane::kWrite,
          .uid = uid,
          .what = drive::Patch{{owner.kind, owner.namespace_, owner.name},
                               SuspendPatch(false, std::move(annotations))}},
         {Purpose::kOther, {}, uid});
  }
}

}  // namespace cadre::core
