// The rules of exclusive domains, one at a time, as Match keeps them (docs/placement.md, "Exclusive").
#include "match/territory.h"

#include <gtest/gtest.h>

#include "match/match.h"
#include "match/testing.h"

namespace cadre::match {
namespace {

using model::ExclusiveScope;
using testing::kHost;
using testing::kRack;
using testing::kZone;
using testing::MakeNode;
using testing::MakeSpec;
using testing::Tree;
using testing::World;
using Names = std::vector<std::string>;

// Two racks in each of two zones; r<i> has the node n<i> with 4 CPU.
class Exclusive : public ::testing::Test {
 protected:
  Exclusive() {
    for (int i = 0; i < 4; ++i) {
      world_.Add(
          MakeNode(fmt::format("n{}", i), 4,
                   {{std::string(kRack), fmt::format("r{}", i)}, {std::string(kZone), i < 2 ? "z1" : "z2"}}));
    }
  }

  // A unit of two members of 1 CPU with a rack (or another domain) of its own.
  Unit Owner(std::string name, ExclusiveScope scope = ExclusiveScope::kGroups, std::string_view key = kRack) {
    Unit unit = world_.Role(2, MakeSpec(1));
    unit.name = std::move(name);
    unit.topology.exclusive = std::string(key);
    unit.topology.scope = scope;
    return unit;
  }
  Unit Plain(std::string name, std::size_t members = 2) {
    Unit unit = world_.Role(members, MakeSpec(1));
    unit.name = std::move(name);
    return unit;
  }
  Unit Loner(std::string name) {
    Unit unit = Plain(std::move(name), 1);
    unit.alone = true;
    return unit;
  }

  void Claim(std::string group, std::string unit, std::string_view key, std::vector<std::string> path,
             ExclusiveScope scope = ExclusiveScope::kGroups) {
    world_.cluster().SetClaim({.holder = {group, std::move(unit)},
                               .key = std::string(key),
                               .path = std::move(path),
                               .scope = scope,
                               .text = group});
  }
  void ClaimRack(std::string group, std::string unit, std::string rack,
                 ExclusiveScope scope = ExclusiveScope::kGroups) {
    Claim(std::move(group), std::move(unit), kRack, {"", rack < "r2" ? "z1" : "z2", rack}, scope);
  }

  void RunMember(std::string_view name, std::string_view node, std::string group, std::string unit) {
    const model::PodId pod = world_.Run(name, node, MakeSpec(1));
    world_.cluster().SetTenant(pod, world_.cluster().InternTenant({std::move(group), std::move(unit)}));
  }
  // Takes all the CPU of these nodes.
  void Fill(std::initializer_list<std::string_view> nodes) {
    for (const std::string_view node : nodes)
      world_.Run(fmt::format("full-{}", node), node, MakeSpec(4));
  }

  Names Place(Unit root) { return world_.Place({.root = std::move(root), .group = "mine"}); }
  bool Fits(Unit root) {
    return Match(world_.cluster(), {.root = std::move(root), .group = "mine"}).has_value();
  }

