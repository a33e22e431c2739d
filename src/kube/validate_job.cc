// Source of the rules: API reference of batch/v1 Job; KEP-3329 (podFailurePolicy), KEP-3850
// (backoffLimitPerIndex), KEP-3998 (successPolicy).
#include <algorithm>

#include "kube/validate_rules.h"

namespace cadre::kube {
namespace {

constexpr std::int32_t kMostIndexedAtOnce = 100'000;

void ValidateIndexed(const std::string& field, const JobSpec& spec, Complaints& complaints) {
  if (!spec.completions) {
    complaints.Add(field + ".completions", "is missing: completionMode Indexed needs the number of indexes");
  }
  if (spec.parallelism.value_or(1) > kMostIndexedAtOnce) {
    complaints.Add(field + ".parallelism",
                   fmt::format("is {}, at most {} are allowed with completionMode Indexed", *spec.parallelism,
                               kMostIndexedAtOnce));
  }
  if (spec.completions && spec.max_failed_indexes && *spec.max_failed_indexes > *spec.completions) {
    complaints.Add(field + ".maxFailedIndexes", fmt::format("is {}, more than the {} completions",
                                                            *spec.max_failed_indexes, *spec.completions));
  }
  if (spec.max_failed_indexes && !spec.backoff_limit_per_index) {
    complaints.Add(field + ".backoffLimitPerIndex", "is missing: maxFailedIndexes needs it");
  }
}

void ValidateNotIndexed(const std::string& field, const JobSpec& spec, Complaints& complaints) {
  constexpr std::string_view kNeedsIndexed = "needs completionMode Indexed";
  if (spec.backoff_limit_per_index) complaints.Add(field + ".backoffLimitPerIndex", kNeedsIndexed);
  if (spec.max_failed_indexes) complaints.Add(field + ".maxFailedIndexes", kNeedsIndexed);
  if (!spec.success_policy.empty()) complaints.Add(field + ".successPolicy", kNeedsIndexed);
}

bool HasContainer(const PodSpec& spec, const std::string& name) {
  return std::ranges::find(spec.containers, name, &Container::name) != spec.containers.end() ||
         std::ranges::find(spec.init_containers, name, &Container::name) != spec.init_containers.end();
}

void ValidateFailureRule(const std::string& field, const JobSpec& spec, const PodFailurePolicyRule& rule,
                         Complaints& complaints) {
  if (rule.exit_codes.empty() == rule.pod_conditions.empty()) {
    complaints.Add(field, "needs either onExitCodes with values or onPodConditions, not both");
  }
  if (rule.exit_codes_in && std::ranges::find(rule.exit_codes, 0) != rule.exit_codes.end()) {
    complaints.Add(field + ".onExitCodes.values", "must not hold 0 with operator In: 0 is success");
  }
  if (rule.container_name && !HasContainer(spec.pod_template.spec, *rule.container_name)) {
    complaints.Add(field + ".onExitCodes.containerName",
                   fmt::format("\"{}\" is no container of the template", *rule.container_name));
  }
  if (rule.action == PodFailurePolicyAction::kFailIndex && !spec.backoff_limit_per_index) {
    complaints.Add(field + ".action", "is FailIndex, which needs backoffLimitPerIndex");
  }
}

void ValidatePodFailurePolicy(const std::string& field, const JobSpec& spec, Complaints& complaints) {
  for (std::size_t i = 0; i < spec.pod_failure_policy.size(); ++i) {
    ValidateFailureRule(fmt::format("{}.podFailurePolicy.rules[{}]", field, i), spec,
                        spec.pod_failure_policy[i], complaints);
  }
  if (!spec.pod_failure_policy.empty() && !spec.replace_only_failed_pods) {
    complaints.Add(field + ".podReplacementPolicy", "must be Failed with podFailurePolicy");
  }
}

void ValidateSuccessRule(const std::string& field, const JobSpec& spec, const JobSuccessRule& rule,
                         Complaints& complaints) {
  if (!rule.succeeded_indexes && !rule.succeeded_count) {
    complaints.Add(field, "needs succeededIndexes or succeededCount");
    return;
  }
  const std::int32_t completions = spec.completions.value_or(0);
  if (rule.succeeded_count && (*rule.succeeded_count < 1 || *rule.succeeded_count > completions)) {
    complaints.Add(field + ".succeededCount",
                   fmt::format("is {}, must be 1 to the {} completions", *rule.succeeded_count, completions));
  }
  if (!rule.succeeded_indexes) return;
  const std::vector<std::int32_t> indexes = ParseIndexes(*rule.succeeded_indexes, completions);
  if (indexes.empty()) {
    complaints.Add(field + ".succeededIndexes",
                   fmt::format("\"{}\" names no index below {}: write e.g. \"0,2-4\"",
                               *rule.succeeded_indexes, completions));
  } else if (rule.succeeded_count && static_cast<std::size_t>(*rule.succeeded_count) > indexes.size()) {
    complaints.Add(field + ".succeededCount", fmt::format("is {}, more than the {} succeededIndexes",
                                                          *rule.succeeded_count, indexes.size()));
  }
}

void ValidateRestartPolicy(const std::string& field, const JobSpec& spec, Complaints& complaints) {
  const std::string& policy = spec.pod_template.spec.restart_policy;
  const std::string restart_policy = field + ".template.spec.restartPolicy";
  if (policy == "Always") {
    complaints.Add(restart_policy, "is Always (the default), must be Never or OnFailure for a Job");
  } else if (policy != "Never" && !spec.pod_failure_policy.empty()) {
    complaints.Add(restart_policy, fmt::format("is {}, must be Never with podFailurePolicy", policy));
  }
}

}  // namespace

void ValidateJobSpec(const std::string& field, const JobSpec& spec, Complaints& complaints) {
  ValidateNotNegative(field + ".parallelism", spec.parallelism, complaints);
  ValidateNotNegative(field + ".completions", spec.completions, complaints);
  ValidateNotNegative(field + ".backoffLimit", spec.backoff_limit, complaints);
  ValidateNotNegative(field + ".backoffLimitPerIndex", spec.backoff_limit_per_index, complaints);
  ValidateNotNegative(field + ".maxFailedIndexes", spec.max_failed_indexes, complaints);
  ValidateNotNegative(field + ".activeDeadlineSeconds", spec.active_deadline_seconds, complaints);
  ValidateNotNegative(field + ".ttlSecondsAfterFinished", spec.ttl_seconds_after_finished, complaints);
  if (spec.indexed) {
    ValidateIndexed(field, spec, complaints);
  } else {
    ValidateNotIndexed(field, spec, complaints);
  }
  ValidatePodFailurePolicy(field, spec, complaints);
  for (std::size_t i = 0; spec.indexed && i < spec.success_policy.size(); ++i) {
    ValidateSuccessRule(fmt::format("{}.successPolicy.rules[{}]", field, i), spec, spec.success_policy[i],
                        complaints);
  }
  if (!spec.managed_by.empty()) {
    complaints.AddIf(field + ".managedBy", spec.managed_by, WrongAsManagedBy(spec.managed_by));
  }
  ValidateLabels(field + ".template.metadata.labels", spec.pod_template.labels, complaints);
  ValidateAnnotationKeys(field + ".template.metadata.annotations", spec.pod_template.annotations, complaints);
  ValidatePodSpec(field + ".template.spec", spec.pod_template.spec, complaints);
  ValidateRestartPolicy(field, spec, complaints);
}

void ValidateJob(const Job& job, Complaints& complaints) {
  ValidateJobSpec("spec", job.spec, complaints);
  const std::string& name = job.metadata.name;
  if (name.empty()) return;
  // The name becomes a label of its pods and, with the index, their host name.
  complaints.AddIf("metadata.name", name, WrongAsLabelValue(name));
  if (!job.spec.indexed || job.spec.completions.value_or(0) < 1) return;
  const std::string longest = fmt::format("{}-{}", name, *job.spec.completions - 1);
  if (const auto wrong = WrongAsDnsLabel(longest)) {
    complaints.Add("metadata.name", fmt::format("makes the pod host name \"{}\", which {}", longest, *wrong));
  }
}

}  // namespace cadre::kube
