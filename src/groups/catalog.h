// Catalog: which group a pod belongs to, and what that group asks for. A fold over the objects that make
// groups.
//
// Sources, in the order they are tried (docs/groups.md):
//   spec.schedulingGroup.podGroupName with a scheduling.k8s.io PodGroup; label scheduling.x-k8s.io/pod-group
//   with its PodGroup; label fluence.group-size; JobSet; Indexed Job with completions = parallelism > 1;
//   LeaderWorkerSet's labels; else a group of one.
// Annotations cadre.dev/gang, min-available, max-duration, required-, preferred- and exclusive-topology are
// read here and nowhere else. Thread rule: one writer; const calls from one thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/leaderworkerset.h"
#include "kube/object.h"
#include "kube/podgroup.h"
#include "model/group.h"

namespace cadre::groups {

inline constexpr std::string_view kGangAnnotation = "cadre.dev/gang";
inline constexpr std::string_view kMinAvailableAnnotation = "cadre.dev/min-available";
inline constexpr std::string_view kRequiredTopologyAnnotation = "cadre.dev/required-topology";
inline constexpr std::string_view kPreferredTopologyAnnotation = "cadre.dev/preferred-topology";
inline constexpr std::string_view kExclusiveTopologyAnnotation = "cadre.dev/exclusive-topology";
inline constexpr std::string_view kExclusiveScopeAnnotation = "cadre.dev/exclusive-scope";
inline constexpr std::string_view kMaxDurationAnnotation = "cadre.dev/max-duration";
inline constexpr std::string_view kFluenceGroupSizeLabel = "fluence.group-size";

// The API kinds it folds, besides pods.
std::span<const kube::Kind> CatalogKinds();

// What one change of a Job, JobSet, PodGroup or LeaderWorkerSet touches.
struct Affected {
  // Pods of these (Catalog::MakerOf) may belong elsewhere now: ask MembershipOf again.
  std::vector<std::string> makers;
  std::vector<model::GroupKey> groups;  // these may ask for something else now: Describe again
  std::optional<model::GroupKey> set;   // the same for every group that is a part of this
};

// The groups that are touched, each once: of a set those that the caller has.
template <class ByGroupKey>
std::set<model::GroupKey> TouchedGroups(const Affected& affected, const ByGroupKey& known) {
  std::set<model::GroupKey> touched(affected.groups.begin(), affected.groups.end());
  if (!affected.set) return touched;
  for (auto at = known.lower_bound(*affected.set); at != known.end(); ++at) {
    model::GroupKey whole = at->first;
    whole.part.clear();
    if (whole != *affected.set) break;
    touched.insert(at->first);
  }
  return touched;
}

class Catalog {
 public:
  // Job, JobSet, both PodGroups, LeaderWorkerSet; other kinds are ignored.
  Affected Apply(const kube::Object& object, bool deleted);

  // Where this pod belongs now. Never fails: a pod that names a group that does not exist belongs to that
  // name.
  model::Membership MembershipOf(const kube::Pod& pod) const;

  // What a change of may move the pod to another group: the UID of its Job, or "LeaderWorkerSet
  // namespace/name"; empty: nothing.
  static std::string MakerOf(const kube::Pod& pod);

  // True for the groups that pods name themselves (PodGroups, Fluence's label): no owner counts what has
  // succeeded.
  static bool IsNamedByPods(const model::GroupKey& key);

  // True for a live pod of the group's present run: not terminal, not being deleted, not of a Job or
  // LeaderWorkerSet that is being deleted, nor of an earlier attempt of its JobSet.
  bool IsCurrent(const kube::Pod& pod) const;

  // What the group asks for. `members` are its live pods, for the groups that are known by their pods alone.
  // model::WholeOf a stage has the units of all stages.
  model::GroupSpec Describe(const model::GroupKey& key, const std::vector<const kube::Pod*>& members) const;

  // The groups that the object of this name stands for: of a JobSet its stages or replicated jobs.
  std::vector<model::GroupKey> PartsOf(const model::GroupKey& key) const;

  const kube::Job* FindJob(std::string_view uid) const;        // null when unknown
  const kube::JobSet* FindJobSet(std::string_view uid) const;  // null when unknown
  // The child Jobs of a JobSet, by UID, whatever their attempt.
  std::vector<const kube::Job*> JobsOf(std::string_view jobset_uid) const;
  const kube::PodGroup* FindPodGroup(const model::GroupKey& key) const;  // null for keys of other kinds too
  // Of the object that carries Cadre's annotations about the group; null when it is not there.
  const kube::ObjectMeta* FindRecord(const model::GroupKey& key) const;

 private:
  Affected ApplyLeaderWorkerSet(const kube::Object& object, bool deleted);
  const kube::LeaderWorkerSet* FindLeaderWorkerSet(std::string_view namespace_name,
                                                   std::string_view name) const;
  void AddOwnersBound(const std::vector<const kube::Pod*>& members, model::GroupSpec& spec) const;

  std::map<std::string, std::shared_ptr<const kube::Job>, std::less<>> jobs_;        // by UID
  std::map<std::string, std::shared_ptr<const kube::JobSet>, std::less<>> jobsets_;  // by UID
  std::map<std::string, std::set<std::string>, std::less<>> jobs_of_jobset_;         // JobSet UID -> Job UIDs
  std::map<std::string, std::shared_ptr<const kube::PodGroup>, std::less<>> native_podgroups_;   // "ns/name"
  std::map<std::string, std::shared_ptr<const kube::PodGroup>, std::less<>> plugins_podgroups_;  // "ns/name"
  std::map<std::string, std::shared_ptr<const kube::LeaderWorkerSet>, std::less<>> sets_;        // "ns/name"
};

}  // namespace cadre::groups
