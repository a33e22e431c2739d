#include <limits>

#include <gtest/gtest.h>

#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/podgroup.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

Job JobWith(std::string_view spec_fields) {
  return FromYaml(fmt::format("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:\n  "
                              "manualSelector: false\n{}\n",
                              spec_fields))
      .As<Job>();
}

TEST(DecodeJob, ReadsItsSpec) {
  const JobSpec spec = JobWith(R"(
  parallelism: 4
  completions: 8
  completionMode: Indexed
  backoffLimit: 2
  backoffLimitPerIndex: 1
  maxFailedIndexes: 3
  activeDeadlineSeconds: 100
  ttlSecondsAfterFinished: 50
  suspend: true
  managedBy: example.com/me
  template:
    metadata: {labels: {app: x}, annotations: {note: "1"}}
    spec: {restartPolicy: Never, containers: [{name: main}]}
)")
                           .spec;
  EXPECT_EQ(spec.parallelism, 4);
  EXPECT_EQ(spec.completions, 8);
  EXPECT_TRUE(spec.indexed);
  EXPECT_EQ(spec.backoff_limit, 2);
  EXPECT_EQ(spec.backoff_limit_per_index, 1);
  EXPECT_EQ(spec.max_failed_indexes, 3);
  EXPECT_EQ(spec.active_deadline_seconds, 100);
  EXPECT_EQ(spec.ttl_seconds_after_finished, 50);
  EXPECT_TRUE(spec.suspend);
  EXPECT_EQ(spec.managed_by, "example.com/me");
  EXPECT_EQ(spec.pod_template.labels, (StringMap{{"app", "x"}}));
  EXPECT_EQ(spec.pod_template.annotations, (StringMap{{"note", "1"}}));
  EXPECT_EQ(spec.pod_template.spec.containers.at(0).name, "main");
}

TEST(DecodeJob, WithoutParallelismAndCompletionsItRunsOnePodOnce) {
  const JobSpec spec = JobWith("").spec;
  EXPECT_EQ(spec.parallelism, 1);
  EXPECT_EQ(spec.completions, 1);
  EXPECT_FALSE(spec.indexed);
  EXPECT_FALSE(spec.suspend);
}

TEST(DecodeJob, ParallelismAloneMakesAWorkQueue) {
  EXPECT_EQ(JobWith("  parallelism: 3").spec.completions, std::nullopt);
}

TEST(DecodeJob, TheBackoffLimitIsSixByDefault) {
  EXPECT_EQ(JobWith("").spec.backoff_limit, 6);
}
TEST(DecodeJob, ABackoffLimitPerIndexLiftsTheOneOfTheJob) {
  EXPECT_EQ(JobWith("  backoffLimitPerIndex: 1").spec.backoff_limit,
            std::numeric_limits<std::int32_t>::max());
}

TEST(DecodeJob, ReadsPodFailurePolicy) {
  const JobSpec spec = JobWith(R"(
  podFailurePolicy:
    rules:
    - action: FailJob
      onExitCodes: {containerName: main, operator: NotIn, values: [0, 3]}
    - action: Ignore
      onPodConditions: [{type: DisruptionTarget}, {type: Other, status: "False"}]
)")
                           .spec;
  ASSERT_EQ(spec.pod_failure_policy.size(), 2U);
  EXPECT_EQ(spec.pod_failure_policy[0].action, PodFailurePolicyAction::kFailJob);
  EXPECT_EQ(spec.pod_failure_policy[0].container_name, "main");
  EXPECT_FALSE(spec.pod_failure_policy[0].exit_codes_in);
  EXPECT_EQ(spec.pod_failure_policy[0].exit_codes, (std::vector<std::int32_t>{0, 3}));
  EXPECT_EQ(spec.pod_failure_policy[1].action, PodFailurePolicyAction::kIgnore);
  const std::vector<std::pair<std::string, std::string>> conditions = {{"DisruptionTarget", "True"},
                                                                       {"Other", "False"}};
  EXPECT_EQ(spec.pod_failure_policy[1].pod_conditions, conditions);
}

TEST(DecodeJob, APodFailurePolicyReplacesOnlyFailedPods) {
  EXPECT_TRUE(JobWith("  podFailurePolicy: {rules: []}").spec.replace_only_failed_pods);
  EXPECT_FALSE(JobWith("").spec.replace_only_failed_pods);
}
TEST(DecodeJob, APodReplacementPolicyIsRead) {
  EXPECT_TRUE(JobWith("  podReplacementPolicy: Failed").spec.replace_only_failed_pods);
}

TEST(DecodeJob, ReadsSuccessPolicy) {
  const JobSpec spec = JobWith("  successPolicy: {rules: [{succeededIndexes: 0-2, succeededCount: 1}]}").spec;
  EXPECT_EQ(spec.success_policy.at(0).succeeded_indexes, "0-2");
  EXPECT_EQ(spec.success_policy.at(0).succeeded_count, 1);
}

