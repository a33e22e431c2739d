// JobSets whose Jobs come one after the other: what is planned together, what is held, what is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan.h"
#include "core/scheduler.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using kube::Kind;
using testing::HasSubstr;

// JobSet train: a driver of one pod, then (as `second` says) workers of three; every pod asks for one CPU.
class Stages : public testing::Test {
 protected:
  static constexpr std::string_view kInOrder = "  startupPolicy: {startupPolicyOrder: InOrder}\n";

  void GivenJobSet(std::string_view spec, std::string_view depends_on) {
    world_.Create(fmt::format(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train}}
spec:
{}  replicatedJobs:
  - name: driver
    template: {{spec: {{completionMode: Indexed, completions: 1, parallelism: 1, template: {{spec: {{schedulerName: cadre, restartPolicy: Never, containers: [{{name: main, image: a, resources: {{requests: {{cpu: "1"}}}}}}]}}}}}}}}
  - name: workers
{}    template: {{spec: {{completionMode: Indexed, completions: 3, parallelism: 3, template: {{spec: {{schedulerName: cadre, restartPolicy: Never, containers: [{{name: main, image: a, resources: {{requests: {{cpu: "1"}}}}}}]}}}}}}}}
)",
                              spec, depends_on));
    world_.AddChildJob("train", "driver", 0, 1);
    world_.AddPods("train-driver-0", 1);
  }
  void WorkersCome(int pods = 3) {
    if (!world_.Exists(Kind::kJob, "train-workers-0")) world_.AddChildJob("train", "workers", 0, 3);
    for (int i = 0; i < pods; ++i) {
      if (!world_.Exists(Kind::kPod, fmt::format("train-workers-0-{}", i)))
        world_.AddPod("train-workers-0", i);
    }
  }
  // A pod that takes all of a 4-CPU cluster but the driver's place; it fits unless room is held.
  bool ThreeCpusAreFree() {
    world_.AddLonePod("probe", 3, "schedulerName: cadre, priority: 100, ");
    world_.Run();
    const bool bound = !world_.NodeOf("probe").empty();
    world_.Delete(Kind::kPod, "probe");
    world_.Run();
    return bound;
  }

  SchedulerWorld world_;
};

TEST_F(Stages, RoomForTheLaterStageIsHeldWhileItOnlyWaitsForReady) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  EXPECT_NE(world_.NodeOf("train-driver-0-0"), "");
  EXPECT_FALSE(ThreeCpusAreFree());
}

TEST_F(Stages, TheLaterStageGetsTheRoomThatWasHeld) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  WorkersCome();
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-workers"), 3);
  EXPECT_TRUE(world_.scheduler().cluster().reservations().empty());
}

TEST_F(Stages, DependsOnReadyIsTheSame) {
  world_.AddNodes(1, 4);
  GivenJobSet("", "    dependsOn: [{name: driver, status: Ready}]\n");
  world_.Run();
  EXPECT_FALSE(ThreeCpusAreFree());
}

TEST_F(Stages, WhatWaitsForCompleteHoldsNothing) {
  world_.AddNodes(1, 4);
  GivenJobSet("", "    dependsOn: [{name: driver, status: Complete}]\n");
  world_.Run();
  EXPECT_NE(world_.NodeOf("train-driver-0-0"), "");
  EXPECT_TRUE(ThreeCpusAreFree());
}

TEST_F(Stages, WhatWaitsForCompleteIsPlacedWhenItComes) {
  world_.AddNodes(1, 4);
  GivenJobSet("", "    dependsOn: [{name: driver, status: Complete}]\n");
  world_.Run();
  world_.SetPhase("train-driver-0-0", "Succeeded");
  WorkersCome();
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-workers"), 3);
}

TEST_F(Stages, TheFirstStageDoesNotStartWhenTheLaterDoesNotFit) {
  world_.AddNodes(1, 3);
  GivenJobSet(kInOrder, "");
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_TRUE(world_.scheduler().cluster().reservations().empty());
}

TEST_F(Stages, ALaterStageWaitsUntilAllItsPodsAreThere) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  WorkersCome(2);
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-workers"), 0);
  EXPECT_FALSE(ThreeCpusAreFree());
  WorkersCome(3);
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-workers"), 3);
}

TEST_F(Stages, HeldRoomIsHeldAgainAfterARestart) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  world_.Restart();
  EXPECT_FALSE(ThreeCpusAreFree());
  WorkersCome();
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-workers"), 3);
}

TEST_F(Stages, HeldRoomIsHeldAgainAfterACrashBetweenBindAndMark) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  ASSERT_FALSE(world_.Run(1));  // the driver is bound, nothing is marked
  world_.Restart();
  EXPECT_FALSE(ThreeCpusAreFree());
}

