#include "match/diagnose.h"

#include <gtest/gtest.h>

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

const std::string kGpu = "nvidia.com/gpu";

void ExpectNo(const Diagnosis& said, No kind, std::string_view message) {
  EXPECT_EQ(said.message, message);
  EXPECT_EQ(static_cast<int>(said.kind), static_cast<int>(kind));
}

// `count` nodes n0, n1, … with 4 CPU each.
void AddNodes(World& world, int count) {
  for (int i = 0; i < count; ++i)
    world.Add(MakeNode(fmt::format("n{}", i), 4));
}

// Racks r0, r1, … with one node of 4 CPU each: n0, n1, …
void AddRacks(World& world, int count) {
  for (int i = 0; i < count; ++i)
    world.Add(MakeNode(fmt::format("n{}", i), 4, {{std::string(kRack), fmt::format("r{}", i)}}));
}

void AddClaim(World& world, std::string_view name, std::string_view rack,
              model::ExclusiveScope scope = model::ExclusiveScope::kGroups) {
  world.cluster().SetClaim({.holder = {std::string(name), "job"},
                            .key = std::string(kRack),
                            .path = {"", "", std::string(rack)},
                            .scope = scope,
                            .text = std::string(name)});
}

void RunGangPod(World& world, std::string_view name, std::string_view node) {
  const model::PodId pod = world.Run(name, node, MakeSpec(1));
  world.cluster().SetTenant(pod, world.cluster().InternTenant({"another", "job"}));
}

Unit InOne(std::string_view key, Unit unit) {
  unit.topology.required = std::string(key);
  return unit;
}

Unit Exclusive(Unit unit, model::ExclusiveScope scope = model::ExclusiveScope::kGroups) {
  unit.topology.exclusive = std::string(kRack);
  unit.topology.scope = scope;
  return unit;
}

// --- the nodes

TEST(Diagnose, NoNodes) {
  World world;
  ExpectNo(world.WhyNot({world.Role(1, MakeSpec(1))}), No::kNever, "needs 1 × (1 CPU); there are no nodes");
}

TEST(Diagnose, SelectorThatNoNodeMatches) {
  World world;
  AddNodes(world, 2);
  world.Add(MakeNode("n2", 4, {{"pool", "y"}}));
  kube::PodSpec spec = MakeSpec(1);
  spec.node_selector = {{"pool", "x"}};
  ExpectNo(world.WhyNot({world.Role(2, spec)}), No::kNever,
           "needs 2 × (1 CPU); no node matches node selector pool=x (3 nodes: 2 lack the label, 1 has "
           "another value)");
}

TEST(Diagnose, SelectorWhoseNodesAreBusy) {
  World world;
  world.Add(MakeNode("n0", 4, {{"pool", "x"}}));
  world.Add(MakeNode("n1", 4, {{"pool", "x"}}));
  world.Add(MakeNode("n2", 4));
  world.Run("p", "n0", MakeSpec(3));
  kube::PodSpec spec = MakeSpec(2);
  spec.node_selector = {{"pool", "x"}};
  ExpectNo(
      world.WhyNot({world.Role(3, spec)}), No::kConstraints,
      "needs 3 × (2 CPU); fits without node selector pool=x: the 2 nodes that match have room for 2 of 3");
}

TEST(Diagnose, ResourceThatNoNodeOffers) {
  World world;
  AddNodes(world, 2);
  ExpectNo(world.WhyNot({world.Role(2, MakeSpec(1, {{kGpu, 1}}))}), No::kNever,
           "needs 2 × (1 CPU, 1 nvidia.com/gpu); no node offers nvidia.com/gpu");
}

TEST(Diagnose, PodLargerThanTheLargestNode) {
  World world;
  world.Add(MakeNode("small", 4));
  world.Add(MakeNode("large", 6));
  ExpectNo(world.WhyNot({world.Role(1, MakeSpec(7))}), No::kNever,
           "needs 1 × (7 CPU); 7 CPU per pod; the largest node, large, has 6 CPU");
}

