// Exclusive domains: the claim is written before the first bind, outlives the pods, and ends when it should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/claims.h"
#include "core/scheduler.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using kube::Kind;
using ::testing::HasSubstr;

// Racks a and b of two nodes with 2 CPUs each. Job sets "first" and "second": one Job of two pods, in a rack
// of its own.
class ClaimTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* rack : {"a", "b"}) {
      for (int i = 0; i < 2; ++i)
        world_.AddNode(fmt::format("{}-{}", rack, i), 2,
                       fmt::format("topology.kubernetes.io/rack: {}", rack));
    }
  }

  void GivenJobSet(const std::string& name, int jobs = 1) {
    world_.Create(fmt::format(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: {}, annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: topology.kubernetes.io/rack}}}}
spec:
  replicatedJobs:
  - name: w
    replicas: {}
    template: {{spec: {{completionMode: Indexed, completions: 2, parallelism: 2, template: {{spec: {{schedulerName: cadre, restartPolicy: Never, containers: [{{name: main, image: a}}]}}}}}}}}
)",
                              name, jobs));
    for (int i = 0; i < jobs; ++i)
      GivenJob(name, i);
  }
  void GivenJob(const std::string& jobset, int index) {
    world_.AddChildJob(jobset, "w", index, 2);
    world_.AddPods(fmt::format("{}-w-{}", jobset, index), 2);
  }
  std::string ClaimsOf(const std::string& jobset) {
    return world_.AnnotationOf(Kind::kJobSet, jobset, "cadre.dev/claims");
  }
  std::string IdleSinceOf(const std::string& jobset) {
    return world_.AnnotationOf(Kind::kJobSet, jobset, "cadre.dev/idle-since");
  }
  std::string RackOf(const std::string& pod) { return world_.NodeOf(pod).substr(0, 1); }

  SchedulerWorld world_;
};

TEST_F(ClaimTest, EachJobHasARackOfItsOwn) {
  GivenJobSet("first", 2);
  world_.Run();
  EXPECT_EQ(RackOf("first-w-0-0"), RackOf("first-w-0-1"));
  EXPECT_EQ(RackOf("first-w-1-0"), RackOf("first-w-1-1"));
  EXPECT_NE(RackOf("first-w-0-0"), RackOf("first-w-1-0"));
}

TEST_F(ClaimTest, ItIsWrittenOnTheJobSetBeforeTheFirstBind) {
  GivenJobSet("first");
  world_.Step();
  ASSERT_TRUE(world_.SendOne());
  EXPECT_EQ(
      ClaimsOf("first"),
      R"({"v":1,"epoch":0,"claims":[{"unit":"first-w-0","key":"topology.kubernetes.io/rack","path":["","","a"]}]})");
  EXPECT_EQ(world_.CountBound(), 0);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 2);
}

TEST_F(ClaimTest, ARefusedClaimBindsNothingAndIsTriedAgainLater) {
  GivenJobSet("first");
  world_.Refuse("patch", drive::Outcome::kConflict, 1);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  world_.PassSeconds(2);
  EXPECT_EQ(world_.CountBound(), 2);
}

TEST_F(ClaimTest, NobodyElseEntersTheRack) {
  GivenJobSet("first");
  world_.AddGang("gang", 4);
  world_.Run();
  EXPECT_EQ(RackOf("first-w-0-0"), "a");
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(RackOf(fmt::format("gang-{}", i)), "b");
}

TEST_F(ClaimTest, APodOnItsOwnIsLetIn) {
  GivenJobSet("first", 2);
  world_.Run();
  world_.AddLonePod("monitor", 1);
  world_.Run();
  EXPECT_NE(world_.NodeOf("monitor"), "");
}

TEST_F(ClaimTest, ItOutlivesThePods) {
  GivenJobSet("first", 2);
  world_.Run();
  world_.DeletePodsOf("first");
  GivenJobSet("second");
  world_.Run();
  EXPECT_EQ(world_.CountBound("second"), 0);
  EXPECT_THAT(world_.ReasonOf("second"),
              HasSubstr("all 2 racks are claimed, the first by JobSet default/first"));
}

TEST_F(ClaimTest, ANewProcessFindsItOnTheJobSet) {
  GivenJobSet("first", 2);
  world_.Run();
  world_.DeletePodsOf("first");
  world_.Restart();
  GivenJobSet("second");
  world_.Run();
  EXPECT_EQ(world_.CountBound("second"), 0);
}

TEST_F(ClaimTest, WhoComesAgainComesBackToItsRack) {
  GivenJobSet("first", 2);
  world_.Run();
  const std::string rack = RackOf("first-w-1-0");
  world_.DeletePodsOf("first");
  world_.AddPods("first-w-1", 2);
  world_.AddPods("first-w-0", 2);
  world_.Run();
  EXPECT_EQ(RackOf("first-w-1-0"), rack);
}

