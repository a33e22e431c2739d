#include "jobset/failure_policy.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::ChildOf;
using testing::FailedAt;
using testing::JobSetWith;
using testing::Typed;
using Action = FailureDecision::Action;

struct Case {
  std::string policy;       // the inside of failurePolicy
  std::string status = {};  // of the JobSet
  std::string reason = "BackoffLimitExceeded";
};

// Jobs train-driver-0 (failed at second 9, for `reason`) and train-workers-1 (failed at second 5,
// BackoffLimitExceeded).
FailureDecision Decide(const Case& c) {
  const auto jobset =
      JobSetWith({.jobs = {{.name = "workers", .replicas = 2}, {.name = "driver", .replicas = 1}},
                  .spec = c.policy.empty() ? "" : fmt::format(R"("failurePolicy":{{{}}},)", c.policy),
                  .status = c.status});
  const int attempt = Typed(jobset).status.restarts;
  return DecideOnFailure(
      Typed(jobset),
      testing::Sorted(
          jobset,
          {ChildOf(jobset, {.replicated_job = 1, .attempt = attempt, .status = FailedAt(9, c.reason)}),
           ChildOf(jobset, {.replicated_job = 0, .index = 1, .attempt = attempt, .status = FailedAt(5)})}));
}

bool Says(const FailureDecision& decision, std::string_view reason) {
  return std::ranges::any_of(decision.remarks,
                             [&](const Remark& r) { return r.warning && r.reason == reason; });
}

TEST(FailurePolicy, WithoutOneTheJobSetFails) {
  const FailureDecision decision = Decide({.policy = ""});
  EXPECT_EQ(decision.action, Action::kFail);
  EXPECT_EQ(decision.reason, "FailedJobs");
  EXPECT_NE(decision.message.find("first failed job: train-workers-1"), std::string::npos);
}

TEST(FailurePolicy, RestartsByDefaultWhileRestartsAreLeft) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3)", .status = R"("restarts":5,"restartsCountTowardsMax":2)"});
  EXPECT_EQ(decision.action, Action::kRestart);
  EXPECT_TRUE(decision.counts_towards_max);
  EXPECT_EQ(decision.reason, "DefaultFailurePolicy");
  EXPECT_TRUE(Says(decision, "RestartJobSetFailurePolicyAction"));
}

TEST(FailurePolicy, FailsWhenAllRestartsAreUsed) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3)", .status = R"("restarts":3,"restartsCountTowardsMax":3)"});
  EXPECT_EQ(decision.action, Action::kFail);
  EXPECT_EQ(decision.reason, "ReachedMaxRestarts");
}

TEST(FailurePolicy, NeverRestartsWithMaxRestartsZero) {
  EXPECT_EQ(Decide({.policy = R"("maxRestarts":0)"}).action, Action::kFail);
}

TEST(FailureRule, FailsTheJobSetForAReason) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3,"rules":[{"name":"oops","action":"FailJobSet",
      "onJobFailureReasons":["PodFailurePolicy"]}])",
              .reason = "PodFailurePolicy"});
  EXPECT_EQ(decision.action, Action::kFail);
  EXPECT_EQ(decision.reason, "FailJobSetFailurePolicyAction");
  EXPECT_NE(decision.message.find("train-driver-0"),
            std::string::npos);  // the one that matches, not the earliest
}

TEST(FailureRule, IsPassedOverWhenNoFailureHasItsReason) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3,"rules":[{"name":"oops","action":"FailJobSet",
      "onJobFailureReasons":["DeadlineExceeded"]}])"});
  EXPECT_EQ(decision.reason, "DefaultFailurePolicy");
}

TEST(FailureRule, IsPassedOverWhenNoneOfItsTargetsFailed) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3,"rules":[{"name":"oops","action":"FailJobSet",
      "targetReplicatedJobs":["other"]}])"});
  EXPECT_EQ(decision.action, Action::kRestart);
}

TEST(FailureRule, DecidesBeforeLaterRulesEvenForALaterFailure) {
  const FailureDecision decision = Decide({.policy = R"("maxRestarts":3,"rules":[
      {"name":"first","action":"RestartJobSet","targetReplicatedJobs":["driver"]},
      {"name":"second","action":"FailJobSet","targetReplicatedJobs":["workers"]}])"});
  EXPECT_EQ(decision.reason, "FailurePolicy_first");
}

TEST(FailureRule, RestartsWithoutCountingTowardsTheMaximum) {
  const FailureDecision decision = Decide(
      {.policy = R"("maxRestarts":1,"rules":[{"name":"host","action":"RestartJobSetAndIgnoreMaxRestarts"}])",
       .status = R"("restarts":9,"restartsCountTowardsMax":1)"});
  EXPECT_EQ(decision.action, Action::kRestart);
  EXPECT_FALSE(decision.counts_towards_max);
  EXPECT_TRUE(Says(decision, "RestartJobSetAndIgnoreMaxRestartsFailurePolicyAction"));
}

TEST(FailureRule, WithAMessagePatternThatIsReadIsNoLongerSkipped) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3,"rules":[{"name":"oops","action":"FailJobSet",
      "onJobFailureMessagePatterns":["exit code 7", ".*"]}])"});
  EXPECT_EQ(decision.action, Action::kFail);
}

TEST(FailureRule, WithMessagePatternsThatAreNotInTheMessageDoesNotMatch) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3,"rules":[{"name":"oops","action":"FailJobSet",
      "onJobFailureMessagePatterns":["exit code 7"]}])"});
  EXPECT_EQ(decision.action, Action::kRestart);
}

TEST(FailureRule, WithAMessagePatternThatCannotBeReadDoesNotMatchAndSaysSo) {
  const FailureDecision decision =
      Decide({.policy = R"("maxRestarts":3,"rules":[{"name":"oops","action":"FailJobSet",
      "onJobFailureMessagePatterns":["("]}])"});
  EXPECT_EQ(decision.action, Action::kRestart);
  EXPECT_TRUE(Says(decision, "MessagePatternNotRead"));
}

TEST(FailureRule, ThatAsksToRestartOneJobRestartsAllAndSaysSo) {
  const FailureDecision decision = Decide(
      {.policy = R"("maxRestarts":3,"rules":[{"name":"one","action":"RestartJobAndIgnoreMaxRestarts"}])"});
  EXPECT_EQ(decision.action, Action::kRestart);
  EXPECT_FALSE(decision.counts_towards_max);
  EXPECT_TRUE(Says(decision, "RestartJobNotSupported"));
}

}  // namespace
}  // namespace cadre::jobset
