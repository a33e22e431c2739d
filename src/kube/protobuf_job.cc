#include <utility>

#include "kube/protobuf_messages.h"

namespace cadre::kube {
namespace {

constexpr auto kOnExitCodes = FieldsOf<PodFailurePolicyRule>({
    {1, "containerName",
     [](ProtobufReader& value, PodFailurePolicyRule& out) { value.Read(out.container_name); }},
    {2, "operator",
     [](ProtobufReader& value, PodFailurePolicyRule& out) {
       value.ReadChoice<bool>(kExitCodeOperators, out.exit_codes_in);
     }},
    {3, "values", [](ProtobufReader& value, PodFailurePolicyRule& out) { value.ReadItem(out.exit_codes); }},
});

using PodConditionPattern = std::pair<std::string, std::string>;
constexpr auto kOnPodCondition = FieldsOf<PodConditionPattern>({
    {1, "type", [](ProtobufReader& value, PodConditionPattern& out) { value.Read(out.first); }},
    {2, "status", [](ProtobufReader& value, PodConditionPattern& out) { value.Read(out.second); }},
});

void ReadPattern(ProtobufReader& value, PodFailurePolicyRule& out) {
  PodConditionPattern& pattern = out.pod_conditions.emplace_back();
  pattern.second = "True";  // API default
  value.ReadMessage(kOnPodCondition, pattern);
}

constexpr auto kFailureRule = FieldsOf<PodFailurePolicyRule>({
    {1, "action",
     [](ProtobufReader& value, PodFailurePolicyRule& out) {
       value.ReadChoice<PodFailurePolicyAction>(kFailureActions, out.action);
     }},
    {2, "onExitCodes",
     [](ProtobufReader& value, PodFailurePolicyRule& out) { value.ReadMessage(kOnExitCodes, out); }},
    {3, "onPodConditions", [](ProtobufReader& value, PodFailurePolicyRule& out) { ReadPattern(value, out); }},
});

constexpr auto kFailurePolicy = FieldsOf<std::vector<PodFailurePolicyRule>>({
    {1, "rules",
     [](ProtobufReader& value, std::vector<PodFailurePolicyRule>& out) {
       value.ReadItem(kFailureRule, out);
     }},
});

constexpr auto kSuccessRule = FieldsOf<JobSuccessRule>({
    {1, "succeededIndexes",
     [](ProtobufReader& value, JobSuccessRule& out) { value.Read(out.succeeded_indexes); }},
    {2, "succeededCount",
     [](ProtobufReader& value, JobSuccessRule& out) { value.Read(out.succeeded_count); }},
});

constexpr auto kSuccessPolicy = FieldsOf<JobSpec>({
    {1, "rules",
     [](ProtobufReader& value, JobSpec& out) { value.ReadItem(kSuccessRule, out.success_policy); }},
});

enum class Replacement : std::uint8_t { kDefault, kTerminatingOrFailed, kFailed };
constexpr std::array<Choice<Replacement>, 2> kReplacements = {
    {{"Failed", Replacement::kFailed}, {"TerminatingOrFailed", Replacement::kTerminatingOrFailed}}};

struct JobSpecParts {
  JobSpec spec;
  std::optional<std::vector<PodFailurePolicyRule>> failure_policy;
  Replacement replacement = Replacement::kDefault;
};

constexpr auto kJobSpec = FieldsOf<JobSpecParts>({
    {1, "parallelism", [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.parallelism); }},
    {2, "completions", [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.completions); }},
    {3, "activeDeadlineSeconds",
     [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.active_deadline_seconds); }},
    {6, "template",
     [](ProtobufReader& value, JobSpecParts& out) { ReadPodTemplateSpec(value, out.spec.pod_template); }},
    {7, "backoffLimit", [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.backoff_limit); }},
    {8, "ttlSecondsAfterFinished",
     [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.ttl_seconds_after_finished); }},
    {9, "completionMode",
     [](ProtobufReader& value, JobSpecParts& out) {
       value.ReadChoice<bool>(kCompletionModes, out.spec.indexed);
     }},
    {10, "suspend", [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.suspend); }},
    {11, "podFailurePolicy",
     [](ProtobufReader& value, JobSpecParts& out) { value.ReadMessage(kFailurePolicy, out.failure_policy); }},
    {12, "backoffLimitPerIndex",
     [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.backoff_limit_per_index); }},
    {13, "maxFailedIndexes",
     [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.max_failed_indexes); }},
    {14, "podReplacementPolicy",
     [](ProtobufReader& value, JobSpecParts& out) {
       value.ReadChoice<Replacement>(kReplacements, out.replacement);
     }},
    {15, "managedBy", [](ProtobufReader& value, JobSpecParts& out) { value.Read(out.spec.managed_by); }},
    {16, "successPolicy",
     [](ProtobufReader& value, JobSpecParts& out) { value.ReadMessage(kSuccessPolicy, out.spec); }},
});

