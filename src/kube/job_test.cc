#include "kube/job.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/jobset.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

using Indexes = std::vector<std::int32_t>;

TEST(IsFinished, AJobIsFinishedWhenCompleteOrFailedIsTrue) {
  Job job;
  EXPECT_FALSE(IsFinished(job));
  job.status.conditions = {ConditionOf("Complete", true)};
  EXPECT_TRUE(IsFinished(job));
  job.status.conditions = {ConditionOf("Failed", true)};
  EXPECT_TRUE(IsFinished(job));
}
TEST(IsFinished, AJobThatIsGoingToFailStillHasPods) {
  Job job;
  job.status.conditions = {ConditionOf("FailureTarget", true), ConditionOf("Failed", false)};
  EXPECT_FALSE(IsFinished(job));
}
TEST(IsFinished, AJobSetIsFinishedWhenCompletedOrFailedIsTrue) {
  JobSet jobset;
  EXPECT_FALSE(IsFinished(jobset));
  jobset.status.conditions = {ConditionOf("Completed", true)};
  EXPECT_TRUE(IsFinished(jobset));
  jobset.status.conditions = {ConditionOf("Failed", true)};
  EXPECT_TRUE(IsFinished(jobset));
}

TEST(Parallelism, IsOneByDefault) {
  EXPECT_EQ(Parallelism(Job{}), 1);
}
TEST(Parallelism, CanBeZero) {
  Job job;
  job.spec.parallelism = 0;
  EXPECT_EQ(Parallelism(job), 0);
}

TEST(PodsAtOnce, IsTheSmallerOfParallelismAndCompletions) {
  JobSpec spec;
  spec.parallelism = 8;
  spec.completions = 3;
  EXPECT_EQ(PodsAtOnce(spec), 3);
  spec.completions = 20;
  EXPECT_EQ(PodsAtOnce(spec), 8);
}
TEST(PodsAtOnce, AWorkQueueRunsItsParallelism) {
  JobSpec spec;
  spec.parallelism = 8;
  EXPECT_EQ(PodsAtOnce(spec), 8);
}

Pod WithIndex(std::string text) {
  Pod pod;
  pod.metadata.annotations.emplace(kCompletionIndexAnnotation, std::move(text));
  return pod;
}
TEST(CompletionIndex, IsReadFromTheAnnotation) {
  EXPECT_EQ(CompletionIndex(WithIndex("12")), 12);
}
TEST(CompletionIndex, APodWithoutOneHasNone) {
  EXPECT_EQ(CompletionIndex(Pod{}), std::nullopt);
}
TEST(CompletionIndex, SomethingThatIsNoIndexIsNone) {
  EXPECT_EQ(CompletionIndex(WithIndex("1x")), std::nullopt);
  EXPECT_EQ(CompletionIndex(WithIndex("-1")), std::nullopt);
  EXPECT_EQ(CompletionIndex(WithIndex("99999999999")), std::nullopt);
}

TEST(ParseIndexes, ReadsSingleOnesAndIntervals) {
  EXPECT_EQ(ParseIndexes("0,2-4,7", 10), (Indexes{0, 2, 3, 4, 7}));
}
TEST(ParseIndexes, OfNothingIsNothing) {
  EXPECT_EQ(ParseIndexes("", 10), Indexes{});
}
TEST(ParseIndexes, LeavesOutWhatIsNotBelowCompletions) {
  EXPECT_EQ(ParseIndexes("1,3-9", 5), (Indexes{1, 3, 4}));
}
TEST(ParseIndexes, LeavesOutWhatIsMalformed) {
  EXPECT_EQ(ParseIndexes("x,1,2-,-3,4-5,,6-z", 10), (Indexes{1, 4, 5}));
}
TEST(ParseIndexes, OverlappingIntervalsCountOnce) {
  EXPECT_EQ(ParseIndexes("2-5,1-3", 10), (Indexes{1, 2, 3, 4, 5}));
}

TEST(FormatIndexes, ThreeNeighboursAreAnInterval) {
  EXPECT_EQ(FormatIndexes({0, 2, 3, 4}), "0,2-4");
}
TEST(FormatIndexes, TwoNeighboursAreWrittenOut) {
  EXPECT_EQ(FormatIndexes({3, 4, 9}), "3,4,9");
}

RC_GTEST_PROP(IndexProperties, WhatIsFormattedIsReadBack, ()) {
  const auto picked = *rc::gen::container<std::set<std::int32_t>>(rc::gen::inRange(0, 200));
  const Indexes sorted(picked.begin(), picked.end());
  RC_ASSERT(ParseIndexes(FormatIndexes(sorted), 200) == sorted);
}

RC_GTEST_PROP(IndexProperties, AnyTextGivesSortedIndexesBelowCompletions, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789,-, x")));
  const Indexes indexes = ParseIndexes(text, 50);
  RC_ASSERT(std::ranges::is_sorted(indexes));
  if (indexes.empty()) return;
  RC_ASSERT(indexes.front() >= 0);
  RC_ASSERT(indexes.back() < 50);
}

}  // namespace
}  // namespace cadre::kube
