// Builders for the Job controller's tests: objects from a few words of JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/time.h"
#include "kube/decode.h"
#include "kube/defaults.h"
#include "sim/job_counting.h"

namespace cadre::sim::testing {

// 2026-01-01T00:00:00Z plus seconds.
inline Time At(std::int64_t seconds) {
  return *ParseRfc3339("2026-01-01T00:00:00Z") + Duration(1000 * seconds);
}

inline std::string Stamp(std::int64_t seconds) {
  return FormatRfc3339(At(seconds));
}

inline kube::Object DecodeOrDie(kube::Kind kind, json::value value) {
  auto object = kube::Decode(kind, std::move(value));
  if (!object) {
    ADD_FAILURE() << object.error().message;
    std::abort();
  }
  return *std::move(object);
}

// Job default/work, uid "job-uid", with these fields of spec (beside a template with one container) and
// status, both given as the inside of a JSON object.
inline kube::Object JobWith(std::string_view spec, std::string_view status = "",
                            std::string_view restart = "Never") {
  json::value job = json::parse(fmt::format(
      R"({{"apiVersion":"batch/v1","kind":"Job",
           "metadata":{{"name":"work","namespace":"default","uid":"job-uid","resourceVersion":"10","generation":1}},
           "spec":{{{}{}"template":{{"metadata":{{"labels":{{"app":"a"}},"annotations":{{"note":"b"}}}},
              "spec":{{"restartPolicy":"{}","containers":[{{"name":"main","image":"busybox","command":["sleep","1"]}}]}}}}}},
           "status":{{{}}}}})",
      spec, spec.empty() ? "" : ",", restart, status));
  kube::ApplyDefaults(kube::Kind::kJob, job.as_object());
  return DecodeOrDie(kube::Kind::kJob, std::move(job));
}

inline const kube::Job& Typed(const kube::Object& job) {
  return job.As<kube::Job>();
}

struct PodWords {
  std::string name = "p";
  int index = -1;
  std::string phase = "Running";
  bool tracked = true;
  bool deleting = false;
  std::string status = {};       // more fields of status, the inside of a JSON object
  std::string annotations = {};  // more of them
  std::string node = "n1";
  std::int64_t created = 0;
};

inline JobPod PodWith(const PodWords& words) {
  std::string annotations = words.annotations;
  if (words.index >= 0) {
    annotations += fmt::format(R"({}"batch.kubernetes.io/job-completion-index":"{}")",
                               annotations.empty() ? "" : ",", words.index);
  }
  const std::string text = fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod",
           "metadata":{{"name":"{0}","namespace":"default","uid":"uid-{0}","resourceVersion":"7",
             "creationTimestamp":"{1}",{2}{3}"annotations":{{{4}}},
             "ownerReferences":[{{"apiVersion":"batch/v1","kind":"Job","name":"work","uid":"job-uid","controller":true}}]}},
           "spec":{{"nodeName":"{5}","containers":[{{"name":"main","image":"busybox"}}]}},
           "status":{{"phase":"{6}"{7}{8}}}}})",
      words.name, Stamp(words.created),
      words.tracked ? R"("finalizers":["batch.kubernetes.io/job-tracking"],)" : "",
      words.deleting ? fmt::format(R"("deletionTimestamp":"{}","deletionGracePeriodSeconds":30,)", Stamp(130))
                     : "",
      annotations, words.node, words.phase, words.status.empty() ? "" : ",", words.status);
  return MakeJobPod(DecodeOrDie(kube::Kind::kPod, json::parse(text)));
}

inline std::string EndedAt(std::int64_t seconds, int exit_code = 1) {
  return fmt::format(
      R"("containerStatuses":[{{"name":"main","state":{{"terminated":{{"exitCode":{},"finishedAt":"{}"}}}}}}])",
      exit_code, Stamp(seconds));
}

inline std::vector<std::string> NamesOf(const std::vector<const JobPod*>& pods) {
  std::vector<std::string> names;
  for (const JobPod* pod : pods) {
    names.push_back(pod->pod->metadata.name);
  }
  return names;
}

}  // namespace cadre::sim::testing
