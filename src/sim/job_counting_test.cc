#include "sim/job_counting.h"

#include <gtest/gtest.h>

#include "sim/job_testing.h"

namespace cadre::sim {
namespace {

using testing::JobWith;
using testing::NamesOf;
using testing::PodWith;
using testing::Typed;

using Uids = std::vector<std::string>;

constexpr std::string_view kIndexed = R"("completionMode":"Indexed","completions":3,"parallelism":3)";

JobCounts Count(const kube::Object& job, const std::vector<JobPod>& pods) {
  return CountPods(Typed(job), ReadStatus(job), pods);
}

TEST(CountPods, TellsRunningReadyAndTerminatingApart) {
  const std::vector<JobPod> pods = {
      PodWith({.name = "a", .phase = "Pending"}),
      PodWith({.name = "b", .status = R"("conditions":[{"type":"Ready","status":"True"}])"}),
      PodWith({.name = "c", .deleting = true}),
      PodWith({.name = "d", .phase = "Succeeded", .deleting = true}),
  };
  const JobCounts counts = Count(JobWith(R"("completions":4,"parallelism":4)"), pods);
  EXPECT_EQ(NamesOf(counts.active), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(counts.ready, 1);
  EXPECT_EQ(counts.terminating, 1);
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(counts.failed, 1);  // c: nobody waits for how it ends
}

TEST(CountPods, WaitsForADeletedPodsEndUnderReplacementPolicyFailed) {
  const std::vector<JobPod> pods = {PodWith({.deleting = true})};
  EXPECT_EQ(Count(JobWith(R"("podReplacementPolicy":"Failed")"), pods).failed, 0);
}

TEST(CountPods, DoesNotCountAPodTwiceThatIsInTheUncountedList) {
  const auto job = JobWith("", R"("failed":2,"uncountedTerminatedPods":{"failed":["uid-p"]})");
  const JobCounts counts = Count(job, {PodWith({.phase = "Failed"})});
  EXPECT_EQ(counts.failed, 3);
  EXPECT_TRUE(counts.new_failed.empty());
}

TEST(CountPods, DoesNotCountAPodWithoutFinalizer) {
  EXPECT_EQ(Count(JobWith("", R"("failed":1)"), {PodWith({.phase = "Failed", .tracked = false})}).failed, 1);
}

TEST(CountPods, CountsEachSucceededIndexOnce) {
  const std::vector<JobPod> pods = {PodWith({.name = "a", .index = 1, .phase = "Succeeded"}),
                                    PodWith({.name = "b", .index = 1, .phase = "Succeeded"}),
                                    PodWith({.name = "c", .index = 0, .phase = "Succeeded"})};
  const JobCounts counts = Count(JobWith(kIndexed, R"("completedIndexes":"0")"), pods);
  EXPECT_EQ(counts.succeeded, 2);
  EXPECT_EQ(counts.succeeded_indexes.ToString(), "0,1");
}

TEST(CountPods, ForgetsIndexesThatAnElasticJobHasLost) {
  const JobCounts counts = Count(JobWith(kIndexed, R"("completedIndexes":"0,5,6")"),
                                 {PodWith({.index = 7, .phase = "Succeeded"})});
  EXPECT_EQ(counts.succeeded_indexes.ToString(), "0");
}

TEST(CountPods, FailsAnIndexThatHasUsedUpItsOwnLimit) {
  const auto job = JobWith(std::string(kIndexed) + R"(,"backoffLimitPerIndex":1)");
  const std::vector<JobPod> pods = {
      PodWith({.name = "first", .index = 0, .phase = "Failed"}),
      PodWith({.name = "second",
               .index = 1,
               .phase = "Failed",
               .annotations = R"("batch.kubernetes.io/job-index-failure-count":"1")"})};
  const JobCounts counts = Count(job, pods);
  EXPECT_EQ(counts.failed_indexes->ToString(), "1");
  ASSERT_EQ(counts.replaced.size(), 1U);
  EXPECT_EQ(counts.replaced.at(0)->pod->metadata.name, "first");
}

TEST(CountPods, FailIndexFailsTheIndexAtOnce) {
  const auto job = JobWith(std::string(kIndexed) + R"(,"backoffLimitPerIndex":9,
      "podFailurePolicy":{"rules":[{"action":"FailIndex","onExitCodes":{"operator":"In","values":[42]}}]})");
  const JobCounts counts =
      Count(job, {PodWith({.index = 2, .phase = "Failed", .status = testing::EndedAt(1, 42)})});
  EXPECT_EQ(counts.failed_indexes->ToString(), "2");
}

TEST(RecordFinishedPods, PutsUidsOfNonIndexedPodsIntoTheStatusBeforeTheirFinalizersGo) {
  const auto job = JobWith(R"("completions":2,"parallelism":2)");
  const std::vector<JobPod> pods = {PodWith({.name = "a", .phase = "Succeeded"}),
                                    PodWith({.name = "b", .phase = "Failed"}), PodWith({.name = "c"})};
  TrackedStatus status = ReadStatus(job);
  JobCounts counts = CountPods(Typed(job), status, pods);
  const Tracking tracking = RecordFinishedPods(Typed(job), pods, false, false, counts, status);
  EXPECT_EQ(NamesOf(tracking.release), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(status.uncounted_succeeded, Uids{"uid-a"});
  EXPECT_EQ(status.uncounted_failed, Uids{"uid-b"});
  EXPECT_EQ(status.succeeded, 0);
}

TEST(RecordFinishedPods, CountsPodsThatStillRunAsFailedWhenTheJobFails) {
  const auto job = JobWith("");
  const std::vector<JobPod> pods = {PodWith({.name = "a"})};
  TrackedStatus status = ReadStatus(job);
  JobCounts counts = CountPods(Typed(job), status, pods);
  RecordFinishedPods(Typed(job), pods, true, false, counts, status);
  EXPECT_EQ(status.uncounted_failed, Uids{"uid-a"});
}

TEST(RecordFinishedPods, LetsPodsThatStillRunGoUncountedWhenTheJobSucceeds) {
  const auto job = JobWith("");
  const std::vector<JobPod> pods = {PodWith({.name = "a"})};
  TrackedStatus status = ReadStatus(job);
  JobCounts counts = CountPods(Typed(job), status, pods);
  const Tracking tracking = RecordFinishedPods(Typed(job), pods, true, true, counts, status);
  EXPECT_EQ(tracking.release.size(), 1U);
  EXPECT_TRUE(status.uncounted_failed.empty());
}

TEST(RecordFinishedPods, KeepsThePodWhoseFailureCountItsReplacementNeeds) {
  const auto job = JobWith(std::string(kIndexed) + R"(,"backoffLimitPerIndex":1)");
  const std::vector<JobPod> pods = {PodWith({.index = 0, .phase = "Failed"})};
  TrackedStatus status = ReadStatus(job);
  JobCounts counts = CountPods(Typed(job), status, pods);
  EXPECT_TRUE(RecordFinishedPods(Typed(job), pods, false, false, counts, status).release.empty());
}

TEST(RecordFinishedPods, StopsAtFiveHundredUids) {
  const auto job = JobWith(R"("completions":600,"parallelism":600)");
  std::vector<JobPod> pods;
  for (int i = 0; i < 600; ++i) {
    pods.push_back(PodWith({.name = fmt::format("p{}", i), .phase = "Succeeded"}));
  }
  TrackedStatus status = ReadStatus(job);
  JobCounts counts = CountPods(Typed(job), status, pods);
  const Tracking tracking = RecordFinishedPods(Typed(job), pods, false, false, counts, status);
  EXPECT_TRUE(tracking.limited);
  EXPECT_EQ(status.uncounted_succeeded.size(), 500U);
}

TEST(MoveToCounters, CountsThoseWhoseFinalizerIsGone) {
  TrackedStatus status;
  status.uncounted_succeeded = {"a", "b"};
  status.uncounted_failed = {"c"};
  status.failed = 4;
  MoveToCounters({"b"}, status);
  EXPECT_EQ(status.succeeded, 1);
  EXPECT_EQ(status.uncounted_succeeded, Uids{"b"});
  EXPECT_EQ(status.failed, 5);
}

}  // namespace
}  // namespace cadre::sim