  World world_;
};

// --- who may enter what is claimed

TEST_F(Exclusive, NobodyEntersTheDomainThatAnotherGroupClaimed) {
  ClaimRack("other", "", "r0");
  EXPECT_EQ(Place(Tree({Plain("a")})), (Names{"n1", "n1"}));
}

TEST_F(Exclusive, APodOnItsOwnMayShareIt) {
  ClaimRack("other", "", "r0");
  Fill({"n1", "n2", "n3"});
  EXPECT_EQ(Place(Tree({Loner("a")})), (Names{"n0"}));
}

TEST_F(Exclusive, UnderScopeAllAPodOnItsOwnMayNot) {
  ClaimRack("other", "", "r0", ExclusiveScope::kAll);
  Fill({"n1", "n2", "n3"});
  EXPECT_FALSE(Fits(Tree({Loner("a")})));
}

TEST_F(Exclusive, APodOnItsOwnLeavesTheOtherNodesToThoseWhoMayNotShare) {
  // n1 is claimed, which alone tells it from n0.
  World world;
  world.Add(MakeNode("n0", 4));
  world.Add(MakeNode("n1", 4));
  world.cluster().SetClaim({.holder = {"other", ""},
                            .key = std::string(kHost),
                            .path = {"n1"},
                            .scope = ExclusiveScope::kGroups,
                            .text = "other"});
  Unit loner = world.Role(1, MakeSpec(4));
  loner.name = "a";
  loner.alone = true;
  Unit gang = world.Role(2, MakeSpec(2));
  gang.name = "b";
  EXPECT_EQ(world.Place({.root = Tree({loner, gang}), .group = "mine"}), (Names{"n1", "n0", "n0"}));
}

TEST_F(Exclusive, APodOnItsOwnThatAsksForADomainIsHeldOffAsOthersAre) {
  ClaimRack("other", "", "r0");
  Fill({"n1", "n2", "n3"});
  Unit unit = Owner("a");
  unit.members.resize(1);
  unit.alone = true;
  EXPECT_FALSE(Fits(Tree({unit})));
}

TEST_F(Exclusive, WhatTheGroupHoldsIsOpenToItsUnits) {
  ClaimRack("mine", "", "r0");
  Fill({"n1", "n2", "n3"});
  EXPECT_EQ(Place(Tree({Plain("a")})), (Names{"n0", "n0"}));
}

TEST_F(Exclusive, WhatAUnitHoldsIsOpenToItself) {
  ClaimRack("mine", "a", "r0");
  Fill({"n1", "n2", "n3"});
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n0", "n0"}));
}

TEST_F(Exclusive, WhatAUnitHoldsIsClosedToItsSiblings) {
  ClaimRack("mine", "a", "r0");
  Fill({"n1", "n2", "n3"});
  EXPECT_FALSE(Fits(Tree({Owner("b")})));
}

TEST_F(Exclusive, AUnitComesBackToTheDomainItHolds) {
  ClaimRack("mine", "a", "r3");
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n3", "n3"}));
}

TEST_F(Exclusive, AClaimOnAZoneClosesItsRacks) {
  Claim("other", "", kZone, {"", "z1"});
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n2", "n2"}));
}

TEST_F(Exclusive, AClaimOnARackClosesItsZoneToAnOwnerOfZones) {
  ClaimRack("other", "", "r0");
  EXPECT_EQ(Place(Tree({Owner("a", ExclusiveScope::kGroups, kZone)})), (Names{"n2", "n2"}));
}

TEST_F(Exclusive, AClaimOnADomainThatIsGoneClosesNothing) {
  ClaimRack("other", "", "r9");
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n0", "n0"}));
}

// --- which domain a unit may have

TEST_F(Exclusive, ADomainWithAMemberOfAnotherGangIsNotTaken) {
  RunMember("p", "n0", "other", "job");
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n1", "n1"}));
}

TEST_F(Exclusive, AMemberOfAnotherGangThatIsBeingDeletedCountsUntilItIsGone) {
  kube::Pod leaving = World::MakePod("p", MakeSpec(1), {});
  leaving.spec.node_name = "n0";
  leaving.metadata.deletion_timestamp = Time{};
  const model::PodId pod = world_.Add(leaving);
  world_.cluster().SetTenant(pod, world_.cluster().InternTenant({"other", "job"}));
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n1", "n1"}));
}

TEST_F(Exclusive, RoomKeptForAnotherGangCounts) {
  world_.cluster().Reserve("later", {.shape = world_.NewMember(MakeSpec(1)).shape,
                                     .node = world_.Id("n0"),
                                     .labels = {},
                                     .tenant = world_.cluster().InternTenant({"other", "job"})});
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n1", "n1"}));
}

TEST_F(Exclusive, AMemberOfTheGroupAsAWholeKeepsItsUnitsOut) {
  RunMember("p", "n0", "mine", "");
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n1", "n1"}));
}

TEST_F(Exclusive, PodsOfAnEarlierAttemptOfTheUnitDoNot) {
  RunMember("p", "n0", "mine", "a");
  Fill({"n1", "n2", "n3"});
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n0", "n0"}));
}

TEST_F(Exclusive, PodsOfAnEarlierAttemptTellUnitsApartThatAreAlikeOtherwise) {
  RunMember("p", "n0", "mine", "b");
  Fill({"n2", "n3"});
  EXPECT_EQ(Place(Tree({Owner("a"), Owner("b")})), (Names{"n1", "n1", "n0", "n0"}));
}

TEST_F(Exclusive, APodOnItsOwnDoesNotCloseADomain) {
  world_.Run("p", "n0", MakeSpec(1));
  Fill({"n1", "n2", "n3"});
  EXPECT_EQ(Place(Tree({Owner("a")})), (Names{"n0", "n0"}));
}

TEST_F(Exclusive, UnderScopeAllItDoes) {
  world_.Run("p", "n0", MakeSpec(1));
  EXPECT_EQ(Place(Tree({Owner("a", ExclusiveScope::kAll)})), (Names{"n1", "n1"}));
}

TEST_F(Exclusive, UnderScopeAllADaemonDoesNot) {
  world_.RunDaemon("p", "n0", MakeSpec(1));
  Fill({"n1", "n2", "n3"});
  EXPECT_EQ(Place(Tree({Owner("a", ExclusiveScope::kAll)})), (Names{"n0", "n0"}));
}

// --- within one request

TEST_F(Exclusive, EachUnitGetsADomainOfItsOwn) {
  EXPECT_EQ(Place(Tree({Owner("a"), Owner("b"), Owner("c")})), (Names{"n0", "n0", "n1", "n1", "n2", "n2"}));
}

TEST_F(Exclusive, MoreUnitsThanDomainsDoNotFit) {
  EXPECT_FALSE(Fits(Tree({Owner("a"), Owner("b"), Owner("c"), Owner("d"), Owner("e")})));
}

TEST_F(Exclusive, OtherUnitsOfTheRequestStayOut) {
  Fill({"n2", "n3"});
  EXPECT_FALSE(Fits(Tree({Owner("a"), Owner("b"), Plain("c")})));
}

TEST_F(Exclusive, AUnitOfOnePodOnItsOwnMayShareADomain) {
  Fill({"n2", "n3"});
  EXPECT_TRUE(Fits(Tree({Owner("a"), Owner("b"), Loner("driver")})));
}

TEST_F(Exclusive, ButNotUnderScopeAll) {
  Fill({"n2", "n3"});
  EXPECT_FALSE(
      Fits(Tree({Owner("a", ExclusiveScope::kAll), Owner("b", ExclusiveScope::kAll), Loner("driver")})));
}

TEST_F(Exclusive, TheGroupAndItsUnitsCanBothBeExclusive) {
  Unit root = Tree({Owner("a"), Owner("b")});
  root.topology.exclusive = std::string(kZone);
  RunMember("p", "n0", "other", "job");
  EXPECT_EQ(Place(root), (Names{"n2", "n2", "n3", "n3"}));
}

TEST_F(Exclusive, RacksOfTheirOwnInOneRequiredZone) {
  Unit root = Tree({Owner("a"), Owner("b")}, kZone);
  RunMember("p", "n0", "other", "job");
  EXPECT_EQ(Place(root), (Names{"n2", "n2", "n3", "n3"}));
}

TEST_F(Exclusive, TwoExclusiveDomainsDoNotOverlap) {
  Fill({"n2", "n3"});
  EXPECT_FALSE(Fits(Tree({Owner("a", ExclusiveScope::kGroups, kZone), Owner("b")})));
}

// --- members that are there already

TEST_F(Exclusive, AUnitKeepsTheDomainItsMembersAreInWhoeverElseIsThere) {
  RunMember("mine-0", "n0", "mine", "a");
  RunMember("stranger", "n0", "other", "job");
  Unit unit = Owner("a");
  unit.members[0].fixed = world_.Id("n0");
  EXPECT_EQ(Place(Tree({unit})), (Names{"n0", "n0"}));
}

TEST_F(Exclusive, OthersOfTheRequestStayOutOfADomainThatMembersHold) {
  RunMember("mine-0", "n0", "mine", "a");
  Unit unit = Owner("a");
  unit.members[0].fixed = world_.Id("n0");
  // The heaviest member is placed first, before anything is decided about unit a.
  Unit heavy = world_.Role(1, MakeSpec(2));
  heavy.name = "b";
  EXPECT_EQ(Place(Tree({unit, heavy})), (Names{"n0", "n0", "n1"}));
}

TEST_F(Exclusive, AUnitThatNeedsNothingMoreTakesNoDomainFromOthers) {
  for (const char* rack : {"r1", "r2", "r3"})
    ClaimRack(fmt::format("other-{}", rack), "", rack);
  Unit optional = Owner("a");
  optional.minimum = 0;
  EXPECT_TRUE(Fits(Tree({optional, Owner("b")})));
}

}  // namespace
}  // namespace cadre::match
