#include "jobset/status.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::At;
using testing::ChildOf;
using testing::Complete;
using testing::Counted;
using testing::FailedAt;
using testing::JobSetWith;
using testing::ReadyPods;

TEST(CountJobs, PutsOneJobIntoSeveralCounters) {
  const auto jobset = JobSetWith({.jobs = {{.replicas = 4}}});
  const Counters counters = Counted(jobset, {ChildOf(jobset, {.index = 0, .status = ReadyPods(2)}),
                                             ChildOf(jobset, {.index = 1, .suspended = true}),
                                             ChildOf(jobset, {.index = 2, .status = Complete()}),
                                             ChildOf(jobset, {.index = 3, .status = FailedAt(1)})});
  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0].ready, 1);
  EXPECT_EQ(counters[0].active, 1);
  EXPECT_EQ(counters[0].suspended, 1);
  EXPECT_EQ(counters[0].succeeded, 1);
  EXPECT_EQ(counters[0].failed, 1);
}

TEST(CountJobs, TakesSucceededPodsForReadyOnes) {
  const auto jobset = JobSetWith({});
  EXPECT_EQ(Counted(jobset, {ChildOf(jobset, {.status = R"("active":1,"ready":1,"succeeded":1)"})})[0].ready,
            1);
}

// Trap 7: a Job that is small for a while (elastic placement) is not ready.
TEST(CountJobs, JudgesReadinessByTheSizeThatTheJobSetAsksFor) {
  const auto jobset = JobSetWith({.jobs = {{.pods = 4}}});
  const auto child = ChildOf(jobset, {.status = ReadyPods(1)});
  json::value raw = *child.raw;
  MergePatch(raw, json::parse(R"({"spec":{"completions":1,"parallelism":1}})"));
  EXPECT_EQ(Counted(jobset, {testing::DecodeOrDie(kube::Kind::kJob, std::move(raw))})[0].ready, 0);
}

TEST(CountJobs, LeavesJobsOfEarlierAttemptsOut) {
  const auto jobset = JobSetWith({.status = R"("restarts":1)"});
  EXPECT_EQ(Counted(jobset, {ChildOf(jobset, {.attempt = 0, .status = FailedAt(1)})})[0].failed, 0);
}

TEST(SortChildren, RefusesToGuessTheAttemptOfAJobWithoutTheLabel) {
  const auto jobset = JobSetWith({});
  json::value raw = *ChildOf(jobset, {}).raw;
  raw.at("metadata").at("labels").as_object()[kube::kRestartAttemptLabel] = "soon";
  const std::vector<kube::Object> jobs = {testing::DecodeOrDie(kube::Kind::kJob, std::move(raw))};
  const auto children = SortChildren(testing::Typed(jobset), jobs);
  ASSERT_FALSE(children);
  EXPECT_NE(children.error().message.find("train-workers-0"), std::string::npos) << children.error().message;
}

// Trap 3: clients index the list.
TEST(StatusPatch, ListsReplicatedJobsByDescendingName) {
  const auto jobset = JobSetWith({.jobs = {{.name = "a"}, {.name = "c"}, {.name = "b"}}});
  Status status = ReadStatus(jobset);
  status.counters = Counted(jobset, {});
  const json::value patch = *StatusPatch(jobset, status);
  const json::array& list = Find(patch, {"status", "replicatedJobsStatus"})->as_array();
  EXPECT_EQ(FindString(list[0], {"name"}), "c");
  EXPECT_EQ(FindString(list[2], {"name"}), "a");
}

TEST(StatusPatch, SaysRestartsEvenWhenThereAreNone) {
  const auto jobset = JobSetWith({});
  const json::value patch = *StatusPatch(jobset, ReadStatus(jobset));
  EXPECT_EQ(*Find(patch, {"status", "restarts"}), 0);
  EXPECT_EQ(Find(patch, {"status", "terminalState"}), nullptr);
}

TEST(StatusPatch, IsNoneOnceItIsApplied) {
  const auto jobset = JobSetWith({.jobs = {{.name = "a"}, {.name = "b"}}});
  Status status = ReadStatus(jobset);
  status.counters = Counted(jobset, {});
  SetCondition(status, {kSuspendedCondition, true, "r", "m"}, At(1));
  json::value raw = *jobset.raw;
  MergePatch(raw, *StatusPatch(jobset, status));
  const auto written = testing::DecodeOrDie(kube::Kind::kJobSet, std::move(raw));
  EXPECT_FALSE(StatusPatch(written, status));
}

TEST(SetCondition, KeepsItsTimeWhenOnlyTheReasonChanges) {
  Status status;
  SetCondition(status, {kRestartingCondition, true, "r1", "m"}, At(1));
  EXPECT_TRUE(SetCondition(status, {kRestartingCondition, true, "r2", "m"}, At(2)));
  EXPECT_EQ(FindString(status.conditions[0], {"lastTransitionTime"}), "2026-01-01T00:00:01Z");
  EXPECT_TRUE(SetCondition(status, {kRestartingCondition, false, "r2", "m"}, At(3)));
  EXPECT_EQ(FindString(status.conditions[0], {"lastTransitionTime"}), "2026-01-01T00:00:03Z");
}

TEST(SetCondition, IsNotAddedAsFalse) {
  Status status;
  EXPECT_FALSE(SetCondition(status, {kRestartingCondition, false, "r", "m"}, At(1)));
  EXPECT_TRUE(status.conditions.empty());
}

}  // namespace
}  // namespace cadre::jobset
