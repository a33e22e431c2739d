#include "kube/defaults.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace cadre::kube {

namespace {

bool Has(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && !value->is_null();
}

void Default(json::object& object, std::string_view key, json::value value) {
  if (!Has(object, key)) object[key] = std::move(value);
}

// The object under `key`, or null when it is absent or something else.
json::object* Child(json::object& object, std::string_view key) {
  json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

// The same, made when it is absent. Null only when something else is there.
json::object* MadeChild(json::object& object, std::string_view key) {
  Default(object, key, json::object());
  return Child(object, key);
}

template <class F>
void ForEachObject(json::object& parent, std::string_view key, F&& f) {
  json::value* value = parent.if_contains(key);
  if (value == nullptr || !value->is_array()) return;
  std::size_t index = 0;
  for (json::value& element : value->get_array()) {
    if (json::object* object = element.if_object()) f(*object, index);
    ++index;
  }
}

void ApplyPodSpecDefaults(json::object& spec) {
  Default(spec, "restartPolicy", "Always");
  Default(spec, "schedulerName", "default-scheduler");
  Default(spec, "terminationGracePeriodSeconds", 30);
  for (const std::string_view list : {"containers", "initContainers"}) {
    ForEachObject(spec, list, [](json::object& container, std::size_t) {
      ForEachObject(container, "ports",
                    [](json::object& port, std::size_t) { Default(port, "protocol", "TCP"); });
    });
  }
}

void DefaultCompletions(json::object& spec) {
  // parallelism alone is a work queue, which has no number of completions.
  if (!Has(spec, "completions") && !Has(spec, "parallelism")) spec["completions"] = 1;
  Default(spec, "parallelism", 1);
}

// The labels of the template become the Job's when it has none (long-standing behaviour of batch/v1).
void DefaultLabels(json::object& job, json::object& pod_template) {
  json::object* from = Child(pod_template, "metadata");
  json::object* labels = from == nullptr ? nullptr : Child(*from, "labels");
  json::object* metadata = MadeChild(job, "metadata");
  if (labels == nullptr || labels->empty() || metadata == nullptr) return;
  json::object* own = MadeChild(*metadata, "labels");
  if (own != nullptr && own->empty()) *own = *labels;
}

void DefaultFailurePolicyConditions(json::object& policy) {
  ForEachObject(policy, "rules", [](json::object& rule, std::size_t) {
    ForEachObject(rule, "onPodConditions",
                  [](json::object& condition, std::size_t) { Default(condition, "status", "True"); });
  });
}

void ApplyReplicatedJobDefaults(json::object& replicated_job) {
  Default(replicated_job, "replicas", 1);
  Default(replicated_job, "groupName", "default");
  json::object* job_template = Child(replicated_job, "template");
  json::object* job_spec = job_template == nullptr ? nullptr : MadeChild(*job_template, "spec");
  if (job_spec == nullptr) return;
  Default(*job_spec, "completionMode", "Indexed");
  json::object* pod_template = Child(*job_spec, "template");
  json::object* pod_spec = pod_template == nullptr ? nullptr : Child(*pod_template, "spec");
  if (pod_spec == nullptr) return;
  const json::value* policy = pod_spec->if_contains("restartPolicy");
  if (policy == nullptr || policy->is_null() || (policy->is_string() && policy->get_string().empty())) {
    (*pod_spec)["restartPolicy"] = "OnFailure";
  }
}

}  // namespace

void ApplyDefaults(Kind kind, json::object& body) {
  switch (kind) {
    case Kind::kPod:
      return ApplyPodDefaults(body);
    case Kind::kJob:
      return ApplyJobDefaults(body);
    case Kind::kJobSet:
      return ApplyJobSetDefaults(body);
    case Kind::kLeaderWorkerSet:
      return ApplyLeaderWorkerSetDefaults(body);
    default:
      return;
  }
}

void ApplyPodDefaults(json::object& pod) {
  if (json::object* spec = Child(pod, "spec")) ApplyPodSpecDefaults(*spec);
}

void ApplyJobDefaults(json::object& job) {
  Default(job, "metadata",
          json::object());  // before any pointer into the job is taken: an insertion moves members
  json::object* spec = Child(job, "spec");
  if (spec == nullptr) return;
  DefaultCompletions(*spec);
  Default(*spec, "completionMode", "NonIndexed");
  Default(*spec, "suspend", false);
  Default(*spec, "manualSelector", false);
  const bool per_index = Has(*spec, "backoffLimitPerIndex");
  Default(*spec, "backoffLimit", per_index ? std::numeric_limits<std::int32_t>::max() : 6);
  Default(*spec, "podReplacementPolicy", Has(*spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  if (json::object* policy = Child(*spec, "podFailurePolicy")) DefaultFailurePolicyConditions(*policy);
  json::object* pod_template = Child(*spec, "template");
  if (pod_template == nullptr) return;
  DefaultLabels(job, *pod_template);
  if (json::object* pod_spec = Child(*pod_template, "spec")) ApplyPodSpecDefaults(*pod_spec);
}

void ApplyLeaderWorkerSetDefaults(json::object& set) {
  json::object* spec = Child(set, "spec");
  if (spec == nullptr) return;
  Default(*spec, "replicas", 1);
  Default(*spec, "startupPolicy", "LeaderCreated");
  if (json::object* both = Child(*spec, "leaderWorkerTemplate")) {
    Default(*both, "size", 1);
    Default(*both, "restartPolicy", "RecreateGroupOnPodRestart");
  }
}

void ApplyJobSetDefaults(json::object& jobset) {
  json::object* spec = MadeChild(jobset, "spec");
  if (spec == nullptr) return;
  Default(*spec, "successPolicy", json::object{{"operator", "All"}});
  Default(*spec, "startupPolicy", json::object{{"startupPolicyOrder", "AnyOrder"}});
  if (json::object* network = MadeChild(*spec, "network")) {
    Default(*network, "enableDNSHostnames", true);
    Default(*network, "publishNotReadyAddresses", true);
  }
  if (json::object* policy = Child(*spec, "failurePolicy")) {
    Default(*policy, "maxRestarts", 0);
    Default(*policy, "restartStrategy", "Recreate");
    ForEachObject(*policy, "rules", [](json::object& rule, std::size_t index) {
      const json::value* name = rule.if_contains("name");
      if (name == nullptr || (name->is_string() && name->get_string().empty())) {
        rule["name"] = "failurePolicyRule" + std::to_string(index);
      }
    });
  }
  ForEachObject(*spec, "volumeClaimPolicies", [](json::object& policy, std::size_t) {
    Default(policy, "retentionPolicy", json::object{{"whenDeleted", "Delete"}});
  });
  ForEachObject(*spec, "replicatedJobs",
                [](json::object& job, std::size_t) { ApplyReplicatedJobDefaults(job); });
}

}  // namespace cadre::kube