TEST(DecodeJob, WithoutLabelsItHasThoseOfItsTemplate) {
  EXPECT_EQ(JobWith("  template: {metadata: {labels: {app: x}}}").metadata.labels, (StringMap{{"app", "x"}}));
}

TEST(DecodeJob, ReadsItsStatus) {
  const Object object = FromYaml(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j}
status:
  startTime: "2026-01-02T03:04:05Z"
  completionTime: "2026-01-02T03:05:05Z"
  active: 1
  ready: 2
  terminating: 3
  succeeded: 4
  failed: 5
  completedIndexes: 0-3
  failedIndexes: "7"
  uncountedTerminatedPods: {succeeded: [u1], failed: [u2, u3]}
  conditions: [{type: Complete, status: "True"}]
)");
  const JobStatus& status = object.As<Job>().status;
  EXPECT_EQ(*status.completion_time - *status.start_time, Duration(60'000));
  EXPECT_EQ(status.active, 1);
  EXPECT_EQ(status.ready, 2);
  EXPECT_EQ(status.terminating, 3);
  EXPECT_EQ(status.succeeded, 4);
  EXPECT_EQ(status.failed, 5);
  EXPECT_EQ(status.completed_indexes, "0-3");
  EXPECT_EQ(status.failed_indexes, "7");
  EXPECT_EQ(status.uncounted_succeeded, std::vector<std::string>{"u1"});
  EXPECT_EQ(status.uncounted_failed, (std::vector<std::string>{"u2", "u3"}));
  EXPECT_TRUE(IsFinished(object.As<Job>()));
}

JobSet JobSetWith(std::string_view spec_fields) {
  return FromYaml(fmt::format("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: "
                              "js}}\nspec:\n  suspend: "
                              "false\n{}\n",
                              spec_fields))
      .As<JobSet>();
}

TEST(DecodeJobSet, ReadsReplicatedJobs) {
  const JobSetSpec spec = JobSetWith(R"(
  replicatedJobs:
  - name: driver
    groupName: heads
    template: {spec: {parallelism: 1, completions: 1}}
  - name: workers
    replicas: 3
    dependsOn: [{name: driver, status: Complete}]
    template:
      metadata: {labels: {a: b}, annotations: {c: d}}
      spec: {completionMode: NonIndexed, template: {spec: {restartPolicy: Never}}}
)")
                              .spec;
  ASSERT_EQ(spec.replicated_jobs.size(), 2U);
  EXPECT_EQ(spec.replicated_jobs[0].name, "driver");
  EXPECT_EQ(spec.replicated_jobs[0].group_name, "heads");
  EXPECT_EQ(spec.replicated_jobs[0].replicas, 1);
  EXPECT_EQ(spec.replicated_jobs[1].group_name, "default");
  EXPECT_EQ(spec.replicated_jobs[1].replicas, 3);
  EXPECT_EQ(spec.replicated_jobs[1].depends_on.at(0).name, "driver");
  EXPECT_EQ(spec.replicated_jobs[1].depends_on.at(0).status, DependsOnStatus::kComplete);
  EXPECT_EQ(spec.replicated_jobs[1].job_labels, (StringMap{{"a", "b"}}));
  EXPECT_EQ(spec.replicated_jobs[1].job_annotations, (StringMap{{"c", "d"}}));
  EXPECT_FALSE(spec.replicated_jobs[1].job.indexed);
  EXPECT_EQ(spec.replicated_jobs[1].job.pod_template.spec.restart_policy, "Never");
}

TEST(DecodeJobSet, ItsJobsAreIndexedAndRestartOnFailureByDefault) {
  const JobSetSpec spec =
      JobSetWith("  replicatedJobs: [{name: w, template: {spec: {template: {spec: {}}}}}]").spec;
  EXPECT_TRUE(spec.replicated_jobs.at(0).job.indexed);
  EXPECT_EQ(spec.replicated_jobs.at(0).job.pod_template.spec.restart_policy, "OnFailure");
}

TEST(DecodeJobSet, ReadsPolicies) {
  const JobSetSpec spec = JobSetWith(R"(
  network: {enableDNSHostnames: false, publishNotReadyAddresses: false, subdomain: sub}
  successPolicy: {operator: Any, targetReplicatedJobs: [w]}
  startupPolicy: {startupPolicyOrder: InOrder}
  failurePolicy:
    maxRestarts: 3
    restartStrategy: BlockingRecreate
    rules:
    - name: r
      action: FailJobSet
      onJobFailureReasons: [PodFailurePolicy]
      onJobFailureMessagePatterns: ["x.*"]
      targetReplicatedJobs: [w]
  coordinator: {replicatedJob: w, jobIndex: 1, podIndex: 2}
  managedBy: example.com/me
  ttlSecondsAfterFinished: 9
)")
                              .spec;
  EXPECT_FALSE(spec.network.enable_dns_hostnames);
  EXPECT_FALSE(spec.network.publish_not_ready_addresses);
  EXPECT_EQ(spec.network.subdomain, "sub");
  EXPECT_TRUE(spec.success_policy.any);
  EXPECT_EQ(spec.success_policy.target_replicated_jobs, std::vector<std::string>{"w"});
  EXPECT_TRUE(spec.in_order);
  ASSERT_TRUE(spec.failure_policy.has_value());
  EXPECT_EQ(spec.failure_policy->max_restarts, 3);
  EXPECT_EQ(spec.failure_policy->restart_strategy, "BlockingRecreate");
  const JobSetFailurePolicyRule& rule = spec.failure_policy->rules.at(0);
  EXPECT_EQ(rule.name, "r");
  EXPECT_EQ(rule.action, "FailJobSet");
  EXPECT_EQ(rule.on_job_failure_reasons, std::vector<std::string>{"PodFailurePolicy"});
  EXPECT_EQ(rule.on_job_failure_message_patterns, std::vector<std::string>{"x.*"});
  EXPECT_EQ(rule.target_replicated_jobs, std::vector<std::string>{"w"});
  ASSERT_TRUE(spec.coordinator.has_value());
  EXPECT_EQ(spec.coordinator->replicated_job, "w");
  EXPECT_EQ(spec.coordinator->job_index, 1);
  EXPECT_EQ(spec.coordinator->pod_index, 2);
  EXPECT_EQ(spec.managed_by, "example.com/me");
  EXPECT_EQ(spec.ttl_seconds_after_finished, 9);
}

TEST(DecodeJobSet, HasUpstreamsDefaults) {
  const JobSetSpec spec = JobSetWith("").spec;
  EXPECT_TRUE(spec.network.enable_dns_hostnames);
  EXPECT_TRUE(spec.network.publish_not_ready_addresses);
  EXPECT_FALSE(spec.success_policy.any);
  EXPECT_FALSE(spec.in_order);
  EXPECT_FALSE(spec.failure_policy.has_value());
}

TEST(DecodeJobSet, ReadsItsStatus) {
  const Object object = FromYaml(R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js}
status:
  restarts: 2
  restartsCountTowardsMax: 1
  terminalState: Failed
  conditions: [{type: Failed, status: "True"}]
  replicatedJobsStatus: [{name: w, ready: 1, succeeded: 2, failed: 3, active: 4, suspended: 5}]
)");
  const JobSetStatus& status = object.As<JobSet>().status;
  EXPECT_EQ(status.restarts, 2);
  EXPECT_EQ(status.restarts_count_towards_max, 1);
  EXPECT_EQ(status.terminal_state, "Failed");
  EXPECT_TRUE(IsFinished(object.As<JobSet>()));
  const ReplicatedJobStatus& job = status.replicated_jobs.at(0);
  EXPECT_EQ(job.name, "w");
  EXPECT_EQ(job.ready, 1);
  EXPECT_EQ(job.succeeded, 2);
  EXPECT_EQ(job.failed, 3);
  EXPECT_EQ(job.active, 4);
  EXPECT_EQ(job.suspended, 5);
}