void ReadJobSpec(ProtobufReader& value, JobSpec& out) {
  JobSpecParts parts;
  value.ReadMessage(kJobSpec, parts);
  out = std::move(parts.spec);
  if (parts.failure_policy) out.pod_failure_policy = *std::move(parts.failure_policy);
  const bool by_default = parts.failure_policy.has_value();  // API default with a podFailurePolicy
  out.replace_only_failed_pods =
      parts.replacement == Replacement::kDefault ? by_default : parts.replacement == Replacement::kFailed;
  FinishJobSpec(out);
}

constexpr auto kUncounted = FieldsOf<JobStatus>({
    {1, "succeeded", [](ProtobufReader& value, JobStatus& out) { value.ReadItem(out.uncounted_succeeded); }},
    {2, "failed", [](ProtobufReader& value, JobStatus& out) { value.ReadItem(out.uncounted_failed); }},
});

constexpr auto kJobStatus = FieldsOf<JobStatus>({
    {1, "conditions",
     [](ProtobufReader& value, JobStatus& out) { ReadConditionItem(value, out.conditions); }},
    {2, "startTime", [](ProtobufReader& value, JobStatus& out) { value.Read(out.start_time); }},
    {3, "completionTime", [](ProtobufReader& value, JobStatus& out) { value.Read(out.completion_time); }},
    {4, "active", [](ProtobufReader& value, JobStatus& out) { value.Read(out.active); }},
    {5, "succeeded", [](ProtobufReader& value, JobStatus& out) { value.Read(out.succeeded); }},
    {6, "failed", [](ProtobufReader& value, JobStatus& out) { value.Read(out.failed); }},
    {7, "completedIndexes", [](ProtobufReader& value, JobStatus& out) { value.Read(out.completed_indexes); }},
    {8, "uncountedTerminatedPods",
     [](ProtobufReader& value, JobStatus& out) { value.ReadMessage(kUncounted, out); }},
    {9, "ready", [](ProtobufReader& value, JobStatus& out) { value.Read(out.ready); }},
    {10, "failedIndexes", [](ProtobufReader& value, JobStatus& out) { value.Read(out.failed_indexes); }},
    {11, "terminating", [](ProtobufReader& value, JobStatus& out) { value.Read(out.terminating); }},
});

constexpr auto kJob = FieldsOf<Job>({
    {1, "metadata", [](ProtobufReader& value, Job& out) { ReadObjectMeta(value, out.metadata); }},
    {2, "spec", [](ProtobufReader& value, Job& out) { ReadJobSpec(value, out.spec); }},
    {3, "status", [](ProtobufReader& value, Job& out) { value.ReadMessage(kJobStatus, out.status); }},
});

}  // namespace

std::expected<void, FieldError> ReadJobProtobuf(std::string_view bytes, Job& out) {
  std::expected<void, FieldError> read = ReadProtobuf(bytes, kJob, out);
  if (read) FinishJob(out);
  return read;
}

}  // namespace cadre::kube
