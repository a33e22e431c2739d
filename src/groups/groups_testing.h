// For tests only: Jobs, JobSets, PodGroups, LeaderWorkerSets and their pods from a few words, and a Catalog
// that holds them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "groups/catalog.h"
#include "groups/sources.h"
#include "kube/test_support.h"

namespace cadre::groups {

// Texts named `…` hold the inside of a YAML flow mapping: "a: 1, b: x".
struct JobWords {
  std::string name = "work";
  std::string uid = "job-1";
  int version = 1;
  std::string spec = "completionMode: Indexed, completions: 4, parallelism: 4";
  std::string status = {};
  std::string annotations = {};
  std::string pod_annotations = {};  // of the template
  std::string jobset = {};           // name of the JobSet that owns it; its UID is "jobset-1"
  std::string replicated_job = {};   // label of JobSet's controller
  int attempt = 0;                   // the same
  bool deleting = false;
};

inline kube::Object JobOf(const JobWords& words) {
  std::string meta =
      fmt::format(R"(name: {}, uid: {}, resourceVersion: "{}", creationTimestamp: "2026-01-01T00:00:10Z")",
                  words.name, words.uid, words.version);
  meta += fmt::format(", annotations: {{{}}}", words.annotations);
  if (words.deleting) meta += R"(, deletionTimestamp: "2026-01-01T00:01:00Z")";
  if (!words.jobset.empty()) {
    meta += fmt::format(R"(, labels: {{"{}": "{}", "{}": "{}"}})", kube::kReplicatedJobNameLabel,
                        words.replicated_job, kube::kRestartAttemptLabel, words.attempt);
    meta += fmt::format(
        ", ownerReferences: [{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: {}, uid: jobset-1, "
        "controller: true}}]",
        words.jobset);
  }
  return kube::FromYaml(fmt::format(R"(apiVersion: batch/v1
kind: Job
metadata: {{{}}}
spec:
  {{{}{}template: {{metadata: {{annotations: {{{}}}}}, spec: {{restartPolicy: Never, containers: [{{name: main, image: a}}]}}}}}}
status: {{{}}}
)",
                                    meta, words.spec, words.spec.empty() ? "" : ", ", words.pod_annotations,
                                    words.status));
}

struct PodWords {
  std::string name = "pod-0";
  int version = 1;
  int index = -1;          // completion index
  std::string owner = {};  // "Job work job-1": kind, name and UID of its controller
  std::string labels = {};
  std::string annotations = {};
  std::string spec = {};  // more of spec
  std::string phase = "Pending";
  bool deleting = false;
  int created = 20;  // seconds after 2026-01-01T00:00:00Z, below 60
};

inline kube::Object PodOf(const PodWords& words) {
  std::string meta = fmt::format(
      R"(name: {0}, uid: uid-{0}, resourceVersion: "{1}", creationTimestamp: "2026-01-01T00:00:{2:02}Z")",
      words.name, words.version, words.created);
  std::string annotations = words.annotations;
  if (words.index >= 0) {
    annotations += fmt::format(R"({}"{}": "{}")", annotations.empty() ? "" : ", ",
                               kube::kCompletionIndexAnnotation, words.index);
  }
  meta += fmt::format(", labels: {{{}}}, annotations: {{{}}}", words.labels, annotations);
  if (words.deleting) meta += R"(, deletionTimestamp: "2026-01-01T00:01:00Z")";
  if (!words.owner.empty()) {
    const std::vector<std::string_view> parts = Split(words.owner, ' ');
    meta += fmt::format(
        ", ownerReferences: [{{apiVersion: any/v1, kind: {}, name: {}, uid: {}, controller: true}}]",
        parts.at(0), parts.at(1), parts.at(2));
  }
  return kube::FromYaml(fmt::format(R"(apiVersion: v1
kind: Pod
metadata: {{{}}}
spec: {{{}{}containers: [{{name: main, image: a}}]}}
status: {{phase: {}}}
)",
                                    meta, words.spec, words.spec.empty() ? "" : ", ", words.phase));
}

