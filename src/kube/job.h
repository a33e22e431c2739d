// batch/v1 Job, and what makes one finished.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/kind.h"
#include "kube/meta.h"
#include "kube/pod.h"

namespace cadre::kube {

inline constexpr std::string_view kCompletionIndexAnnotation = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";
inline constexpr std::string_view kControllerUidLabel = "batch.kubernetes.io/controller-uid";
inline constexpr std::string_view kJobTrackingFinalizer = "batch.kubernetes.io/job-tracking";

enum class PodFailurePolicyAction : std::uint8_t { kFailJob, kFailIndex, kIgnore, kCount };

struct PodFailurePolicyRule {
  PodFailurePolicyAction action = PodFailurePolicyAction::kCount;
  std::optional<std::string> container_name;                        // onExitCodes
  bool exit_codes_in = true;                                        // operator In / NotIn
  std::vector<std::int32_t> exit_codes;                             // empty: the rule is on conditions
  std::vector<std::pair<std::string, std::string>> pod_conditions;  // type, status

  friend bool operator==(const PodFailurePolicyRule&, const PodFailurePolicyRule&) = default;
};

// spec.successPolicy (KEP-3998).
struct JobSuccessRule {
  std::optional<std::string> succeeded_indexes;  // "0,2-4"
  std::optional<std::int32_t> succeeded_count;

  friend bool operator==(const JobSuccessRule&, const JobSuccessRule&) = default;
};

struct JobSpec {
  std::optional<std::int32_t> parallelism;  // API default 1
  std::optional<std::int32_t> completions;
  bool indexed = false;                       // completionMode Indexed
  std::optional<std::int32_t> backoff_limit;  // API default 6, or INT32_MAX with backoffLimitPerIndex
  std::optional<std::int32_t> backoff_limit_per_index;  // KEP-3850
  std::optional<std::int32_t> max_failed_indexes;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int32_t> ttl_seconds_after_finished;
  bool suspend = false;
  bool replace_only_failed_pods = false;                 // podReplacementPolicy Failed (KEP-3939)
  std::vector<PodFailurePolicyRule> pod_failure_policy;  // KEP-3329
  std::vector<JobSuccessRule> success_policy;
  std::string managed_by;
  PodTemplate pod_template;

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

struct JobStatus {
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::int32_t active = 0;
  std::int32_t ready = 0;
  std::int32_t terminating = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string completed_indexes;  // "0,2-4"
  std::string failed_indexes;
  std::vector<std::string> uncounted_succeeded;  // uncountedTerminatedPods: UIDs
  std::vector<std::string> uncounted_failed;
  std::vector<Condition> conditions;

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

struct Job : Resource {
  static constexpr Kind kKind = Kind::kJob;
  JobSpec spec;
  JobStatus status;

  friend bool operator==(const Job&, const Job&) = default;
};

// Condition Complete or Failed is True.
bool IsFinished(const Job& job);

// parallelism with its API default of 1.
std::int32_t Parallelism(const Job& job);

// How many pods of this Job run at the same time when nothing has finished yet: min(parallelism,
// completions).
std::int32_t PodsAtOnce(const JobSpec& spec);

// The pod's completion index from its annotation, if it has one that is a number.
std::optional<std::int32_t> CompletionIndex(const Pod& pod);

// "0,2-4" <-> sorted indexes. Source: API reference of JobStatus.completedIndexes.
// Parsing leaves out what is malformed and what is not below `completions`, as the Job controller does.
std::vector<std::int32_t> ParseIndexes(std::string_view text, std::int32_t completions);
std::string FormatIndexes(const std::vector<std::int32_t>& sorted);

}  // namespace cadre::kube