TEST(Diagnose, PodThatWouldFitATaintedNode) {
  World world;
  world.Add(MakeNode("small", 4));
  kube::Node tainted = MakeNode("large", 8);
  tainted.spec.taints.push_back({"a", "b", "NoSchedule"});
  world.Add(tainted);
  ExpectNo(world.WhyNot({world.Role(1, MakeSpec(7))}), No::kNever,
           "needs 1 × (7 CPU); 7 CPU per pod; the largest node, small, has 4 CPU (of the others, 1 has taint "
           "a=b:NoSchedule which the pod does not tolerate)");
}

TEST(Diagnose, NoNodeHasAllOfItAtOnce) {
  World world;
  world.Add(MakeNode("cpu", 4));
  world.Add(MakeNode("gpu", 1, {}, {{kGpu, 1}}));
  ExpectNo(world.WhyNot({world.Role(1, MakeSpec(2, {{kGpu, 1}}))}), No::kNever,
           "needs 1 × (2 CPU, 1 nvidia.com/gpu); no node has all of it at once: the nearest, gpu, has 1 CPU "
           "of 2 CPU");
}

TEST(Diagnose, MoreMembersThanEmptyNodesHold) {
  World world;
  AddNodes(world, 12);
  ExpectNo(world.WhyNot({world.Role(49, MakeSpec(1))}), No::kNever,
           "needs 49 × (1 CPU); the 12 nodes that may take it could hold 48 when empty");
}

TEST(Diagnose, NotNow) {
  World world;
  AddNodes(world, 2);
  world.Run("p", "n0", MakeSpec(3));
  ExpectNo(world.WhyNot({world.Role(3, MakeSpec(2))}), No::kNotNow,
           "needs 3 × (2 CPU); 2 fit now on the 2 nodes that may take it; 5 CPU free of 8 CPU");
}

TEST(Diagnose, TaintsAndCordonsAreCounted) {
  World world;
  for (const char* name : {"a", "b", "c"}) {
    kube::Node node = MakeNode(name, 4);
    if (std::string_view(name) == "c") {
      node.spec.unschedulable = true;
    } else {
      node.spec.taints.push_back({"a", "b", "NoSchedule"});
    }
    world.Add(node);
  }
  ExpectNo(
      world.WhyNot({world.Role(2, MakeSpec(1))}), No::kNever,
      "needs 2 × (1 CPU); no node may take it (3 nodes: 2 have taint a=b:NoSchedule which the pod does not "
      "tolerate, 1 is cordoned)");
}

TEST(Diagnose, TaintedNodesAreNamedBesideTheBusyOnes) {
  World world;
  kube::Node tainted = MakeNode("a", 4);
  tainted.spec.taints.push_back({"a", "b", "NoSchedule"});
  world.Add(tainted);
  world.Add(MakeNode("b", 4));
  world.Run("p", "b", MakeSpec(3));
  ExpectNo(
      world.WhyNot({world.Role(2, MakeSpec(1))}), No::kNotNow,
      "needs 2 × (1 CPU); 1 fits now on the node that may take it (of the others, 1 has taint a=b:NoSchedule "
      "which the pod does not tolerate); 1 CPU free of 4 CPU");
}

// --- ports, volumes

TEST(Diagnose, HostPortThatAPodHolds) {
  World world;
  AddNodes(world, 1);
  kube::PodSpec spec = MakeSpec(1);
  testing::WantHostPort(spec, 80);
  world.Run("p", "n0", spec);
  ExpectNo(world.WhyNot({world.Role(1, spec)}), No::kConstraints,
           "needs 1 × (1 CPU); fits without host port 80: with it there is room for 0 of 1");
}

TEST(Diagnose, HostPortThatADaemonHoldsEverywhere) {
  World world;
  AddNodes(world, 1);
  kube::PodSpec spec = MakeSpec(1);
  testing::WantHostPort(spec, 80);
  world.RunDaemon("p", "n0", spec);
  ExpectNo(world.WhyNot({world.Role(1, spec)}), No::kNever,
           "needs 1 × (1 CPU); its host ports are taken on every node that may take it");
}