// The pod with this index of Job default/work (job-1).
inline kube::Object PodOfJob(int index, std::string annotations = {}) {
  return PodOf({.name = fmt::format("work-{}", index),
                .index = index,
                .owner = "Job work job-1",
                .annotations = std::move(annotations)});
}

struct Replicated {
  std::string name;
  int replicas = 1;
  int pods = 2;                      // completions and parallelism
  std::string depends_on = {};       // "driver Ready, data Complete"
  std::string annotations = {};      // of the Job template
  std::string pod_annotations = {};  // of the pod template
};

struct JobSetWords {
  std::string name = "train";
  int version = 1;
  std::vector<Replicated> jobs = {};
  std::string annotations = {};
  std::string spec = {};  // more of spec
  std::string status = {};
  bool deleting = false;
};

inline std::string YamlOf(const Replicated& job) {
  std::string depends_on;
  for (const std::string_view one : Split(job.depends_on, ',')) {
    if (one.empty()) continue;
    const std::vector<std::string_view> parts = Split(Trim(one), ' ');
    depends_on +=
        fmt::format("{}{{name: {}, status: {}}}", depends_on.empty() ? "" : ", ", parts.at(0), parts.at(1));
  }
  return fmt::format(R"(
  - name: {}
    replicas: {}
{}    template:
      metadata: {{annotations: {{{}}}}}
      spec:
        {{completionMode: Indexed, completions: {}, parallelism: {}, template: {{metadata: {{annotations: {{{}}}}},
          spec: {{restartPolicy: Never, containers: [{{name: main, image: a}}]}}}}}})",
                     job.name, job.replicas,
                     depends_on.empty() ? "" : fmt::format("    dependsOn: [{}]\n", depends_on),
                     job.annotations, job.pods, job.pods, job.pod_annotations);
}

// UID "jobset-1".
inline kube::Object JobSetOf(const JobSetWords& words) {
  std::string jobs;
  for (const Replicated& job : words.jobs)
    jobs += YamlOf(job);
  return kube::FromYaml(fmt::format(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: {}, uid: jobset-1, resourceVersion: "{}", creationTimestamp: "2026-01-01T00:00:05Z", annotations: {{{}}}{}}}
spec:
{}  replicatedJobs:{}
status: {{{}}}
)",
                                    words.name, words.version, words.annotations,
                                    words.deleting ? R"(, deletionTimestamp: "2026-01-01T00:01:00Z")" : "",
                                    words.spec.empty() ? "" : fmt::format("  {}\n", words.spec), jobs,
                                    words.status));
}

// The child Job of JobSet train: "train-<replicated job>-<index>", UID the same with "uid-" before it.
inline JobWords ChildOf(const std::string& replicated_job, int index, int pods = 2) {
  const std::string name = fmt::format("train-{}-{}", replicated_job, index);
  return {.name = name,
          .uid = "uid-" + name,
          .spec = fmt::format("completionMode: Indexed, completions: {0}, parallelism: {0}", pods),
          .jobset = "train",
          .replicated_job = replicated_job};
}

inline kube::Object PodOfChild(const std::string& replicated_job, int job_index, int index) {
  const std::string job = fmt::format("train-{}-{}", replicated_job, job_index);
  return PodOf({.name = fmt::format("{}-{}", job, index),
                .index = index,
                .owner = fmt::format("Job {0} uid-{0}", job)});
}

inline kube::Object NativePodGroup(std::string_view spec, std::string_view annotations = "",
                                   int version = 1) {
  return kube::FromYaml(fmt::format(
      R"(apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {{name: ring, uid: ring-1, resourceVersion: "{}", creationTimestamp: "2026-01-01T00:00:01Z", annotations: {{{}}}}}
spec: {{{}}}
)",
      version, annotations, spec));
}

inline kube::Object PluginsPodGroup(std::string_view spec, std::string_view annotations = "") {
  return kube::FromYaml(fmt::format(
      R"(apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {{name: ring, uid: ring-2, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:01Z", annotations: {{{}}}}}
spec: {{{}}}
)",
      annotations, spec));
}

// LeaderWorkerSet default/serve, UID "set-1".
struct LwsWords {
  int version = 1;
  int replicas = 2;
  int size = 4;
  std::string annotations = {};
  std::string worker_labels = {};       // of the pod template
  std::string worker_annotations = {};  // the same
  std::string spec = {};                // more of spec
  bool deleting = false;
};

