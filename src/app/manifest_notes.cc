#include "app/manifest_notes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "jobset/message_pattern.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/node.h"
#include "kube/pod.h"

namespace cadre::app {
namespace {

constexpr std::size_t kNamed = 3;

// One spec that pods are made from.
struct Source {
  std::string name;  // "JobSet default/train, replicated job workers"
  const kube::PodSpec* spec;
  std::string namespace_;
  std::int64_t pods;
  bool is_template;
};

void AddSources(const kube::Object& object, std::vector<Source>& sources) {
  const std::string name = kube::Describe(object);
  const std::string& space = object.Meta().namespace_;
  if (object.kind == kube::Kind::kPod) {
    sources.push_back({name, &object.As<kube::Pod>().spec, space, 1, false});
  } else if (object.kind == kube::Kind::kJob) {
    const kube::JobSpec& spec = object.As<kube::Job>().spec;
    sources.push_back({name, &spec.pod_template.spec, space, kube::PodsAtOnce(spec), true});
  } else if (object.kind == kube::Kind::kJobSet) {
    for (const kube::ReplicatedJob& replicated : object.As<kube::JobSet>().spec.replicated_jobs)
      sources.push_back({fmt::format("{}, replicated job {}", name, replicated.name),
                         &replicated.job.pod_template.spec, space,
                         std::int64_t{replicated.replicas} * kube::PodsAtOnce(replicated.job), true});
  }
}

template <class Visit>
void ForEachObject(const SimulationInput& input, Visit visit) {
  std::ranges::for_each(input.cluster, visit);
  for (const Submission& submission : input.submissions)
    visit(submission.object);
}

std::string OfNodeNames(const std::vector<Source>& sources) {
  std::vector<std::string> names;
  for (const Source& source : sources) {
    if (source.is_template && !source.spec->node_name.empty())
      names.push_back(fmt::format("{} on {}", source.name, source.spec->node_name));
  }
  if (names.empty()) return "";
  return fmt::format(
      "spec.nodeName in a pod template ({}): such pods are on their node from their birth, whether there is "
      "room or not, and nobody schedules them; the rest of their group is placed around them",
      FirstAndMore(names, kNamed));
}

bool IsKeptForEver(const kube::PodSpec& spec, const kube::Taint& taint) {
  return std::ranges::any_of(spec.tolerations, [&](const kube::Toleration& toleration) {
    return kube::Tolerates(toleration, taint) && !toleration.toleration_seconds;
  });
}

bool IsTolerated(const kube::PodSpec& spec, const kube::Taint& taint) {
  return std::ranges::any_of(spec.tolerations, [&](const kube::Toleration& toleration) {
    return kube::Tolerates(toleration, taint);
  });
}

// Would Kubernetes' taint manager evict such a pod from that node, now or later?
bool WouldEvict(const Source& source, const std::string& node, const kube::Taint& taint) {
  if (IsKeptForEver(*source.spec, taint)) return false;
  return IsTolerated(*source.spec, taint) || source.spec->node_name == node;
}

// Of nodes that work; those that do not get their taints from Kubernetes, and lose them again.
std::string OfEvictions(const SimulationInput& input, const std::vector<Source>& sources) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  ForEachObject(input, [&](const kube::Object& object) {
    if (object.kind != kube::Kind::kNode) return;
    for (const kube::Taint& taint : object.As<kube::Node>().spec.taints) {
      if (taint.effect != "NoExecute" || taint.key.starts_with("node.kubernetes.io/")) continue;
      for (const Source& source : sources) {
        if (WouldEvict(source, object.Meta().name, taint) && seen.insert(source.name).second)
          names.push_back(fmt::format("{} from node {}", source.name, object.Meta().name));
      }
    }
  });
  if (names.empty()) return "";
  return fmt::format(
      "NoExecute taints evict nobody here, at once or after tolerationSeconds; in a cluster they would: {}",
      FirstAndMore(names, kNamed));
}

bool IsForOnePod(const kube::Object& object) {
  if (object.kind != kube::Kind::kPersistentVolumeClaim || object.raw == nullptr) return false;
  const json::value* modes = Find(*object.raw, {"spec", "accessModes"});
  return modes != nullptr && modes->is_array() &&
         std::ranges::find(modes->get_array(), json::value("ReadWriteOncePod")) != modes->get_array().end();
}

std::string OfClaims(const SimulationInput& input, const std::vector<Source>& sources) {
  std::map<std::string, std::int64_t> users;
  for (const Source& source : sources) {
    for (const std::string& claim : source.spec->claim_names)
      users[(source.namespace_.empty() ? "default" : source.namespace_) + "/" + claim] += source.pods;
  }
  std::vector<std::string> names;
  ForEachObject(input, [&](const kube::Object& object) {
    if (!IsForOnePod(object)) return;
    const kube::ObjectMeta& meta = object.Meta();
    const auto found = users.find((meta.namespace_.empty() ? "default" : meta.namespace_) + "/" + meta.name);
    if (found != users.end() && found->second > 1)
      names.push_back(fmt::format("{} for {} pods", kube::Describe(object), found->second));
  });
  if (names.empty()) return "";
  return fmt::format(
      "access mode ReadWriteOncePod is not kept: pods that share such a claim run side by side here, and in "
      "a cluster one after the other ({})",
      FirstAndMore(names, kNamed));
}

void AddPatternNotes(const kube::Object& object, std::vector<std::string>& notes) {
  if (object.kind != kube::Kind::kJobSet) return;
  const auto& policy = object.As<kube::JobSet>().spec.failure_policy;
  if (!policy) return;
  for (const kube::JobSetFailurePolicyRule& rule : policy->rules) {
    for (const std::string& text : rule.on_job_failure_message_patterns) {
      const auto pattern = jobset::MessagePattern::Parse(text);
      if (!pattern)
        notes.push_back(
            fmt::format("{}: failure policy rule {}: onJobFailureMessagePatterns: \"{}\" matches nothing: "
                        "{}",
                        kube::Describe(object), rule.name, text, pattern.error().message));
    }
  }
}

}  // namespace

std::vector<std::string> ManifestNotes(const SimulationInput& input) {
  std::vector<Source> sources;
  ForEachObject(input, [&](const kube::Object& object) { AddSources(object, sources); });
  std::vector<std::string> notes;
  for (std::string& note : std::vector<std::string>{OfNodeNames(sources), OfEvictions(input, sources),
                                                    OfClaims(input, sources)}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  ForEachObject(input, [&](const kube::Object& object) { AddPatternNotes(object, notes); });
  return notes;
}

}  // namespace cadre::app
