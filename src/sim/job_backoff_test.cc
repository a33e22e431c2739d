#include "sim/job_backoff.h"

#include <gtest/gtest.h>

#include "sim/job_testing.h"

namespace cadre::sim {
namespace {

using testing::At;
using testing::EndedAt;
using testing::PodWith;

JobPod Ended(std::int64_t seconds) {
  return PodWith({.phase = "Failed", .status = EndedAt(seconds)});
}

TEST(FinishedAt, IsTheEndOfTheLastContainer) {
  const JobPod pod = PodWith(
      {.phase = "Failed",
       .status =
           R"("containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0,"finishedAt":"2026-01-01T00:00:50Z"}}},
                                         {"name":"b","state":{"terminated":{"exitCode":0,"finishedAt":"2026-01-01T00:00:20Z"}}}])"});
  EXPECT_EQ(FinishedAt(pod), At(50));
}

TEST(FinishedAt, OfAPodWhoseContainersNeverEndedIsWhenItStoppedBeingReady) {
  const JobPod pod =
      PodWith({.phase = "Failed", .status = R"("containerStatuses":[{"name":"a","state":{"running":{}}}],
                    "conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-01-01T00:00:40Z"}])"});
  EXPECT_EQ(FinishedAt(pod), At(40));
}

TEST(FinishedAt, OfADeletedPodIsWhenDeletionWasAskedForNotWhenItsGraceEnds) {
  EXPECT_EQ(FinishedAt(PodWith({.deleting = true})), At(100));
}

TEST(FinishedAt, IsTheCreationWhenNothingElseIsKnown) {
  EXPECT_EQ(FinishedAt(PodWith({.created = 3})), At(3));
}

TEST(Backoff, DoublesFromTenSecondsToTenMinutes) {
  const int expected[] = {10, 20, 40, 80, 160, 320, 600, 600};
  for (int failures = 1; failures <= 8; ++failures) {
    const BackoffRecord record{.failures = failures, .last_failure = At(0)};
    EXPECT_EQ(RemainingBackoff(record, At(0), {}), Duration(1000 * expected[failures - 1])) << failures;
  }
}

TEST(Backoff, CountsFromTheLastFailure) {
  const BackoffRecord record{.failures = 1, .last_failure = At(100)};
  EXPECT_EQ(RemainingBackoff(record, At(104), {}), Duration(6'000));
  EXPECT_EQ(RemainingBackoff(record, At(200), {}), Duration(0));
}

TEST(Backoff, GrowsByTheNumberOfPodsThatFailed) {
  const JobPod a = Ended(5);
  const JobPod b = Ended(9);
  const BackoffRecord next = NextBackoff({.failures = 2, .last_failure = At(1)}, {}, {&b, &a});
  EXPECT_EQ(next, (BackoffRecord{.failures = 4, .last_failure = At(9)}));
}

TEST(Backoff, IsForgottenAfterASuccess) {
  const JobPod good = Ended(9);
  EXPECT_EQ(NextBackoff({.failures = 2, .last_failure = At(1)}, {&good}, {}), BackoffRecord{});
}

TEST(Backoff, KeepsOnlyFailuresLaterThanTheSuccess) {
  const JobPod early = Ended(5);
  const JobPod good = Ended(9);
  const JobPod late = Ended(12);
  EXPECT_EQ(NextBackoff({.failures = 7, .last_failure = At(1)}, {&good}, {&early, &late}),
            (BackoffRecord{.failures = 1, .last_failure = At(12)}));
}

TEST(Backoff, PerIndexCountsTheFailuresThatThePodCarries) {
  const JobPod third = PodWith({.index = 0,
                                .phase = "Failed",
                                .status = EndedAt(0),
                                .annotations = R"("batch.kubernetes.io/job-index-failure-count":"1",
                                                  "batch.kubernetes.io/job-index-ignored-failure-count":"1")"});
  EXPECT_EQ(RemainingIndexBackoff(&third, At(0), {}), Duration(40'000));
  EXPECT_EQ(RemainingIndexBackoff(nullptr, At(0), {}), Duration(0));
}

}  // namespace
}  // namespace cadre::sim
