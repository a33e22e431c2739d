#include "sim/job_policies.h"

#include <gtest/gtest.h>

#include "sim/job_testing.h"

namespace cadre::sim {
namespace {

using testing::At;
using testing::EndedAt;
using testing::JobWith;
using testing::PodWith;
using testing::Typed;
using Action = kube::PodFailurePolicyAction;

// The verdict on a Job with these fields and pods at second `now`.
Verdict JudgeAt(const kube::Object& job, std::vector<JobPod> pods, std::int64_t now) {
  OrderPods(pods);
  const TrackedStatus status = ReadStatus(job);
  return Judge(Typed(job), status, CountPods(Typed(job), status, pods), pods, At(now));
}

std::string EndOf(const Verdict& verdict) {
  return verdict.end ? verdict.end->type + "/" + verdict.end->reason : "none";
}

TEST(JobLimits, BackoffLimitIsExceededByOneFailureMore) {
  const JobPod failed = PodWith({.phase = "Failed"});
  EXPECT_EQ(EndOf(JudgeAt(JobWith(R"("backoffLimit":1)"), {failed}, 0)), "none");
  EXPECT_EQ(EndOf(JudgeAt(JobWith(R"("backoffLimit":0)"), {failed}, 0)),
            "FailureTarget/BackoffLimitExceeded");
}

TEST(JobLimits, FailuresAlreadyCountedAndStillUncountedAddUp) {
  const auto job =
      JobWith(R"("backoffLimit":3)", R"("failed":2,"uncountedTerminatedPods":{"failed":["uid-gone"]})");
  EXPECT_EQ(EndOf(JudgeAt(job, {PodWith({.phase = "Failed"})}, 0)), "FailureTarget/BackoffLimitExceeded");
}

TEST(JobLimits, RestartsInPlaceReachTheLimitOnlyUnderOnFailure) {
  const JobPod restarted = PodWith({.status = R"("containerStatuses":[{"name":"main","restartCount":2}])"});
  EXPECT_EQ(EndOf(JudgeAt(JobWith(R"("backoffLimit":2)", "", "OnFailure"), {restarted}, 0)),
            "FailureTarget/BackoffLimitExceeded");
  EXPECT_EQ(EndOf(JudgeAt(JobWith(R"("backoffLimit":2)"), {restarted}, 0)), "none");
}

TEST(JobDeadline, EndsAJobThatRanTooLong) {
  const auto job = JobWith(R"("activeDeadlineSeconds":30)", R"("startTime":"2026-01-01T00:00:10Z")");
  EXPECT_EQ(EndOf(JudgeAt(job, {}, 40)), "FailureTarget/DeadlineExceeded");
}

TEST(JobDeadline, IsTheTimeToLookAgain) {
  const auto job = JobWith(R"("activeDeadlineSeconds":30)", R"("startTime":"2026-01-01T00:00:10Z")");
  EXPECT_EQ(JudgeAt(job, {}, 39).deadline, At(40));
}

TEST(JobDeadline, StandsStillWhileSuspended) {
  const auto job =
      JobWith(R"("activeDeadlineSeconds":30,"suspend":true)", R"("startTime":"2026-01-01T00:00:10Z")");
  EXPECT_EQ(EndOf(JudgeAt(job, {}, 400)), "none");
}

TEST(Judge, KeepsAnEarlierFailureTargetAndTurnsItIntoFailed) {
  const auto job = JobWith(
      "",
      R"("conditions":[{"type":"FailureTarget","status":"True","reason":"DeadlineExceeded","message":"m"}])");
  EXPECT_EQ(EndOf(JudgeAt(job, {}, 0)), "Failed/DeadlineExceeded");
}

TEST(Judge, KeepsAnEarlierSuccessWhateverFailsAfterwards) {
  const auto job = JobWith(
      R"("backoffLimit":0)",
      R"("failed":5,"conditions":[{"type":"SuccessCriteriaMet","status":"True","reason":"SuccessPolicy","message":"m"}])");
  EXPECT_EQ(EndOf(JudgeAt(job, {}, 0)), "SuccessCriteriaMet/SuccessPolicy");
}

constexpr std::string_view kIndexed = R"("completionMode":"Indexed","completions":4,"parallelism":4)";

TEST(FailedIndexes, EndTheJobOnceEveryIndexHasEnded) {
  const std::string spec = std::string(kIndexed) + R"(,"backoffLimitPerIndex":0)";
  EXPECT_EQ(EndOf(JudgeAt(JobWith(spec, R"("completedIndexes":"0-2","failedIndexes":"3")"), {}, 0)),
            "FailureTarget/FailedIndexes");
  EXPECT_EQ(EndOf(JudgeAt(JobWith(spec, R"("completedIndexes":"0,1","failedIndexes":"3")"), {}, 0)), "none");
}

TEST(FailedIndexes, BeyondTheirMaximumEndTheJobAtOnce) {
  const std::string spec = std::string(kIndexed) + R"(,"backoffLimitPerIndex":0,"maxFailedIndexes":1)";
  EXPECT_EQ(EndOf(JudgeAt(JobWith(spec, R"("failedIndexes":"1,3")"), {}, 0)),
            "FailureTarget/MaxFailedIndexesExceeded");
}

TEST(SuccessPolicy, NeedsEveryIndexOfARule) {
  const auto job =
      JobWith(std::string(kIndexed) + R"(,"successPolicy":{"rules":[{"succeededIndexes":"0,2"}]})");
  EXPECT_FALSE(MatchSuccessPolicy(Typed(job).spec, IndexSet::Parse("0,1", 4)));
  EXPECT_EQ(MatchSuccessPolicy(Typed(job).spec, IndexSet::Parse("0,2", 4)), "Matched rules at index 0");
}

TEST(SuccessPolicy, CountsOnlyTheIndexesOfItsRule) {
  const auto job = JobWith(std::string(kIndexed) +
                           R"(,"successPolicy":{"rules":[{"succeededIndexes":"1-3","succeededCount":2}]})");
  EXPECT_FALSE(MatchSuccessPolicy(Typed(job).spec, IndexSet::Parse("0,1", 4)));
  EXPECT_TRUE(MatchSuccessPolicy(Typed(job).spec, IndexSet::Parse("1,3", 4)));
}

TEST(SuccessPolicy, CountsAllIndexesWithoutAList) {
  const auto job = JobWith(std::string(kIndexed) + R"(,"successPolicy":{"rules":[{"succeededCount":2}]})");
  EXPECT_FALSE(MatchSuccessPolicy(Typed(job).spec, IndexSet::Parse("3", 4)));
  EXPECT_TRUE(MatchSuccessPolicy(Typed(job).spec, IndexSet::Parse("0,3", 4)));
}

kube::Object JobWithRule(std::string_view rule) {
  return JobWith(fmt::format(R"("podFailurePolicy":{{"rules":[{}]}})", rule));
}

TEST(PodFailurePolicy, FailsTheJobForAnExitCode) {
  const auto job = JobWithRule(R"({"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}})");
  const Verdict verdict = JudgeAt(job, {PodWith({.phase = "Failed", .status = EndedAt(1, 42)})}, 5);
  EXPECT_EQ(EndOf(verdict), "FailureTarget/PodFailurePolicy");
  EXPECT_EQ(verdict.end->message,
            "Container main for pod default/p failed with exit code 42 matching FailJob rule at index 0");
}

