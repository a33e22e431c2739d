#include "topology/tree.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/manifest.h"
#include "kube/node.h"
#include "topology/testing.h"

namespace cadre::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kZ(kZone);
const std::string kR(kRack);

std::vector<std::string> NamesOf(const Tree& tree) {
  std::vector<std::string> names;
  for (DomainIndex index = 0; index < tree.domains().size(); ++index)
    names.push_back(tree.NameOf(index));
  return names;
}

Tree Found(const TestNodes& nodes) {
  return Tree::Build(nodes.views(), Levels::WellKnown());
}

TEST(NaturalOrder, ComparesDigitsAsNumbers) {
  EXPECT_TRUE(NaturalLess("r2", "r10"));
}

TEST(NaturalOrder, IsTotalWhereNumbersAreEqual) {
  EXPECT_NE(NaturalLess("r1", "r01"), NaturalLess("r01", "r1"));
}

TEST(NaturalOrder, HoldsForNumbersBeyondAnyInteger) {
  EXPECT_TRUE(NaturalLess("n99999999999999999999999", "n100000000000000000000000"));
}

TEST(TreeDomains, ArePathsSoThatEqualRacksInTwoZonesDiffer) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{kZ, "z1"}, {kR, "1"}})
                              .Add("b", {{kZ, "z2"}, {kR, "1"}})
                              .Add("c", {{kZ, "z2"}, {kR, "1"}});
  EXPECT_THAT(NamesOf(Found(nodes)), ElementsAre("the cluster", "z1", "z1/1", "z2", "z2/1"));
}

TEST(TreeDomains, StandDepthFirstInNaturalOrder) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{kZ, "z10"}, {kR, "r1"}})
                              .Add("b", {{kZ, "z9"}, {kR, "r11"}})
                              .Add("c", {{kZ, "z9"}, {kR, "r2"}});
  EXPECT_THAT(NamesOf(Found(nodes)), ElementsAre("the cluster", "z9", "z9/r2", "z9/r11", "z10", "z10/r1"));
}

TEST(TreeDomains, SkipALevelThatTheirNodesLack) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z1"}, {kR, "r1"}}).Add("b", {{kR, "r1"}});
  EXPECT_THAT(NamesOf(Found(nodes)), ElementsAre("the cluster", "z1", "z1/r1", "-/r1"));
}

TEST(TreeDomains, KeepANodeWithoutALabelInTheCoarserDomain) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z1"}, {kR, "r1"}}).Add("b", {{kZ, "z1"}}).Add("c", {});
  const Tree tree = Found(nodes);
  EXPECT_THAT(tree.domain(1).own, ElementsAre(1));
}

TEST(TreeDomains, KeepANodeWithoutAnyLabelInTheCluster) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z1"}}).Add("b", {});
  EXPECT_THAT(Found(nodes).whole().own, ElementsAre(1));
}

TEST(TreeDomains, DoNotDependOnTheOrderOfTheNodes) {
  TestNodes nodes;
  for (int i = 0; i < 60; ++i)
    nodes.Add("n" + std::to_string(i), {{kZ, "z" + std::to_string(i % 3)}, {kR, "r" + std::to_string(i % 7)}},
              {{"cpu", i}});
  const Tree tree = Found(nodes);
  std::ranges::shuffle(nodes.views(), std::mt19937(7));
  const Tree other = Found(nodes);
  ASSERT_EQ(NamesOf(tree), NamesOf(other));
  for (DomainIndex index = 0; index < tree.domains().size(); ++index) {
    EXPECT_EQ(tree.domain(index).nodes, other.domain(index).nodes) << tree.NameOf(index);
    EXPECT_EQ(tree.domain(index).total, other.domain(index).total) << tree.NameOf(index);
  }
}

