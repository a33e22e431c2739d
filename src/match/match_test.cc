#include "match/match.h"

#include <gtest/gtest.h>

#include "match/random_case.h"
#include "match/testing.h"

namespace cadre::match {
namespace {

using testing::kHost;
using testing::kRack;
using testing::kZone;
using testing::MakeNode;
using testing::MakeSpec;
using testing::MakeTerm;
using testing::Tree;
using testing::World;
using Names = std::vector<std::string>;

const std::string kGpu = "nvidia.com/gpu";

Unit InOne(std::string_view key, Unit unit) {
  unit.topology.required = std::string(key);
  return unit;
}

kube::Node RackNode(std::string_view name, std::int64_t cpus, std::string_view rack,
                    std::string_view zone = "z") {
  return MakeNode(name, cpus,
                  {{std::string(kRack), std::string(rack)}, {std::string(kZone), std::string(zone)}});
}

// --- which nodes are best

TEST(Match, FillsOneNodeBeforeTheNext) {
  World world;
  world.Add(MakeNode("a", 4));
  world.Add(MakeNode("b", 4));
  EXPECT_EQ(world.Place({world.Role(5, MakeSpec(1))}), (Names{"a", "a", "a", "a", "b"}));
}

TEST(Match, TakesTheTightestNodeThatHoldsAll) {
  World world;
  world.Add(MakeNode("a", 8));
  world.Add(MakeNode("b", 3));
  world.Add(MakeNode("c", 2));
  EXPECT_EQ(world.Place({world.Role(3, MakeSpec(1))}), (Names{"b", "b", "b"}));
}

TEST(Match, TakesTheRoomiestNodesWhereNoneHoldsAll) {
  World world;
  world.Add(MakeNode("a", 1));
  world.Add(MakeNode("b", 2));
  world.Add(MakeNode("c", 4));
  EXPECT_EQ(world.Place({world.Role(6, MakeSpec(1))}), (Names{"b", "b", "c", "c", "c", "c"}));
}

TEST(Match, TakesTheTightestNodeForTheLastOfThem) {
  World world;
  world.Add(MakeNode("a", 4));
  world.Add(MakeNode("b", 4));
  world.Add(MakeNode("c", 1));
  EXPECT_EQ(world.Place({world.Role(5, MakeSpec(1))}), (Names{"a", "a", "a", "a", "c"}));
}

TEST(Match, LeavesGpusToThoseWhoAskForThem) {
  World world;
  world.Add(MakeNode("a", 2, {}, {{kGpu, 4}}));
  world.Add(MakeNode("b", 4));
  EXPECT_EQ(world.Place({world.Role(2, MakeSpec(1))}), (Names{"b", "b"}));
}

TEST(Match, BreaksTiesByName) {
  World world;
  for (const char* name : {"c", "a", "b"})
    world.Add(MakeNode(name, 4));
  EXPECT_EQ(world.Place({world.Role(1, MakeSpec(1))}), (Names{"a"}));
}

TEST(Match, GivesNeighbouringNumbersToOneNode) {
  World world;
  world.Add(MakeNode("a", 2));
  world.Add(MakeNode("b", 2));
  EXPECT_EQ(world.Place({world.Role(4, MakeSpec(1))}), (Names{"a", "a", "b", "b"}));
}

TEST(Match, PutsRolesTogetherWhereTheyFit) {
  World world;
  for (const char* name : {"a", "b", "c"})
    world.Add(MakeNode(name, 4));
  EXPECT_EQ(world.Place({Tree({world.Role(1, MakeSpec(1)), world.Role(1, MakeSpec(3))})}), (Names{"a", "a"}));
}

TEST(Match, SaysTheSameWhateverTheOrderInWhichTheClusterCameToBe) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const testing::RandomCase made =
        testing::CaseMaker(seed, {.exclusive = seed % 2 == 0, .preferred = seed % 3 == 0}).Make();
    World forwards;
    World backwards;
    const Request first = made.Build(forwards);
    const Request second = made.Build(backwards, true);
    ASSERT_EQ(forwards.Place(first), backwards.Place(second)) << "seed " << seed << '\n' << made.Describe();
  }
}

TEST(Match, PlacesNobodyWhereNotAllCanBe) {
  World world;
  world.Add(MakeNode("a", 2));
  EXPECT_FALSE(Match(world.cluster(), {world.Role(3, MakeSpec(1))}));
}

TEST(Match, PlacesARequestWithoutMembers) {
  World world;
  EXPECT_EQ(world.Place({Unit{}}), Names{});
}

// --- what is on the nodes