TEST(PodFailurePolicy, NotInMatchesEveryOtherExitCodeButZero) {
  const auto job = JobWithRule(R"({"action":"Ignore","onExitCodes":{"operator":"NotIn","values":[1]}})");
  const auto matches = [&](int code) {
    return MatchFailurePolicy(Typed(job).spec, PodWith({.phase = "Failed", .status = EndedAt(1, code)}))
        .action.has_value();
  };
  EXPECT_FALSE(matches(1));
  EXPECT_TRUE(matches(2));
  EXPECT_FALSE(matches(0));
}

TEST(PodFailurePolicy, LooksOnlyAtTheContainerThatTheRuleNames) {
  const auto job = JobWithRule(
      R"({"action":"FailJob","onExitCodes":{"containerName":"other","operator":"In","values":[42]}})");
  EXPECT_FALSE(
      MatchFailurePolicy(Typed(job).spec, PodWith({.phase = "Failed", .status = EndedAt(1, 42)})).action);
}

TEST(PodFailurePolicy, IgnoredDisruptionsDoNotCountTowardTheLimit) {
  const auto job = JobWith(
      R"("backoffLimit":0,"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]}]})");
  const JobPod evicted =
      PodWith({.phase = "Failed", .status = R"("conditions":[{"type":"DisruptionTarget","status":"True"}])"});
  EXPECT_EQ(EndOf(JudgeAt(job, {evicted}, 0)), "none");
}

TEST(PodFailurePolicy, TakesTheFirstRuleThatMatches) {
  const auto job = JobWithRule(R"({"action":"Count","onExitCodes":{"operator":"In","values":[42]}},
                                  {"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}})");
  EXPECT_EQ(
      MatchFailurePolicy(Typed(job).spec, PodWith({.phase = "Failed", .status = EndedAt(1, 42)})).action,
      Action::kCount);
}

TEST(Completion, NeedsAllSuccessesAndNothingRunning) {
  const auto job = JobWith(R"("completions":2,"parallelism":2)");
  EXPECT_FALSE(IsComplete(Typed(job).spec, 1, 0));
  EXPECT_FALSE(IsComplete(Typed(job).spec, 2, 1));
  EXPECT_TRUE(IsComplete(Typed(job).spec, 2, 0));
}

TEST(Completion, OfAWorkQueueNeedsOneSuccess) {
  const auto job = JobWith(R"("parallelism":3)");
  EXPECT_FALSE(IsComplete(Typed(job).spec, 0, 0));
  EXPECT_TRUE(IsComplete(Typed(job).spec, 1, 0));
}

}  // namespace
}  // namespace cadre::sim