TEST(TreeDomains, AddUpWhatTheirNodesOffer) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{kZ, "z1"}}, {{"cpu", 4000}, {"nvidia.com/gpu", 8}})
                              .Add("b", {{kZ, "z1"}}, {{"cpu", 2000}});
  const Tree tree = Found(nodes);
  EXPECT_EQ(tree.domain(1).total, (kube::ResourceList{{"cpu", 6000}, {"nvidia.com/gpu", 8}}));
}

TEST(TreeDomains, KnowTheLargestOfferOfOneNode) {
  const TestNodes nodes =
      TestNodes().Add("a", {{kZ, "z1"}}, {{"cpu", 4000}}).Add("b", {{kZ, "z1"}}, {{"cpu", 9000}});
  EXPECT_EQ(Found(nodes).domain(1).largest, (kube::ResourceList{{"cpu", 9000}}));
}

TEST(TreeDomains, ASumBeyondTheRangeStaysAtItsEnd) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const TestNodes nodes = TestNodes().Add("a", {}, {{"x", most}}).Add("b", {}, {{"x", most}});
  EXPECT_EQ(Found(nodes).whole().total.at("x"), most);
}

TEST(TreeOfGivenLevels, HasExactlyTheseLevels) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z1"}, {"x/row", "1"}, {"x/cell", "c"}});
  const Tree tree = Tree::Build(nodes.views(), Levels::Given({"x/row", "x/cell"}));
  EXPECT_THAT(NamesOf(tree), ElementsAre("the cluster", "1", "1/c"));
}

TEST(TreeOfGivenLevels, TakesTheHostForTheNodeItself) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z1"}, {std::string(kHostname), "a"}});
  EXPECT_THAT(Tree::Build(nodes.views(), Levels::Given({kZ, std::string(kHostname)})).levels(),
              ElementsAre(kZ));
}

TEST(TreeOfNothing, IsTheEmptyCluster) {
  const Tree tree = Found(TestNodes());
  EXPECT_THAT(tree.whole().nodes, IsEmpty());
  EXPECT_EQ(tree.domains().size(), 1U);
}

// Nodes of a dump under the shared data.
std::vector<kube::Object> NodesOfDump(const std::filesystem::path& file) {
  kube::Manifests manifests;
  kube::LoadPath(file, manifests);
  std::vector<kube::Object> nodes;
  for (const kube::LoadedObject& loaded : manifests.objects) {
    if (loaded.object.kind == kube::Kind::kNode) nodes.push_back(loaded.object);
  }
  return nodes;
}

Tree TreeOf(const std::vector<kube::Object>& objects) {
  std::vector<NodeView> views;
  for (const kube::Object& object : objects) {
    const kube::Node& node = object.As<kube::Node>();
    views.push_back({node.metadata.name, &node.metadata.labels, &node.status.allocatable});
  }
  return Tree::Build(views, Levels::WellKnown());
}

TEST(TreeOfThe128NodeGkeDump, HasSubblocksOfTheKnownSizes) {
  TOPOLOGY_DATA_OR_SKIP(file,
                        "cluster/converged-computing+google-performance-study/"
                        "experiments__gke__cpu__size-128__nodes__nodes-128.json.gz");
  const Tree tree = TreeOf(NodesOfDump(file));
  EXPECT_THAT(tree.SizesOf("cloud.google.com/gce-topology-subblock"),
              ElementsAre(21, 21, 16, 15, 11, 11, 11, 11, 11));
}

TEST(TreeOfThe128NodeGkeDump, FindsTheLevelsCoarseToFine) {
  TOPOLOGY_DATA_OR_SKIP(file,
                        "cluster/converged-computing+google-performance-study/"
                        "experiments__gke__cpu__size-128__nodes__nodes-128.json.gz");
  const Tree tree = TreeOf(NodesOfDump(file));
  EXPECT_THAT(tree.levels(),
              ElementsAre(kRegion, kZone, "cloud.google.com/gce-topology-block",
                          "cloud.google.com/gce-topology-subblock", "cloud.google.com/gce-topology-host"));
}

}  // namespace
}  // namespace cadre::topology
