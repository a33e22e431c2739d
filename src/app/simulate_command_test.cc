#include "app/simulate_command.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "app/version.h"
#include "base/json.h"

namespace cadre::app {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kRoot = CADRE_SOURCE_DIR;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The command with files of its own.
class Simulate : public ::testing::Test {
 protected:
  void SetUp() override {
    flags_.uniform.nodes = 2;
    flags_.uniform.node = "cpu=4,memory=8Gi";
    flags_.colour = "never";
  }

  void Give(std::string_view text, const std::string& name = "jobs.yaml") {
    // What starts with a brace would be taken for JSON.
    flags_.files.push_back(folder_.Write(name, fmt::format("---\n{}", text)));
  }

  int Run() { return RunSimulate(flags_, out_, err_); }
  json::value RunForJson() {
    flags_.json = "-";
    Run();
    return json::parse(out_.str());
  }

  testing::TemporaryFolder folder_;
  SimulateFlags flags_;
  std::ostringstream out_;
  std::ostringstream err_;
};

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {restartPolicy: Never, containers: [{name: c, image: x, command: [sleep, "5"], resources: {requests: {cpu: "1"}}}]}
)";

constexpr const char* kHugePod = R"(
apiVersion: v1
kind: Pod
metadata: {name: huge}
spec: {restartPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: "100"}}}]}
)";

TEST_F(Simulate, EndsWithZeroWhenEverythingRan) {
  Give(kPod);
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(err_.str(), IsEmpty());
}

TEST_F(Simulate, EndsWithOneWhenAGroupNeverRuns) {
  Give(kHugePod);
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("never"));
}

TEST_F(Simulate, EndsWithOneWhenAGroupStillWaits) {
  Give(
      R"({apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {suspend: true, template: {spec: {restartPolicy: Never,
       containers: [{name: c, image: x}]}}}})");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("Job default/j, pending: Job default/j is suspended"));
}

TEST_F(Simulate, EndsWithTwoOnBadInputAndStillRunsTheRest) {
  Give(std::string(kPod) +
       "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {containers: 3}}\n");
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("jobs.yaml: document 2, line "));
  EXPECT_THAT(err_.str(), HasSubstr("spec.containers"));
  EXPECT_THAT(out_.str(), HasSubstr("1 finished"));
}

TEST_F(Simulate, NamesUnknownKindsWithoutFailing) {
  Give(std::string(kPod) + "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}\n");
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("1 × Deployment (apps/v1)"));
}

TEST_F(Simulate, SaysWhichVersionOfAKnownKindIsRead) {
  Give(std::string(kPod) + "\n---\n{apiVersion: batch/v1beta1, kind: Job, metadata: {name: old}}\n");
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("1 × Job (batch/v1beta1)"));
  EXPECT_THAT(out_.str(), HasSubstr("batch/v1 Job is read, this is not"));
}

TEST_F(Simulate, StrictSaysWhichVersionOfAKnownKindIsRead) {
  Give(std::string(kPod) +
       "\n---\n{apiVersion: jobset.x-k8s.io/v1alpha1, kind: JobSet, metadata: {name: old}}\n");
  flags_.strict = true;
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("jobset.x-k8s.io/v1alpha2 JobSet is read, this is not"));
}

TEST_F(Simulate, StrictMakesUnknownKindsAnError) {
  Give(std::string(kPod) + "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}\n");
  flags_.strict = true;
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("unknown kind Deployment (apps/v1)"));
  EXPECT_THAT(out_.str(), IsEmpty());
}

TEST_F(Simulate, StrictMakesAMisspeltFieldAnError) {
  Give(
      "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {nodeSelctor: {a: b}, containers: [{name: c, "
      "image: x}]}}");
  flags_.strict = true;
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(),
              HasSubstr("spec.nodeSelctor: PodSpec has no such field; did you mean nodeSelector?"));
  EXPECT_THAT(out_.str(), IsEmpty());
}

constexpr std::string_view kSet =
    "\n---\n{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: serve}, "
    "spec: {leaderWorkerTemplate: {workerTemplate: {spec: {containers: [{name: c, image: x}]}}}}}\n";

TEST_F(Simulate, NamesALeaderWorkerSetWithoutFailing) {
  Give(std::string(kPod) + std::string(kSet));
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("the controller of LeaderWorkerSets is not simulated"));
  EXPECT_THAT(out_.str(), HasSubstr("LeaderWorkerSet default/serve"));
}

