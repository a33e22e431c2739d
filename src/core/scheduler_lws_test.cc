// Groups of LeaderWorkerSets: planned whole when the leader comes, workers bound when they come, one set
// carrying the claims of several groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/claims.h"
#include "core/scheduler.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using kube::Kind;
using ::testing::HasSubstr;

constexpr std::string_view kRack = "topology.kubernetes.io/rack";

// LeaderWorkerSet serve: groups of a leader and two workers, each of which asks for one CPU.
class LeaderWorkerSets : public ::testing::Test {
 protected:
  void GivenRacks(std::string_view racks, int nodes, int cpus) {
    for (const char rack : racks) {
      for (int i = 0; i < nodes; ++i)
        world_.AddNode(fmt::format("{}-{}", rack, i), cpus, fmt::format("{}: {}", kRack, rack));
    }
  }
  void GivenSet(bool exclusive = false) {
    exclusive_ = exclusive;
    world_.Create(fmt::format(
        R"(apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: serve, annotations: {{{}}}}}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 3
    workerTemplate: {{spec: {{schedulerName: cadre, containers: [{{name: main, image: a, resources: {{requests: {{cpu: "1"}}}}}}]}}}}
)",
        exclusive ? fmt::format("leaderworkerset.sigs.k8s.io/exclusive-topology: {}", kRack) : ""));
  }
  void AddLeader(int group) {
    AddPod(group, 0,
           exclusive_ ? fmt::format(R"(affinity: {{
  podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {0}, labelSelector: {{matchExpressions: [{{key: leaderworkerset.sigs.k8s.io/group-key, operator: In, values: [key-{1}]}}]}}}}]}},
  podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {0}, labelSelector: {{matchExpressions: [{{key: leaderworkerset.sigs.k8s.io/group-key, operator: Exists}}, {{key: leaderworkerset.sigs.k8s.io/group-key, operator: NotIn, values: [key-{1}]}}]}}}}]}}}}, )",
                                    kRack, group)
                      : "");
  }
  // As upstream makes them: with an exclusive domain they are tied to that of their leader.
  void AddWorker(int group, int worker) {
    AddPod(group, worker,
           exclusive_ ? fmt::format("nodeSelector: {{{}: {}}}, ", kRack,
                                    world_.NodeOf(fmt::format("serve-{}", group)).substr(0, 1))
                      : "");
  }
  void AddWorkers(int group) {
    AddWorker(group, 1);
    AddWorker(group, 2);
  }
  // Is there room for a pod of so many CPUs that comes first in the queue? It goes again.
  bool IsFree(int cpus) {
    world_.AddLonePod("probe", cpus, "schedulerName: cadre, priority: 100, ");
    world_.Run();
    const bool bound = !world_.NodeOf("probe").empty();
    world_.Delete(Kind::kPod, "probe");
    world_.Run();
    return bound;
  }
  std::string RackOf(const std::string& pod) { return world_.NodeOf(pod).substr(0, 1); }
  std::string ClaimOf(int group) {
    return world_.AnnotationOf(Kind::kLeaderWorkerSet, "serve",
                               ClaimsAnnotationOf(fmt::format("group {}", group)));
  }

  SchedulerWorld world_;

 private:
  void AddPod(int group, int worker, const std::string& spec) {
    world_.Create(fmt::format(
        R"(apiVersion: v1
kind: Pod
metadata:
  name: serve-{0}{1}
  labels: {{leaderworkerset.sigs.k8s.io/name: serve, leaderworkerset.sigs.k8s.io/group-index: "{0}", leaderworkerset.sigs.k8s.io/worker-index: "{2}", leaderworkerset.sigs.k8s.io/group-key: key-{0}}}
  annotations: {{leaderworkerset.sigs.k8s.io/size: "3"}}
spec: {{{3}schedulerName: cadre, containers: [{{name: main, image: a, resources: {{requests: {{cpu: "1"}}}}}}]}}
)",
        group, worker == 0 ? "" : fmt::format("-{}", worker), worker, spec));
  }

  bool exclusive_ = false;
};

TEST_F(LeaderWorkerSets, RoomForTheWorkersIsHeldFromTheLeadersStart) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 1);
  EXPECT_FALSE(IsFree(1));
}

TEST_F(LeaderWorkerSets, WorkersGetTheRoomThatWasHeld) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  world_.Run();
  AddWorkers(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 3);
  EXPECT_TRUE(world_.scheduler().cluster().reservations().empty());
}