TEST(Diagnose, HostPortOfMoreMembersThanNodes) {
  World world;
  AddNodes(world, 2);
  kube::PodSpec spec = MakeSpec(1);
  testing::WantHostPort(spec, 80);
  ExpectNo(world.WhyNot({world.Role(3, spec)}), No::kNever,
           "needs 3 × (1 CPU); the 2 nodes that may take it could hold 2 when empty, one on each for its "
           "host ports");
}

TEST(Diagnose, VolumeClaimThatDoesNotExist) {
  World world;
  AddNodes(world, 1);
  kube::PodSpec spec = MakeSpec(1);
  spec.claim_names = {"data"};
  ExpectNo(
      world.WhyNot({world.Role(1, spec)}), No::kConstraints,
      "needs 1 × (1 CPU); PersistentVolumeClaim default/data does not exist or is not bound to a volume");
}

TEST(Diagnose, VolumeClaimThatDoesNotExistIsNotTheOnlyTrouble) {
  World world;
  AddNodes(world, 1);
  kube::PodSpec spec = MakeSpec(5);
  spec.claim_names = {"data"};
  ExpectNo(
      world.WhyNot({world.Role(1, spec)}), No::kNever,
      "needs 1 × (5 CPU); 5 CPU per pod; the largest node, n0, has 4 CPU; besides, PersistentVolumeClaim "
      "default/data does not exist or is not bound to a volume");
}

// --- pods near and apart

TEST(Diagnose, AffinityToNobody) {
  World world;
  AddNodes(world, 1);
  kube::PodSpec spec = MakeSpec(1);
  spec.affinity.required_pod = {MakeTerm("app", "cache", kHost)};
  ExpectNo(
      world.WhyNot({world.Role(1, spec)}), No::kConstraints,
      "needs 1 × (1 CPU); fits without pod affinity over kubernetes.io/hostname: there is no pod that it "
      "looks for");
}

TEST(Diagnose, AffinityToAFullNode) {
  World world;
  AddNodes(world, 2);
  world.Run("cache", "n0", MakeSpec(3), {{"app", "cache"}});
  kube::PodSpec spec = MakeSpec(1);
  spec.affinity.required_pod = {MakeTerm("app", "cache", kHost)};
  ExpectNo(world.WhyNot({world.Role(2, spec)}), No::kConstraints,
           "needs 2 × (1 CPU); fits without pod affinity over kubernetes.io/hostname: with it there is room "
           "for 1 of 2");
}

TEST(Diagnose, AntiAffinityOfMoreMembersThanNodes) {
  World world;
  AddNodes(world, 2);
  kube::PodSpec spec = MakeSpec(1);
  spec.affinity.required_anti_pod = {MakeTerm("app", "x", kHost)};
  ExpectNo(world.WhyNot({world.Role(3, spec, {{"app", "x"}})}), No::kNever,
           "needs 3 × (1 CPU); its pod anti-affinity over kubernetes.io/hostname cannot be met even on empty "
           "nodes");
}

TEST(Diagnose, AntiAffinityToAPodThatRuns) {
  World world;
  AddNodes(world, 2);
  world.Run("p", "n0", MakeSpec(1), {{"app", "x"}});
  kube::PodSpec spec = MakeSpec(1);
  spec.affinity.required_anti_pod = {MakeTerm("app", "x", kHost)};
  ExpectNo(world.WhyNot({world.Role(2, spec, {{"app", "x"}})}), No::kConstraints,
           "needs 2 × (1 CPU); fits without pod anti-affinity over kubernetes.io/hostname: with it there is "
           "room for "
           "1 of 2");
}

TEST(Diagnose, AntiAffinityOfAPodThatRuns) {
  World world;
  AddNodes(world, 1);
  kube::PodSpec loner = MakeSpec(1);
  loner.affinity.required_anti_pod = {MakeTerm("app", "web", kHost)};
  world.Run("loner", "n0", loner);
  ExpectNo(
      world.WhyNot({world.Role(1, MakeSpec(1), {{"app", "web"}})}), No::kConstraints,
      "needs 1 × (1 CPU); fits without the anti-affinity of pods that run: with it there is room for 0 of 1");
}

