// Source of the rules: the validating webhook and the CRD of jobset.x-k8s.io/v1alpha2 (JobSet 0.12), feature
// gates at their defaults. Beyond those, the Job templates are checked here: the JobSet would be taken and
// its Jobs refused for ever.
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "kube/validate_rules.h"

namespace cadre::kube {
namespace {

constexpr std::size_t kMostDependencies = 5;

const ReplicatedJob* FindReplicatedJob(const JobSet& jobset, const std::string& name) {
  const auto found = std::ranges::find(jobset.spec.replicated_jobs, name, &ReplicatedJob::name);
  return found == jobset.spec.replicated_jobs.end() ? nullptr : &*found;
}

std::string Names(const JobSet& jobset) {
  std::string names;
  for (const ReplicatedJob& job : jobset.spec.replicated_jobs)
    names += (names.empty() ? "" : ", ") + job.name;
  return names;
}

void ValidateTargets(const std::string& field, const JobSet& jobset, const std::vector<std::string>& targets,
                     Complaints& complaints) {
  for (const std::string& target : targets) {
    if (FindReplicatedJob(jobset, target) != nullptr) continue;
    complaints.Add(field, fmt::format("\"{}\" is none of the replicatedJobs ({})", target, Names(jobset)));
  }
}

void ValidateDependsOn(const std::string& field, const JobSet& jobset, std::size_t index,
                       Complaints& complaints) {
  const std::vector<ReplicatedJob>& jobs = jobset.spec.replicated_jobs;
  const ReplicatedJob& job = jobs[index];
  if (job.depends_on.size() > kMostDependencies) {
    complaints.Add(field, fmt::format("has {} entries, at most {} are allowed", job.depends_on.size(),
                                      kMostDependencies));
  }
  if (jobset.spec.in_order && !job.depends_on.empty()) {
    complaints.Add(field, "and startupPolicy InOrder exclude each other: remove one");
  }
  for (std::size_t i = 0; i < job.depends_on.size(); ++i) {
    const std::string& name = job.depends_on[i].name;
    const auto earlier_end = jobs.begin() + static_cast<std::ptrdiff_t>(index);
    if (std::ranges::find(jobs.begin(), earlier_end, name, &ReplicatedJob::name) != earlier_end) continue;
    complaints.Add(
        fmt::format("{}[{}].name", field, i),
        fmt::format("\"{}\" must be a replicatedJob that stands before \"{}\" in the list", name, job.name));
  }
}

// The longest names that the replicated job makes must be DNS labels.
void ValidateGeneratedNames(const std::string& field, const std::string& jobset, const ReplicatedJob& job,
                            Complaints& complaints) {
  if (jobset.empty() || job.replicas < 1) return;
  const std::string job_name = fmt::format("{}-{}-{}", jobset, job.name, job.replicas - 1);
  if (const auto wrong = WrongAsDns1035Label(job_name)) {
    complaints.Add(field + ".name", fmt::format("makes the Job name \"{}\", which {}", job_name, *wrong));
    return;
  }
  if (!job.job.indexed || job.job.completions.value_or(0) < 1) return;
  constexpr std::string_view kRandomSuffix = "abcde";
  const std::string pod_name = fmt::format("{}-{}-{}", job_name, *job.job.completions - 1, kRandomSuffix);
  if (const auto wrong = WrongAsDns1035Label(pod_name)) {
    complaints.Add(field + ".name", fmt::format("makes pod names like \"{}\", which {}", pod_name, *wrong));
  }
}

void ValidateReplicatedJob(const JobSet& jobset, std::size_t index, Complaints& complaints) {
  const ReplicatedJob& job = jobset.spec.replicated_jobs[index];
  const std::string field = fmt::format("spec.replicatedJobs[{}]", index);
  if (job.name.empty()) complaints.Add(field + ".name", "is missing: give the replicatedJob a name");
  if (FindReplicatedJob(jobset, job.name) != &job) {
    complaints.Add(field + ".name", fmt::format("\"{}\" is the name of an earlier replicatedJob", job.name));
  }
  complaints.AddIf(field + ".groupName", job.group_name, WrongAsDns1035Label(job.group_name));
  if (job.replicas < 0) {
    complaints.Add(field + ".replicas", fmt::format("is {}, must not be negative", job.replicas));
  }
  const std::int64_t pods = std::int64_t{job.job.parallelism.value_or(1)} * job.replicas;
  if (pods > std::numeric_limits<std::int32_t>::max()) {
    complaints.Add(field + ".replicas", fmt::format("times parallelism is {} pods, at most {} are allowed",
                                                    pods, std::numeric_limits<std::int32_t>::max()));
  }
  ValidateGeneratedNames(field, jobset.metadata.name, job, complaints);
  ValidateDependsOn(field + ".dependsOn", jobset, index, complaints);
  ValidateLabels(field + ".template.metadata.labels", job.job_labels, complaints);
  ValidateAnnotationKeys(field + ".template.metadata.annotations", job.job_annotations, complaints);
  ValidateJobSpec(field + ".template.spec", job.job, complaints);
}

// ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$, up to 128 characters.
bool IsRuleName(std::string_view name) {
  constexpr std::size_t kLongest = 128;
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const auto word = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= kLongest && letter(name.front()) && word(name.back()) &&
         std::ranges::all_of(name, [&](char c) { return word(c) || c == ',' || c == ':'; });
}

// Known values; those behind a feature gate that is off by default are refused, as upstream does.
struct GatedValue {
  std::string_view value;
  std::string_view gate;  // empty: always allowed
};

void ValidateOneOf(const std::string& field, const std::string& value, std::span<const GatedValue> allowed,
                   Complaints& complaints) {
  std::string all;
  for (const GatedValue& choice : allowed) {
    if (choice.value == value) {
      if (!choice.gate.empty()) {
        complaints.Add(
            field, fmt::format("is {}, which needs JobSet's feature gate {}; it is off", value, choice.gate));
      }
      return;
    }
    if (choice.gate.empty()) all += (all.empty() ? "" : ", ") + std::string(choice.value);
  }
  complaints.Add(field, fmt::format("is \"{}\", must be one of {}", value, all));
}

constexpr std::array<GatedValue, 5> kActions = {{
    {"FailJobSet", ""},
    {"RestartJobSet", ""},
    {"RestartJobSetAndIgnoreMaxRestarts", ""},
    {"RestartJob", "RestartJob"},
    {"RestartJobAndIgnoreMaxRestarts", "RestartJob"},
}};
constexpr std::array<GatedValue, 3> kRestartStrategies = {{
    {"Recreate", ""},
    {"BlockingRecreate", ""},
    {"InPlaceRestart", "InPlaceRestart"},
}};
constexpr std::array<GatedValue, 5> kFailureReasons = {{
    {"BackoffLimitExceeded", ""},
    {"DeadlineExceeded", ""},
    {"FailedIndexes", ""},
    {"MaxFailedIndexesExceeded", ""},
    {"PodFailurePolicy", ""},
}};

void ValidateFailurePolicy(const JobSet& jobset, Complaints& complaints) {
  const JobSetFailurePolicy& policy = *jobset.spec.failure_policy;
  ValidateOneOf("spec.failurePolicy.restartStrategy", policy.restart_strategy, kRestartStrategies,
                complaints);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const JobSetFailurePolicyRule& rule = policy.rules[i];
    const std::string field = fmt::format("spec.failurePolicy.rules[{}]", i);
    if (!rule.name.empty() && !IsRuleName(rule.name)) {  // the webhook makes up a missing name
      complaints.Add(field + ".name",
                     fmt::format("\"{}\" must be up to 128 letters, digits, '_', ',' or ':', starting "
                                 "with a letter and ending in a letter, digit or '_'",
                                 rule.name));
    }
    if (!rule.name.empty() && !names.insert(rule.name).second) {
      complaints.Add(field + ".name", fmt::format("\"{}\" is the name of an earlier rule", rule.name));
    }
    ValidateOneOf(field + ".action", rule.action, kActions, complaints);
    for (const std::string& reason : rule.on_job_failure_reasons) {
      ValidateOneOf(field + ".onJobFailureReasons", reason, kFailureReasons, complaints);
    }
    ValidateTargets(field + ".targetReplicatedJobs", jobset, rule.target_replicated_jobs, complaints);
  }
}

void ValidateCoordinator(const JobSet& jobset, Complaints& complaints) {
  const JobSetCoordinator& coordinator = *jobset.spec.coordinator;
  const ReplicatedJob* job = FindReplicatedJob(jobset, coordinator.replicated_job);
  if (job == nullptr) {
    ValidateTargets("spec.coordinator.replicatedJob", jobset, {coordinator.replicated_job}, complaints);
    return;
  }
  if (coordinator.job_index < 0 || coordinator.job_index >= job->replicas) {
    complaints.Add("spec.coordinator.jobIndex", fmt::format("is {}, must be below the {} replicas of {}",
                                                            coordinator.job_index, job->replicas, job->name));
  }
  if (!job->job.indexed || !job->job.completions) {
    complaints.Add("spec.coordinator.replicatedJob",
                   fmt::format("\"{}\" must have completionMode Indexed and completions", job->name));
  } else if (coordinator.pod_index < 0 || coordinator.pod_index >= *job->job.completions) {
    complaints.Add("spec.coordinator.podIndex",
                   fmt::format("is {}, must be below the {} completions of {}", coordinator.pod_index,
                               *job->job.completions, job->name));
  }
  const std::string& subdomain = jobset.spec.network.subdomain;
  const std::string endpoint =
      fmt::format("{}-{}-{}-{}.{}", jobset.metadata.name, job->name, coordinator.job_index,
                  coordinator.pod_index, subdomain.empty() ? jobset.metadata.name : subdomain);
  if (const auto wrong = WrongAsLabelValue(endpoint); wrong && !jobset.metadata.name.empty()) {
    complaints.Add("spec.coordinator",
                   fmt::format("makes the label value \"{}\", which {}", endpoint, *wrong));
  }
}

}  // namespace

void ValidateJobSet(const JobSet& jobset, Complaints& complaints) {
  for (std::size_t i = 0; i < jobset.spec.replicated_jobs.size(); ++i)
    ValidateReplicatedJob(jobset, i, complaints);
  const std::string& subdomain = jobset.spec.network.subdomain;
  if (!subdomain.empty()) {
    complaints.AddIf("spec.network.subdomain", subdomain, WrongAsDns1035Label(subdomain));
  }
  ValidateTargets("spec.successPolicy.targetReplicatedJobs", jobset,
                  jobset.spec.success_policy.target_replicated_jobs, complaints);
  if (jobset.spec.failure_policy) ValidateFailurePolicy(jobset, complaints);
  if (jobset.spec.coordinator) ValidateCoordinator(jobset, complaints);
  if (!jobset.spec.managed_by.empty()) {
    complaints.AddIf("spec.managedBy", jobset.spec.managed_by, WrongAsManagedBy(jobset.spec.managed_by));
  }
  ValidateNotNegative("spec.ttlSecondsAfterFinished", jobset.spec.ttl_seconds_after_finished, complaints);
}

}  // namespace cadre::kube