TEST(Match, CountsTerminatingPodsUntilTheyAreGone) {
  World world;
  world.Add(MakeNode("a", 2));
  kube::Pod leaving = World::MakePod("p", MakeSpec(1), {});
  leaving.spec.node_name = "a";
  leaving.metadata.deletion_timestamp = Time{};
  world.Add(leaving);
  EXPECT_FALSE(Match(world.cluster(), {world.Role(2, MakeSpec(1))}));
}

TEST(Match, CountsReservations) {
  World world;
  world.Add(MakeNode("a", 2));
  world.cluster().Reserve(
      "later",
      {.shape = world.NewMember(MakeSpec(1)).shape, .node = world.Id("a"), .labels = {}, .tenant = {}});
  EXPECT_FALSE(Match(world.cluster(), {world.Role(2, MakeSpec(1))}));
}

TEST(Match, CountsTheNumberOfPods) {
  World world;
  world.Add(MakeNode("a", 8, {}, {{"pods", 2}}));
  EXPECT_FALSE(Match(world.cluster(), {world.Role(3, MakeSpec(1))}));
}

TEST(Match, PutsNothingOnANodeThatIsOverCommitted) {
  World world;
  world.Add(MakeNode("a", 2));
  world.Run("p", "a", MakeSpec(3));
  EXPECT_FALSE(Match(world.cluster(), {world.Role(1, MakeSpec(1))}));
}

TEST(Match, PutsWhatAsksForNothingOnANodeThatIsOverCommitted) {
  World world;
  world.Add(MakeNode("a", 2));
  world.Run("p", "a", MakeSpec(3));
  EXPECT_EQ(world.Place({world.Role(1, MakeSpec(0))}), (Names{"a"}));
}

TEST(Match, KeepsHostPortsApart) {
  World world;
  world.Add(MakeNode("a", 8));
  world.Add(MakeNode("b", 8));
  kube::PodSpec spec = MakeSpec(1);
  testing::WantHostPort(spec, 80);
  EXPECT_EQ(world.Place({world.Role(2, spec)}), (Names{"a", "b"}));
}

TEST(Match, KeepsOffPortsThatArePodsAlready) {
  World world;
  world.Add(MakeNode("a", 2));
  world.Add(MakeNode("b", 8));
  kube::PodSpec spec = MakeSpec(1);
  testing::WantHostPort(spec, 80);
  world.Run("p", "a", spec);
  EXPECT_EQ(world.Place({world.Role(1, spec)}), (Names{"b"}));
}

TEST(Match, FollowsTheVolumeToItsZone) {
  World world;
  world.Add(MakeNode("a", 2, {{std::string(kZone), "z1"}}));
  world.Add(MakeNode("b", 8, {{std::string(kZone), "z2"}}));
  kube::PersistentVolume volume;
  volume.metadata.name = volume.metadata.uid = "v";
  volume.node_affinity = kube::NodeSelector{};
  kube::NodeSelectorTerm& term = volume.node_affinity->terms.emplace_back();
  term.match_expressions.push_back({std::string(kZone), kube::SelectorOperator::kIn, {"z2"}});
  kube::PersistentVolumeClaim claim;
  claim.metadata.name = claim.metadata.uid = "data";
  claim.metadata.namespace_ = "default";
  claim.volume_name = "v";
  world.AddObject(kube::Kind::kPersistentVolume, volume);
  world.AddObject(kube::Kind::kPersistentVolumeClaim, claim);
  kube::PodSpec spec = MakeSpec(1);
  spec.claim_names = {"data"};
  EXPECT_EQ(world.Place({world.Role(1, spec)}), (Names{"b"}));
}

TEST(Match, PlacesThoseFirstWhomOthersLookFor) {
  World world;
  world.Add(MakeNode("a", 2));
  world.Add(MakeNode("b", 2));
  kube::PodSpec follower = MakeSpec(1);
  follower.affinity.required_pod = {MakeTerm("app", "leader", kHost)};
  const auto placed = world.Place({Tree(
      {world.Role(1, follower, {{"app", "follower"}}), world.Role(1, MakeSpec(1), {{"app", "leader"}})})});
  EXPECT_EQ(placed, (Names{"a", "a"}));
}

// --- members that have a place, and hints

TEST(Match, LeavesFixedMembersWhereTheyAre) {
  World world;
  world.Add(MakeNode("a", 4));
  world.Add(MakeNode("b", 4));
  world.Run("p", "b", MakeSpec(1));
  Unit unit = world.Role(2, MakeSpec(1));
  unit.members[0].fixed = world.Id("b");
  EXPECT_EQ(world.Place({unit})[0], "b");
}

