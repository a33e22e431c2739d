#include "sim/job_policies.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/pod.h"

namespace cadre::sim {
namespace {

using Action = kube::PodFailurePolicyAction;

bool HoldsExitCode(const kube::PodFailurePolicyRule& rule, std::int32_t exit_code) {
  const bool listed = std::ranges::find(rule.exit_codes, exit_code) != rule.exit_codes.end();
  return listed == rule.exit_codes_in;
}

// What made the rule match, for people; none: it does not match.
std::optional<std::string> MatchExitCodes(const kube::PodFailurePolicyRule& rule, const JobPod& pod) {
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (const json::value& status : ArrayIn(*pod.object.raw, {"status", list})) {
      if (Find(status, {"state", "terminated"}) == nullptr) {
        continue;  // still running: no exit code yet
      }
      const std::string_view name = StringIn(status, {"name"});
      const std::int32_t exit_code = Int32In(status, {"state", "terminated", "exitCode"});
      if ((rule.container_name && *rule.container_name != name) || exit_code == 0 ||
          !HoldsExitCode(rule, exit_code)) {
        continue;
      }
      return fmt::format("Container {} for pod {}/{} failed with exit code {}", name,
                         pod.pod->metadata.namespace_, pod.pod->metadata.name, exit_code);
    }
  }
  return std::nullopt;
}

std::optional<std::string> MatchConditions(const kube::PodFailurePolicyRule& rule, const JobPod& pod) {
  for (const json::value& condition : ArrayIn(*pod.object.raw, {"status", "conditions"})) {
    for (const auto& [type, status] : rule.pod_conditions) {
      if (StringIn(condition, {"type"}) == type && StringIn(condition, {"status"}) == status) {
        return fmt::format("Pod {}/{} has condition {}", pod.pod->metadata.namespace_, pod.pod->metadata.name,
                           type);
      }
    }
  }
  return std::nullopt;
}

// Containers restarted in place count like failed pods under restartPolicy OnFailure.
bool PastLimitOfRestarts(const kube::Job& job, std::span<const JobPod> pods) {
  if (job.spec.pod_template.spec.restart_policy != "OnFailure") {
    return false;
  }
  std::int64_t restarts = 0;
  for (const JobPod& pod : pods) {
    const kube::PodPhase phase = pod.pod->status.phase;
    if (pod.object.raw == nullptr ||
        (phase != kube::PodPhase::kRunning && phase != kube::PodPhase::kPending)) {
      continue;
    }
    for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
      for (const json::value& status : ArrayIn(*pod.object.raw, {"status", list})) {
        restarts += Int32In(status, {"restartCount"});
      }
    }
  }
  const std::int32_t limit = BackoffLimit(job.spec);
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

std::optional<JobCondition> ByPodFailurePolicy(const kube::Job& job, std::span<const JobPod> pods) {
  for (const JobPod& pod : pods) {
    if (!IsFailed(pod, job)) {
      continue;
    }
    const FailurePolicyMatch match = MatchFailurePolicy(job.spec, pod);
    if (match.action == Action::kFailJob) {
      return JobCondition{std::string(kFailureTarget), "PodFailurePolicy", match.message};
    }
  }
  return std::nullopt;
}

std::optional<JobCondition> Failing(std::string reason, std::string message) {
  return JobCondition{std::string(kFailureTarget), std::move(reason), std::move(message)};
}

std::optional<JobCondition> ByFailedIndexes(const kube::JobSpec& spec, const JobCounts& counts) {
  if (!counts.failed_indexes || counts.failed_indexes->empty()) {
    return std::nullopt;
  }
  const std::int64_t failed = counts.failed_indexes->Count();
  if (spec.max_failed_indexes && failed > *spec.max_failed_indexes) {
    return Failing("MaxFailedIndexesExceeded",
                   "Job has exceeded the specified maximal number of failed indexes");
  }
  if (failed + counts.succeeded_indexes.Count() >= Completions(spec).value_or(0)) {
    return Failing("FailedIndexes", "Job has failed indexes");
  }
  return std::nullopt;
}

}  // namespace