TEST(Diagnose, SpreadOverAZoneThatIsFull) {
  World world;
  world.Add(MakeNode("n1", 4, {{std::string(kZone), "z1"}}));
  world.Add(MakeNode("n2", 4, {{std::string(kZone), "z2"}}));
  world.Run("p", "n2", MakeSpec(4));
  kube::PodSpec spec = MakeSpec(1);
  spec.topology_spread = {testing::MakeSpread("app", "web", kZone)};
  ExpectNo(world.WhyNot({world.Role(3, spec, {{"app", "web"}})}), No::kConstraints,
           "needs 3 × (1 CPU); fits without topology spread over topology.kubernetes.io/zone: with it there "
           "is room "
           "for 1 of 3");
}

// --- minimums, roles

TEST(Diagnose, MinimumAboveTheNumberOfMembers) {
  World world;
  AddNodes(world, 1);
  Unit unit = world.Role(3, MakeSpec(1));
  unit.name = "Job default/a";
  unit.minimum = 5;
  ExpectNo(world.WhyNot({unit}), No::kNever,
           "needs at least 5 of 3 × (1 CPU); Job default/a has only 3 parts");
}

TEST(Diagnose, MinimumThatIsNotReached) {
  World world;
  AddNodes(world, 12);
  Unit unit = world.Role(70, MakeSpec(1));
  unit.minimum = 60;
  ExpectNo(world.WhyNot({unit}), No::kNever,
           "needs at least 60 of 70 × (1 CPU); the 12 nodes that may take it could hold 48 when empty");
}

TEST(Diagnose, MinimumOfUnits) {
  World world;
  AddNodes(world, 2);
  Unit whole = Tree({world.Role(2, MakeSpec(4)), world.Role(2, MakeSpec(4)), world.Role(2, MakeSpec(4))});
  whole.minimum = 2;
  ExpectNo(world.WhyNot({whole}), No::kNever,
           "needs at least 2 of: 3 × [2 × (4 CPU)]; it takes 16 CPU in all, and the nodes that may take some "
           "of it "
           "have 8 CPU when empty");
}

TEST(Diagnose, MembersThatArePlacedAreLeftOutOfWhatIsNeeded) {
  World world;
  AddNodes(world, 1);
  world.Run("p", "n0", MakeSpec(3));
  Unit unit = world.Role(3, MakeSpec(1));
  unit.members[0].fixed = world.Id("n0");
  ExpectNo(world.WhyNot({unit}), No::kNotNow,
           "needs 2 × (1 CPU), with 1 of 3 members placed; 1 fits now on the node that may take it; 1 CPU "
           "free of 4 "
           "CPU");
}

TEST(Diagnose, MixedRolesThatTakeMoreThanThereIs) {
  World world;
  AddNodes(world, 12);
  ExpectNo(world.WhyNot({Tree({world.Role(12, MakeSpec(3)), world.Role(13, MakeSpec(1))})}), No::kNever,
           "needs 12 × (3 CPU) and 13 × (1 CPU); it takes 49 CPU in all, and the nodes that may take some of "
           "it have "
           "48 CPU when empty");
}

TEST(Diagnose, MixedRolesThatDoNotPack) {
  World world;
  AddNodes(world, 2);
  ExpectNo(world.WhyNot({Tree({world.Role(2, MakeSpec(3)), world.Role(1, MakeSpec(2))})}), No::kNever,
           "needs 2 × (3 CPU) and 1 × (2 CPU); each role alone would fit on the nodes when they are empty, "
           "but not all "
           "of them together");
}

TEST(Diagnose, MixedRolesThatDoNotPackNow) {
  World world;
  world.Add(MakeNode("n0", 8));
  world.Add(MakeNode("n1", 4));
  world.Run("p", "n0", MakeSpec(4));
  ExpectNo(world.WhyNot({Tree({world.Role(2, MakeSpec(3)), world.Role(1, MakeSpec(2))})}), No::kNotNow,
           "needs 2 × (3 CPU) and 1 × (2 CPU); each role alone would fit now, but not all of them together");
}