TEST_F(LeaderWorkerSets, ALeaderDoesNotStartWhereItsWorkersDoNotFit) {
  world_.AddNodes(1, 2);
  GivenSet();
  AddLeader(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
}

TEST_F(LeaderWorkerSets, TwoLeadersDoNotTakeTheRoomOfEachOthersWorkers) {
  world_.AddNodes(1, 5);
  GivenSet();
  AddLeader(0);
  AddLeader(1);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve"), 1);
}

TEST_F(LeaderWorkerSets, AGroupWhosePodsAreAllThereStartsAtOnce) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorkers(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 3);
}

// The controller makes them one after the other, while the leader is placed.
TEST_F(LeaderWorkerSets, WorkersThatAreThereBeforeTheOthersWaitForThem) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorker(0, 1);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 1);
  EXPECT_FALSE(IsFree(1));
  AddWorker(0, 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 3);
}

TEST_F(LeaderWorkerSets, HeldRoomIsHeldAgainAfterARestart) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  world_.Run();
  world_.Restart();
  EXPECT_FALSE(IsFree(1));
  AddWorkers(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 3);
}

TEST_F(LeaderWorkerSets, AStartCutShortByACrashIsFinished) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorkers(0);
  ASSERT_FALSE(world_.Run(2));  // the leader and one worker are bound, nothing is marked
  ASSERT_EQ(world_.CountBound("serve-0"), 2);
  world_.Restart();
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 3);
}

TEST_F(LeaderWorkerSets, AStartCutShortByACrashThatCannotBeFinishedIsUndone) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorkers(0);
  ASSERT_FALSE(world_.Run(2));
  world_.AddLonePod("thief", 1, "");
  world_.BindByOther("thief", "n1");
  world_.Restart();
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 0);
}

TEST_F(LeaderWorkerSets, WhatCannotBeMadeWholeIsEvicted) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorkers(0);
  world_.Refuse("serve-0-2", drive::Outcome::kRejected);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 0);
  EXPECT_EQ(world_.CountWrites("evict default/serve-0"), 2);  // the leader and the first worker
}

TEST_F(LeaderWorkerSets, WorkersThatComeLaterAndCannotBeMadeWholeTakeTheirLeaderWithThem) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  world_.Run();
  world_.Refuse("serve-0-2", drive::Outcome::kRejected);
  AddWorkers(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 0);
}

TEST_F(LeaderWorkerSets, AGroupThatWasEvictedStartsAgainWhenItIsMadeAgain) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorkers(0);
  world_.Refuse("serve-0-2", drive::Outcome::kRejected);
  world_.Run();
  world_.DeletePodsOf("serve-0");
  world_.RefuseNothing();
  AddLeader(0);
  world_.PassSeconds(5);
  AddWorkers(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 3);
}

TEST_F(LeaderWorkerSets, TheMarkOfEachGroupStandsOnTheSet) {
  world_.AddNodes(2, 3);
  GivenSet();
  AddLeader(0);
  AddLeader(1);
  world_.Run();
  EXPECT_NE(world_.AnnotationOf(Kind::kLeaderWorkerSet, "serve", "cadre.dev/started-group-0"), "");
  EXPECT_NE(world_.AnnotationOf(Kind::kLeaderWorkerSet, "serve", "cadre.dev/started-group-1"), "");
}

TEST_F(LeaderWorkerSets, AnotherNameOnAPodTakesItOutOfTheGroup) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorkers(0);
  world_.Change(Kind::kPod, "serve-0-1",
                R"({"metadata":{"labels":{"leaderworkerset.sigs.k8s.io/name":"other"}}})");
  world_.Delete(Kind::kPod, "serve-0-1");
  world_.Change(Kind::kLeaderWorkerSet, "serve", R"({"metadata":{"annotations":{"cadre.dev/gang":"none"}}})");
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve-0"), 2);
}

// --- without the set

TEST_F(LeaderWorkerSets, WithoutTheSetAGroupStartsWhenAllItsPodsAreThere) {
  world_.AddNodes(1, 3);
  AddLeader(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_THAT(world_.ReasonOf("serve"), HasSubstr("waits for pods of workers: 0 of 2 are there"));
  AddWorkers(0);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 3);
}

TEST_F(LeaderWorkerSets, TheSetThatComesAfterItsLeaderLetsItStart) {
  world_.AddNodes(1, 3);
  AddLeader(0);
  world_.Run();
  GivenSet();
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 1);
}

TEST_F(LeaderWorkerSets, AGroupThatRunsStaysWhenItsSetIsGone) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  AddWorkers(0);
  world_.Run();
  world_.Delete(Kind::kLeaderWorkerSet, "serve");
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 3);
  EXPECT_EQ(world_.CountWrites("evict"), 0);
}

