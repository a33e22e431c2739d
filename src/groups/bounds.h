// How long a group can run: what its objects say about it, for reservations (docs/queue.md). Used by Catalog
// alone.
//
// Sources: activeDeadlineSeconds of a Job (Kubernetes counts it from the Job's status.startTime, waiting
// included) and of its pods (counted from each pod's status.startTime); cadre.dev/max-duration on the owner
// or the pod template. Where several speak the smallest holds. Nothing that cannot be read, or is not above
// zero, counts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/pod.h"
#include "model/group.h"

namespace cadre::groups {

// Of one run. Both empty: nobody says anything.
struct RunBound {
  std::optional<Duration> longest;  // from its start
  std::optional<Time> ends_by;
  bool operator==(const RunBound&) const = default;
};

// cadre.dev/max-duration, the smaller of the two: "90m", "1h30m", "2d", or seconds as a plain number.
std::optional<Duration> ReadMaxDuration(const kube::StringMap& owner, const kube::StringMap& pod_template);

// `annotations` of the Job; its pods come in as many turns as completions and parallelism make.
RunBound BoundOf(const kube::Job& job);

// The longest of the units' that are not over; nothing where one of them says nothing. The JobSet's own
// annotation takes the place of all that. `jobs` by unit: null where the Job is not there yet and its
// template counts.
struct ChildJob {
  const kube::ReplicatedJob* replicated = nullptr;
  const kube::Job* job = nullptr;
};
RunBound BoundOf(const kube::JobSet& jobset, const std::vector<ChildJob>& children);

// Pods without an owner that says anything: the longest of theirs; nothing where one of them says nothing.
RunBound BoundOf(const kube::StringMap& owner_annotations, const std::vector<const kube::Pod*>& members);

// The smaller of both, each way.
RunBound Tighter(const RunBound& a, const RunBound& b);

}  // namespace cadre::groups