inline kube::Object LwsOf(const LwsWords& words) {
  return kube::FromYaml(fmt::format(R"(apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: serve, uid: set-1, resourceVersion: "{}", creationTimestamp: "2026-01-01T00:00:03Z", annotations: {{{}}}{}}}
spec:
  {{{}{}replicas: {}, leaderWorkerTemplate: {{size: {}, workerTemplate: {{metadata: {{labels: {{{}}}, annotations: {{{}}}}}, spec: {{containers: [{{name: main, image: a}}]}}}}}}}}
)",
                                    words.version, words.annotations,
                                    words.deleting ? R"(, deletionTimestamp: "2026-01-01T00:01:00Z")" : "",
                                    words.spec, words.spec.empty() ? "" : ", ", words.replicas, words.size,
                                    words.worker_labels, words.worker_annotations));
}

// A pod as LeaderWorkerSet's controllers make it: worker 0 is the leader. Its owner is a StatefulSet.
inline kube::Object LwsPod(int group, int worker, int size = 4, std::string annotations = {}) {
  const std::string leader = fmt::format("serve-{}", group);
  return PodOf({.name = worker == 0 ? leader : fmt::format("{}-{}", leader, worker),
                .owner = worker == 0 ? "StatefulSet serve sts" : fmt::format("StatefulSet {} sts", leader),
                .labels = fmt::format(R"({}: serve, {}: "{}", {}: "{}", {}: key-{})", kube::kLwsNameLabel,
                                      kube::kLwsGroupIndexLabel, group, kube::kLwsWorkerIndexLabel, worker,
                                      kube::kLwsGroupKeyLabel, group),
                .annotations = fmt::format(R"({}{}{}: "{}")", annotations, annotations.empty() ? "" : ", ",
                                           kube::kLwsSizeAnnotation, size)});
}

inline Time At(int seconds) {
  return *ParseRfc3339("2026-01-01T00:00:00Z") + Duration(1000 * seconds);
}

// A Catalog and short questions to it.
class CatalogTest : public testing::Test {
 protected:
  Affected Apply(const kube::Object& object, bool deleted = false) { return catalog_.Apply(object, deleted); }
  model::Membership MembershipOf(const kube::Object& pod) const {
    return catalog_.MembershipOf(pod.As<kube::Pod>());
  }
  // "JobSet default/train [stage 2] unit train-workers-0 index 1".
  std::string Where(const kube::Object& pod) const {
    const model::Membership membership = MembershipOf(pod);
    return fmt::format("{} unit {} index {}", model::ToString(membership.group), membership.unit,
                       membership.index);
  }
  bool IsCurrent(const kube::Object& pod) const { return catalog_.IsCurrent(pod.As<kube::Pod>()); }
  model::GroupSpec Describe(const model::GroupKey& key, const std::vector<kube::Object>& pods = {}) const {
    std::vector<const kube::Pod*> members;
    for (const kube::Object& pod : pods)
      members.push_back(&pod.As<kube::Pod>());
    return catalog_.Describe(key, members);
  }
  // Of the group that the first of these pods belongs to; all of them are its members.
  model::GroupSpec DescribeGroupOf(const std::vector<kube::Object>& pods) const {
    return Describe(MembershipOf(pods.front()).group, pods);
  }

  Catalog catalog_;
};

// "train-a-0 (2), train-b-0 (2, minimum 1), train-c-0 (2, later)": units as one text; absent ones are marked
// "no Job".
inline std::string UnitsOf(const model::GroupSpec& spec) {
  std::string text;
  for (const model::UnitSpec& unit : spec.units) {
    text += fmt::format("{}{} ({}", text.empty() ? "" : ", ", unit.name, unit.expected);
    if (unit.minimum != model::UnitSpec::kAll) text += fmt::format(", minimum {}", unit.minimum);
    if (!unit.exists) text += ", no Job";
    if (unit.later_template != nullptr) text += ", later";
    text += ")";
  }
  return text;
}

}  // namespace cadre::groups