TEST(Match, ComesToTheNodeWhereTheGroupIsAlready) {
  World world;
  world.Add(MakeNode("a", 2));
  world.Add(MakeNode("b", 8));
  world.Run("p", "b", MakeSpec(1));
  Unit unit = world.Role(2, MakeSpec(1));
  unit.members[0].fixed = world.Id("b");
  EXPECT_EQ(world.Place({unit}), (Names{"b", "b"}));
}

TEST(Match, ComesToTheRackWhereTheUnitIsAlready) {
  World world;
  world.Add(RackNode("a", 2, "r0"));
  world.Add(RackNode("b", 1, "r1"));
  world.Add(RackNode("c", 8, "r1"));
  world.Run("p", "b", MakeSpec(1));
  Unit unit = InOne(kRack, world.Role(2, MakeSpec(1)));
  unit.members[0].fixed = world.Id("b");
  EXPECT_EQ(world.Place({unit}), (Names{"b", "c"}));
}

TEST(Match, FixedMembersAreCountedOnce) {
  World world;
  world.Add(MakeNode("a", 2));
  world.Run("p", "a", MakeSpec(1));
  Unit unit = world.Role(2, MakeSpec(1));
  unit.members[0].fixed = world.Id("a");
  EXPECT_EQ(world.Place({unit}), (Names{"a", "a"}));
}

TEST(Match, FollowsAHintThatIsRight) {
  World world;
  world.Add(MakeNode("a", 1));
  world.Add(MakeNode("b", 8));
  Unit unit = world.Role(1, MakeSpec(1));
  unit.members[0].hint = world.Id("b");
  EXPECT_EQ(world.Place({unit}), (Names{"b"}));
}

TEST(Match, DropsAHintToAFullNode) {
  World world;
  world.Add(MakeNode("a", 1));
  world.Add(MakeNode("b", 1));
  world.Run("p", "b", MakeSpec(1));
  Unit unit = world.Role(1, MakeSpec(1));
  unit.members[0].hint = world.Id("b");
  EXPECT_EQ(world.Place({unit}), (Names{"a"}));
}

TEST(Match, DropsHintsThatWouldLeaveOthersOut) {
  World world;
  world.Add(RackNode("a", 1, "r0"));
  world.Add(RackNode("b", 2, "r1"));
  Unit unit = InOne(kRack, world.Role(2, MakeSpec(1)));
  unit.members[0].hint = world.Id("a");
  EXPECT_EQ(world.Place({unit}), (Names{"b", "b"}));
}

TEST(Match, DropsAHintIntoAClaimedDomain) {
  World world;
  world.Add(RackNode("a", 1, "r0"));
  world.Add(RackNode("b", 2, "r1"));
  world.cluster().SetClaim(
      {.holder = {"other", ""}, .key = std::string(kRack), .path = {"", "z", "r0"}, .text = "other"});
  Unit unit = world.Role(1, MakeSpec(1));
  unit.members[0].hint = world.Id("a");
  EXPECT_EQ(world.Place({unit}), (Names{"b"}));
}

// --- minimums

TEST(Match, StartsWithTheMinimum) {
  World world;
  world.Add(MakeNode("a", 2));
  Unit unit = world.Role(4, MakeSpec(1));
  unit.minimum = 2;
  EXPECT_EQ(world.Place({unit}), (Names{"a", "a", "-", "-"}));
}

TEST(Match, PlacesMoreThanTheMinimumWhereThereIsRoom) {
  World world;
  world.Add(MakeNode("a", 3));
  Unit unit = world.Role(4, MakeSpec(1));
  unit.minimum = 2;
  EXPECT_EQ(world.Place({unit}), (Names{"a", "a", "a", "-"}));
}

TEST(Match, PrefersMoreMembersToATighterRack) {
  World world;
  world.Add(RackNode("a", 2, "r0"));
  world.Add(RackNode("b", 4, "r1"));
  Unit unit = InOne(kRack, world.Role(4, MakeSpec(1)));
  unit.minimum = 2;
  EXPECT_EQ(world.Place({unit}), (Names{"b", "b", "b", "b"}));
}

TEST(Match, GivesNothingToAUnitThatDoesNotReachItsMinimum) {
  World world;
  world.Add(MakeNode("a", 3));
  Unit whole = Tree({world.Role(2, MakeSpec(1)), world.Role(2, MakeSpec(1))});
  whole.minimum = 1;
  EXPECT_EQ(world.Place({whole}), (Names{"a", "a", "-", "-"}));
}

// --- one domain

TEST(Match, TakesTheTightestRack) {
  World world;
  world.Add(RackNode("a", 8, "r0"));
  world.Add(RackNode("b", 2, "r1"));
  world.Add(RackNode("c", 1, "r1"));
  EXPECT_EQ(world.Place({InOne(kRack, world.Role(3, MakeSpec(1)))}), (Names{"b", "b", "c"}));
}