TEST_F(Stages, HeldRoomIsGivenBackWhenTheJobSetIsGone) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  world_.Delete(Kind::kJobSet, "train");
  world_.Delete(Kind::kJob, "train-driver-0");
  world_.DeletePodsOf("train");
  EXPECT_TRUE(ThreeCpusAreFree());
  EXPECT_TRUE(world_.scheduler().cluster().reservations().empty());
}

TEST_F(Stages, HeldRoomIsGivenBackWhenThePodsVanishWhileTheyAreBound) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Step();
  world_.DeletePodsOf("train");
  world_.Step();  // their end is seen before the binds are answered
  world_.Run();
  EXPECT_TRUE(world_.scheduler().cluster().reservations().empty());
}

TEST_F(Stages, ALaterStageWhoseNodeIsGoneIsPlannedElsewhere) {
  world_.AddNode("n1", 2);
  world_.AddNode("n2", 2);
  GivenJobSet(kInOrder, "");
  world_.Run();
  world_.AddNode("n3", 2);
  const std::string drivers = world_.NodeOf("train-driver-0-0");
  world_.Delete(Kind::kNode, drivers == "n1" ? "n2" : "n1");
  WorkersCome();
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-workers"), 3);
}

// What is left of the held room stays held while a part of it cannot be used.
TEST_F(Stages, ALaterStageThatDoesNotFitNowKeepsTheRestOfItsRoom) {
  world_.AddNode("n1", 2);
  world_.AddNode("n2", 2);
  GivenJobSet(kInOrder, "");
  world_.Run();
  const std::string drivers = world_.NodeOf("train-driver-0-0");
  const std::string other = drivers == "n1" ? "n2" : "n1";
  world_.Delete(Kind::kNode, drivers);
  WorkersCome();
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-workers"), 0);
  EXPECT_NE(world_.ReasonOf("train"), "");
  world_.AddLonePod("thief", 2);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("thief"), "");
}

TEST_F(Stages, ALaterStageThatDoesNotFitIsNotTriedAgainBeforeSomethingChanged) {
  world_.AddNode("n1", 2);
  world_.AddNode("n2", 2);
  GivenJobSet(kInOrder, "");
  world_.Run();
  const std::string drivers = world_.NodeOf("train-driver-0-0");
  world_.Delete(Kind::kNode, drivers == "n1" ? "n2" : "n1");
  WorkersCome();
  world_.Run();
  ASSERT_EQ(world_.CountBound("train-workers"), 0);
  // Trying it means to give up what it holds and to take it again, and that is seen here.
  const std::uint64_t before = world_.scheduler().cluster().room_version();
  for (int i = 0; i < 5; ++i) {
    world_.AddLonePod(fmt::format("passes-by-{}", i), 8);
    world_.Run();
  }
  EXPECT_EQ(world_.scheduler().cluster().room_version(), before);
}

TEST_F(Stages, TheMarkIsWrittenWhenTheFirstStageIsPlaced) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  EXPECT_EQ(world_.CountWrites("patch JobSet default/train"), 1);
  WorkersCome();
  world_.Run();
  EXPECT_EQ(world_.CountWrites("patch JobSet default/train"), 1);
}

TEST_F(Stages, ThePlanOfTheFirstBindNamesTheLaterStageToo) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  const auto plan = Plan::Decode(world_.AnnotationOf(Kind::kPod, "train-driver-0-0", kPlanAnnotation));
  ASSERT_TRUE(plan.has_value());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(plan->NodeOf("train-workers-0", i), "n1");
}

TEST_F(Stages, ARestartOfTheJobSetStartsWithTheFirstStageAgain) {
  world_.AddNodes(1, 4);
  GivenJobSet(kInOrder, "");
  world_.Run();
  WorkersCome();
  world_.Run();
  world_.Change(Kind::kJobSet, "train", R"({"status":{"restarts":1}})");
  world_.DeletePodsOf("train");
  world_.Delete(Kind::kJob, "train-driver-0");
  world_.Delete(Kind::kJob, "train-workers-0");
  world_.Run();
  EXPECT_TRUE(world_.scheduler().cluster().reservations().empty());
  world_.AddChildJob("train", "driver", 0, 1, 1);
  world_.AddPods("train-driver-0", 1);
  world_.Run();
  EXPECT_EQ(world_.CountBound("train-driver"), 1);
  EXPECT_FALSE(ThreeCpusAreFree());
}

}  // namespace
}  // namespace cadre::core
