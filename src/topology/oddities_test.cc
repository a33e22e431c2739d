#include "topology/oddities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/testing.h"

namespace cadre::topology {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kZ(kZone);
const std::string kR(kRack);

std::vector<Oddity> OdditiesOf(const TestNodes& nodes) {
  return FindOddities(Tree::Build(nodes.views(), Levels::Given({kZ, kR})));
}

std::vector<std::string> TextsOf(const TestNodes& nodes, OddityKind kind) {
  std::vector<std::string> texts;
  for (const Oddity& oddity : OdditiesOf(nodes)) {
    if (oddity.kind == kind) texts.push_back(oddity.text);
  }
  return texts;
}

// Two zones with two racks of four nodes each: nothing is odd.
TestNodes Regular() {
  TestNodes nodes;
  for (int i = 0; i < 16; ++i)
    nodes.Add("n" + std::to_string(i),
              {{kZ, "z" + std::to_string(i / 8)}, {kR, "r" + std::to_string(i / 4)}});
  return nodes;
}

TEST(Oddities, ARegularClusterHasNone) {
  EXPECT_THAT(OdditiesOf(Regular()), IsEmpty());
}

TEST(Oddities, NameNodesWithoutALabel) {
  EXPECT_THAT(TextsOf(Regular().Add("x", {{kZ, "z0"}}), OddityKind::kMissing),
              ElementsAre("1 of 17 nodes have no topology.kubernetes.io/rack: x"));
}

TEST(Oddities, NameFiveOfManyNodesWithoutALabel) {
  EXPECT_THAT(TextsOf(Regular().AddMany("x", 12, {{kZ, "z0"}}), OddityKind::kMissing),
              ElementsAre("12 of 28 nodes have no topology.kubernetes.io/rack: x0, x1, x2, x3, x4, …"));
}

TEST(Oddities, ListAllNodesWithoutALabelForPrograms) {
  const std::vector<Oddity> oddities = OdditiesOf(Regular().AddMany("x", 12, {{kZ, "z0"}}));
  ASSERT_EQ(oddities.size(), 1U);
  EXPECT_EQ(oddities.front().nodes.size(), 12U);
}

TEST(Oddities, SayThatNoNodeHasALevel) {
  EXPECT_THAT(TextsOf(TestNodes().AddMany("n", 4, {{kZ, "z"}}), OddityKind::kNoDomain),
              ElementsAre("no node has the label topology.kubernetes.io/rack"));
}

TEST(Oddities, SayThatALevelHasOneDomain) {
  const TestNodes nodes =
      TestNodes().AddMany("a", 2, {{kZ, "z"}, {kR, "1"}}).AddMany("b", 2, {{kZ, "z"}, {kR, "2"}});
  EXPECT_THAT(TextsOf(nodes, OddityKind::kOneDomain),
              ElementsAre("topology.kubernetes.io/zone has one domain only, z: it narrows nothing down"));
}

TEST(Oddities, SayThatTwoLevelsCutAlike) {
  const TestNodes nodes =
      TestNodes().AddMany("a", 2, {{kZ, "y"}, {kR, "1"}}).AddMany("b", 2, {{kZ, "z"}, {kR, "2"}});
  EXPECT_THAT(
      TextsOf(nodes, OddityKind::kAlike),
      ElementsAre(
          "topology.kubernetes.io/zone and topology.kubernetes.io/rack cut alike: the same 2 domains"));
}

TEST(Oddities, SayThatALevelIsOfSingleNodes) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{kZ, "y"}, {kR, "1"}})
                              .Add("b", {{kZ, "y"}, {kR, "2"}})
                              .Add("c", {{kZ, "z"}, {kR, "3"}});
  EXPECT_THAT(
      TextsOf(nodes, OddityKind::kAlike),
      ElementsAre("every topology.kubernetes.io/rack is one node: as good as kubernetes.io/hostname"));
}

TEST(Oddities, SayThatAValueIsTwoDomains) {
  const TestNodes nodes =
      TestNodes().AddMany("a", 4, {{kZ, "z0"}, {kR, "1"}}).AddMany("b", 4, {{kZ, "z1"}, {kR, "1"}});
  EXPECT_THAT(TextsOf(nodes, OddityKind::kShared),
              ElementsAre("topology.kubernetes.io/rack 1 is 2 domains, for it lies in z0, z1"));
}

TEST(Oddities, NameAHostThatTwoLevelsPutInDifferentPlaces) {
  EXPECT_THAT(
      TextsOf(Regular().Add("x", {{kZ, "z1"}, {kR, "r0"}}), OddityKind::kStray),
      ElementsAre(
          "x of topology.kubernetes.io/rack r0 is in z1, the other 4 nodes of it in z0: a wrong label?"));
}

TEST(Oddities, SayThatADomainIsFarLarger) {
  TestNodes nodes = Regular();
  nodes.AddMany("y", 4, {{kZ, "z0"}, {kR, "r7"}}).AddMany("x", 13, {{kZ, "z0"}, {kR, "r9"}});
  EXPECT_THAT(
      TextsOf(nodes, OddityKind::kSize),
      ElementsAre(
          "topology.kubernetes.io/rack z0/r9 has 13 nodes, far more than the 3 beside it (median 4)"));
}

TEST(Oddities, SayThatADomainIsFarSmaller) {
  TestNodes nodes = Regular();
  nodes.AddMany("y", 4, {{kZ, "z0"}, {kR, "r7"}}).Add("x", {{kZ, "z0"}, {kR, "r9"}});
  EXPECT_THAT(
      TextsOf(nodes, OddityKind::kSize),
      ElementsAre("topology.kubernetes.io/rack z0/r9 has 1 node, far fewer than the 3 beside it (median 4)"));
}

TEST(Oddities, CountWhatIsTooMuchToList) {
  TestNodes nodes;
  for (int rack = 0; rack < 40; ++rack)
    nodes.AddMany("n" + std::to_string(rack) + "-", rack < 30 ? 9 : 1,
                  {{kZ, "z"}, {kR, "r" + std::to_string(rack)}});
  const std::vector<std::string> texts = TextsOf(nodes, OddityKind::kSize);
  ASSERT_EQ(texts.size(), 5U);
  EXPECT_THAT(texts.back(), ::testing::EndsWith("(and 5 more like this)"));
}

TEST(Oddities, TellWhichLevelsWereLeftOut) {
  const TestNodes nodes = TestNodes()
                              .Add("a", {{"topology.k8s.aws/network-node-layer-1", "1"}, {kR, "r1"}})
                              .Add("b", {{"topology.k8s.aws/network-node-layer-1", "1"}, {kR, "r2"}})
                              .Add("c", {{"topology.k8s.aws/network-node-layer-1", "2"}, {kR, "r1"}});
  const std::vector<Oddity> oddities = FindOddities(Tree::Build(nodes.views(), Levels::WellKnown()));
  EXPECT_THAT(oddities, Contains(::testing::Field(&Oddity::kind, OddityKind::kLeftOut)));
}

}  // namespace
}  // namespace cadre::topology