TEST_F(Simulate, StrictMakesALeaderWorkerSetWithoutPodsAnError) {
  Give(std::string(kPod) + std::string(kSet));
  flags_.strict = true;
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("LeaderWorkerSet default/serve: the controller of LeaderWorkerSets"));
  EXPECT_THAT(out_.str(), IsEmpty());
}

TEST_F(Simulate, RunsATraceNamedAmongTheFiles) {
  std::ofstream(folder_ / "t.swf") << "1 100 -1 60 2 -1 -1 2 100 -1 1 1 1 1 1 1 -1 -1\n"
                                      "2 105 -1 -1 2 -1 -1 2 100 -1 5 1 1 1 1 1 -1 -1\n";
  flags_.files.push_back((folder_ / "t.swf").string());
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("1 group of 2 pods"));
  EXPECT_THAT(out_.str(), HasSubstr("1 job skipped: cancelled before they started"));
}

constexpr const char* kJobOfManyPods =
    "{{apiVersion: batch/v1, kind: Job, metadata: {{name: {}}}, spec: {{parallelism: 2, completions: {}, "
    "template: "
    "{{spec: {{restartPolicy: Never, containers: [{{name: c, image: x}}]}}}}}}}}";

TEST_F(Simulate, LeavesOutAJobOfAThousandMillionPodsAndRunsTheRest) {
  Give(kPod);
  Give(fmt::format(kJobOfManyPods, "endless", 1'000'000'000), "endless.yaml");
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(),
              HasSubstr("spec.completions: found 1000000000 pods until Job default/endless is complete"));
  EXPECT_THAT(out_.str(), HasSubstr("1 finished"));
}

TEST_F(Simulate, DoesNotStartARunOfTooManyPodsInAll) {
  Give(fmt::format(kJobOfManyPods, "one", 150'000), "one.yaml");
  Give(fmt::format(kJobOfManyPods, "two", 150'001), "two.yaml");
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("the input makes 300001 pods in all (Job default/two: 150001)"));
  EXPECT_THAT(out_.str(), IsEmpty());
}

TEST_F(Simulate, SaysWhenThereAreNoNodes) {
  Give(kPod);
  flags_.uniform.nodes = 0;
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("there are no nodes: give --cluster FILE"));
}

TEST_F(Simulate, SaysWhichFileCannotBeRead) {
  flags_.files = {(folder_ / "absent.yaml").string()};
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("absent.yaml"));
}

TEST_F(Simulate, SaysWhichFlagIsNoTime) {
  Give(kPod);
  flags_.default_duration = "long";
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--default-duration: "));
}

TEST_F(Simulate, RunsPodsThatDoNotTellForTheDefault) {
  Give(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {restartPolicy: Never, containers: [{name: c, "
      "image: x}]}}");
  flags_.default_duration = "7s";
  EXPECT_EQ(RunForJson().at_pointer("/groups/0/end_s"), 7);
}

TEST_F(Simulate, PlacesEveryPodWhateverItsSchedulerName) {
  Give(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: other, restartPolicy: Never, "
      "containers: [{name: c, image: x}]}}");
  EXPECT_EQ(Run(), 0);
}

TEST_F(Simulate, LeavesThePodsOfOtherSchedulersAloneWhenAsked) {
  Give(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: other, restartPolicy: Never, "
      "containers: [{name: c, image: x}]}}");
  flags_.respect_scheduler_name = true;
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("its pods ask for the scheduler other"));
}

TEST_F(Simulate, EndsAtTheGivenTime) {
  Give(kPod);
  flags_.until = "3s";
  const json::value report = RunForJson();
  EXPECT_EQ(report.at_pointer("/groups/0/state"), "running");
  EXPECT_EQ(report.at("cut"), true);
  EXPECT_EQ(report.at("end_s"), 3);
}

TEST_F(Simulate, WritesJsonToAFileBesideTheText) {
  Give(kPod);
  flags_.json = (folder_ / "out.json").string();
  EXPECT_EQ(Run(), 0);
  EXPECT_EQ(json::parse(ReadFile(folder_ / "out.json")).at_pointer("/groups/0/state"), "finished");
  EXPECT_THAT(out_.str(), HasSubstr("1 finished"));
}

TEST_F(Simulate, SaysWhenTheJsonCannotBeWritten) {
  Give(kPod);
  flags_.json = (folder_ / "no/such/folder.json").string();
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("cannot be written"));
}

TEST_F(Simulate, PodsOfADumpHoldTheirResources) {
  Give(std::string(kPod) +
       "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: agent, uid: u}, spec: {nodeName: node-0, "
       "containers: [{name: c, image: x, resources: {requests: {cpu: '4'}}}]}, "
       "status: {phase: Running, startTime: '2025-12-01T00:00:00Z'}}");
  EXPECT_EQ(RunForJson().at_pointer("/groups/0/nodes"), json::parse(R"(["node-1"])"));
}

TEST_F(Simulate, PodsOfADumpOnANodeThatItLacksHoldNothing) {
  Give(std::string(kPod) +
       "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: agent, uid: u}, spec: {nodeName: lost, "
       "containers: [{name: c, image: x, resources: {requests: {cpu: '4'}}}]}, "
       "status: {phase: Running, startTime: '2025-12-01T00:00:00Z'}}");
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("1 pod is bound to 1 node that the input does not have"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("hold their resources")));
}

TEST_F(Simulate, ADumpThatIsOverCommittedIsNotedAndNoViolation) {
  Give(std::string(kPod) +
       "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: agent, uid: u}, spec: {nodeName: node-0, "
       "containers: [{name: c, image: x, resources: {requests: {cpu: '9'}}}]}, "
       "status: {phase: Running, startTime: '2025-12-01T00:00:00Z'}}");
  const json::value report = RunForJson();
  EXPECT_EQ(report.at("violations"), json::array());
  EXPECT_THAT(json::serialize(report.at("notes")), HasSubstr("node-0 (9 CPU of 4 CPU)"));
}

TEST_F(Simulate, RefusesAManifestThatIsNotUtf8WithLineAndByte) {
  Give(kPod);
  Give("apiVersion: v1\nkind: Pod\nmetadata: {name: caf\xe9}\n", "latin.yaml");
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("latin.yaml: line 4: byte 0xe9 at offset 49 is not UTF-8"));
  EXPECT_THAT(out_.str(), HasSubstr("1 finished"));
}

TEST_F(Simulate, RefusesAClusterDescriptionThatIsNotUtf8) {
  Give(kPod);
  flags_.uniform.nodes = 0;
  flags_.cluster_files = {folder_.Write("cluster.yaml", "nodes: [{name: caf\xe9, cpu: 8}]\n")};
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("cluster.yaml: line 1: byte 0xe9 at offset 18 is not UTF-8"));
}