// kubectl delete lws --cascade=orphan: nobody makes the workers any more.
TEST_F(LeaderWorkerSets, RoomIsNotHeldForWorkersOfASetThatIsGone) {
  world_.AddNodes(1, 3);
  GivenSet();
  AddLeader(0);
  world_.Run();
  world_.Delete(Kind::kLeaderWorkerSet, "serve");
  EXPECT_TRUE(IsFree(2));
}

// --- domains of their own

TEST_F(LeaderWorkerSets, EachGroupHasADomainAndTheSetCarriesBothClaims) {
  GivenRacks("ab", 2, 2);
  GivenSet(true);
  AddLeader(0);
  AddLeader(1);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve"), 2);
  EXPECT_NE(RackOf("serve-0"), RackOf("serve-1"));
  EXPECT_THAT(ClaimOf(0), HasSubstr(fmt::format(R"("path":["","","{}"])", RackOf("serve-0"))));
  EXPECT_THAT(ClaimOf(1), HasSubstr(fmt::format(R"("path":["","","{}"])", RackOf("serve-1"))));
}

// Upstream's affinity on the leader says the same as the claim, and the selector on its workers too.
TEST_F(LeaderWorkerSets, WorkersTiedToTheLeadersRackFindTheirRoomThere) {
  GivenRacks("ab", 2, 2);
  GivenSet(true);
  AddLeader(0);
  AddLeader(1);
  world_.Run();
  AddWorkers(0);
  AddWorkers(1);
  world_.Run();
  EXPECT_EQ(world_.CountBound("serve"), 6);
  for (const char* group : {"serve-0", "serve-1"}) {
    EXPECT_EQ(RackOf(fmt::format("{}-1", group)), RackOf(group));
    EXPECT_EQ(RackOf(fmt::format("{}-2", group)), RackOf(group));
  }
}

TEST_F(LeaderWorkerSets, ARackThatDoesNotHoldTheWorkersIsNotTaken) {
  world_.AddNode("a-0", 2, fmt::format("{}: a", kRack));
  world_.AddNode("b-0", 3, fmt::format("{}: b", kRack));
  GivenSet(true);
  AddLeader(0);
  AddLeader(1);
  world_.Run();
  EXPECT_EQ(RackOf("serve-0"), "b");
  EXPECT_EQ(world_.NodeOf("serve-1"), "");
}

TEST_F(LeaderWorkerSets, NoOtherGangEntersTheRackMeanwhile) {
  GivenRacks("a", 2, 3);
  GivenSet(true);
  AddLeader(0);
  world_.Run();
  world_.AddGang("gang", 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound("gang"), 0);
}

TEST_F(LeaderWorkerSets, AGroupThatIsMadeAnewComesBackToItsRack) {
  GivenRacks("ab", 2, 2);
  GivenSet(true);
  AddLeader(0);
  AddLeader(1);
  world_.Run();
  AddWorkers(1);
  world_.Run();
  const std::string rack = RackOf("serve-1");
  world_.DeletePodsOf("serve-1");
  world_.PassSeconds(1);
  world_.AddGang("gang", 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound("gang"), 0);
  AddLeader(1);
  world_.Run();
  EXPECT_EQ(RackOf("serve-1"), rack);
}

TEST_F(LeaderWorkerSets, ANewProcessKnowsWhatAGroupWithoutPodsHolds) {
  GivenRacks("a", 2, 3);
  GivenSet(true);
  AddLeader(0);
  world_.Run();
  world_.DeletePodsOf("serve");
  world_.Restart();
  world_.AddGang("gang", 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound("gang"), 0);
}

TEST_F(LeaderWorkerSets, AGroupThatDoesNotComeAgainGivesUpItsRackAndTheOthersKeepTheirs) {
  GivenRacks("ab", 2, 2);
  GivenSet(true);
  AddLeader(0);
  AddLeader(1);
  world_.Run();
  world_.DeletePodsOf("serve-1");
  world_.Run();
  world_.Pass(kClaimWithoutPods);
  EXPECT_EQ(ClaimOf(1), "");
  EXPECT_NE(ClaimOf(0), "");
}

TEST_F(LeaderWorkerSets, ClaimsEndWithTheSet) {
  GivenRacks("a", 2, 3);
  GivenSet(true);
  AddLeader(0);
  world_.Run();
  world_.DeletePodsOf("serve");
  world_.Delete(Kind::kLeaderWorkerSet, "serve");
  world_.AddGang("gang", 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound("gang"), 2);
}

}  // namespace
}  // namespace cadre::core