TEST_F(ClaimTest, ItEndsWithTheJobSet) {
  GivenJobSet("first", 2);
  world_.Run();
  world_.DeletePodsOf("first");
  world_.Delete(Kind::kJobSet, "first");
  GivenJobSet("second");
  world_.Run();
  EXPECT_EQ(world_.CountBound("second"), 2);
}

TEST_F(ClaimTest, ASuspendedJobSetGivesItBackAndIsToldSo) {
  GivenJobSet("first", 2);
  world_.Run();
  world_.DeletePodsOf("first");
  world_.Change(Kind::kJobSet, "first", R"({"spec":{"suspend":true}})");
  GivenJobSet("second");
  world_.Run();
  EXPECT_EQ(ClaimsOf("first"), "");
  EXPECT_EQ(world_.CountBound("second"), 2);
}

TEST_F(ClaimTest, WithoutPodsItEndsAfterAWhile) {
  GivenJobSet("first", 2);
  world_.Run();
  world_.DeletePodsOf("first");
  GivenJobSet("second");
  world_.Run();
  world_.PassSeconds(599);
  EXPECT_EQ(world_.CountBound("second"), 0);
  world_.PassSeconds(2);
  EXPECT_EQ(world_.CountBound("second"), 2);
  EXPECT_EQ(ClaimsOf("first"), "");
}

TEST_F(ClaimTest, ThatWhileGoesOnOverARestartOfTheScheduler) {
  GivenJobSet("first", 2);
  world_.Run();
  world_.DeletePodsOf("first");
  GivenJobSet("second");
  world_.Run();
  world_.PassSeconds(300);
  world_.Restart();
  world_.Run();
  world_.PassSeconds(299);
  EXPECT_EQ(world_.CountBound("second"), 0);
  world_.PassSeconds(2);
  EXPECT_EQ(world_.CountBound("second"), 2);
  EXPECT_EQ(ClaimsOf("first"), "");
  EXPECT_EQ(IdleSinceOf("first"), "");
}

TEST_F(ClaimTest, ARestartOfTheJobSetThatIsQuickCostsNoWrite) {
  GivenJobSet("first");
  world_.Run();
  world_.DeletePodsOf("first");
  world_.PassSeconds(29);
  EXPECT_EQ(IdleSinceOf("first"), "");
  world_.PassSeconds(1);
  EXPECT_NE(IdleSinceOf("first"), "");
}

TEST_F(ClaimTest, WhatWasNotedOfItIsTakenOffWhenThereArePodsAgain) {
  GivenJobSet("first");
  world_.Run();
  world_.DeletePodsOf("first");
  world_.PassSeconds(100);
  world_.AddPods("first-w-0", 2);
  world_.Run();
  EXPECT_EQ(IdleSinceOf("first"), "");
  EXPECT_NE(ClaimsOf("first"), "");
  // And the next time without pods is counted from its own beginning.
  world_.DeletePodsOf("first");
  world_.PassSeconds(550);
  EXPECT_NE(ClaimsOf("first"), "");
}

TEST_F(ClaimTest, ATimeToComeThatSomebodyNotedIsNotBelieved) {
  GivenJobSet("first");
  world_.Run();
  world_.DeletePodsOf("first");
  world_.Change(Kind::kJobSet, "first",
                R"({"metadata":{"annotations":{"cadre.dev/idle-since":"2999-01-01T00:00:00Z"}}})");
  world_.Restart();
  world_.Run();
  world_.PassSeconds(601);
  EXPECT_EQ(ClaimsOf("first"), "");
}

TEST_F(ClaimTest, TextThatNobodyCanReadIsTakenOff) {
  GivenJobSet("first");
  world_.Change(Kind::kJobSet, "first", R"({"metadata":{"annotations":{"cadre.dev/claims":"mine!"}}})");
  world_.Run();
  EXPECT_THAT(ClaimsOf("first"), HasSubstr(R"("unit":"first-w-0")"));
}

TEST_F(ClaimTest, AGangOfAnotherSchedulerKeepsARackFromBeingClaimed) {
  world_.AddJob("foreign", 2);
  for (int i = 0; i < 2; ++i)
    world_.AddPod("foreign", i);
  world_.BindByOther("foreign-0", "a-0");
  world_.BindByOther("foreign-1", "a-1");
  world_.Run();
  GivenJobSet("first");
  world_.Run();
  EXPECT_EQ(RackOf("first-w-0-0"), "b");
}

}  // namespace
}  // namespace cadre::core