// --- one domain

TEST(Diagnose, LabelThatNoNodeHas) {
  World world;
  AddNodes(world, 2);
  ExpectNo(world.WhyNot({InOne(kRack, world.Role(2, MakeSpec(1)))}), No::kNever,
           "needs 2 × (1 CPU) in one topology.kubernetes.io/rack; no node has the label "
           "topology.kubernetes.io/rack");
}

TEST(Diagnose, RackThatHasNoRoomNow) {
  World world;
  AddRacks(world, 2);
  world.Run("p", "n0", MakeSpec(1));
  world.Run("q", "n1", MakeSpec(2));
  ExpectNo(world.WhyNot({InOne(kRack, world.Role(4, MakeSpec(1)))}), No::kConstraints,
           "needs 4 × (1 CPU) in one topology.kubernetes.io/rack; fits without required "
           "topology.kubernetes.io/rack: "
           "the best rack, r0, has room for 3 of 4");
}

TEST(Diagnose, RackThatIsTooSmall) {
  World world;
  AddRacks(world, 2);
  ExpectNo(world.WhyNot({InOne(kRack, world.Role(5, MakeSpec(1)))}), No::kNever,
           "needs 5 × (1 CPU) in one topology.kubernetes.io/rack; the largest rack, r0, could hold 4 of 5 "
           "when empty");
}

TEST(Diagnose, RackInAClusterThatIsBusy) {
  World world;
  AddRacks(world, 2);
  world.Run("p", "n0", MakeSpec(3));
  world.Run("q", "n1", MakeSpec(2));
  ExpectNo(world.WhyNot({InOne(kRack, world.Role(4, MakeSpec(1)))}), No::kNotNow,
           "needs 4 × (1 CPU) in one topology.kubernetes.io/rack; 3 fit now on the 2 nodes that may take it; "
           "3 CPU "
           "free of 8 CPU; the best rack, r1, has room for 2 of 4 now");
}

TEST(Diagnose, RackThatHoldsEachRoleButNotBoth) {
  World world;
  AddRacks(world, 2);
  ExpectNo(world.WhyNot({Tree({world.Role(1, MakeSpec(3)), world.Role(2, MakeSpec(1))}, kRack)}), No::kNever,
           "needs 1 × (3 CPU) and 2 × (1 CPU) in one topology.kubernetes.io/rack; the largest rack, r0, "
           "could hold each "
           "role alone when empty, but not all of them together");
}

TEST(Diagnose, RacksWithinAZone) {
  World world;
  const std::string zone(kZone);
  const std::string rack(kRack);
  world.Add(MakeNode("a", 2, {{zone, "z1"}, {rack, "1"}}));
  world.Add(MakeNode("b", 1, {{zone, "z1"}, {rack, "2"}}));
  world.Add(MakeNode("c", 2, {{zone, "z2"}, {rack, "1"}}));
  const Unit pair = InOne(kRack, world.Role(2, MakeSpec(1)));
  ExpectNo(world.WhyNot({Tree({pair, pair}, kZone)}), No::kNever,
           "needs 2 × [2 × (1 CPU) in one topology.kubernetes.io/rack] in one topology.kubernetes.io/zone; "
           "the largest "
           "zone, z1, could hold 3 of 4 when empty");
}

TEST(Diagnose, ADomainIsNamedByItsPathWhereItsValueIsNotUnique) {
  World world;
  const std::string zone(kZone);
  const std::string rack(kRack);
  world.Add(MakeNode("a", 2, {{zone, "z1"}, {rack, "1"}}));
  world.Add(MakeNode("b", 3, {{zone, "z2"}, {rack, "1"}}));
  ExpectNo(world.WhyNot({InOne(kRack, world.Role(5, MakeSpec(1)))}), No::kNever,
           "needs 5 × (1 CPU) in one topology.kubernetes.io/rack; the largest rack, -/z2/1, could hold 3 of "
           "5 when empty");
}