FailurePolicyMatch MatchFailurePolicy(const kube::JobSpec& spec, const JobPod& pod) {
  if (spec.pod_failure_policy.empty() || pod.object.raw == nullptr) {
    return {};
  }
  for (std::size_t i = 0; i < spec.pod_failure_policy.size(); ++i) {
    const kube::PodFailurePolicyRule& rule = spec.pod_failure_policy[i];
    const auto why = rule.exit_codes.empty() ? MatchConditions(rule, pod) : MatchExitCodes(rule, pod);
    if (!why) {
      continue;
    }
    FailurePolicyMatch match{.action = rule.action, .message = {}, .counts = rule.action != Action::kIgnore};
    if (rule.action == Action::kFailJob) {
      match.message = fmt::format("{} matching FailJob rule at index {}", *why, i);
    }
    return match;
  }
  return {};
}

std::optional<std::string> MatchSuccessPolicy(const kube::JobSpec& spec, const IndexSet& succeeded) {
  if (succeeded.empty()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < spec.success_policy.size(); ++i) {
    const kube::JobSuccessRule& rule = spec.success_policy[i];
    std::int64_t have = succeeded.Count();
    std::int64_t needed = rule.succeeded_count.value_or(1);
    if (rule.succeeded_indexes) {
      const IndexSet wanted = IndexSet::Parse(*rule.succeeded_indexes, Completions(spec).value_or(0));
      have = wanted.CountCommon(succeeded);
      needed = rule.succeeded_count.value_or(static_cast<std::int32_t>(wanted.Count()));
      if (wanted.empty()) {
        continue;
      }
    } else if (!rule.succeeded_count) {
      continue;
    }
    if (have >= needed) {
      return fmt::format("Matched rules at index {}", i);
    }
  }
  return std::nullopt;
}

Verdict Judge(const kube::Job& job, const TrackedStatus& status, const JobCounts& counts,
              std::span<const JobPod> pods, Time now) {
  Verdict verdict;
  // What an earlier sync decided stands.
  verdict.end = FindTrueCondition(status, kSuccessCriteriaMet);
  if (verdict.end) {
    return verdict;
  }
  if (auto failing = FindTrueCondition(status, kFailureTarget)) {
    failing->type = kJobFailed;
    verdict.end = std::move(failing);
    return verdict;
  }
  verdict.end = ByPodFailurePolicy(job, pods);
  if (!verdict.end && (counts.failed > BackoffLimit(job.spec) || PastLimitOfRestarts(job, pods))) {
    verdict.end = Failing("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (!verdict.end && job.spec.active_deadline_seconds && status.start_time && !job.spec.suspend) {
    // The field may hold more than a time can: a hundred years are as good as none.
    constexpr std::int64_t kLongestSeconds = 100LL * 365 * 24 * 3600;
    const Time deadline = *status.start_time +
                          std::chrono::seconds(std::min(*job.spec.active_deadline_seconds, kLongestSeconds));
    if (now >= deadline) {
      verdict.end = Failing("DeadlineExceeded", "Job was active longer than specified deadline");
    } else {
      verdict.deadline = deadline;
    }
  }
  if (!verdict.end) {
    verdict.end = ByFailedIndexes(job.spec, counts);
  }
  if (!verdict.end && job.spec.indexed) {
    if (auto why = MatchSuccessPolicy(job.spec, counts.succeeded_indexes)) {
      verdict.end = JobCondition{std::string(kSuccessCriteriaMet), "SuccessPolicy", *std::move(why)};
    }
  }
  return verdict;
}

bool IsComplete(const kube::JobSpec& spec, std::int32_t succeeded, std::int32_t active) {
  return active == 0 && succeeded >= Completions(spec).value_or(1);
}

}  // namespace cadre::sim
