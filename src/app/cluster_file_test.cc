#include "app/cluster_file.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/node.h"
#include "kube/yaml.h"

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

json::value Yaml(std::string_view text) {
  return (*kube::ParseYaml(kube::SplitYaml(text).front()))->value;
}

std::vector<kube::Object> Nodes(std::string_view yaml) {
  Result<std::vector<kube::Object>> nodes = NodesFromDescription(Yaml(yaml));
  EXPECT_TRUE(nodes) << nodes.error().message;
  return nodes ? *nodes : std::vector<kube::Object>{};
}

std::string Complaint(std::string_view yaml) {
  const Result<std::vector<kube::Object>> nodes = NodesFromDescription(Yaml(yaml));
  return nodes ? "" : nodes.error().message;
}

std::vector<std::string> Names(const std::vector<kube::Object>& nodes) {
  std::vector<std::string> names;
  for (const kube::Object& node : nodes)
    names.push_back(node.Meta().name);
  return names;
}

std::string Label(const kube::Object& node, std::string_view key) {
  const auto found = node.Meta().labels.find(key);
  return found == node.Meta().labels.end() ? "" : found->second;
}

TEST(ClusterFile, IsTellableFromAKubernetesObject) {
  EXPECT_TRUE(IsClusterDescription(Yaml("nodes: []")));
  EXPECT_FALSE(IsClusterDescription(Yaml("{apiVersion: v1, kind: NodeList, nodes: []}")));
}

TEST(ClusterFile, NumbersNodesWithLeadingZeros) {
  EXPECT_THAT(Names(Nodes("nodes: [{name: w, count: 11, cpu: 1}]")), ::testing::Contains("w-07"));
}

TEST(ClusterFile, NamesASingleNodeAsItsEntry) {
  EXPECT_THAT(Names(Nodes("nodes: [{name: login, cpu: 8}]")), ElementsAre("login"));
}

TEST(ClusterFile, ReadsResourcesAsANodeStatusWould) {
  const kube::Node node =
      Nodes("nodes: [{name: w, cpu: 1.5, memory: 2Gi, nvidia.com/gpu: 8}]")[0].As<kube::Node>();
  EXPECT_EQ(node.status.allocatable.at("cpu"), 1500);
  EXPECT_EQ(node.status.allocatable.at("memory"), 2LL << 30);
  EXPECT_EQ(node.status.allocatable.at("nvidia.com/gpu"), 8);
}

TEST(ClusterFile, HasRoomFor110PodsUnlessItSaysOtherwise) {
  EXPECT_EQ(Nodes("nodes: [{name: w, cpu: 1}]")[0].As<kube::Node>().status.allocatable.at("pods"), 110);
  EXPECT_EQ(Nodes("nodes: [{name: w, cpu: 1, pods: 20}]")[0].As<kube::Node>().status.allocatable.at("pods"),
            20);
}

TEST(ClusterFile, SpreadsNodesOverZonesAndRacksInEqualBlocks) {
  std::map<std::string, int> racks;
  std::map<std::string, std::string> zone_of;
  for (const kube::Object& node : Nodes("nodes: [{name: w, count: 12, cpu: 1, zones: [a, b], racks: 2}]")) {
    ++racks[Label(node, kRackLabel)];
    zone_of[Label(node, kRackLabel)] = Label(node, kZoneLabel);
  }
  EXPECT_THAT(racks, ElementsAre(std::pair("w-rack-0", 3), std::pair("w-rack-1", 3), std::pair("w-rack-2", 3),
                                 std::pair("w-rack-3", 3)));
  EXPECT_EQ(zone_of["w-rack-1"], "a");
  EXPECT_EQ(zone_of["w-rack-2"], "b");
}

TEST(ClusterFile, LetsEntriesShareRacksThatAreNamed) {
  const std::vector<kube::Object> nodes = Nodes(
      "nodes: [{name: a, count: 2, cpu: 1, racks: [r1, r2]}, {name: b, count: 2, cpu: 1, racks: [r1, r2]}]");
  EXPECT_EQ(Label(nodes[1], kRackLabel), "r2");
  EXPECT_EQ(Label(nodes[3], kRackLabel), "r2");
}

TEST(ClusterFile, ReadsTaintsAsKubectlWritesThem) {
  const kube::Node node =
      Nodes("nodes: [{name: w, cpu: 1, taints: ['a=b:NoSchedule', 'c:NoExecute']}]")[0].As<kube::Node>();
  ASSERT_EQ(node.spec.taints.size(), 2U);
  EXPECT_EQ(kube::ToString(node.spec.taints[0]), "a=b:NoSchedule");
  EXPECT_EQ(kube::ToString(node.spec.taints[1]), "c:NoExecute");
}

TEST(ClusterFile, HelpsWithAMistypedField) {
  EXPECT_EQ(Complaint("nodes: [{name: w, cpu: 1, memry: 2Gi}]"),
            "nodes[0].memry: unknown field, did you mean memory?");
}

TEST(ClusterFile, SaysWhichQuantityIsWrong) {
  EXPECT_THAT(Complaint("nodes: [{name: w, cpu: 1}, {name: m, cpu: many}]"), HasSubstr("nodes[1].cpu: "));
}

TEST(ClusterFile, RefusesANameThatIsUsedTwice) {
  EXPECT_EQ(Complaint("nodes: [{name: w, cpu: 1}, {name: w, cpu: 1}]"), "nodes[1].name: \"w\" is used twice");
}

TEST(ClusterFile, RefusesMoreNodesThanMemoryHolds) {
  EXPECT_THAT(Complaint("nodes: [{name: w, cpu: 1, count: 150000}, {name: m, cpu: 1, count: 150000}]"),
              HasSubstr("300000 nodes in all, at most 200000"));
}

TEST(NodesFlag, MakesRacksAndZonesOfTheGivenSizes) {
  const auto nodes =
      NodesFromFlags({.nodes = 40, .per_rack = 10, .racks_per_zone = 2, .node = "cpu=64,memory=256Gi"});
  ASSERT_TRUE(nodes);
  EXPECT_EQ(Label(nodes->at(9), kRackLabel), "rack-0");
  EXPECT_EQ(Label(nodes->at(10), kRackLabel), "rack-1");
  EXPECT_EQ(Label(nodes->at(19), kZoneLabel), "zone-0");
  EXPECT_EQ(Label(nodes->at(20), kZoneLabel), "zone-1");
}

TEST(NodesFlag, SaysWhatItExpected) {
  EXPECT_EQ(NodesFromFlags({.nodes = 1, .node = "64"}).error().message,
            "--node: found \"64\", expected resources such as cpu=64,memory=256Gi,nvidia.com/gpu=8");
}

}  // namespace
}  // namespace cadre::app
