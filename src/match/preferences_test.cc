#include "match/preferences.h"

#include <gtest/gtest.h>

#include "match/testing.h"

namespace cadre::match {
namespace {

using testing::kHost;
using testing::kRack;
using testing::kZone;
using testing::MakeNode;
using testing::MakeSpec;
using testing::Tree;
using testing::World;
using Names = std::vector<std::string>;
using Steps = std::vector<std::vector<std::size_t>>;

Unit Prefers(std::string_view key, Unit unit = {}) {
  unit.topology.preferred = std::string(key);
  return unit;
}

kube::Node RackNode(std::string_view name, std::int64_t cpus, std::string_view rack, std::string_view zone) {
  return MakeNode(name, cpus,
                  {{std::string(kRack), std::string(rack)}, {std::string(kZone), std::string(zone)}});
}

TEST(Preferences, ALadderLeadsFromItsKeyOverTheCoarserOnesToNone) {
  const Request request{Prefers(kRack)};
  EXPECT_EQ(Preferences(request).Tries(), (Steps{{0}, {1}, {2}, {3}}));  // rack, zone, region, anywhere
}

TEST(Preferences, ALadderEndsBelowWhatIsRequired) {
  Request request{Prefers(kRack)};
  request.root.topology.required = std::string(kZone);
  EXPECT_EQ(Preferences(request).Tries(), (Steps{{0}, {1}}));
}

TEST(Preferences, TriesComeInOrderOfAllTheirSteps) {
  const Request request{Tree({Prefers(kHost), Prefers(kHost)})};
  EXPECT_EQ(Preferences(request).Tries(), (Steps{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
}

TEST(Preferences, AreBoundedAndEndWithNone) {
  const Request request{Tree(std::vector<Unit>(20, Prefers(kRack)))};
  const Steps tries = Preferences(request).Tries();
  ASSERT_EQ(tries.size(), kMostTries + 1);
  EXPECT_EQ(tries.back(), std::vector<std::size_t>(20, 3));
}

TEST(Preferences, ARequestWithOneKeyForEachUnitIsAsTheSearchWantsIt) {
  Request request{Tree({Unit{}}, kZone)};
  request.root.units[0].topology.exclusive = std::string(kRack);
  EXPECT_TRUE(Preferences(request).Trivial());
}

TEST(Preferences, RequiredAndExclusiveBecomeTwoUnits) {
  Request request{Unit{}};
  request.root.topology = {.required = std::string(kZone), .exclusive = std::string(kRack)};
  const Request plain = Preferences(request).Plain();
  EXPECT_EQ(plain.root.topology.required, kZone);
  ASSERT_EQ(plain.root.units.size(), 1U);
  EXPECT_EQ(plain.root.units[0].topology.exclusive, kRack);
}

TEST(Preferences, ExclusiveAndRequiredOfOneKeyAreOneUnit) {
  Request request{Unit{}};
  request.root.topology = {.required = std::string(kRack), .exclusive = std::string(kRack)};
  EXPECT_TRUE(Preferences(request).Plain().root.units.empty());
}

// --- what Match makes of them

TEST(Preferred, OneRackIfThatIsPossible) {
  World world;
  world.Add(RackNode("a", 1, "r0", "z"));
  world.Add(RackNode("b", 1, "r1", "z"));
  world.Add(RackNode("c", 1, "r1", "z"));
  EXPECT_EQ(world.Place({Prefers(kRack, world.Role(2, MakeSpec(1)))}), (Names{"b", "c"}));
}

TEST(Preferred, ElseOneZone) {
  World world;
  world.Add(RackNode("a", 1, "r0", "z1"));
  world.Add(RackNode("b", 1, "r1", "z2"));
  world.Add(RackNode("c", 1, "r2", "z2"));
  EXPECT_EQ(world.Place({Prefers(kRack, world.Role(2, MakeSpec(1)))}), (Names{"b", "c"}));
}

TEST(Preferred, ElseAnywhere) {
  World world;
  world.Add(RackNode("a", 1, "r0", "z1"));
  world.Add(RackNode("b", 1, "r1", "z2"));
  EXPECT_EQ(world.Place({Prefers(kRack, world.Role(2, MakeSpec(1)))}), (Names{"a", "b"}));
}

TEST(Preferred, ComesBeforeMembersBeyondTheMinimum) {
  World world;
  world.Add(RackNode("a", 2, "r0", "z"));
  world.Add(RackNode("b", 1, "r1", "z"));
  Unit unit = Prefers(kRack, world.Role(3, MakeSpec(1)));
  unit.minimum = 2;
  EXPECT_EQ(world.Place({unit}), (Names{"a", "a", "-"}));
}

TEST(Preferred, ComesBeforeFewerNodes) {
  World world;
  world.Add(MakeNode("a", 4));
  world.Add(RackNode("b", 1, "r", "z"));
  world.Add(RackNode("c", 1, "r", "z"));
  EXPECT_EQ(world.Place({Prefers(kRack, world.Role(2, MakeSpec(1)))}), (Names{"b", "c"}));
}

TEST(Preferred, NeverKeepsAnythingOut) {
  World world;
  world.Add(MakeNode("a", 1));  // no labels at all
  EXPECT_EQ(world.Place({Prefers(kRack, world.Role(1, MakeSpec(1)))}), (Names{"a"}));
}

TEST(Preferred, AZoneForAllOfIsTakenBesideRacksOfTheirOwn) {
  World world;
  world.Add(RackNode("a", 2, "r0", "z1"));
  world.Add(RackNode("b", 4, "r1", "z2"));
  world.Add(RackNode("c", 4, "r2", "z2"));
  Unit job = world.Role(2, MakeSpec(1));
  job.topology.exclusive = std::string(kRack);
  EXPECT_EQ(world.Place({Prefers(kZone, Tree({job, job}))}), (Names{"b", "b", "c", "c"}));
}

}  // namespace
}  // namespace cadre::match
