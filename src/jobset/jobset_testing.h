// Builders for the tests of this folder: JobSets and child Jobs from a few words of JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/time.h"
#include "jobset/child_jobs.h"
#include "jobset/reconcile.h"
#include "kube/decode.h"
#include "kube/defaults.h"

namespace cadre::jobset::testing {

// 2026-01-01T00:00:00Z plus seconds.
inline Time At(std::int64_t seconds) {
  return *ParseRfc3339("2026-01-01T00:00:00Z") + Duration(1000 * seconds);
}

inline kube::Object DecodeOrDie(kube::Kind kind, json::value value) {
  auto object = kube::Decode(kind, std::move(value));
  if (!object) {
    ADD_FAILURE() << object.error().message;
    std::abort();
  }
  return *std::move(object);
}

// One replicated job: Indexed Jobs of `pods` pods each, with more fields of the replicated job and of its
// template.
struct ReplicatedJobWords {
  std::string name = "workers";
  int replicas = 1;
  int pods = 2;
  std::string more = {};      // fields of the replicated job, each ending with a comma
  std::string metadata = {};  // of the Job template: the inside of the object
  std::string pod_spec = {};  // more fields of the pod spec, each starting with a comma
};

inline std::string ToJson(const ReplicatedJobWords& words) {
  return fmt::format(
      R"({{"name":"{0}","replicas":{1},{2}"template":{{"metadata":{{{4}}},"spec":{{
          "completionMode":"Indexed","parallelism":{3},"completions":{3},"backoffLimit":0,
          "template":{{"metadata":{{"labels":{{"app":"a"}}}},
                       "spec":{{"restartPolicy":"Never","containers":[{{"name":"main","image":"busybox"}}]{5}}}}}}}}}}})",
      words.name, words.replicas, words.more, words.pods, words.metadata, words.pod_spec);
}

struct JobSetWords {
  std::vector<ReplicatedJobWords> jobs = {{}};
  std::string spec = {};      // more fields of spec, each ending with a comma
  std::string status = {};    // the inside of the object
  std::string metadata = {};  // more fields of metadata, each starting with a comma
};

// JobSet default/train, uid "set-uid", version 10.
inline kube::Object JobSetWith(const JobSetWords& words) {
  std::string jobs;
  for (const ReplicatedJobWords& job : words.jobs) {
    jobs += (jobs.empty() ? "" : ",") + ToJson(job);
  }
  json::value body = json::parse(fmt::format(
      R"({{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet",
           "metadata":{{"name":"train","namespace":"default","uid":"set-uid","resourceVersion":"10","generation":1{}}},
           "spec":{{{}"replicatedJobs":[{}]}},"status":{{{}}}}})",
      words.metadata, words.spec, jobs, words.status));
  kube::ApplyDefaults(kube::Kind::kJobSet, body.as_object());
  return DecodeOrDie(kube::Kind::kJobSet, std::move(body));
}

inline const kube::JobSet& Typed(const kube::Object& jobset) {
  return jobset.As<kube::JobSet>();
}

struct ChildWords {
  std::size_t replicated_job = 0;
  int index = 0;
  int attempt = 0;
  std::string status = {};  // the inside of the object
  bool suspended = false;
  bool deleting = false;
  std::string template_patch = "{}";  // a merge patch for spec.template
};

// The child as MakeChildJob makes it, stored by an API server.
inline kube::Object ChildOf(const kube::Object& jobset, const ChildWords& words) {
  json::object body =
      MakeChildJob(jobset, ChildNumbering(Typed(jobset).spec), words.replicated_job, words.index);
  const std::string name(FindString(json::value(body), {"metadata", "name"}));
  json::value changes = json::parse(fmt::format(
      R"({{"metadata":{{"uid":"uid-{0}-{1}","resourceVersion":"7","labels":{{"{2}":"{1}"}}{3}}},
           "spec":{{"suspend":{4},"template":{5}}},"status":{{{6}}}}})",
      name, words.attempt, kube::kRestartAttemptLabel,
      words.deleting ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "", words.suspended,
      words.template_patch, words.status));
  json::value value = std::move(body);
  MergePatch(value, changes);
  kube::ApplyDefaults(kube::Kind::kJob, value.as_object());
  return DecodeOrDie(kube::Kind::kJob, std::move(value));
}

inline std::string FailedAt(std::int64_t seconds, std::string_view reason = "BackoffLimitExceeded") {
  return fmt::format(
      R"("conditions":[{{"type":"Failed","status":"True","reason":"{}","message":"m","lastTransitionTime":"{}"}}])",
      reason, FormatRfc3339(At(seconds)));
}
inline std::string Complete() {
  return R"("conditions":[{"type":"Complete","status":"True"}])";
}
inline std::string ReadyPods(int ready) {
  return fmt::format(R"("active":{0},"ready":{0})", ready);
}

inline Children Sorted(const kube::Object& jobset, const std::vector<kube::Object>& jobs) {
  auto children = SortChildren(Typed(jobset), jobs);
  if (!children) {
    ADD_FAILURE() << children.error().message;
    return {};
  }
  return *std::move(children);
}

inline Counters Counted(const kube::Object& jobset, const std::vector<kube::Object>& jobs) {
  return CountJobs(Typed(jobset).spec, Sorted(jobset, jobs));
}

inline Plan PlanAt(const kube::Object& jobset, const std::vector<kube::Object>& jobs,
                   std::int64_t seconds = 0, bool service_exists = true) {
  return Reconcile({.jobset = jobset,
                    .jobs = jobs,
                    .now = At(seconds),
                    .service_exists = service_exists,
                    .uid_of_job = [](const std::string&) { return std::string(); }});
}

inline std::vector<std::string> CreatedNames(const Plan& plan) {
  std::vector<std::string> names;
  for (const json::object& job : plan.create_jobs) {
    names.emplace_back(FindString(json::value(job), {"metadata", "name"}));
  }
  return names;
}

inline std::vector<std::string> DeletedNames(const Plan& plan) {
  std::vector<std::string> names;
  for (const kube::Object& job : plan.delete_jobs) {
    names.push_back(job.Meta().name);
  }
  return names;
}

// "Failed/FailedJobs !RestartingJobSet/JobSetFailed": the conditions that the plan writes; "" when it writes
// none.
inline std::string ConditionsIn(const Plan& plan) {
  std::string text;
  const json::value patch = plan.status_patch ? json::value(*plan.status_patch) : json::value(json::object());
  const json::value* conditions = Find(patch, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) {
    return text;
  }
  for (const json::value& condition : conditions->get_array()) {
    text += fmt::format("{}{}{}/{}", text.empty() ? "" : " ",
                        FindString(condition, {"status"}) == "True" ? "" : "!",
                        FindString(condition, {"type"}), FindString(condition, {"reason"}));
  }
  return text;
}

inline std::vector<std::string> RemarksIn(const Plan& plan) {
  std::vector<std::string> reasons;
  for (const Remark& remark : plan.remarks) {
    reasons.push_back((remark.warning ? "Warning " : "Normal ") + remark.reason);
  }
  return reasons;
}

}  // namespace cadre::jobset::testing
