// The scheduler's inside: one class over files by idea: scheduler.cc (events in, effects out, views),
// placer.cc (trying a group, binds), passing.cc (which are tried, who may pass whom), claiming.cc (exclusive
// domains), rollback.cc (what cannot roll forward), telling.cc (conditions of pods that wait).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/outlook.h"
#include "core/request_builder.h"
#include "core/scheduler.h"
#include "core/state.h"
#include "queue/pending_queue.h"

namespace cadre::core {

// Reasons of events that kube-scheduler has too, because users look for them.
inline constexpr std::string_view kFailedScheduling = "FailedScheduling";
inline constexpr std::string_view kScheduled = "Scheduled";

class Scheduler::Impl {
 public:
  explicit Impl(Options options);

  drive::StepResult Step(Time now, std::span<const drive::Event> events);
  std::vector<GroupView> Groups();
  Counters counters() const;
  const State& state() const { return state_; }

 private:
  enum class Purpose : std::uint8_t { kBind, kMark, kClaim, kCondition, kOther };
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
  void AddOutlook(GroupView& view);
  void RenewReason(const Group& group, std::map<std::string, match::Diagnosis>& known, GroupView& view);

  // placer.cc
  bool TryGroup(const model::GroupKey& key);
  bool IsRefusedAlready(const model::GroupKey& key, Group& group, const Ask& ask);
  // A place, or why not; no diagnosis where the one that the group has will do.
  using Sought = std::expected<match::Placement, std::optional<match::Diagnosis>>;
  Sought Seek(const Group& group, const match::Request& request);
  bool KnowsWhy(const Group& group);
  void Commit(const model::GroupKey& key, Group& group, const Ask& ask, const match::Placement& placement);
  void Bind(const model::GroupKey& key, Group& group, const Slot& slot, const std::string& plan_text,
            std::optional<drive::EffectId> after, drive::EffectId* first);
  void Refuse(const model::GroupKey& key, Group& group, const Ask& ask, std::optional<match::Diagnosis> why);
  void RefuseRest(const model::GroupKey& key, Group& group, const Ask& ask);
  void Adopt(Group& group);
  void SettleBinds(const model::GroupKey& key, Group& group);
  void MarkStarted(const model::GroupKey& key, Group& group);
  void KeepRoomForLater(const model::GroupKey& key, Group& group);
  void ReleaseReservations(Group& group, std::string_view unit);
  void ReleaseWhatNobodyComesFor(Group& group);
  void NoteStartingUnits(Group& group, const Ask& ask, const match::Placement& placement);
  bool WantsPlace(const Group& group) const;
  bool IsHalfStarted(const Group& group) const;
  std::map<std::string_view, std::int32_t> PlacedByUnit(const Group& group) const;
  bool IsBeingRolledBack(const Group& group) const;
  bool IsHalfPlaced(const Group& group) const;
  void ForgetLostBinds();

  // passing.cc
  enum class Round : std::uint8_t { kDone, kAgain, kOutOfSearches };
  void PlaceWaiting();
  Round PlaceInOrder();
  std::uint64_t VersionFor(const Group& group) const;
  bool Pass(const model::GroupKey& key, Group& group, const Ask& ask, match::Placement placement);
  bool MayBeHeldBack(const model::GroupKey& key, const Group& group) const;
  void HoldBack(const model::GroupKey& key, Group& group, std::string why);
  bool WaitsInLine(const model::GroupKey& key, Group& group);
  bool WaitsForVolumes(const Group& group) const;
  void NoteRefusal(const model::GroupKey& key, Group& group);

  // claiming.cc
  std::vector<ClaimEntry> ClaimsFor(const model::GroupKey& key, const Group& group, const Ask& ask,
                                    const match::Placement& placement) const;
  std::optional<drive::EffectId> WriteClaims(const model::GroupKey& key, Group& group, const Ask& ask,
                                             const match::Placement& placement);
  void HandleClaimAnswer(const Sent& sent, const drive::Answer& answer);
  void TidyClaims();
  void ExpireClaims();
  void ClaimIsUsed(const Claims::Holder& holder);
  void ClaimIsIdle(const Claims::Holder& holder);

  // rollback.cc
  void RollBack(const model::GroupKey& key, Group& group, const std::string& why);
  void ResumeRolledBack();
  void RollBackIncomplete(const model::GroupKey& key, Group& group);
  // telling.cc
  void SayWhy(const model::GroupKey& key, Group& group, WaitClass waits);
  void SayNoMore(const model::GroupKey& key, Group& group);
  void TellFrom(const model::GroupKey& key, Group& group, Time at);
  void TellPods();
  const std::string* WordsOf(const Group& group) const;
  bool TellMembers(const model::GroupKey& key, Group& group, std::string& last);
  bool MayTellNow();
  bool MustBeTold(const MemberRef& member, WaitClass waits) const;
  void TellPod(const model::GroupKey& key, const kube::Pod& pod, WaitClass waits, const std::string& words);
  void NoteCondition(const kube::Pod& pod, bool deleted);
  void HandleConditionAnswer(const Sent& sent, drive::Outcome outcome);

  void WakeAt(Time at);

  Options options_;
  State state_;
  queue::PendingQueue queue_;
  match::Finder finder_;
  Outlook outlook_;
  Counters counters_;
  std::set<kube::Kind> unlisted_;
  Time now_{};
  std::uint64_t next_effect_ = 1;
  std::map<drive::EffectId, Sent> sent_;
  std::map<std::string, LostBind> lost_binds_;  // by pod UID
  // Of groups that hold domains: since when they have no pods (none: they have, and the note that they had
  // none is being taken off), and whether that is noted on their record object.
  struct IdleClaim {
    std::optional<Time> since;
    bool is_noted = false;
  };
  std::map<model::GroupKey, IdleClaim> idle_claims_;
  std::map<std::string, Time> resume_at_;  // owner UID -> when its back-off ends
  std::map<std::string, bool>
      owners_in_patch_;  // owner UID -> the spec.suspend that was sent and not seen yet
  // By Ask::signature, for this room version; nothing: no place, and nobody has asked why.
  std::map<std::string, std::optional<match::Diagnosis>> refused_;
  std::uint64_t refused_version_ = 0;
  std::uint64_t scanned_version_ = 0;  // room, pods and outlook when the whole queue was last looked at
  std::uint64_t scanned_room_version_ = 0;
  // Groups with members that are to be told why they wait: when, and the last member that was (by UID).
  std::map<std::pair<Time, model::GroupKey>, std::string> untold_;
  // By pod UID: conditions that were sent and are not seen yet, or were refused for good.
  std::unordered_map<std::string, WaitClass> conditions_sent_;
  struct Telling {
    Time window_start{};
    std::int64_t written = 0;
  };
  Telling telling_;

  std::vector<drive::Effect> effects_;
  std::optional<Time> wake_;
};

}  // namespace cadre::core