TEST_F(Simulate, RefusesATraceThatIsNotUtf8) {
  Give(kPod);
  flags_.files.push_back(
      folder_.Write("t.swf", "; Universit\xe9\n1 1 -1 60 2 -1 -1 2 100 -1 1 1 1 1 1 1 -1 -1\n"));
  flags_.files.push_back(folder_.Write("t.csv", "name,submit,duration\ncaf\xe9,1,2\n"));
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("t.swf: line 1: byte 0xe9 at offset 11 is not UTF-8"));
  EXPECT_THAT(err_.str(), HasSubstr("t.csv: line 2: byte 0xe9 at offset 24 is not UTF-8"));
}

// A domain's name and a reason reach the terminal by way of labels and messages, which nothing restricts in a
// dump.
constexpr const char* kHostileNode = R"(
apiVersion: v1
kind: Node
metadata: {name: "n\e[31m", labels: {topology.kubernetes.io/rack: "r\e[2J\nforged"}}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "9"}}
---
apiVersion: "evil.io/\e]0;title\a"
kind: "Mal\e[31m"
metadata: {name: m}
)";

TEST_F(Simulate, ShowsControlCharactersOfNamesWrittenOut) {
  Give(std::string(kPod) + "\n---\n" + kHostileNode);
  flags_.uniform.nodes = 0;
  flags_.verbose = true;
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("r\\x1b[2J\\nforged"));
  EXPECT_THAT(out_.str(), HasSubstr("Mal\\x1b[31m"));
  EXPECT_THAT(out_.str() + err_.str(), Not(HasSubstr("\x1b")));
}

TEST_F(Simulate, ComplainsWithControlCharactersWrittenOut) {
  Give(std::string(kPod) +
       "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: \"q\\e[2J\"}, spec: {containers: []}}");
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("q\\x1b[2J"));
  EXPECT_THAT(out_.str() + err_.str(), Not(HasSubstr("\x1b")));
}

