#include <limits>

#include "kube/decode_reader.h"
#include "kube/job.h"

namespace cadre::kube {
namespace {

void ReadFailureRule(const Reader& rule, PodFailurePolicyRule& out) {
  rule.ReadChoice<PodFailurePolicyAction>("action", kFailureActions, out.action);
  rule.ReadObject("onExitCodes", [&](const Reader& codes) {
    codes.Read("containerName", out.container_name);
    codes.ReadChoice<bool>("operator", kExitCodeOperators, out.exit_codes_in);
    codes.Read("values", out.exit_codes);
  });
  rule.ReadList("onPodConditions", out.pod_conditions, [](const Reader& pattern, auto& to) {
    pattern.Read("type", to.first);
    to.second = "True";  // API default
    pattern.Read("status", to.second);
  });
}

void ReadSuccessRule(const Reader& rule, JobSuccessRule& out) {
  rule.Read("succeededIndexes", out.succeeded_indexes);
  rule.Read("succeededCount", out.succeeded_count);
}

void ReadJobStatus(const Reader& status, JobStatus& out) {
  status.Read("startTime", out.start_time);
  status.Read("completionTime", out.completion_time);
  status.Read("active", out.active);
  status.Read("ready", out.ready);
  status.Read("terminating", out.terminating);
  status.Read("succeeded", out.succeeded);
  status.Read("failed", out.failed);
  status.Read("completedIndexes", out.completed_indexes);
  status.Read("failedIndexes", out.failed_indexes);
  status.ReadObject("uncountedTerminatedPods", [&](const Reader& uncounted) {
    uncounted.Read("succeeded", out.uncounted_succeeded);
    uncounted.Read("failed", out.uncounted_failed);
  });
  ReadConditions(status, out.conditions);
}

}  // namespace

// Source: SetDefaults_Job of the API server.
void FinishJobSpec(JobSpec& spec) {
  if (!spec.completions && !spec.parallelism) spec.completions = 1;
  if (!spec.parallelism) spec.parallelism = 1;
  if (!spec.backoff_limit) {
    spec.backoff_limit = spec.backoff_limit_per_index ? std::numeric_limits<std::int32_t>::max() : 6;
  }
}

void FinishJob(Job& job) {
  if (job.metadata.labels.empty()) job.metadata.labels = job.spec.pod_template.labels;  // API default
}

void ReadJobSpec(const Reader& spec, JobSpec& out) {
  spec.Read("parallelism", out.parallelism);
  spec.Read("completions", out.completions);
  spec.ReadChoice<bool>("completionMode", kCompletionModes, out.indexed);
  spec.Read("backoffLimit", out.backoff_limit);
  spec.Read("backoffLimitPerIndex", out.backoff_limit_per_index);
  spec.Read("maxFailedIndexes", out.max_failed_indexes);
  spec.Read("activeDeadlineSeconds", out.active_deadline_seconds);
  spec.Read("ttlSecondsAfterFinished", out.ttl_seconds_after_finished);
  spec.Read("suspend", out.suspend);
  spec.ReadObject("podFailurePolicy", [&](const Reader& policy) {
    policy.ReadList("rules", out.pod_failure_policy, ReadFailureRule);
    out.replace_only_failed_pods = true;  // API default with a podFailurePolicy
  });
  spec.ReadChoice<bool>("podReplacementPolicy", kReplacementPolicies, out.replace_only_failed_pods);
  spec.ReadObject("successPolicy", [&](const Reader& policy) {
    policy.ReadList("rules", out.success_policy, ReadSuccessRule);
  });
  spec.Read("managedBy", out.managed_by);
  ReadPodTemplate(spec, "template", out.pod_template);
  FinishJobSpec(out);
}

void ReadJob(const Reader& root, Job& out) {
  root.ReadObject("spec", [&](const Reader& spec) { ReadJobSpec(spec, out.spec); });
  root.ReadObject("status", [&](const Reader& status) { ReadJobStatus(status, out.status); });
  FinishJob(out);
}

}  // namespace cadre::kube
