// What counts on a node, and until when.
#include "model/cluster.h"

#include <gtest/gtest.h>

#include "model/model_testing.h"

namespace cadre::model {
namespace {

// One node n1 with 8 CPU.
class ClusterAccounting : public testing::Test {
 protected:
  ClusterAccounting() { cluster_.Apply(NodeOf({}), false); }

  void Add(PodWords words) { cluster_.Apply(PodOf(std::move(words)), false); }
  void Delete(PodWords words) { cluster_.Apply(PodOf(std::move(words)), true); }
  PodId IdOf(std::string_view pod) const { return cluster_.FindPod("uid-" + std::string(pod)); }
  NodeId Node(std::string_view name) const { return cluster_.FindNode(name); }
  std::int64_t FreeOn(std::string_view node) const { return FreeCpu(cluster_, node); }

  Cluster cluster_{{"cadre"}};
};

TEST_F(ClusterAccounting, ABoundPodHoldsItsRequestsAndOnePlace) {
  Add({.node = "n1", .requests = {{"cpu", 1500}}});
  EXPECT_EQ(FreeOn("n1"), 6500);
  EXPECT_EQ(cluster_.node(Node("n1")).Free(ResourceNames::kPods), 109);
}

TEST_F(ClusterAccounting, ABoundPodCountsWhoeverBoundIt) {
  Add({.node = "n1", .scheduler = "default-scheduler"});
  EXPECT_EQ(FreeOn("n1"), 7000);
}

TEST_F(ClusterAccounting, APodWithoutANodeHoldsNothing) {
  Add({});
  EXPECT_EQ(FreeOn("n1"), 8000);
  EXPECT_EQ(EntryOf(cluster_, "p1").hold, Hold::kNone);
}

TEST_F(ClusterAccounting, ExtendedResourcesAreCounted) {
  cluster_.Apply(NodeOf({.version = 2, .allocatable = {{"cpu", 8000}, {"nvidia.com/gpu", 8}, {"pods", 110}}}),
                 false);
  Add({.node = "n1", .requests = {{"nvidia.com/gpu", 3}}});
  const NodeEntry& node = cluster_.node(Node("n1"));
  std::int64_t free_gpus = -1;
  for (std::size_t i = 0; i < cluster_.resources().size(); ++i) {
    if (cluster_.resources().Name(ResourceId(i)) == "nvidia.com/gpu") free_gpus = node.Free(ResourceId(i));
  }
  EXPECT_EQ(free_gpus, 5);
}

TEST_F(ClusterAccounting, ASucceededPodFreesItsNode) {
  Add({.node = "n1"});
  Add({.version = 2, .node = "n1", .phase = kube::PodPhase::kSucceeded});
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST_F(ClusterAccounting, AFailedPodFreesItsNode) {
  Add({.node = "n1"});
  Add({.version = 2, .node = "n1", .phase = kube::PodPhase::kFailed});
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST_F(ClusterAccounting, APodBeingDeletedHoldsItsNodeUntilItIsGone) {
  Add({.node = "n1"});
  Add({.version = 2, .node = "n1", .deleting = true});
  EXPECT_EQ(FreeOn("n1"), 7000);
  Delete({.version = 3, .node = "n1", .deleting = true});
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST_F(ClusterAccounting, AnAssumedPodHoldsItsNode) {
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  EXPECT_EQ(FreeOn("n1"), 7000);
  EXPECT_EQ(EntryOf(cluster_, "p1").hold, Hold::kAssumed);
}

TEST_F(ClusterAccounting, AnAssumptionThatIsConfirmedCountsOnce) {
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  Add({.version = 2, .node = "n1"});
  EXPECT_EQ(FreeOn("n1"), 7000);
  EXPECT_EQ(EntryOf(cluster_, "p1").hold, Hold::kBound);
}

TEST_F(ClusterAccounting, AnAssumptionThatTurnsOutBoundElsewhereMoves) {
  cluster_.Apply(NodeOf({.name = "n2", .uid = "node-2"}), false);
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  Add({.version = 2, .node = "n2"});
  EXPECT_EQ(FreeOn("n1"), 8000);
  EXPECT_EQ(FreeOn("n2"), 7000);
}

TEST_F(ClusterAccounting, AnAssumptionOutlivesOtherChangesOfThePod) {
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  Add({.version = 2, .labels = {{"touched", "yes"}}});
  EXPECT_EQ(EntryOf(cluster_, "p1").hold, Hold::kAssumed);
  EXPECT_EQ(FreeOn("n1"), 7000);
}

TEST_F(ClusterAccounting, AForgottenAssumptionFreesItsNode) {
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  cluster_.Forget(IdOf("p1"));
  EXPECT_EQ(FreeOn("n1"), 8000);
  EXPECT_EQ(EntryOf(cluster_, "p1").hold, Hold::kNone);
}

TEST_F(ClusterAccounting, ForgettingABoundPodDoesNothing) {
  Add({.node = "n1"});
  cluster_.Forget(IdOf("p1"));
  EXPECT_EQ(FreeOn("n1"), 7000);
}

TEST_F(ClusterAccounting, AnAssumedPodThatIsDeletedFreesItsNode) {
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  Delete({.version = 2});
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST_F(ClusterAccounting, AnAssumedPodThatFailsUnboundFreesItsNode) {
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  Add({.version = 2, .phase = kube::PodPhase::kFailed});
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST_F(ClusterAccounting, AssumingAgainMovesThePod) {
  cluster_.Apply(NodeOf({.name = "n2", .uid = "node-2"}), false);
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  cluster_.Assume(IdOf("p1"), Node("n2"));
  EXPECT_EQ(FreeOn("n1"), 8000);
  EXPECT_EQ(FreeOn("n2"), 7000);
}

TEST_F(ClusterAccounting, ANominationOfAnotherSchedulerHoldsItsNode) {
  Add({.nominated = "n1", .scheduler = "default-scheduler"});
  EXPECT_EQ(FreeOn("n1"), 7000);
  EXPECT_EQ(EntryOf(cluster_, "p1").hold, Hold::kNominated);
}

TEST_F(ClusterAccounting, ANominationOfOurOwnPodsHoldsNothing) {
  Add({.nominated = "n1", .scheduler = "cadre"});
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST_F(ClusterAccounting, ANominationEndsWhenItIsTakenBack) {
  Add({.nominated = "n1", .scheduler = "default-scheduler"});
  Add({.version = 2, .scheduler = "default-scheduler"});
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST(ClusterWithoutSchedulerNames, NoNominationCountsWhenEveryPodIsOurs) {
  Cluster cluster;
  cluster.Apply(NodeOf({}), false);
  cluster.Apply(PodOf({.nominated = "n1", .scheduler = "default-scheduler"}), false);
  EXPECT_EQ(FreeCpu(cluster, "n1"), 8000);
}

TEST_F(ClusterAccounting, DaemonSetPodsStayWhenTheNodeIsThoughtEmpty) {
  Add({.name = "agent", .node = "n1", .requests = {{"cpu", 500}}, .owner_kind = "DaemonSet"});
  Add({.name = "batch", .node = "n1", .owner_kind = "Job"});
  EXPECT_EQ(FreeOn("n1"), 6500);
  EXPECT_EQ(cluster_.node(Node("n1")).FreeWhenEmpty(ResourceNames::kCpu), 7500);
}

TEST_F(ClusterAccounting, StaticPodsStayWhenTheNodeIsThoughtEmpty) {
  Add({.name = "etcd", .node = "n1", .owner_kind = "Node"});
  EXPECT_EQ(cluster_.node(Node("n1")).FreeWhenEmpty(ResourceNames::kCpu), 7000);
}

TEST_F(ClusterAccounting, ADaemonSetPodThatLosesItsOwnerIsLikeAnyOther) {
  Add({.node = "n1", .owner_kind = "DaemonSet"});
  Add({.version = 2, .node = "n1"});  // kubectl delete daemonset --cascade=orphan
  EXPECT_EQ(cluster_.node(Node("n1")).FreeWhenEmpty(ResourceNames::kCpu), 8000);
  Delete({.version = 3, .node = "n1"});
  EXPECT_EQ(cluster_.node(Node("n1")).FreeWhenEmpty(ResourceNames::kCpu), 8000);
}

TEST_F(ClusterAccounting, APodResizedInPlaceCountsAsTheLargestOfSpecAllocatedAndActual) {
  const auto resized = [&](int version, std::string_view spec, std::string_view allocated,
                           std::string_view actual) {
    cluster_.Apply(kube::FromYaml(fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: p1, uid: uid-p1, resourceVersion: "{}"}}
spec:
  nodeName: n1
  containers: [{{name: main, image: a, resources: {{requests: {{cpu: "{}"}}}}}}]
status:
  phase: Running
  containerStatuses:
  - {{name: main, allocatedResources: {{cpu: "{}"}}, resources: {{requests: {{cpu: "{}"}}}}}})",
                                              version, spec, allocated, actual)),
                   false);
  };
  resized(1, "1", "1", "1");
  EXPECT_EQ(FreeOn("n1"), 7000);
  resized(2, "3", "1", "1");  // asked for, not yet granted
  EXPECT_EQ(FreeOn("n1"), 5000);
  resized(3, "1", "1", "3");  // shrunk, not yet given back
  EXPECT_EQ(FreeOn("n1"), 5000);
  resized(4, "1", "1", "1");
  EXPECT_EQ(FreeOn("n1"), 7000);
}

TEST_F(ClusterAccounting, AReservationHoldsItsNodeUntilItIsReleased) {
  Add({.requests = {{"cpu", 2000}}});
  cluster_.Reserve("later/0", {EntryOf(cluster_, "p1").shape, Node("n1"), {}});
  EXPECT_EQ(FreeOn("n1"), 6000);
  cluster_.Release("later/0");
  EXPECT_EQ(FreeOn("n1"), 8000);
}

TEST_F(ClusterAccounting, AReservationMadeAgainReplacesTheFirst) {
  cluster_.Apply(NodeOf({.name = "n2", .uid = "node-2"}), false);
  Add({.requests = {{"cpu", 2000}}});
  cluster_.Reserve("later/0", {EntryOf(cluster_, "p1").shape, Node("n1"), {}});
  cluster_.Reserve("later/0", {EntryOf(cluster_, "p1").shape, Node("n2"), {}});
  EXPECT_EQ(FreeOn("n1"), 8000);
  EXPECT_EQ(FreeOn("n2"), 6000);
}

TEST_F(ClusterAccounting, ReleasingWhatIsNotReservedDoesNothing) {
  const std::uint64_t before = cluster_.room_version();
  cluster_.Release("nobody's");
  EXPECT_EQ(FreeOn("n1"), 8000);
  EXPECT_EQ(cluster_.room_version(), before);
}

TEST_F(ClusterAccounting, AnOlderVersionOfAPodIsIgnored) {
  Add({.version = 5, .node = "n1"});
  Add({.version = 4});
  EXPECT_EQ(FreeOn("n1"), 7000);
}

TEST_F(ClusterAccounting, AnOlderVersionOfANodeIsIgnored) {
  cluster_.Apply(NodeOf({.version = 5, .allocatable = {{"cpu", 4000}}}), false);
  cluster_.Apply(NodeOf({.version = 4, .allocatable = {{"cpu", 2000}}}), false);
  EXPECT_EQ(FreeOn("n1"), 4000);
}

TEST_F(ClusterAccounting, TheDeletionOfAnUnknownPodIsNothing) {
  Delete({.name = "stranger", .node = "n1"});
  EXPECT_EQ(FreeOn("n1"), 8000);
  EXPECT_FALSE(IdOf("stranger").Valid());
}

// --- nodes that come and go

TEST_F(ClusterAccounting, ANodeThatIsGoneOffersNothing) {
  cluster_.Apply(NodeOf({}), true);
  EXPECT_FALSE(Node("n1").Valid());
}

TEST_F(ClusterAccounting, ANodeThatIsGoneIsRememberedWhilePodsNameIt) {
  Add({.node = "n1"});
  cluster_.Apply(NodeOf({}), true);
  ASSERT_TRUE(Node("n1").Valid());
  EXPECT_FALSE(cluster_.node(Node("n1")).Present());
  Delete({.version = 2, .node = "n1"});
  EXPECT_FALSE(Node("n1").Valid());
}

TEST_F(ClusterAccounting, APodThatArrivesBeforeItsNodeCountsOnceTheNodeIsThere) {
  Add({.node = "n2"});
  EXPECT_FALSE(cluster_.node(Node("n2")).Present());
  cluster_.Apply(NodeOf({.name = "n2", .uid = "node-2"}), false);
  EXPECT_EQ(FreeOn("n2"), 7000);
}

TEST_F(ClusterAccounting, ANodeMadeAgainUnderItsNameKeepsThePodsThatNameIt) {
  Add({.node = "n1"});
  cluster_.Apply(NodeOf({}), true);
  cluster_.Apply(NodeOf({.uid = "node-1b", .version = 9, .allocatable = {{"cpu", 4000}}}), false);
  EXPECT_EQ(FreeOn("n1"), 3000);
}

TEST_F(ClusterAccounting, TheLateDeletionOfANodeDoesNotTakeItsSuccessorAway) {
  cluster_.Apply(NodeOf({.uid = "node-1b", .version = 9}), false);
  cluster_.Apply(NodeOf({.uid = "node-1", .version = 8}), true);
  ASSERT_TRUE(Node("n1").Valid());
  EXPECT_TRUE(cluster_.node(Node("n1")).Present());
}

// The node's last pod is taken off it and put on it again within one change; its slot must not go to another
// meanwhile.
TEST_F(ClusterAccounting, AnAssumptionConfirmedOnANodeThatIsGoneStaysThere) {
  Add({.requests = {{"cpu", 1000}}});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  cluster_.Apply(NodeOf({}), true);
  Add({.version = 2, .node = "n1", .requests = {{"cpu", 2000}}});
  cluster_.Apply(NodeOf({.name = "n2", .uid = "node-2"}), false);
  EXPECT_EQ(FreeOn("n2"), 8000);
  ASSERT_TRUE(Node("n1").Valid());
  EXPECT_EQ(FreeOn("n1"), -2000);
}

TEST_F(ClusterAccounting, AReservationRenewedOnANodeThatIsGoneStaysThere) {
  Add({});
  const ShapeId shape = EntryOf(cluster_, "p1").shape;
  cluster_.Reserve("later/0", {shape, Node("n1"), {}});
  cluster_.Apply(NodeOf({}), true);
  cluster_.Reserve("later/0", {shape, Node("n1"), {}});
  cluster_.Apply(NodeOf({.name = "n2", .uid = "node-2"}), false);
  EXPECT_EQ(FreeOn("n2"), 8000);
  EXPECT_EQ(FreeOn("n1"), -1000);
}

TEST_F(ClusterAccounting, AResourceThatANodeNoLongerOffersIsGone) {
  cluster_.Apply(NodeOf({.version = 2, .allocatable = {{"pods", 110}}}), false);
  EXPECT_EQ(FreeOn("n1"), 0);
}

TEST_F(ClusterAccounting, ANodeThatShrinksBelowItsPodsHasLessThanNothing) {
  Add({.node = "n1", .requests = {{"cpu", 8000}}});
  cluster_.Apply(NodeOf({.version = 2, .allocatable = {{"cpu", 6000}}}), false);
  EXPECT_EQ(FreeOn("n1"), -2000);
}

TEST_F(ClusterAccounting, TheSlotOfAPodThatIsGoneIsUsedAgain) {
  for (int i = 0; i < 100; ++i) {
    const std::string name = fmt::format("p{}", i);
    Add({.name = name, .node = "n1"});
    Delete({.name = name, .version = 2, .node = "n1"});
  }
  EXPECT_EQ(cluster_.pod_slots(), 1U);
}

TEST_F(ClusterAccounting, TheSlotOfANodeThatIsGoneIsUsedAgain) {
  for (int i = 0; i < 100; ++i) {
    const std::string name = fmt::format("spot-{}", i);
    cluster_.Apply(NodeOf({.name = name, .uid = name}), false);
    cluster_.Apply(NodeOf({.name = name, .uid = name}), true);
  }
  EXPECT_EQ(cluster_.nodes().size(), 2U);  // n1, and the slot of the others
}

TEST_F(ClusterAccounting, ANodeInAUsedSlotStartsEmpty) {
  cluster_.Apply(NodeOf({.name = "old", .uid = "old"}), false);
  Add({.node = "old"});
  cluster_.Apply(NodeOf({.name = "old", .uid = "old"}), true);
  Delete({.version = 2, .node = "old"});
  cluster_.Apply(NodeOf({.name = "new", .uid = "new"}), false);
  EXPECT_EQ(cluster_.nodes().size(), 2U);
  EXPECT_EQ(FreeOn("new"), 8000);
}

TEST_F(ClusterAccounting, PodsWithAntiAffinityAreListedWhileTheyHoldANode) {
  Add({.node = "n1", .repels_its_like = true});
  EXPECT_EQ(cluster_.anti_affinity_pods().count(IdOf("p1")), 1U);
  Add({.version = 2, .node = "n1", .phase = kube::PodPhase::kSucceeded, .repels_its_like = true});
  EXPECT_TRUE(cluster_.anti_affinity_pods().empty());
}

TEST_F(ClusterAccounting, LabelsOfANamespaceAreKnownUntilItIsGone) {
  EXPECT_EQ(cluster_.NamespaceLabels("team"), nullptr);
  cluster_.Apply(NamespaceOf("team", {{"env", "prod"}}), false);
  ASSERT_NE(cluster_.NamespaceLabels("team"), nullptr);
  EXPECT_EQ(cluster_.NamespaceLabels("team")->at("env"), "prod");
  cluster_.Apply(NamespaceOf("team", {}), true);
  EXPECT_EQ(cluster_.NamespaceLabels("team"), nullptr);
}

TEST_F(ClusterAccounting, KindsThatSayNothingAboutRoomAreIgnored) {
  const std::string before = cluster_.Fingerprint();
  cluster_.Apply(kube::FromYaml("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}"), false);
  EXPECT_EQ(cluster_.Fingerprint(), before);
}

// --- versions: what is worth another try

class RoomVersion : public ClusterAccounting {
 protected:
  // How much the version grows through what `act` does.
  template <class Act>
  std::uint64_t GrowthBy(Act act) {
    const std::uint64_t before = cluster_.room_version();
    act();
    return cluster_.room_version() - before;
  }
};

TEST_F(RoomVersion, DoesNotGrowWhenAPodIsBound) {
  EXPECT_EQ(GrowthBy([&] { Add({.node = "n1"}); }), 0U);
}

TEST_F(RoomVersion, DoesNotGrowWhenAPendingPodArrivesOrGoes) {
  EXPECT_EQ(GrowthBy([&] {
              Add({});
              Delete({.version = 2});
            }),
            0U);
}

TEST_F(RoomVersion, DoesNotGrowWhenADecisionIsMadeOrConfirmed) {
  Add({});
  EXPECT_EQ(GrowthBy([&] {
              cluster_.Assume(IdOf("p1"), Node("n1"));
              Add({.version = 2, .node = "n1"});
            }),
            0U);
}

TEST_F(RoomVersion, DoesNotGrowWhenTheStatusOfARunningPodChanges) {
  Add({.node = "n1"});
  EXPECT_EQ(GrowthBy([&] { Add({.version = 2, .node = "n1", .phase = kube::PodPhase::kRunning}); }), 0U);
}

TEST_F(RoomVersion, DoesNotGrowWhenANodeOnlyReportsThatItIsAlive) {
  EXPECT_EQ(GrowthBy([&] { cluster_.Apply(NodeOf({.version = 2}), false); }), 0U);
}

TEST_F(RoomVersion, DoesNotGrowWhenRoomIsReserved) {
  Add({});
  const ShapeId shape = EntryOf(cluster_, "p1").shape;
  EXPECT_EQ(GrowthBy([&] { cluster_.Reserve("later/0", {shape, Node("n1"), {}}); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenABoundPodEnds) {
  Add({.node = "n1"});
  EXPECT_GT(GrowthBy([&] { Add({.version = 2, .node = "n1", .phase = kube::PodPhase::kSucceeded}); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenABoundPodIsGone) {
  Add({.node = "n1"});
  EXPECT_GT(GrowthBy([&] { Delete({.version = 2, .node = "n1"}); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenAnAssumptionIsForgotten) {
  Add({});
  cluster_.Assume(IdOf("p1"), Node("n1"));
  EXPECT_GT(GrowthBy([&] { cluster_.Forget(IdOf("p1")); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenAReservationIsReleased) {
  Add({});
  cluster_.Reserve("later/0", {EntryOf(cluster_, "p1").shape, Node("n1"), {}});
  EXPECT_GT(GrowthBy([&] { cluster_.Release("later/0"); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenANodeIsAdded) {
  EXPECT_GT(GrowthBy([&] { cluster_.Apply(NodeOf({.name = "n2", .uid = "node-2"}), false); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenANodeIsUncordoned) {
  cluster_.Apply(NodeOf({.version = 2, .cordoned = true}), false);
  EXPECT_GT(GrowthBy([&] { cluster_.Apply(NodeOf({.version = 3}), false); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenTheLabelsOfANodeChange) {
  EXPECT_GT(GrowthBy([&] { cluster_.Apply(NodeOf({.version = 2, .labels = {{"rack", "r1"}}}), false); }), 0U);
}

// A spread constraint measures against the domain with the fewest pods: with that domain gone, more is
// allowed.
TEST_F(RoomVersion, GrowsWhenANodeIsGone) {
  EXPECT_GT(GrowthBy([&] { cluster_.Apply(NodeOf({}), true); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenTheLabelsOfARunningPodChange) {
  Add({.node = "n1"});
  EXPECT_GT(GrowthBy([&] { Add({.version = 2, .node = "n1", .labels = {{"app", "b"}}}); }), 0U);
}

TEST_F(RoomVersion, GrowsWhenAClaimIsBound) {
  cluster_.Apply(VolumeOf("v1"), false);
  cluster_.Apply(ClaimOf("data", ""), false);
  EXPECT_GT(GrowthBy([&] { cluster_.Apply(ClaimOf("data", "v1", 2), false); }), 0U);
}

TEST_F(RoomVersion, DoesNotGrowThroughAClaimThatIsNoNews) {
  cluster_.Apply(ClaimOf("data", "v1", 5), false);
  EXPECT_EQ(GrowthBy([&] { cluster_.Apply(ClaimOf("data", "", 4), false); }), 0U);
}

TEST_F(ClusterAccounting, PodsVersionGrowsWhenAPodTakesItsPlace) {
  const std::uint64_t before = cluster_.pods_version();
  Add({.node = "n1"});
  EXPECT_GT(cluster_.pods_version(), before);
}

TEST_F(ClusterAccounting, PodsVersionDoesNotGrowWhenAPodOnlyWaits) {
  const std::uint64_t before = cluster_.pods_version();
  Add({});
  EXPECT_EQ(cluster_.pods_version(), before);
}

using ClusterDeathTest = ClusterAccounting;

TEST_F(ClusterDeathTest, ABoundPodCannotBeAssumed) {
  Add({.node = "n1"});
  EXPECT_DEATH(cluster_.Assume(IdOf("p1"), Node("n1")), "gone, bound or terminal");
}

}  // namespace
}  // namespace cadre::model