TEST_F(Simulate, KeepsControlCharactersInJsonWhichEscapesThem) {
  Give(std::string(kPod) + "\n---\n" + kHostileNode);
  flags_.uniform.nodes = 0;
  const json::value report = RunForJson();
  EXPECT_EQ(report.at_pointer("/groups/0/nodes/0"), "n\x1b[31m");
  EXPECT_THAT(out_.str(), Not(HasSubstr("\x1b")));
}

constexpr const char* kNodesInRows = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {example.com/row: row-1, topology.kubernetes.io/rack: rack-1}}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "9"}}
)";

TEST_F(Simulate, NamesTheDomainsOfTheLevelsThatAreAskedFor) {
  Give(std::string(kPod) + "\n---\n" + kNodesInRows);
  flags_.uniform.nodes = 0;
  flags_.topology = "example.com/row";
  flags_.html = (folder_ / "out.html").string();
  const json::value report = RunForJson();
  EXPECT_EQ(report.at_pointer("/groups/0/domains"), json::parse(R"({"example.com/row": ["row-1"]})"));
  EXPECT_EQ(report.at("cluster").at("domains"), json::parse(R"({"example.com/row": 1})"));
  EXPECT_THAT(ReadFile(folder_ / "out.html"), HasSubstr("row-1"));
  EXPECT_THAT(ReadFile(folder_ / "out.html"), Not(HasSubstr("rack-1")));
}

TEST_F(Simulate, NotesALevelThatNoNodeHas) {
  Give(std::string(kPod) + "\n---\n" + kNodesInRows);
  flags_.uniform.nodes = 0;
  flags_.topology = "zone,example.com/row";
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("--topology: no node has the label topology.kubernetes.io/zone"));
}

TEST_F(Simulate, RefusesALevelThatIsNone) {
  Give(kPod);
  flags_.topology = "zone,rak";
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--topology: \"rak\" is no level, did you mean rack?"));
}

TEST_F(Simulate, TakesItsClusterFromADescription) {
  Give(kPod);
  std::ofstream(folder_ / "cluster.yaml") << "nodes: [{name: only, cpu: 8, memory: 8Gi}]";
  flags_.uniform.nodes = 0;
  flags_.cluster_files = {(folder_ / "cluster.yaml").string()};
  EXPECT_EQ(RunForJson().at_pointer("/groups/0/nodes"), json::parse(R"(["only"])"));
}

TEST_F(Simulate, SaysWhatIsWrongInAClusterDescription) {
  Give(kPod);
  std::ofstream(folder_ / "cluster.yaml") << "nodes: [{name: only, cpus: 8}]";
  flags_.cluster_files = {(folder_ / "cluster.yaml").string()};
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("nodes[0].cpus: unknown field, did you mean cpu?"));
}

TEST_F(Simulate, GivesTheSameBytesTwice) {
  for (int i = 0; i < 9; ++i)
    Give(fmt::format("{{apiVersion: batch/v1, kind: Job, metadata: {{name: j{}}}, spec: {{completionMode: "
                     "Indexed, parallelism: 2, "
                     "completions: 2, template: {{spec: {{restartPolicy: Never, containers: [{{name: c, "
                     "image: x, resources: "
                     "{{requests: {{cpu: '2'}}}}}}]}}}}}}}}",
                     i),
         fmt::format("j{}.yaml", i));
  flags_.json = "-";
  Run();
  std::ostringstream again;
  RunSimulate(flags_, again, err_);
  EXPECT_EQ(out_.str(), again.str());
}

// The demo's output, as the README shows it. CADRE_UPDATE_GOLDEN=1 writes the file anew (CONTRIBUTING.md):
// read the difference before you keep it.
TEST(Demo, PrintsWhatTheReadmeShows) {
  SimulateFlags flags;
  flags.files = {kRoot + "/examples/demo/jobs.yaml"};
  flags.cluster_files = {kRoot + "/examples/demo/cluster.yaml"};
  flags.colour = "never";
  flags.width = 100;
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunSimulate(flags, out, err), 1);  // one group can never run
  EXPECT_THAT(err.str(), IsEmpty());
  const std::string golden = kRoot + "/testdata/golden/demo.txt";
  if (std::getenv("CADRE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden, std::ios::binary) << out.str();
  EXPECT_EQ(out.str(), ReadFile(golden));
}

TEST(Version, IsTheOneOfTheBuild) {
  EXPECT_THAT(ReadFile(kRoot + "/CMakeLists.txt"),
              HasSubstr(fmt::format("project(cadre VERSION {} ", kVersion)));
}

}  // namespace
}  // namespace cadre::app
