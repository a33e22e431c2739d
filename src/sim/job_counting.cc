#include "sim/job_counting.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "sim/job_backoff.h"
#include "sim/job_policies.h"

namespace cadre::sim {
namespace {

constexpr std::string_view kFailureCount = "batch.kubernetes.io/job-index-failure-count";
constexpr std::string_view kIgnoredFailureCount = "batch.kubernetes.io/job-index-ignored-failure-count";

std::int32_t CountIn(const kube::Pod& pod, std::string_view annotation) {
  const auto found = pod.metadata.annotations.find(annotation);
  if (found == pod.metadata.annotations.end()) {
    return 0;
  }
  const std::string& text = found->second;
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0 ? count : 0;
}

using Uids = std::set<std::string_view>;

Uids ToSet(const std::vector<std::string>& uids) {
  return {uids.begin(), uids.end()};
}

// A pod that the Job as it is now can count: of an Indexed Job only those with an index in range.
bool Countable(const kube::JobSpec& spec, const JobPod& pod) {
  return !spec.indexed || (pod.index >= 0 && pod.index < Completions(spec).value_or(0));
}

bool FailsItsIndex(const kube::Job& job, const JobPod& pod) {
  if (!IsFailed(pod, job)) {
    return false;
  }
  const FailurePolicyMatch match = MatchFailurePolicy(job.spec, pod);
  if (match.action == kube::PodFailurePolicyAction::kFailIndex) {
    return true;
  }
  return match.counts && IndexFailures(*pod.pod) >= *job.spec.backoff_limit_per_index;
}

void CountIndexes(const kube::Job& job, const TrackedStatus& status, std::span<const JobPod> pods,
                  JobCounts& counts) {
  const std::int32_t completions = Completions(job.spec).value_or(0);
  counts.recorded_indexes = IndexSet::Parse(status.completed_indexes, completions);
  counts.succeeded_indexes = counts.recorded_indexes;
  for (const JobPod& pod : pods) {
    if (pod.tracked && Countable(job.spec, pod) && IsSucceeded(pod)) {
      counts.succeeded_indexes.Add(pod.index);
    }
  }
  counts.succeeded = static_cast<std::int32_t>(counts.succeeded_indexes.Count());
}

bool LaterFailure(const JobPod& candidate, const JobPod& than) {
  const auto all_failures = [](const JobPod& pod) {
    return IndexFailures(*pod.pod) + IgnoredIndexFailures(*pod.pod);
  };
  return all_failures(candidate) >= all_failures(than) && FinishedAt(candidate) >= FinishedAt(than);
}

void CountFailuresPerIndex(const kube::Job& job, const TrackedStatus& status, std::span<const JobPod> pods,
                           JobCounts& counts) {
  counts.failed_indexes =
      IndexSet::Parse(status.failed_indexes.value_or(""), Completions(job.spec).value_or(0));
  IndexSet ended_or_alive = counts.succeeded_indexes;
  for (const JobPod& pod : pods) {
    if (pod.tracked && Countable(job.spec, pod) && FailsItsIndex(job, pod)) {
      counts.failed_indexes->Add(pod.index);
    }
    if (IsActive(pod) && pod.index >= 0) {
      ended_or_alive.Add(pod.index);
    }
  }
  ended_or_alive.AddAll(*counts.failed_indexes);
  for (const JobPod& pod : pods) {
    if (!pod.tracked || !Countable(job.spec, pod) || !IsFailed(pod, job) ||
        ended_or_alive.Contains(pod.index)) {
      continue;
    }
    const auto [place, added] = counts.replaced.try_emplace(pod.index, &pod);
    if (!added && LaterFailure(pod, *place->second)) {
      place->second = &pod;
    }
  }
}

// Whether this pod may go uncounted or has been counted by what RecordFinishedPods writes.
bool MayRelease(const kube::Job& job, const JobPod& pod, bool finished, const JobCounts& counts) {
  if (job.metadata.deletion_timestamp || finished || IsSucceeded(pod)) {
    return true;
  }
  if (!IsFailed(pod, job)) {
    return false;
  }
  const auto replaced = counts.replaced.find(pod.index);
  return replaced == counts.replaced.end() || replaced->second->uid() != pod.uid();
}

}  // namespace

JobPod MakeJobPod(kube::Object object) {
  JobPod pod;
  pod.pod = &object.As<kube::Pod>();
  pod.index = kube::CompletionIndex(*pod.pod).value_or(-1);
  pod.tracked = std::ranges::find(pod.pod->metadata.finalizers, kube::kJobTrackingFinalizer) !=
                pod.pod->metadata.finalizers.end();
  pod.object = std::move(object);
  return pod;
}

bool IsActive(const JobPod& pod) {
  return !kube::IsTerminal(*pod.pod) && !pod.pod->metadata.deletion_timestamp;
}

bool IsTerminating(const JobPod& pod) {
  return !kube::IsTerminal(*pod.pod) && pod.pod->metadata.deletion_timestamp;
}

bool IsReady(const JobPod& pod) {
  return kube::FindTrue(pod.pod->status.conditions, "Ready") != nullptr;
}

bool IsSucceeded(const JobPod& pod) {
  return pod.pod->status.phase == kube::PodPhase::kSucceeded;
}

bool IsFailed(const JobPod& pod, const kube::Job& job) {
  if (pod.pod->status.phase == kube::PodPhase::kFailed) {
    return true;
  }
  return !ReplacesOnlyFailed(job.spec) && pod.pod->metadata.deletion_timestamp && !IsSucceeded(pod);
}

std::int32_t BackoffLimit(const kube::JobSpec& spec) {
  return spec.backoff_limit.value_or(spec.backoff_limit_per_index ? std::numeric_limits<std::int32_t>::max()
                                                                  : 6);
}

std::optional<std::int32_t> Completions(const kube::JobSpec& spec) {
  return spec.completions || spec.parallelism ? spec.completions : 1;
}

bool ReplacesOnlyFailed(const kube::JobSpec& spec) {
  return spec.replace_only_failed_pods || !spec.pod_failure_policy.empty();
}

void OrderPods(std::vector<JobPod>& pods) {
  std::ranges::sort(pods, {}, [](const JobPod& pod) {
    return std::pair(pod.index, std::string_view(pod.pod->metadata.name));
  });
}

std::int32_t IndexFailures(const kube::Pod& pod) {
  return CountIn(pod, kFailureCount);
}

std::int32_t IgnoredIndexFailures(const kube::Pod& pod) {
  return CountIn(pod, kIgnoredFailureCount);
}

JobCounts CountPods(const kube::Job& job, const TrackedStatus& status, std::span<const JobPod> pods) {
  JobCounts counts;
  const Uids uncounted_succeeded = ToSet(status.uncounted_succeeded);
  const Uids uncounted_failed = ToSet(status.uncounted_failed);
  counts.succeeded = status.succeeded + static_cast<std::int32_t>(uncounted_succeeded.size());
  counts.failed = status.failed + static_cast<std::int32_t>(uncounted_failed.size());
  for (const JobPod& pod : pods) {
    if (IsActive(pod)) {
      counts.active.push_back(&pod);
      counts.ready += IsReady(pod) ? 1 : 0;
    }
    counts.terminating += IsTerminating(pod) ? 1 : 0;
    if (!pod.tracked || !Countable(job.spec, pod)) {
      continue;
    }
    if (IsSucceeded(pod) && !uncounted_succeeded.contains(pod.uid())) {
      counts.new_succeeded.push_back(&pod);
      ++counts.succeeded;
    }
    if (IsFailed(pod, job) && !uncounted_failed.contains(pod.uid())) {
      counts.new_failed.push_back(&pod);
      counts.failed += MatchFailurePolicy(job.spec, pod).counts ? 1 : 0;
    }
  }
  if (job.spec.indexed) {
    CountIndexes(job, status, pods, counts);
    if (job.spec.backoff_limit_per_index) {
      CountFailuresPerIndex(job, status, pods, counts);
    }
  }
  return counts;
}

Tracking RecordFinishedPods(const kube::Job& job, std::span<const JobPod> pods, bool finished,
                            bool ended_well, JobCounts& counts, TrackedStatus& status) {
  Tracking tracking;
  // Copies: the lists grow below, and what is added here has not been counted before.
  const std::set<std::string, std::less<>> before_succeeded(status.uncounted_succeeded.begin(),
                                                            status.uncounted_succeeded.end());
  const std::set<std::string, std::less<>> before_failed(status.uncounted_failed.begin(),
                                                         status.uncounted_failed.end());
  std::size_t new_indexes = 0;
  for (const JobPod& pod : pods) {
    if (!pod.tracked || !MayRelease(job, pod, finished, counts)) {
      continue;
    }
    tracking.release.push_back(&pod);
    if (IsSucceeded(pod) && !before_failed.contains(pod.uid())) {
      if (job.spec.indexed) {
        new_indexes += Countable(job.spec, pod) && !counts.recorded_indexes.Contains(pod.index) ? 1U : 0U;
      } else if (!before_succeeded.contains(pod.uid())) {
        status.uncounted_succeeded.push_back(pod.uid());
      }
    } else if (IsFailed(pod, job) || (finished && !ended_well)) {
      if (!before_failed.contains(pod.uid()) && Countable(job.spec, pod) &&
          MatchFailurePolicy(job.spec, pod).counts) {
        status.uncounted_failed.push_back(pod.uid());
      }
    }
    if (new_indexes + status.uncounted_succeeded.size() + status.uncounted_failed.size() >= kMaxUncounted) {
      tracking.limited = true;
      break;
    }
  }
  if (job.spec.indexed) {
    status.completed_indexes = counts.succeeded_indexes.ToString();
    status.succeeded = static_cast<std::int32_t>(counts.succeeded_indexes.Count());
    status.failed_indexes =
        counts.failed_indexes ? std::optional(counts.failed_indexes->ToString()) : std::nullopt;
  }
  return tracking;
}

void MoveToCounters(const std::set<std::string, std::less<>>& tracked, TrackedStatus& status) {
  const auto move = [&](std::vector<std::string>& uncounted, std::int32_t& counter) {
    counter += static_cast<std::int32_t>(
        std::erase_if(uncounted, [&](const std::string& uid) { return !tracked.contains(uid); }));
  };
  move(status.uncounted_succeeded, status.succeeded);
  move(status.uncounted_failed, status.failed);
}

}  // namespace cadre::sim
