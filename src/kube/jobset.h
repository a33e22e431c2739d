// jobset.x-k8s.io/v1alpha2 JobSet. Field by field in the upstream API reference; names of labels from there
// too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/job.h"
#include "kube/kind.h"
#include "kube/meta.h"

namespace cadre::kube {

inline constexpr std::string_view kJobSetNameLabel = "jobset.sigs.k8s.io/jobset-name";
inline constexpr std::string_view kJobSetUidLabel = "jobset.sigs.k8s.io/jobset-uid";
inline constexpr std::string_view kReplicatedJobNameLabel = "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr std::string_view kJobIndexLabel = "jobset.sigs.k8s.io/job-index";
inline constexpr std::string_view kRestartAttemptLabel = "jobset.sigs.k8s.io/restart-attempt";
inline constexpr std::string_view kExclusiveTopologyAnnotation =
    "alpha.jobset.sigs.k8s.io/exclusive-topology";
inline constexpr std::string_view kJobSetController = "jobset.sigs.k8s.io/jobset-controller";

enum class DependsOnStatus : std::uint8_t { kReady, kComplete };

struct DependsOn {
  std::string name;
  DependsOnStatus status = DependsOnStatus::kReady;
};

struct ReplicatedJob {
  std::string name;
  std::string group_name = "default";
  std::int32_t replicas = 1;
  StringMap job_labels;  // template.metadata
  StringMap job_annotations;
  JobSpec job;  // template.spec
  std::vector<DependsOn> depends_on;
};

struct JobSetNetwork {
  bool enable_dns_hostnames = true;
  bool publish_not_ready_addresses = true;
  std::string subdomain;  // empty: the JobSet's name
};

struct JobSetSuccessPolicy {
  bool any = false;  // operator Any; otherwise All
  std::vector<std::string> target_replicated_jobs;
};

struct JobSetFailurePolicyRule {
  std::string name;
  std::string action;
  std::vector<std::string> on_job_failure_reasons;
  std::vector<std::string> on_job_failure_message_patterns;
  std::vector<std::string> target_replicated_jobs;
};

struct JobSetFailurePolicy {
  std::int32_t max_restarts = 0;
  std::string restart_strategy = "Recreate";
  std::vector<JobSetFailurePolicyRule> rules;
};

struct JobSetCoordinator {
  std::string replicated_job;
  std::int32_t job_index = 0;
  std::int32_t pod_index = 0;
};

struct JobSetSpec {
  std::vector<ReplicatedJob> replicated_jobs;
  JobSetNetwork network;
  JobSetSuccessPolicy success_policy;
  std::optional<JobSetFailurePolicy> failure_policy;  // none: the first failed Job fails the JobSet
  bool in_order = false;                              // startupPolicy.startupPolicyOrder InOrder
  bool suspend = false;
  std::optional<JobSetCoordinator> coordinator;
  std::string managed_by;
  std::optional<std::int32_t> ttl_seconds_after_finished;
};

struct ReplicatedJobStatus {
  std::string name;
  std::int32_t ready = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t active = 0;
  std::int32_t suspended = 0;
};

struct JobSetStatus {
  std::vector<Condition> conditions;
  std::int32_t restarts = 0;
  std::int32_t restarts_count_towards_max = 0;
  std::string terminal_state;  // "", Completed, Failed
  std::vector<ReplicatedJobStatus> replicated_jobs;
};

struct JobSet : Resource {
  static constexpr Kind kKind = Kind::kJobSet;
  JobSetSpec spec;
  JobSetStatus status;
};

bool IsFinished(const JobSet& jobset);

}  // namespace cadre::kube
