// What becomes of manifests that people have published: every JobSet below data/jobset and
// data/trainjob-runtime, each on a cluster with the resources and labels that it asks for. What must come of
// each file is in testdata/real_manifests.tsv.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/input.h"
#include "app/simulation.h"
#include "app/summary.h"
#include "base/text.h"
#include "kube/decode.h"
#include "kube/jobset.h"
#include "kube/manifest.h"
#include "kube/node.h"
#include "kube/yaml.h"

namespace cadre::app {
namespace {

namespace fs = std::filesystem;

fs::path Data() {
  const char* folder = std::getenv("CADRE_DATA");
  return folder != nullptr ? folder : CADRE_SOURCE_DIR "/../shared/data";
}

#define SKIP_WITHOUT(folder)        \
  if (!fs::exists(Data() / folder)) \
  GTEST_SKIP() << "the data is not there: " << (Data() / folder) << " (set CADRE_DATA)"

std::string ReadFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> FilesBelow(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(Data() / folder)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), Data()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Expected {
  std::string outcome;
  std::string says;
  std::string why;
};

std::map<std::string, Expected> ReadTable() {
  std::map<std::string, Expected> table;
  std::ifstream file(CADRE_SOURCE_DIR "/testdata/real_manifests.tsv");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> fields = Split(line, '\t');
    table[std::string(fields.at(0))] = {std::string(fields.at(1)), std::string(fields.at(2)),
                                        std::string(fields.at(3))};
  }
  return table;
}

// --- Finding JobSets in other kinds

// A JobSet template without identity (a training runtime's spec.template): a TrainJob would name it.
std::optional<json::value> TemplateOf(const json::value& document) {
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
void CollectJobSets(const json::value& value, kube::Manifests& out) {
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
kube::Manifests Load(const fs::path& file) {
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
void MeetRequirement(const kube::Requirement& requirement, json::object& labels) {
  using enum kube::SelectorOperator;
  if (requirement.op == kIn) labels[requirement.key] = requirement.values.at(0);
  if (requirement.op == kExists) labels[requirement.key] = "any";
}

json::object LabelsFor(const kube::PodSpec& spec) {
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
std::string ExclusiveKeyOf(const kube::JobSet& jobset, const kube::ReplicatedJob& replicated) {
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
std::vector<kube::Object> ClusterFor(const kube::JobSet& jobset) {
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

std::string AllProblems(const SimulationInput& input) {
  std::string text;
  for (const std::string& problem : input.problems)
    text += problem + '\n';
  return text;
}

const kube::JobSet* JobSetIn(const SimulationInput& input) {
  for (const Submission& submission : input.submissions) {
    if (submission.object.kind == kube::Kind::kJobSet) return &submission.object.As<kube::JobSet>();
  }
  return nullptr;
}

// The text has a JobSet in it, readable or not.
bool MentionsJobSet(const fs::path& file) {
  const std::string text = ReadFile(Data() / file);
  return text.find("replicatedJobs") != std::string::npos;
}

std::string OutcomeOf(const report::GroupRow& row, const kube::JobSet& jobset, std::int64_t placed) {
  using enum report::GroupState;
  std::int64_t pods = 0;
  for (const kube::ReplicatedJob& replicated : jobset.spec.replicated_jobs)
    pods += replicated.replicas * kube::PodsAtOnce(replicated.job);
  if (pods == 0) return "empty";
  if (row.state == kFinished) return row.outcome == "succeeded" ? "runs" : row.outcome;
  if (row.state == kRunning) return placed == pods ? "runs-forever" : "runs in part for ever";
  return row.start ? "?" : "waits";
}

struct FileResult {
  std::string outcome;
  std::string says;
  std::vector<std::string> violations;
};

FileResult RunFile(const fs::path& file) {
  const kube::Manifests manifests = Load(file);
  const SimulationInput input = SortInput(manifests);
  const kube::JobSet* jobset = JobSetIn(input);
  if (jobset == nullptr) {
    const bool refused = !input.problems.empty() && MentionsJobSet(file);
    return {refused ? "refused" : "no-jobset", AllProblems(input), {}};
  }
  Simulation simulation{SimulationOptions{}};
  std::vector<kube::Object> cluster = ClusterFor(*jobset);
  cluster.insert(cluster.end(), input.cluster.begin(), input.cluster.end());
  simulation.Load(cluster);
  for (const Submission& submission : input.submissions)
    simulation.SubmitAt(submission.after, submission.object);
  simulation.RunToEnd();
  const report::RunReport report = Summarise(simulation, input, false);
  if (!simulation.refusals().empty()) return {"refused", simulation.refusals()[0].message, report.violations};
  if (report.groups.size() != 1)
    return {fmt::format("{} groups", report.groups.size()), "", report.violations};
  const report::GroupRow& row = report.groups[0];
  return {OutcomeOf(row, *jobset, static_cast<std::int64_t>(row.placements.size())), row.reason,
          report.violations};
}

TEST(RealManifests, TheTableHasEveryFileAndNoOther) {
  SKIP_WITHOUT("jobset");
  std::set<std::string> in_table;
  for (const auto& [file, expected] : ReadTable())
    in_table.insert(file);
  std::set<std::string> on_disk;
  for (const char* folder : {"jobset", "trainjob-runtime"}) {
    for (const fs::path& file : FilesBelow(folder))
      on_disk.insert(file.string());
  }
  EXPECT_EQ(in_table, on_disk);
}

TEST(RealManifests, EndAsTheTableSays) {
  SKIP_WITHOUT("jobset");
  for (const auto& [file, expected] : ReadTable()) {
    const FileResult result = RunFile(file);
    EXPECT_EQ(result.outcome, expected.outcome)
        << file << "\n  expected because: " << expected.why << "\n  says: " << result.says;
    EXPECT_THAT(result.says, ::testing::HasSubstr(expected.says)) << file;
    EXPECT_THAT(result.violations, ::testing::IsEmpty()) << file;
  }
}

TEST(RealManifests, TemplatesAreCalledTemplates) {
  SKIP_WITHOUT("jobset");
  const fs::path template_file =
      "jobset/GoogleCloudPlatform+cluster-toolkit/pkg__orchestrator__gke__templates__jobset.tmpl";
  EXPECT_THAT(AllProblems(SortInput(Load(template_file))), ::testing::HasSubstr("template"));
}

// Nothing is dropped silently: every file of gang manifests gives objects, unknown kinds by name, or a
// complaint.
TEST(GangManifests, LoadWithUnknownKindsNamed) {
  SKIP_WITHOUT("gang");
  for (const fs::path& file : FilesBelow("gang")) {
    kube::Manifests manifests;
    kube::LoadPath(Data() / file, manifests);
    EXPECT_FALSE(manifests.objects.empty() && manifests.unknown.empty() && manifests.problems.empty())
        << file;
    for (const kube::UnknownObject& unknown : manifests.unknown) {
      EXPECT_FALSE(unknown.kind.empty()) << file;
      EXPECT_FALSE(unknown.api_version.empty()) << file;
    }
  }
}

TEST(GangManifests, RunAsFarAsCadreKnowsThemWithoutAViolation) {
  SKIP_WITHOUT("gang");
  for (const fs::path& file : FilesBelow("gang")) {
    kube::Manifests manifests;
    kube::LoadPath(Data() / file, manifests);
    const SimulationInput input = SortInput(manifests);
    if (input.submissions.empty()) continue;
    Simulation simulation{SimulationOptions{}};
    std::vector<kube::Object> cluster = input.cluster;
    for (int i = 0; i < 8; ++i)
      cluster.push_back(
          *kube::Decode(kube::Kind::kNode, json::parse(fmt::format(
                                               R"({{"metadata": {{"name": "n{}"}}, "status": {{"allocatable":
              {{"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8", "ephemeral-storage": "1Ti"}}}}}})",
                                               i))));
    simulation.Load(cluster);
    for (const Submission& submission : input.submissions)
      simulation.SubmitAt(submission.after, submission.object);
    simulation.RunToEnd();
    EXPECT_THAT(simulation.checker().violations(), ::testing::IsEmpty()) << file;
  }
}

// What `aws ec2 describe-instance-topology` prints: about nodes, but no Kubernetes object.
bool IsInstanceTopology(const fs::path& file) {
  return file.filename().string().find("eks") != std::string::npos &&
         ReadFile(Data() / file).find("\"InstanceId\"") != std::string::npos;
}

TEST(RealClusters, EveryNodeListLoadsWhole) {
  SKIP_WITHOUT("cluster");
  for (const fs::path& file : FilesBelow("cluster")) {
    kube::Manifests manifests;
    kube::LoadPath(Data() / file, manifests);
    if (IsInstanceTopology(file)) {
      EXPECT_EQ(manifests.problems.size(), 1U) << file;
      continue;
    }
    EXPECT_TRUE(manifests.problems.empty()) << file << ": " << kube::ToString(manifests.problems[0]);
    const SimulationInput input = SortInput(manifests);
    Simulation simulation{SimulationOptions{}};
    simulation.Load(input.cluster);
    EXPECT_TRUE(simulation.refusals().empty()) << file << ": " << simulation.refusals()[0].message;
    EXPECT_EQ(simulation.api().Count(kube::Kind::kNode), manifests.objects.size()) << file;
    EXPECT_GE(manifests.objects.size(), 16U) << file;
  }
}

// An AKS pool of 8-GPU machines in which one node shows no GPU and one shows 7.
class BrokenAksPool : public ::testing::Test {
 protected:
  static constexpr const char* kFile =
      "cluster/converged-computing+performance-study/"
      "experiments__azure__aks__gpu__size32__metadata__broken-nodes.json.gz";

  void SetUp() override {
    SKIP_WITHOUT(kFile);
    kube::Manifests manifests;
    kube::LoadPath(Data() / kFile, manifests);
    for (const kube::LoadedObject& loaded : manifests.objects)
      nodes_.push_back(loaded.object);
  }

  static std::int64_t GpusOf(const kube::Object& node) {
    const kube::ResourceList& allocatable = node.As<kube::Node>().status.allocatable;
    const auto found = allocatable.find("nvidia.com/gpu");
    return found == allocatable.end() ? 0 : found->second;
  }
  std::int64_t NodesWith(std::int64_t gpus) const {
    return std::count_if(nodes_.begin(), nodes_.end(),
                         [&](const kube::Object& node) { return GpusOf(node) == gpus; });
  }

  // A gang of pods with 8 GPUs each.
  report::GroupRow RunGang(std::int64_t pods) const {
    kube::Manifests manifests;
    kube::LoadText(
        fmt::format(
            "---\n{{apiVersion: batch/v1, kind: Job, metadata: {{name: train}}, spec: {{completionMode: "
            "Indexed, "
            "parallelism: {0}, completions: {0}, template: {{spec: {{restartPolicy: Never, tolerations: "
            "[{{operator: Exists}}], containers: [{{name: c, image: x, resources: {{limits: "
            "{{nvidia.com/gpu: 8}}}}}}]}}}}}}}}",
            pods),
        "gang.yaml", manifests);
    const SimulationInput input = SortInput(manifests);
    Simulation simulation{SimulationOptions{}};
    simulation.Load(nodes_);
    simulation.SubmitAt(Duration(0), input.submissions.at(0).object);
    simulation.RunToEnd();
    return Summarise(simulation, input, false).groups.at(0);
  }

  std::vector<kube::Object> nodes_;
};

TEST_F(BrokenAksPool, HasOneNodeWithoutGpusAndOneWithSeven) {
  EXPECT_EQ(NodesWith(0), 1);
  EXPECT_EQ(NodesWith(7), 1);
}

TEST_F(BrokenAksPool, AGangForEveryHealthyNodeRunsOnExactlyThose) {
  const report::GroupRow row = RunGang(NodesWith(8));
  std::vector<std::string> healthy;
  for (const kube::Object& node : nodes_) {
    if (GpusOf(node) == 8) healthy.push_back(node.Meta().name);
  }
  std::sort(healthy.begin(), healthy.end());
  EXPECT_EQ(row.state, report::GroupState::kFinished);
  EXPECT_EQ(row.nodes, healthy);
}

TEST_F(BrokenAksPool, AGangOfOneMoreNeverRuns) {
  const report::GroupRow row = RunGang(NodesWith(8) + 1);
  EXPECT_EQ(row.state, report::GroupState::kNever);
  EXPECT_THAT(row.nodes, ::testing::IsEmpty());
}

}  // namespace
}  // namespace cadre::app