class NativePodGroups : public testing::TestWithParam<std::string> {};

TEST_P(NativePodGroups, AreReadInEveryVersion) {
  const Object object = FromYaml(fmt::format(R"(
apiVersion: scheduling.k8s.io/{}
kind: PodGroup
metadata: {{name: g}}
spec:
  schedulingPolicy: {{gang: {{minCount: 4}}}}
  schedulingConstraints: {{topology: [{{key: topology.kubernetes.io/rack}}]}}
  priority: 7
  priorityClassName: high
status:
  conditions: [{{type: PodGroupInitiallyScheduled, status: "True"}}]
)",
                                             GetParam()));
  EXPECT_EQ(object.kind, Kind::kPodGroup);
  const PodGroup& group = object.As<PodGroup>();
  EXPECT_EQ(group.min_count, 4);
  EXPECT_EQ(group.topology_key, "topology.kubernetes.io/rack");
  EXPECT_EQ(group.priority, 7);
  EXPECT_EQ(group.priority_class_name, "high");
  EXPECT_NE(FindTrue(group.conditions, "PodGroupInitiallyScheduled"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Versions, NativePodGroups, testing::Values("v1alpha2", "v1alpha3", "v1beta1"));

TEST(DecodePodGroup, APolicyOfBasicIsNoGang) {
  const Object object = FromYaml(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g}
spec: {schedulingPolicy: {basic: {}}}
)");
  EXPECT_EQ(object.As<PodGroup>().min_count, std::nullopt);
}

TEST(DecodePodGroup, ReadsThatOfSchedulerPlugins) {
  const Object object = FromYaml(R"(
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: g}
spec: {minMember: 5, scheduleTimeoutSeconds: 10}
)");
  EXPECT_EQ(object.kind, Kind::kSchedulerPluginsPodGroup);
  EXPECT_EQ(object.As<PodGroup>().min_count, 5);
  EXPECT_EQ(object.As<PodGroup>().schedule_timeout_seconds, 10);
}

}  // namespace
}  // namespace cadre::kube
