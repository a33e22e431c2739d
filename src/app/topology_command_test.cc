#include "app/topology_command.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "app/topology_labels.h"
#include "base/json.h"
#include "kube/manifest.h"

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// The command with files of its own.
class Topology : public ::testing::Test {
 protected:
  std::string Give(const std::string& name, std::string_view text) { return folder_.Write(name, text); }
  void Cluster(std::string_view text) { flags_.cluster_files.push_back(Give("nodes.yaml", text)); }
  void Import(const std::string& format, std::string_view text) {
    flags_.imports.push_back(format + ":" + Give(format + ".txt", text));
  }

  int Run() { return RunTopology(flags_, out_, err_); }
  json::value RunForJson() {
    flags_.json = true;
    Run();
    return json::parse(out_.str());
  }

  testing::TemporaryFolder folder_;
  TopologyFlags flags_;
  std::ostringstream out_;
  std::ostringstream err_;
};

constexpr std::string_view kThreeNodes = R"(---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: z1, cadre.dev/switch-1: top}}
spec: {providerID: "aws:///us-east-2b/i-1"}
status: {allocatable: {cpu: "4", memory: 8Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {topology.kubernetes.io/zone: z1, cadre.dev/switch-2: old}}
spec: {providerID: "aws:///us-east-2b/i-2"}
status: {allocatable: {cpu: "4", memory: 8Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: n3}
)";

constexpr std::string_view kSwitches =
    "SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n2,n9\n";

TEST_F(Topology, PrintsTheTreeWithSizesAndCapacity) {
  flags_.uniform.nodes = 4;
  flags_.uniform.node = "cpu=8,memory=16Gi";
  flags_.uniform.per_rack = 2;
  flags_.uniform.racks_per_zone = 1;
  EXPECT_EQ(Run(), 0);
  EXPECT_EQ(out_.str(), R"(LEVEL (found)                DOMAINS  NODES IN EACH
topology.kubernetes.io/zone        2  2 ×2
topology.kubernetes.io/rack        2  2 ×2

the cluster: 4 nodes, 32 CPU and 64 GiB memory
├─ zone zone-0: 2 nodes, 16 CPU and 32 GiB memory
│  └─ rack rack-0: 2 nodes, 16 CPU and 32 GiB memory
└─ zone zone-1: 2 nodes, 16 CPU and 32 GiB memory
   └─ rack rack-1: 2 nodes, 16 CPU and 32 GiB memory

Holes and oddities:
  - topology.kubernetes.io/zone and topology.kubernetes.io/rack cut alike: the same 2 domains
)");
}

TEST_F(Topology, NamesTheNodesThatAreInNoDomain) {
  Cluster(kThreeNodes);
  flags_.topology = "zone";
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("in none of these: 1 node (n3)"));
  EXPECT_THAT(out_.str(), HasSubstr("1 of 3 nodes have no topology.kubernetes.io/zone: n3"));
}

TEST_F(Topology, TakesExactlyTheLevelsGiven) {
  Cluster(kThreeNodes);
  flags_.topology = "switch-1";
  Run();
  EXPECT_THAT(out_.str(), StartsWith("LEVEL (given)"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("zone z1")));
}

TEST_F(Topology, SaysThatThereAreNoLevels) {
  flags_.uniform.nodes = 2;
  Run();
  EXPECT_THAT(out_.str(), HasSubstr("No topology levels: no node carries a well-known topology label"));
}

TEST_F(Topology, ListsSixteenDomainsUnlessAskedForAll) {
  flags_.uniform.nodes = 40;
  flags_.uniform.per_rack = 2;
  Run();
  EXPECT_THAT(out_.str(), HasSubstr("└─ … 4 more with 8 nodes (-v lists them)"));
}

TEST_F(Topology, ListsEveryDomainAndNodeWhenAsked) {
  flags_.uniform.nodes = 40;
  flags_.uniform.per_rack = 2;
  flags_.all = true;
  Run();
  EXPECT_THAT(out_.str(), HasSubstr("└─ node-39"));
}

TEST_F(Topology, BringsAnImportToTheNodes) {
  Cluster(kThreeNodes);
  Import("slurm", kSwitches);
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(),
              HasSubstr("a Slurm tree with 2 levels of switches, 3 hosts; it places 2 of 3 nodes"));
  EXPECT_THAT(out_.str(), HasSubstr("1 host of the file is no node: n9"));
  EXPECT_THAT(out_.str(), HasSubstr("1 node of the cluster not in the file: n3"));
}

