// When a Job has succeeded or failed: its limits, podFailurePolicy (KEP-3329) and successPolicy (KEP-3998),
// in the order in which Kubernetes asks them. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/time.h"
#include "sim/job_counting.h"

namespace cadre::sim {

struct FailurePolicyMatch {
  std::optional<kube::PodFailurePolicyAction> action;  // of the first rule that matches
  std::string message;                                 // for kFailJob: why
  bool counts = true;                                  // the failure counts toward backoffLimit
};

// The first rule that matches a failed pod. No rule: the failure counts.
FailurePolicyMatch MatchFailurePolicy(const kube::JobSpec& spec, const JobPod& pod);

// "Matched rules at index N" when a rule of the success policy holds.
std::optional<std::string> MatchSuccessPolicy(const kube::JobSpec& spec, const IndexSet& succeeded);

// What a Job's state so far says about its end.
struct Verdict {
  // FailureTarget (it is failing since now), Failed (it was failing already), SuccessCriteriaMet; none: it
  // goes on.
  std::optional<JobCondition> end;
  std::optional<Time> deadline;  // ask again then (activeDeadlineSeconds)
};

Verdict Judge(const kube::Job& job, const TrackedStatus& status, const JobCounts& counts,
              std::span<const JobPod> pods, Time now);

// All that was asked for has succeeded and nothing runs any more. `active`: after this sync's creates and
// deletes.
bool IsComplete(const kube::JobSpec& spec, std::int32_t succeeded, std::int32_t active);

}  // namespace cadre::sim
