// One describer per source of groups: the objects behind a group -> what it asks for. Used by Catalog alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "groups/annotations.h"
#include "groups/catalog.h"

namespace cadre::groups {

// Kinds of GroupKey.
inline constexpr std::string_view kJobSetGroup = "JobSet";
inline constexpr std::string_view kJobGroup = "Job";
inline constexpr std::string_view kPodGroupGroup = "PodGroup";  // scheduling.k8s.io
inline constexpr std::string_view kPluginsPodGroupGroup =
    "PodGroup.scheduling.x-k8s.io";                                // scheduler-plugins
inline constexpr std::string_view kFluenceGroup = "FluenceGroup";  // label fluence.group-size
inline constexpr std::string_view kLeaderWorkerSetGroup = "LeaderWorkerSet";
inline constexpr std::string_view kPodGroupOfOne = "Pod";

// How the pods of a Job that is not part of a JobSet's gang are placed.
enum class JobMode : std::uint8_t {
  kPods,      // each is a group of its own
  kOneByOne,  // a group, because all of them lie in one domain; but room for one pod is enough to start
  kGang,
};
// `jobset`: the one the Job is of, or null.
JobMode JobModeOf(const kube::Job& job, const kube::StringMap& pod_annotations, const kube::JobSet* jobset);

// What such a Job is asked to be in, and what its JobSet asks of each of the groups it is in.
model::TopologyAsk TopologyOf(const kube::Job& job, const kube::StringMap& pod_annotations,
                              const kube::JobSet* jobset);
model::TopologyAsk TopologyAround(const kube::JobSet* jobset);

// Will a Job of this size only ever have one pod at a time, and one to complete?
bool HasOnePod(const std::optional<std::int32_t>& parallelism,
               const std::optional<std::int32_t>& completions);

// How many pods this Job will have at the same time, counting what has succeeded already; 0 when finished.
std::int32_t ExpectedPods(const kube::Job& job);

// `jobset`: as in JobModeOf.
model::GroupSpec DescribeJob(const model::GroupKey& key, const kube::Job* job, const kube::JobSet* jobset);

// How the pods of a JobSet with these annotations are grouped; never kUnset.
GangMode ModeOf(const kube::JobSet& jobset, const kube::StringMap& pod_annotations);

// The key of the group that a child Job's pods belong to; none: the Job is on its own (cadre.dev/gang: job or
// none).
std::optional<model::GroupKey> JobSetGroupOf(const kube::JobSet& jobset, const kube::Job& job,
                                             const kube::StringMap& pod_annotations);
std::vector<model::GroupKey> JobSetGroups(const kube::JobSet& jobset);
// `jobs`: the JobSet's child Jobs, whatever their attempt. A key without a part stands for all stages.
model::GroupSpec DescribeJobSet(const model::GroupKey& key, const kube::JobSet* jobset,
                                const std::vector<const kube::Job*>& jobs);
// Of the present attempt and not being deleted.
bool IsCurrentJob(const kube::JobSet& jobset, const kube::Job& job);

model::GroupSpec DescribePodGroup(const model::GroupKey& key, const kube::PodGroup* pod_group,
                                  const std::vector<const kube::Pod*>& members);
model::GroupSpec DescribePod(const model::GroupKey& key, const std::vector<const kube::Pod*>& members);

// When the first of them was made.
Time OldestOf(const std::vector<const kube::Pod*>& members);

// Units of a group of a LeaderWorkerSet.
inline constexpr std::string_view kLeaderUnit = "leader";
inline constexpr std::string_view kWorkersUnit = "workers";

// What its labels say of a pod of a LeaderWorkerSet; borrows the pod's text.
struct LwsPlace {
  std::string_view set;
  std::int32_t group = 0;
  std::int32_t worker = 0;  // 0: the leader
};
std::optional<LwsPlace> LwsPlaceOf(const kube::Pod& pod);

// `set`: null when it is not there; then the pod's own annotations count. None: the pod is on its own.
std::optional<model::Membership> LeaderWorkerSetMembershipOf(const kube::Pod& pod, const LwsPlace& place,
                                                             const kube::LeaderWorkerSet* set);
// Do both versions say the same about which group the pods belong to, and whether they are current?
bool SameGrouping(const kube::LeaderWorkerSet& a, const kube::LeaderWorkerSet& b);
// The groups of which claims stand on the set, whether they have pods or not.
std::vector<model::GroupKey> GroupsWithClaims(const kube::LeaderWorkerSet& set);
model::GroupSpec DescribeLeaderWorkerSet(const model::GroupKey& key, const kube::LeaderWorkerSet* set,
                                         const std::vector<const kube::Pod*>& members);

model::OwnerObject OwnerOf(const kube::Job& job);
model::OwnerObject OwnerOf(const kube::JobSet& jobset);

}  // namespace cadre::groups