TEST(Match, PrefersTheTightestRackToFewerNodes) {
  World world;
  world.Add(RackNode("a", 8, "r0"));
  world.Add(RackNode("b", 1, "r1"));
  world.Add(RackNode("c", 1, "r1"));
  EXPECT_EQ(world.Place({InOne(kRack, world.Role(2, MakeSpec(1)))}), (Names{"b", "c"}));
}

TEST(Match, KeepsRacksOfTwoZonesApart) {
  World world;
  world.Add(RackNode("a", 1, "1", "z1"));
  world.Add(RackNode("b", 1, "1", "z2"));
  EXPECT_FALSE(Match(world.cluster(), {InOne(kRack, world.Role(2, MakeSpec(1)))}));
}

TEST(Match, ANodeWithoutTheLabelIsInNoRack) {
  World world;
  world.Add(MakeNode("a", 8));
  EXPECT_FALSE(Match(world.cluster(), {InOne(kRack, world.Role(1, MakeSpec(1)))}));
}

TEST(Match, PlacesUnitsInRacksWithinOneZone) {
  World world;
  world.Add(RackNode("a", 2, "1", "z1"));
  world.Add(RackNode("b", 2, "1", "z2"));
  world.Add(RackNode("c", 2, "2", "z2"));
  const Unit pair = InOne(kRack, world.Role(2, MakeSpec(1)));
  EXPECT_EQ(world.Place({Tree({pair, pair}, kZone)}), (Names{"b", "b", "c", "c"}));
}

// --- limits

TEST(Match, GivesUpAtItsBoundAndSaysSo) {
  World world;
  world.Add(MakeNode("a", 4));
  const auto placement = Match(world.cluster(), {world.Role(2, MakeSpec(1))}, {.steps = 1});
  ASSERT_FALSE(placement);
  EXPECT_EQ(placement.error().kind, No::kGaveUp);
}

TEST(Match, SwappingAlikeUnitsDoesNotUseUpItsSteps) {
  World world;
  for (int i = 0; i < 15; ++i)
    world.Add(RackNode(fmt::format("n{:02}", i), 3, fmt::format("r{:02}", i)));
  world.cluster().SetClaim(
      {.holder = {"other", ""}, .key = std::string(kRack), .path = {"", "z", "r00"}, .text = "other"});
  Unit whole;
  for (int i = 0; i < 15; ++i) {
    Unit unit = world.Role(2, MakeSpec(1));
    unit.name = fmt::format("job-{}", i);
    unit.topology.exclusive = std::string(kRack);
    whole.units.push_back(unit);
  }
  EXPECT_EQ(world.WhyNot({.root = whole, .group = "mine"}).kind, No::kConstraints);
}

// --- Fits

class FitsTest : public ::testing::Test {
 protected:
  bool Fits(const kube::PodSpec& spec, const kube::StringMap& labels = {}) {
    return match::Fits(world_.cluster(), world_.NewMember(spec).shape, labels, world_.Id("a"));
  }

  World world_;
};

TEST_F(FitsTest, WhereThereIsRoom) {
  world_.Add(MakeNode("a", 2));
  EXPECT_TRUE(Fits(MakeSpec(2)));
}

TEST_F(FitsTest, NotWhereThereIsTooLittle) {
  world_.Add(MakeNode("a", 2));
  world_.Run("p", "a", MakeSpec(1));
  EXPECT_FALSE(Fits(MakeSpec(2)));
}

TEST_F(FitsTest, NotOnANodeThatIsUnknown) {
  EXPECT_FALSE(match::Fits(world_.cluster(), world_.NewMember(MakeSpec(1)).shape, {}, {}));
}

TEST_F(FitsTest, NotOnACordonedNode) {
  kube::Node node = MakeNode("a", 2);
  node.spec.unschedulable = true;
  world_.Add(node);
  EXPECT_FALSE(Fits(MakeSpec(1)));
}

TEST_F(FitsTest, NotWhereItsPortIsTaken) {
  world_.Add(MakeNode("a", 2));
  kube::PodSpec spec = MakeSpec(1);
  testing::WantHostPort(spec, 80);
  world_.Run("p", "a", spec);
  EXPECT_FALSE(Fits(spec));
}

TEST_F(FitsTest, NotBesideAPodThatKeepsItOff) {
  world_.Add(MakeNode("a", 2));
  kube::PodSpec loner = MakeSpec(1);
  loner.affinity.required_anti_pod = {MakeTerm("app", "web", kHost)};
  world_.Run("p", "a", loner);
  EXPECT_FALSE(Fits(MakeSpec(1), {{"app", "web"}}));
}

}  // namespace
}  // namespace cadre::match