TEST(Diagnose, MembersThatArePlacedInTwoRacks) {
  World world;
  AddRacks(world, 2);
  Unit unit = InOne(kRack, world.Role(3, MakeSpec(1)));
  unit.members[0].fixed = world.Id("n0");
  unit.members[1].fixed = world.Id("n1");
  ExpectNo(world.WhyNot({unit}), No::kConstraints,
           "needs 1 × (1 CPU) in one topology.kubernetes.io/rack, with 2 of 3 members placed; the members "
           "that are "
           "placed already are not in one topology.kubernetes.io/rack");
}

// --- exclusive domains

TEST(Diagnose, RacksClaimedByOthersAndTheBestOfTheRest) {
  World world;
  AddRacks(world, 3);
  AddClaim(world, "JobSet default/a", "r0");
  AddClaim(world, "JobSet default/b", "r1");
  world.Run("p", "n2", MakeSpec(2));
  ExpectNo(world.WhyNot({Exclusive(world.Role(3, MakeSpec(1)))}), No::kConstraints,
           "needs 3 × (1 CPU) in one topology.kubernetes.io/rack of its own; fits without exclusive "
           "topology.kubernetes.io/rack: of 3 racks, 2 are claimed (the first by JobSet default/a); the best "
           "of the "
           "others, r2, has room for 2 of 3");
}

TEST(Diagnose, AllRacksClaimedByOthers) {
  World world;
  AddRacks(world, 2);
  AddClaim(world, "JobSet default/a", "r0");
  AddClaim(world, "JobSet default/b", "r1");
  ExpectNo(world.WhyNot({Exclusive(world.Role(3, MakeSpec(1)))}), No::kConstraints,
           "needs 3 × (1 CPU) in one topology.kubernetes.io/rack of its own; fits without exclusive "
           "topology.kubernetes.io/rack: all 2 racks are claimed (the first by JobSet default/a)");
}

TEST(Diagnose, TheOnlyRackClaimedByAnother) {
  World world;
  AddRacks(world, 1);
  AddClaim(world, "JobSet default/a", "r0");
  ExpectNo(world.WhyNot({Exclusive(world.Role(3, MakeSpec(1)))}), No::kConstraints,
           "needs 3 × (1 CPU) in one topology.kubernetes.io/rack of its own; fits without exclusive "
           "topology.kubernetes.io/rack: the only rack is claimed by JobSet default/a");
}

TEST(Diagnose, RacksInUseByOtherGangs) {
  World world;
  AddRacks(world, 2);
  RunGangPod(world, "g", "n0");
  world.Run("p", "n1", MakeSpec(3));
  ExpectNo(world.WhyNot({Exclusive(world.Role(2, MakeSpec(1)))}), No::kConstraints,
           "needs 2 × (1 CPU) in one topology.kubernetes.io/rack of its own; fits without exclusive "
           "topology.kubernetes.io/rack: of 2 racks, 1 holds members of other groups; the best of the "
           "others, r1, has "
           "room for 1 of 2");
}

TEST(Diagnose, RacksWithOtherPodsUnderScopeAll) {
  World world;
  AddRacks(world, 2);
  world.Run("p", "n0", MakeSpec(1));
  world.Run("q", "n1", MakeSpec(1));
  ExpectNo(world.WhyNot({Exclusive(world.Role(2, MakeSpec(1)), model::ExclusiveScope::kAll)}),
           No::kConstraints,
           "needs 2 × (1 CPU) in one topology.kubernetes.io/rack of its own; fits without exclusive "
           "topology.kubernetes.io/rack: all 2 racks hold other pods");
}

TEST(Diagnose, RacksClaimedAndInUse) {
  World world;
  AddRacks(world, 2);
  AddClaim(world, "JobSet default/a", "r0");
  RunGangPod(world, "g", "n1");
  ExpectNo(world.WhyNot({Exclusive(world.Role(2, MakeSpec(1)))}), No::kConstraints,
           "needs 2 × (1 CPU) in one topology.kubernetes.io/rack of its own; fits without exclusive "
           "topology.kubernetes.io/rack: of 2 racks, 1 is claimed (by JobSet default/a) and 1 holds members "
           "of other "
           "groups");
}

