// The scheduler's inside: one class over three files by idea: scheduler.cc (events in, effects out, views),
// placer.cc (trying groups, binds), rollback.cc (what cannot roll forward).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/request_builder.h"
#include "core/scheduler.h"
#include "core/state.h"
#include "queue/pending_queue.h"

namespace cadre::core {

class Scheduler::Impl {
 public:
  explicit Impl(Options options);

  drive::StepResult Step(Time now, std::span<const drive::Event> events);
  std::vector<GroupView> Groups() const;
  const State& state() const { return state_; }

 private:
  enum class Purpose : std::uint8_t { kBind, kMark, kOther };
  struct Sent {
    Purpose purpose = Purpose::kOther;
    model::GroupKey group;
    std::string uid;  // of the pod that is bound, of the owner that is patched
  };

  // A bind whose answer was lost: believed in for a while.
  struct LostBind {
    Time until;
    model::GroupKey group;
  };

  // scheduler.cc
  void Handle(const drive::Changed& changed);
  void Handle(const drive::Listed& listed);
  void Handle(const drive::Answer& answer);
  void HandleBindAnswer(const Sent& sent, const drive::Answer& answer);
  void UpdateGroups();
  void UpdateGroup(const model::GroupKey& key);
  drive::EffectId Emit(drive::Effect effect, Sent sent);
  void Tell(Group& group, bool warning, std::string_view reason, const std::string& message);
  GroupView ViewOf(const model::GroupKey& key, const Group& group) const;

  // placer.cc
  void PlaceWaiting();
  void TryGroup(const model::GroupKey& key);
  bool IsRefusedAlready(const model::GroupKey& key, Group& group, const Ask& ask);
  void Commit(const model::GroupKey& key, Group& group, const Ask& ask, const match::Placement& placement);
  void Bind(const model::GroupKey& key, Group& group, const Slot& slot, const std::string& plan_text,
            std::optional<drive::EffectId> after, drive::EffectId* first);
  void Refuse(const model::GroupKey& key, Group& group, const Ask& ask, match::Diagnosis why);
  void RefuseRest(const model::GroupKey& key, Group& group, const Ask& ask);
  void Adopt(Group& group);
  void SettleBinds(const model::GroupKey& key, Group& group);
  void MarkStarted(const model::GroupKey& key, Group& group);
  void KeepRoomForLater(const model::GroupKey& key, Group& group);
  void ReleaseReservations(Group& group, std::string_view unit);
  void NoteStartingUnits(Group& group, const Ask& ask, const match::Placement& placement);
  bool WantsPlace(const Group& group) const;
  bool IsHalfStarted(const Group& group) const;
  std::map<std::string_view, std::int32_t> PlacedByUnit(const Group& group) const;
  bool IsBeingRolledBack(const Group& group) const;
  std::uint64_t VersionFor(const Group& group) const;
  bool IsHalfPlaced(const Group& group) const;
  void ForgetLostBinds();

  // rollback.cc
  void RollBack(const model::GroupKey& key, Group& group, const std::string& why);
  void ResumeRolledBack();
  void RollBackIncomplete(const model::GroupKey& key, Group& group);
  void WakeAt(Time at);

  Options options_;
  State state_;
  queue::PendingQueue queue_;
  std::set<kube::Kind> unlisted_;
  Time now_{};
  std::uint64_t next_effect_ = 1;
  std::map<drive::EffectId, Sent> sent_;
  std::map<std::string, LostBind> lost_binds_;  // by pod UID
  std::map<std::string, Time> resume_at_;       // owner UID -> when its back-off ends
  std::map<std::string, bool>
      owners_in_patch_;  // owner UID -> the spec.suspend that was sent and not seen yet
  std::map<std::string, match::Diagnosis> refused_;  // by Ask::signature, for this room version
  std::uint64_t refused_version_ = 0;
  std::uint64_t scanned_version_ = 0;  // room and pods when the whole queue was last looked at
  std::vector<drive::Effect> effects_;
  std::optional<Time> wake_;
};

}  // namespace cadre::core
