#include <array>

#include "kube/decode_reader.h"
#include "kube/jobset.h"

namespace cadre::kube {
namespace {

constexpr std::array<Choice<DependsOnStatus>, 2> kDependsOnStatuses = {{
    {"Ready", DependsOnStatus::kReady},
    {"Complete", DependsOnStatus::kComplete},
}};
constexpr std::array<Choice<bool>, 2> kSuccessOperators = {{{"Any", true}, {"All", false}}};
constexpr std::array<Choice<bool>, 2> kStartupOrders = {{{"InOrder", true}, {"AnyOrder", false}}};

void ReadReplicatedJob(const Reader& replicated, ReplicatedJob& out) {
  replicated.Read("name", out.name);
  replicated.Read("groupName", out.group_name);
  replicated.Read("replicas", out.replicas);
  // JobSet's webhook makes Jobs Indexed and their pods OnFailure where the template says nothing.
  out.job.indexed = true;
  out.job.pod_template.spec.restart_policy = "OnFailure";
  replicated.ReadObject("template", [&](const Reader& job_template) {
    job_template.ReadObject("metadata", [&](const Reader& metadata) {
      metadata.Read("labels", out.job_labels);
      metadata.Read("annotations", out.job_annotations);
    });
    job_template.ReadObject("spec", [&](const Reader& spec) { ReadJobSpec(spec, out.job); });
  });
  replicated.ReadList("dependsOn", out.depends_on, [](const Reader& dependency, DependsOn& to) {
    dependency.Read("name", to.name);
    dependency.ReadChoice<DependsOnStatus>("status", kDependsOnStatuses, to.status);
  });
}

void ReadFailurePolicy(const Reader& policy, JobSetFailurePolicy& out) {
  policy.Read("maxRestarts", out.max_restarts);
  policy.Read("restartStrategy", out.restart_strategy);
  policy.ReadList("rules", out.rules, [](const Reader& rule, JobSetFailurePolicyRule& to) {
    rule.Read("name", to.name);
    rule.Read("action", to.action);
    rule.Read("onJobFailureReasons", to.on_job_failure_reasons);
    rule.Read("onJobFailureMessagePatterns", to.on_job_failure_message_patterns);
    rule.Read("targetReplicatedJobs", to.target_replicated_jobs);
  });
}

void ReadPolicies(const Reader& spec, JobSetSpec& out) {
  spec.ReadObject("network", [&](const Reader& network) {
    network.Read("enableDNSHostnames", out.network.enable_dns_hostnames);
    network.Read("publishNotReadyAddresses", out.network.publish_not_ready_addresses);
    network.Read("subdomain", out.network.subdomain);
  });
  spec.ReadObject("successPolicy", [&](const Reader& policy) {
    policy.ReadChoice<bool>("operator", kSuccessOperators, out.success_policy.any);
    policy.Read("targetReplicatedJobs", out.success_policy.target_replicated_jobs);
  });
  spec.ReadObject("failurePolicy",
                  [&](const Reader& policy) { ReadFailurePolicy(policy, out.failure_policy.emplace()); });
  spec.ReadObject("startupPolicy", [&](const Reader& policy) {
    policy.ReadChoice<bool>("startupPolicyOrder", kStartupOrders, out.in_order);
  });
  spec.ReadObject("coordinator", [&](const Reader& coordinator) {
    JobSetCoordinator& to = out.coordinator.emplace();
    coordinator.Read("replicatedJob", to.replicated_job);
    coordinator.Read("jobIndex", to.job_index);
    coordinator.Read("podIndex", to.pod_index);
  });
}

void ReadStatus(const Reader& status, JobSetStatus& out) {
  ReadConditions(status, out.conditions);
  status.Read("restarts", out.restarts);
  status.Read("restartsCountTowardsMax", out.restarts_count_towards_max);
  status.Read("terminalState", out.terminal_state);
  status.ReadList("replicatedJobsStatus", out.replicated_jobs,
                  [](const Reader& from, ReplicatedJobStatus& to) {
                    from.Read("name", to.name);
                    from.Read("ready", to.ready);
                    from.Read("succeeded", to.succeeded);
                    from.Read("failed", to.failed);
                    from.Read("active", to.active);
                    from.Read("suspended", to.suspended);
                  });
}

}  // namespace

void ReadJobSet(const Reader& root, JobSet& out) {
  root.ReadObject("spec", [&](const Reader& spec) {
    spec.ReadList("replicatedJobs", out.spec.replicated_jobs, ReadReplicatedJob);
    ReadPolicies(spec, out.spec);
    spec.Read("suspend", out.spec.suspend);
    spec.Read("managedBy", out.spec.managed_by);
    spec.Read("ttlSecondsAfterFinished", out.spec.ttl_seconds_after_finished);
  });
  root.ReadObject("status", [&](const Reader& status) { ReadStatus(status, out.status); });
}

}  // namespace cadre::kube