TEST(Diagnose, ClaimedRacksThatAreBusyToo) {
  World world;
  AddRacks(world, 2);
  AddClaim(world, "JobSet default/a", "r0");
  world.Run("p", "n0", MakeSpec(4));
  world.Run("q", "n1", MakeSpec(2));
  ExpectNo(world.WhyNot({Exclusive(world.Role(3, MakeSpec(1)))}), No::kNotNow,
           "needs 3 × (1 CPU) in one topology.kubernetes.io/rack of its own; 2 fit now on the 2 nodes that "
           "may take it; "
           "2 CPU free of 8 CPU; of 2 racks, 1 is claimed (by JobSet default/a); the best of the others, r1, "
           "has room "
           "for 2 of 3");
}

TEST(Diagnose, FewerRacksThanUnitsThatWantOneOfTheirOwn) {
  World world;
  AddRacks(world, 2);
  const Unit pair = Exclusive(world.Role(2, MakeSpec(1)));
  ExpectNo(world.WhyNot({Tree({pair, pair, pair})}), No::kNever,
           "needs 3 × [2 × (1 CPU) in one topology.kubernetes.io/rack of its own]; it takes 3 racks, and "
           "there are "
           "only 2");
}

TEST(Diagnose, FewerFreeRacksThanUnitsThatWantOneOfTheirOwn) {
  World world;
  AddRacks(world, 3);
  AddClaim(world, "JobSet default/a", "r0");
  const Unit pair = Exclusive(world.Role(2, MakeSpec(1)));
  ExpectNo(world.WhyNot({Tree({pair, pair, pair})}), No::kConstraints,
           "needs 3 × [2 × (1 CPU) in one topology.kubernetes.io/rack of its own]; fits without exclusive "
           "topology.kubernetes.io/rack: of 3 racks, 1 is claimed (by JobSet default/a), and it takes 3; "
           "there is room for 4 of 6");
}

TEST(Diagnose, RacksOfWhichTooFewHaveRoomForUnitsOfTheirOwn) {
  World world;
  AddRacks(world, 3);
  world.Run("p", "n0", MakeSpec(3));
  world.Run("q", "n1", MakeSpec(3));
  const Unit pair = Exclusive(world.Role(2, MakeSpec(1)));
  ExpectNo(world.WhyNot({Tree({pair, pair})}), No::kConstraints,
           "needs 2 × [2 × (1 CPU) in one topology.kubernetes.io/rack of its own]; fits without exclusive "
           "topology.kubernetes.io/rack: it takes 2 of 3 racks, and there is room for 3 of 4");
}

TEST(Diagnose, OneRackForAllThatSharingWouldNotHelp) {
  World world;
  AddRacks(world, 2);
  world.Run("p", "n0", MakeSpec(1));
  world.Run("q", "n1", MakeSpec(2));
  ExpectNo(world.WhyNot({Exclusive(world.Role(4, MakeSpec(1)))}), No::kConstraints,
           "needs 4 × (1 CPU) in one topology.kubernetes.io/rack of its own; fits without one "
           "topology.kubernetes.io/rack for all of it: the best rack, r0, has room for 3 of 4");
}

TEST(Diagnose, ClaimsOfOthersInTheWayOfAPlainRequest) {
  World world;
  AddRacks(world, 2);
  AddClaim(world, "JobSet default/a", "r0");
  world.Run("p", "n1", MakeSpec(3));
  ExpectNo(world.WhyNot({world.Role(2, MakeSpec(1))}), No::kConstraints,
           "needs 2 × (1 CPU); fits without the claims of other groups: of 2 nodes, 1 is claimed (by JobSet "
           "default/a); there is room for 1 of 2");
}

// --- the search gave up

TEST(Diagnose, ASearchThatGaveUpClaimsNothing) {
  World world;
  AddNodes(world, 2);
  ExpectNo(
      world.WhyNot({world.Role(2, MakeSpec(1))}, {.steps = 1}), No::kGaveUp,
      "needs 2 × (1 CPU); the search for a place ended at its bound of 1 step; room for 0 of 2 was found");
}

}  // namespace
}  // namespace cadre::match
