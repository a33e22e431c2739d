// What a Job's pods amount to: how many run, have succeeded or failed, which indexes are done; and the
// book-keeping that counts each pod once although the process may die at any write.
//
// How a pod is counted once (KEP-2307, job tracking with finalizers): every pod of a Job carries a finalizer,
// so it cannot vanish uncounted. (1) The UIDs of finished pods go into status.uncountedTerminatedPods. (2)
// Their finalizers are removed. (3) UIDs whose pod has no finalizer any more move from the list into the
// counter. Whichever of these writes is the last one before a crash, repeating the steps from the API alone
// gives the same sum. For succeeded pods of Indexed Jobs the index in status.completedIndexes does the work
// of the UID.
//
// Everything here is a pure function of objects.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kube/job.h"
#include "kube/object.h"
#include "sim/job_indexes.h"
#include "sim/job_status.h"

namespace cadre::sim {

// One pod of a Job as the controller last saw it.
struct JobPod {
  kube::Object object;
  const kube::Pod* pod = nullptr;  // of `object`
  std::int32_t index = -1;         // completion index; -1: none
  bool tracked = false;  // has the finalizer, and we have not removed it since: it is not counted yet

  const std::string& uid() const { return pod->metadata.uid; }
};

JobPod MakeJobPod(kube::Object object);

bool IsActive(const JobPod& pod);       // neither finished nor being deleted
bool IsTerminating(const JobPod& pod);  // being deleted, not finished yet
bool IsReady(const JobPod& pod);        // condition Ready
bool IsSucceeded(const JobPod& pod);
// Failed; or being deleted without having succeeded, unless the Job waits for such pods to end
// (podReplacementPolicy Failed, or any podFailurePolicy).
bool IsFailed(const JobPod& pod, const kube::Job& job);

// spec, with the defaults that the API server applies.
std::int32_t BackoffLimit(const kube::JobSpec& spec);
std::optional<std::int32_t> Completions(const kube::JobSpec& spec);
bool ReplacesOnlyFailed(const kube::JobSpec& spec);

struct JobCounts {
  std::vector<const JobPod*> active;
  std::int32_t ready = 0;
  std::int32_t terminating = 0;
  // With those that have finished but are not yet in the status.
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::vector<const JobPod*> new_succeeded;
  std::vector<const JobPod*> new_failed;
  // Indexed Jobs.
  IndexSet recorded_indexes;               // status.completedIndexes
  IndexSet succeeded_indexes;              // and those that have succeeded since
  std::optional<IndexSet> failed_indexes;  // with backoffLimitPerIndex
  // The failed pod of each index that has neither a living pod nor an end: its finalizer stays until the
  // replacement carries its failure count on.
  std::map<std::int32_t, const JobPod*> replaced;
};

// `pods` in the order of OrderPods; pointers in the result point into it.
JobCounts CountPods(const kube::Job& job, const TrackedStatus& status, std::span<const JobPod> pods);

// By index, then name: the one order in which pods are looked at.
void OrderPods(std::vector<JobPod>& pods);

// How often this index has failed so far: what the pod's annotations carry, the pod's own failure not
// included. `ignored`: failures that the podFailurePolicy ignores.
std::int32_t IndexFailures(const kube::Pod& pod);
std::int32_t IgnoredIndexFailures(const kube::Pod& pod);

struct Tracking {
  std::vector<const JobPod*> release;  // their finalizers may go once the status is written
  bool limited = false;                // more pods wait for their turn: the Job is not finished yet
};

// At most this many UIDs stand in the status at a time.
inline constexpr std::size_t kMaxUncounted = 500;

// Step (1) above. `finished`: the Job ends in this sync; `ended_well`: because it has succeeded. Then the
// pods that were still running are let go, and counted as failed unless it ended well.
Tracking RecordFinishedPods(const kube::Job& job, std::span<const JobPod> pods, bool finished,
                            bool ended_well, JobCounts& counts, TrackedStatus& status);

// Step (3) above. `tracked`: UIDs of the pods that still have the finalizer.
void MoveToCounters(const std::set<std::string, std::less<>>& tracked, TrackedStatus& status);

}  // namespace cadre::sim
