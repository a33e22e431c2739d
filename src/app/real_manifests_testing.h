// For tests with manifests that people have published: finding JobSets in files, and a cluster that suits
// each.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/input.h"
#include "base/json.h"
#include "kube/decode.h"
#include "kube/jobset.h"
#include "kube/manifest.h"
#include "kube/node.h"
#include "kube/yaml.h"

namespace cadre::app::testing {

namespace fs = std::filesystem;

inline fs::path Data() {
  const char* folder = std::getenv("CADRE_DATA");
  return folder != nullptr ? folder : CADRE_SOURCE_DIR "/../shared/data";
}

#define SKIP_WITHOUT(folder)                     \
  if (!std::filesystem::exists(Data() / folder)) \
  GTEST_SKIP() << "the data is not there: " << (Data() / folder) << " (set CADRE_DATA)"

inline std::string ReadFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::vector<fs::path> FilesBelow(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(Data() / folder)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), Data()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// --- Finding JobSets in other kinds

// A JobSet template without identity (a training runtime's spec.template): a TrainJob would name it.
inline std::optional<json::value> TemplateOf(const json::value& document) {
  const json::value* spec = Find(document, {"spec", "template", "spec", "replicatedJobs"});
  if (spec == nullptr) return std::nullopt;
  json::object jobset;
  jobset["apiVersion"] = kube::ApiVersion(kube::Kind::kJobSet);
  jobset["kind"] = "JobSet";
  jobset["metadata"] = json::object{{"name", "trainjob"}};
  jobset["spec"] = *Find(document, {"spec", "template", "spec"});
  return jobset;
}

// JobSets inside of a value: as objects, or as the text of a manifest.
inline void CollectJobSets(const json::value& value, kube::Manifests& out) {
  if (const json::object* object = value.if_object()) {
    if (FindString(value, {"kind"}) == "JobSet" && object->contains("spec")) {
      kube::LoadText(json::serialize(value), "inside", out);
      return;
    }
    for (const auto& field : *object)
      CollectJobSets(field.value(), out);
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array)
      CollectJobSets(item, out);
  } else if (const json::string* text = value.if_string();
             text != nullptr && text->starts_with("apiVersion: jobset.x-k8s.io")) {
    kube::LoadText(*text, "inside", out);
  }
}

// The manifests of one file, JobSets in other kinds taken out of them.
inline kube::Manifests Load(const fs::path& file) {
  kube::Manifests manifests;
  kube::LoadPath(Data() / file, manifests);
  if (manifests.unknown.empty()) return manifests;
  const std::string text = ReadFile(Data() / file);
  for (const kube::YamlChunk& chunk : kube::SplitYaml(text)) {
    const auto document = kube::ParseYaml(chunk);
    if (!document || !*document) continue;
    const json::value& value = (*document)->value;
    if (FindString(value, {"kind"}) == "JobSet") continue;
    if (const auto jobset = TemplateOf(value)) {
      kube::LoadText(json::serialize(*jobset), "inside", manifests);
    } else {
      CollectJobSets(value, manifests);
    }
  }
  return manifests;
}

// --- A cluster that suits

// A label that meets the requirement.
inline void MeetRequirement(const kube::Requirement& requirement, json::object& labels) {
  using enum kube::SelectorOperator;
  if (requirement.op == kIn) labels[requirement.key] = requirement.values.at(0);
  if (requirement.op == kExists) labels[requirement.key] = "any";
}

inline json::object LabelsFor(const kube::PodSpec& spec) {
  json::object labels;
  for (const auto& [key, value] : spec.node_selector)
    labels[key] = value;
  if (spec.affinity.required_node) {
    for (const kube::Requirement& requirement : spec.affinity.required_node->terms.at(0).match_expressions)
      MeetRequirement(requirement, labels);
  }
  return labels;
}

struct NodeType {
  json::object labels;
  std::int64_t count = 0;
  std::map<std::string, std::int64_t> resources;  // of one pod of every role that goes there
};

// The label key of the domains that each Job of this replicated job wants for itself, or "".
inline std::string ExclusiveKeyOf(const kube::JobSet& jobset, const kube::ReplicatedJob& replicated) {
  for (const kube::StringMap* annotations :
       {&replicated.job_annotations, &replicated.job.pod_template.annotations,
        &jobset.metadata.annotations}) {
    const auto found = annotations->find(kube::kExclusiveTopologyAnnotation);
    if (found != annotations->end()) return found->second;
  }
  return "";
}

// One node per pod; each holds one pod of every role with the same labels, so that roles may share a node.
// Jobs that want a domain of their own have one.
inline std::vector<kube::Object> ClusterFor(const kube::JobSet& jobset) {
  std::map<std::string, NodeType> types;
  for (const kube::ReplicatedJob& replicated : jobset.spec.replicated_jobs) {
    const std::string exclusive = ExclusiveKeyOf(jobset, replicated);
    for (std::int32_t replica = 0; replica < replicated.replicas; ++replica) {
      json::object labels = LabelsFor(replicated.job.pod_template.spec);
      if (!exclusive.empty() && !labels.contains(exclusive))
        labels[exclusive] = fmt::format("{}-{}", replicated.name, replica);
      NodeType& type = types[Canonical(labels)];
      type.labels = std::move(labels);
      type.count += kube::PodsAtOnce(replicated.job);
      if (replica > 0 && exclusive.empty()) continue;  // the first has said what one pod of the role takes
      for (const auto& [name, amount] : kube::PodRequests(replicated.job.pod_template.spec))
        type.resources[name] += amount;
    }
  }
  std::vector<kube::Object> nodes;
  for (auto& [text, type] : types) {
    for (std::int64_t i = 0; i < type.count; ++i) {
      const std::string name = fmt::format("node-{}", nodes.size());
      type.labels["kubernetes.io/hostname"] = name;
      json::object resources;
      for (const auto& [resource, amount] : type.resources)
        resources[resource] = resource == kube::kCpu ? fmt::format("{}m", amount) : std::to_string(amount);
      json::object node;
      node["metadata"] = json::object{{"name", name}, {"labels", type.labels}};
      node["status"] = json::object{{"allocatable", resources}};
      nodes.push_back(*kube::Decode(kube::Kind::kNode, std::move(node)));
    }
  }
  return nodes;
}

// --- Running one file

inline std::string AllProblems(const SimulationInput& input) {
  std::string text;
  for (const std::string& problem : input.problems)
    text += problem + '\n';
  return text;
}

inline const kube::JobSet* JobSetIn(const SimulationInput& input) {
  for (const Submission& submission : input.submissions) {
    if (submission.object.kind == kube::Kind::kJobSet) return &submission.object.As<kube::JobSet>();
  }
  return nullptr;
}

}  // namespace cadre::app::testing
