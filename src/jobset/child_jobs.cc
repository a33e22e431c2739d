#include "jobset/child_jobs.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "jobset/service.h"

namespace cadre::jobset {
namespace {

using Marks = std::vector<std::pair<std::string_view, std::string>>;

json::object& ObjectIn(json::object& parent, std::string_view key) {
  json::value& child = parent[key];
  if (!child.is_object()) {
    child = json::object();
  }
  return child.get_object();
}

const json::value& TemplateOf(const kube::Object& jobset, std::size_t replicated_job) {
  static const json::value kNone = json::object();
  CADRE_ASSERT(jobset.raw != nullptr, "a JobSet without its JSON: child Jobs are copied from it");
  const json::value* jobs = Find(*jobset.raw, {"spec", "replicatedJobs"});
  CADRE_ASSERT(jobs != nullptr && jobs->is_array() && replicated_job < jobs->get_array().size(),
               "the JSON of a JobSet has other replicated jobs than its struct");
  const json::value* found = Find(jobs->get_array()[replicated_job], {"template"});
  return found == nullptr ? kNone : *found;
}

Marks MarksOf(const kube::JobSet& jobset, const ChildNumbering& numbering, std::size_t replicated_job,
              std::int32_t index) {
  const kube::ReplicatedJob& job = jobset.spec.replicated_jobs[replicated_job];
  const ChildNumbering::Place& place = numbering.of(replicated_job);
  const std::string name = ChildName(jobset, job, index);
  Marks marks = {
      {kube::kJobSetNameLabel, jobset.metadata.name},
      {kube::kJobSetUidLabel, jobset.metadata.uid},
      {kube::kReplicatedJobNameLabel, job.name},
      {"jobset.sigs.k8s.io/replicatedjob-replicas", std::to_string(job.replicas)},
      {"jobset.sigs.k8s.io/global-replicas", std::to_string(numbering.replicas())},
      {kube::kJobIndexLabel, std::to_string(index)},
      {"jobset.sigs.k8s.io/job-global-index", std::to_string(place.first_index + index)},
      {"jobset.sigs.k8s.io/job-key", Sha1Hex(jobset.metadata.namespace_ + "/" + name)},
      {kube::kRestartAttemptLabel, std::to_string(jobset.status.restarts)},
      {"jobset.sigs.k8s.io/group-name", job.group_name},
      {"jobset.sigs.k8s.io/group-replicas", std::to_string(place.group_replicas)},
      {"jobset.sigs.k8s.io/job-group-index", std::to_string(place.first_group_index + index)},
  };
  if (const auto& coordinator = jobset.spec.coordinator) {
    marks.emplace_back("jobset.sigs.k8s.io/coordinator",
                       fmt::format("{}-{}-{}-{}.{}", jobset.metadata.name, coordinator->replicated_job,
                                   coordinator->job_index, coordinator->pod_index, Subdomain(jobset)));
  }
  return marks;
}

// Annotations of exclusive placement go to the pods; the replicated job's own win over the JobSet's.
Marks ExclusiveMarks(const kube::JobSet& jobset, const kube::ReplicatedJob& job) {
  Marks marks;
  for (const std::string_view key :
       {kube::kExclusiveTopologyAnnotation, std::string_view("alpha.jobset.sigs.k8s.io/node-selector")}) {
    for (const kube::StringMap* map : {&job.job_annotations, &jobset.metadata.annotations}) {
      if (const auto found = map->find(key); found != map->end()) {
        marks.emplace_back(key, found->second);
        break;
      }
    }
  }
  return marks;
}

void AddAll(const Marks& marks, json::object& to) {
  for (const auto& [key, value] : marks) {
    to[key] = value;
  }
}

void Mark(json::object& metadata, const Marks& marks, const Marks& annotations) {
  AddAll(marks, ObjectIn(metadata, "labels"));
  AddAll(marks, ObjectIn(metadata, "annotations"));
  AddAll(annotations, ObjectIn(metadata, "annotations"));
}

json::object CopyOf(const json::value& root, std::initializer_list<std::string_view> path) {
  const json::value* found = Find(root, path);
  return found != nullptr && found->is_object() ? found->get_object() : json::object();
}

}  // namespace

std::string ChildName(const kube::JobSet& jobset, const kube::ReplicatedJob& job, std::int32_t index) {
  return fmt::format("{}-{}-{}", jobset.metadata.name, job.name, index);
}

json::object OwnedBy(const kube::JobSet& jobset) {
  return {{"apiVersion", kube::ApiVersion(kube::Kind::kJobSet)},
          {"kind", "JobSet"},
          {"name", jobset.metadata.name},
          {"uid", jobset.metadata.uid},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

ChildNumbering::ChildNumbering(const kube::JobSetSpec& spec) {
  std::map<std::string_view, std::int64_t> in_group;
  for (const kube::ReplicatedJob& job : spec.replicated_jobs) {
    places_.push_back({.first_index = replicas_, .first_group_index = in_group[job.group_name]});
    replicas_ += job.replicas;
    in_group[job.group_name] += job.replicas;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    places_[i].group_replicas = in_group[spec.replicated_jobs[i].group_name];
  }
}

json::object MakeChildJob(const kube::Object& jobset, const ChildNumbering& numbering,
                          std::size_t replicated_job, std::int32_t index) {
  const auto& typed = jobset.As<kube::JobSet>();
  const kube::ReplicatedJob& job = typed.spec.replicated_jobs[replicated_job];
  const json::value& from = TemplateOf(jobset, replicated_job);
  const Marks marks = MarksOf(typed, numbering, replicated_job, index);
  const Marks annotations = ExclusiveMarks(typed, job);

  json::object metadata;
  metadata["name"] = ChildName(typed, job, index);
  metadata["namespace"] = typed.metadata.namespace_;
  metadata["labels"] = CopyOf(from, {"metadata", "labels"});
  metadata["annotations"] = CopyOf(from, {"metadata", "annotations"});
  metadata["ownerReferences"] = json::array{OwnedBy(typed)};
  Mark(metadata, marks, annotations);

  json::object spec = CopyOf(from, {"spec"});
  spec["suspend"] = typed.spec.suspend;
  json::object& pods = ObjectIn(spec, "template");
  Mark(ObjectIn(pods, "metadata"), marks, annotations);
  if (typed.spec.network.enable_dns_hostnames) {
    ObjectIn(pods, "spec")["subdomain"] = Subdomain(typed);
  }
  json::object body;
  body["metadata"] = std::move(metadata);
  body["spec"] = std::move(spec);
  return body;
}

}  // namespace cadre::jobset
