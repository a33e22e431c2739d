// State: the fold over API objects that the scheduler decides from: cluster, catalog of groups, and which pod
// is which group's member. Nothing in it was decided here, except what `Group` marks as such.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/claims.h"
#include "core/plan.h"
#include "core/scheduler.h"
#include "core/wait_class.h"
#include "drive/effect.h"
#include "groups/catalog.h"
#include "match/request.h"
#include "model/cluster.h"

namespace cadre::core {

// One live pod of a group.
struct MemberRef {
  model::PodId pod;
  std::string unit;
  std::int32_t index = -1;
};

struct Group {
  model::GroupSpec spec;
  std::map<std::string, MemberRef> members;  // live current pods, by UID
  bool spec_stale = true;                    // Describe again before use
  bool looks_for_pods = false;               // affinity or spread: pods that take their place may let it in

  // Decided by this process; a new one finds it again from annotations (Scheduler::Impl::Adopt).
  bool started = false;
  std::string plan_id;  // of the present start; empty before the first bind
  Plan plan;            // where members were last sent: hints for those who come again
  std::set<std::string>
      starting_units;  // later stages whose binds this process has sent and that are not whole yet
  std::set<drive::EffectId> in_flight;  // binds not answered
  bool bind_failed = false;             // one of the binds since in_flight was last empty
  int failed_rounds = 0;                // times in a row that binds of a start failed
  bool bind_rejected = false;           // one of them will never be taken in this form
  std::string bind_error;               // the API server's words for the last of them
  std::set<std::string> reserved;       // keys of reservations for members still to come
  std::string marked;                   // the plan_id whose mark was sent; empty when it was not, or failed
  int mark_attempts = 0;
  std::optional<Time> incomplete_since;  // half placed, and the missing pods do not exist
  std::optional<match::Diagnosis> why;   // of a try in vain; its kind is that of the last one
  std::uint64_t why_for = 0;             // the empty nodes (Finder::EmptyVersion) it speaks of; 0: ask again
  bool held_back = false;                // it would fit, but would delay who is ahead of it
  WaitClass waits = WaitClass::kNone;    // what its waiting pods are told, or will be
  Time waits_since{};
  int waits_changes = 0;        // of the class, since it began to wait
  bool has_untold = true;       // members may have come since they were
  std::optional<Time> tell_at;  // when its members are to be told (Scheduler::Impl::untold_)
  std::string told;             // what the last event said, so that it is said once
};

class State {
 public:
  explicit State(const Options& options);

  void Apply(const kube::Object& object, bool deleted);

  // Groups that changed since the last call, in order of keys.
  std::set<model::GroupKey> TakeDirty();

  Group* Find(const model::GroupKey& key);
  // Describes the group again if anything it hangs on changed.
  void Refresh(Group& group);
  // The group's priority: the highest of its pods'.
  std::int32_t PriorityOf(const Group& group) const;
  // Bound or assumed, on a node that is there.
  bool IsPlaced(const MemberRef& member) const;
  // Has no node yet: the pod can still be bound. A member that is neither lost its node and waits for its
  // end.
  bool IsWaiting(const MemberRef& member) const;
  std::int32_t PlacedCount(const Group& group) const;
  // Pods of these Jobs (for a JobSet: of its Jobs) that still hold resources or will.
  bool HasLivePods(const model::OwnerObject& owner) const;
  // Who the pods of this unit are to claims; invalid where they are on their own.
  model::TenantId TenantOf(const model::GroupSpec& spec, const std::string& unit);
  // Jobs and JobSets that Cadre suspended and that are still suspended.
  const std::map<std::string, model::OwnerObject>& rolled_back() const { return rolled_back_; }
  // Does a group, or for model::WholeOf it one of its stages, have live pods?
  bool HasMembers(const model::GroupKey& whole) const;
  void Erase(const model::GroupKey& key) { groups_.erase(key); }
  // Pods that hold resources and are being deleted, by UID.
  const std::set<std::string>& terminating() const { return terminating_; }
  // Groups of ours of which pods have run and ended, by what was seen since the last call; and when they had
  // started.
  struct Ended {
    model::GroupKey group;
    Time started{};
    std::int32_t priority = 0;
    Time created{};  // of the group
  };
  std::vector<Ended> TakeEnded();

  model::Cluster cluster;
  groups::Catalog catalog;
  Claims claims;
  const std::map<model::GroupKey, Group>& groups() const { return groups_; }

  std::string Fingerprint() const;

 private:
  model::TenantId TenantOf(const model::GroupKey& key, const std::string& unit, bool alone);
  void ApplyPod(const kube::Object& object, bool deleted);
  void TouchGroupsOn(model::NodeId node);
  void NoteMaker(const kube::Pod& pod, bool deleted);
  void PlacePodInGroup(const kube::Pod& pod);
  void RemoveFromGroup(const std::string& uid);
  void NoteSucceeded(const kube::Pod& pod);
  void ForgetSucceeded(const std::string& uid);
  void NoteRollback(const kube::Object& object, bool deleted);
  void NoteEnd(const kube::Object& object, bool deleted);

  std::set<std::string> scheduler_names_;
  std::map<model::GroupKey, Group> groups_;
  std::unordered_map<std::string, model::GroupKey> group_of_pod_;  // by UID
  std::map<std::string, std::set<std::string>, std::less<>>
      pods_of_;                                            // by what makes them (Catalog::MakerOf)
  std::map<std::string, model::OwnerObject> rolled_back_;  // by UID
  // Pods that have succeeded, of groups known by their pods alone: a Job's own status counts its.
  std::map<model::GroupKey, std::set<std::string>> succeeded_;
  std::map<std::string, model::GroupKey, std::less<>> group_of_succeeded_;  // by UID
  std::set<model::GroupKey> dirty_;
  std::set<std::string> terminating_;
  std::map<std::string, std::shared_ptr<const kube::Pod>> ended_;  // by UID
};

}  // namespace cadre::core