TEST_F(Topology, ShowsAnImportWithoutACluster) {
  Import("slurm", kSwitches);
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("   ├─ switch-2 s1: 1 node\n"));
}

TEST_F(Topology, ShowsTheLevelsThatWereNamedForAnImport) {
  Import("slurm", "SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=a[1-2]\nSwitchName=s2 Nodes=b[1-2]\n");
  flags_.import_levels = "example.com/hall,rack";
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("├─ rack s1: 2 nodes"));
}

TEST_F(Topology, WritesJson) {
  flags_.uniform.nodes = 4;
  flags_.uniform.per_rack = 2;
  const json::value result = RunForJson();
  EXPECT_EQ(result.at("tree").at("nodes").as_int64(), 4);
  EXPECT_EQ(result.at("tree").at("domains").at(1).at("value").as_string(), "rack-1");
  EXPECT_EQ(result.at("levels").at(0).at("nodesInEach").as_array().size(), 2U);
}

TEST_F(Topology, WritesKubectlCommandsForWhatChanges) {
  Cluster(kThreeNodes);
  Import("slurm", kSwitches);
  flags_.write_labels = "kubectl";
  EXPECT_EQ(Run(), 0);
  EXPECT_EQ(out_.str(),
            "kubectl label node n1 cadre.dev/switch-2=s1\n"
            "kubectl label node n2 cadre.dev/switch-1=top cadre.dev/switch-2=s2 --overwrite\n");
}

TEST_F(Topology, WritesAPatchFileThatLoadsAsNodes) {
  Cluster(kThreeNodes);
  Import("slurm", kSwitches);
  flags_.write_labels = "patch";
  EXPECT_EQ(Run(), 0);
  kube::Manifests manifests;
  kube::LoadText(out_.str(), "patch", manifests);
  ASSERT_THAT(manifests.problems, IsEmpty());
  ASSERT_THAT(manifests.objects, SizeIs(2));
  EXPECT_EQ(manifests.objects[1].object.Meta().labels,
            (kube::StringMap{{"cadre.dev/switch-1", "top"}, {"cadre.dev/switch-2", "s2"}}));
}

TEST_F(Topology, PutsLabelsThatAreThereAlreadyIntoThePatchFileLestApplyingTakesThemAway) {
  Cluster(kThreeNodes);
  Import("slurm", kSwitches);
  flags_.write_labels = "patch";
  Run();
  EXPECT_THAT(out_.str(), HasSubstr("name: \"n1\"\n  labels:\n    \"cadre.dev/switch-1\": \"top\"\n"));
}

TEST_F(Topology, KeepsWhatIsSaidAboutAnImportOutOfTheLabels) {
  Cluster(kThreeNodes);
  Import("slurm", kSwitches);
  flags_.write_labels = "kubectl";
  Run();
  EXPECT_THAT(err_.str(), HasSubstr("1 host of the file is no node: n9"));
}

TEST_F(Topology, FindsInstancesByProviderId) {
  Cluster(kThreeNodes);
  Import("ec2", R"({"Instances": [{"InstanceId": "i-2", "NetworkNodes": ["nn-a"]}]})");
  flags_.write_labels = "kubectl";
  EXPECT_EQ(Run(), 0);
  EXPECT_EQ(out_.str(), "kubectl label node n2 topology.k8s.aws/network-node-layer-1=nn-a\n");
}

TEST_F(Topology, RefusesLabelsOfInstancesWithoutACluster) {
  Import("ec2", R"({"Instances": [{"InstanceId": "i-2", "NetworkNodes": ["nn-a"]}]})");
  flags_.write_labels = "kubectl";
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("give --cluster FILE, too"));
}

TEST_F(Topology, RefusesAPatchFileWithoutACluster) {
  Import("slurm", kSwitches);
  flags_.write_labels = "patch";
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("would make the nodes that do not exist"));
}

struct Bad {
  const char* name;
  TopologyFlags flags;
  const char* why;
};

class BadTopologyFlags : public ::testing::TestWithParam<Bad> {};

TEST_P(BadTopologyFlags, EndWithTwoAndTheReason) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunTopology(GetParam().flags, out, err), 2);
  EXPECT_THAT(err.str(), StartsWith(std::string("cadre topology: ") + GetParam().why));
  EXPECT_THAT(out.str(), IsEmpty());
}

