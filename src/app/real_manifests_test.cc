// What becomes of manifests that people have published: every JobSet below data/jobset and
// data/trainjob-runtime, each on a cluster with the resources and labels that it asks for. What must come of
// each file is in testdata/real_manifests.tsv.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/input.h"
#include "app/real_manifests_testing.h"
#include "app/simulation.h"
#include "app/summary.h"
#include "base/text.h"
#include "kube/decode.h"
#include "kube/jobset.h"
#include "kube/manifest.h"
#include "kube/node.h"

namespace cadre::app {
namespace {

namespace fs = std::filesystem;

using testing::AllProblems;
using testing::ClusterFor;
using testing::Data;
using testing::FilesBelow;
using testing::JobSetIn;
using testing::Load;
using testing::ReadFile;

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
