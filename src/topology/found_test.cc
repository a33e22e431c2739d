#include "topology/found.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/testing.h"

namespace cadre::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kZ(kZone);
const std::string kR(kRack);
const std::string kLayer1 = "topology.k8s.aws/network-node-layer-1";
const std::string kLayer2 = "topology.k8s.aws/network-node-layer-2";
const std::string kAccelerator = "network.topology.nvidia.com/accelerator";
const std::string kLeaf = "network.topology.nvidia.com/leaf";
const std::string kPool = "cloud.google.com/gke-nodepool";

TEST(PresentLevels, AreThoseThatNodesCarry) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z1"}}).Add("b", {{kZ, "z1"}, {kR, "r1"}});
  EXPECT_THAT(PresentLevels(nodes.views()).levels, ElementsAre(kZ, kR));
}

TEST(PresentLevels, DoNotCountAnEmptyLabel) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z1"}, {kR, ""}});
  EXPECT_THAT(PresentLevels(nodes.views()).levels, ElementsAre(kZ));
}

TEST(PresentLevels, OfNodesWithoutLabelsAreNone) {
  EXPECT_THAT(PresentLevels(TestNodes().AddMany("n", 3, {}).views()).levels, IsEmpty());
}

TEST(PresentLevels, PutAnotherFamilyBelowWhatHoldsItsDomains) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{kLayer1, "1"}, {kLayer2, "11"}, {kAccelerator, "x"}})
                              .Add("b", {{kLayer1, "1"}, {kLayer2, "11"}, {kAccelerator, "y"}})
                              .Add("c", {{kLayer1, "2"}, {kLayer2, "21"}})
                              .Add("d", {{kLayer1, "2"}, {kLayer2, "22"}});
  EXPECT_THAT(PresentLevels(nodes.views()).levels, ElementsAre(kLayer1, kLayer2, kAccelerator));
}

TEST(PresentLevels, PutAnotherFamilyBetweenLevels) {
  TestNodes nodes;
  for (int i = 0; i < 8; ++i)
    nodes.Add("n" + std::to_string(i), {{kLayer1, i < 4 ? "1" : "2"},
                                        {kLayer2, "m" + std::to_string(i)},
                                        {kR, "r" + std::to_string(i / 2)}});
  EXPECT_THAT(PresentLevels(nodes.views()).levels, ElementsAre(kLayer1, kR, kLayer2));
}

TEST(PresentLevels, LeaveOutAnotherFamilyThatCutsAlike) {
  TestNodes nodes;
  for (int i = 0; i < 8; ++i)
    nodes.Add("n" + std::to_string(i),
              {{kLayer1, "l" + std::to_string(i / 4)}, {kLeaf, "s" + std::to_string(i / 4)}});
  const Found found = PresentLevels(nodes.views());
  EXPECT_THAT(found.left_out, ElementsAre(kLayer1 + " cuts the nodes like " + kLeaf + " does"));
}

TEST(PresentLevels, LeaveOutWhatDoesNotNestAndSayWhere) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{kLayer1, "1"}, {kR, "r1"}})
                              .Add("b", {{kLayer1, "1"}, {kR, "r2"}})
                              .Add("c", {{kLayer1, "2"}, {kR, "r1"}})
                              .Add("d", {{kLayer1, "2"}, {kR, "r2"}});
  const Found found = PresentLevels(nodes.views());
  ASSERT_EQ(found.left_out.size(), 1U);
  EXPECT_THAT(
      found.left_out.front(),
      HasSubstr("topology.kubernetes.io/rack does not nest with topology.k8s.aws/network-node-layer-1: a "
                "and c are both in r1 but in 1 and 2"));
}

TEST(PresentLevels, PreferTheFamilyOnMostNodes) {
  TestNodes nodes;
  nodes.AddMany("a", 3, {{kR, "r1"}})
      .AddMany("b", 2, {{kR, "r2"}})
      .Add("c", {{kR, "r1"}, {kAccelerator, "x"}});
  EXPECT_EQ(PresentLevels(nodes.views()).levels.front(), kR);
}

TEST(PresentLevels, AreNodePoolsWhereThereIsNothingBetter) {
  const TestNodes nodes = TestNodes().Add("a", {{kZ, "z"}, {kPool, "p"}}).Add("b", {{kZ, "z"}, {kPool, "q"}});
  EXPECT_THAT(PresentLevels(nodes.views()).levels, ElementsAre(kZ, kPool));
}

TEST(PresentLevels, AreNotNodePoolsWhereThereAreRacks) {
  const TestNodes nodes = TestNodes().Add("a", {{kR, "r"}, {kPool, "p"}}).Add("b", {{kR, "r"}, {kPool, "q"}});
  EXPECT_THAT(PresentLevels(nodes.views()).levels, ElementsAre(kR));
}

TEST(PresentLevels, AreNotOneNodePoolForAll) {
  EXPECT_THAT(PresentLevels(TestNodes().AddMany("n", 3, {{kPool, "p"}}).views()).levels, IsEmpty());
}

TEST(PresentLevels, AreNotAPoolThatSpansZones) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{kZ, "z1"}, {kPool, "p"}})
                              .Add("b", {{kZ, "z2"}, {kPool, "p"}})
                              .Add("c", {{kZ, "z2"}, {kPool, "q"}});
  EXPECT_THAT(PresentLevels(nodes.views()).levels, ElementsAre(kZ));
}

}  // namespace
}  // namespace cadre::topology