TopologyFlags With(const std::function<void(TopologyFlags&)>& change) {
  TopologyFlags flags;
  flags.uniform.nodes = 2;
  change(flags);
  return flags;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTopologyFlags,
    ::testing::Values(Bad{"NoNodes", {}, "there are no nodes: give --cluster FILE"},
                      Bad{"Level", With([](auto& flags) { flags.topology = "rak"; }),
                          "--topology: \"rak\" is no level, did you mean"},
                      Bad{"Import", With([](auto& flags) { flags.imports = {"flux:x"}; }),
                          "--import: \"flux\" is no source"},
                      Bad{"File", With([](auto& flags) { flags.imports = {"slurm:/nowhere/x"}; }),
                          "--import: /nowhere/x cannot be opened"},
                      Bad{"Labels", With([](auto& flags) { flags.write_labels = "kubectl"; }),
                          "--write-labels: there is nothing to write without --import"},
                      Bad{"ImportLevels", With([](auto& flags) { flags.import_levels = "rack"; }),
                          "--levels names the levels of one --import; 0 are given"}),
    [](const auto& row) { return row.param.name; });

TEST_F(Topology, NamesFileLineAndReasonOfABadImport) {
  Import("slurm", "SwitchName=a Nodes=x\nSwitchName=b Nodes=x\n");
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("slurm.txt: line 2: node x is below switch a already (line 1)"));
}

TEST_F(Topology, RefusesAnImportThatIsNotUtf8) {
  Import("slurm", "# caf\xe9\nSwitchName=a Nodes=x\n");
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("slurm.txt: line 1: byte 0xe9 at offset 5 is not UTF-8"));
}

TEST_F(Topology, ShowsControlCharactersOfLabelsWrittenOut) {
  Cluster(
      "---\napiVersion: v1\nkind: Node\nmetadata: {name: \"n\\e[31m\", labels: {topology.kubernetes.io/zone: "
      "\"z\\e[2J\\nforged\"}}\nstatus: {allocatable: {cpu: '4', \"evil/\\e[1m\": '1'}}\n");
  flags_.all = true;
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("zone z\\x1b[2J\\nforged"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("\x1b")));
}

TEST(TopologyFlagsOnTheCommandLine, AreRead) {
  CLI::App app;
  TopologyFlags flags;
  AddTopologyCommand(app, flags);
  app.parse(
      "topology --cluster a.json --topology zone,rack --import slurm:t.conf --levels zone --write-labels "
      "patch "
      "--json -v");
  EXPECT_THAT(flags.cluster_files, ElementsAre("a.json"));
  EXPECT_EQ(flags.topology, "zone,rack");
  EXPECT_THAT(flags.imports, ElementsAre("slurm:t.conf"));
  EXPECT_EQ(flags.import_levels, "zone");
  EXPECT_EQ(flags.write_labels, "patch");
  EXPECT_TRUE(flags.json && flags.all);
}

TEST(KubectlCommands, QuoteWhatAShellWouldTake) {
  EXPECT_EQ(KubectlCommands({{"n1", {{"k", "a'; rm -rf /"}}, false}}),
            "kubectl label node n1 'k=a'\\''; rm -rf /'\n");
}

TEST(KubectlCommands, LeaveOutNamesThatNoNodeHas) {
  EXPECT_EQ(KubectlCommands({{"$(reboot)\nx", {{"k", "v"}}, false}}),
            "# left out, for no node can have this name: \"$(reboot)\\nx\"\n");
}

TEST(KubectlCommands, TakeNodesWithEqualLabelsTogether) {
  EXPECT_EQ(KubectlCommands(
                {{"n1", {{"k", "v"}}, false}, {"n2", {{"k", "w"}}, false}, {"n3", {{"k", "v"}}, false}}),
            "kubectl label node n1 n3 k=v\nkubectl label node n2 k=w\n");
}

TEST(KubectlCommands, TakeFiftyNodesAtMostTogether) {
  std::vector<LabelChange> changes;
  for (int i = 0; i < 51; ++i)
    changes.push_back({"n" + std::to_string(i), {{"k", "v"}}, false});
  EXPECT_THAT(KubectlCommands(changes), ::testing::EndsWith("\nkubectl label node n50 k=v\n"));
}

TEST(LabelChanges, LeaveOutWhatNodesHaveAlready) {
  EXPECT_THAT(ChangesOf({{"n1", {{"k", "v"}}}}, {{"n1", {{"k", "v"}, {"other", "x"}}}}), IsEmpty());
}

}  // namespace
}  // namespace cadre::app
