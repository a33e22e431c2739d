#include "sim/job_indexes.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cadre::sim {
namespace {

TEST(IndexSet, ReadsRunsAndSingleIndexes) {
  const IndexSet set = IndexSet::Parse("0,2-4,7", 10);
  EXPECT_EQ(set.Count(), 5);
  EXPECT_TRUE(set.Contains(3));
  EXPECT_FALSE(set.Contains(1));
}

TEST(IndexSet, LeavesOutWhatIsBeyondTheCompletions) {
  EXPECT_EQ(IndexSet::Parse("0,2-9,12", 4).ToString(), "0,2,3");
}

TEST(IndexSet, IgnoresWhatIsNoIndex) {
  EXPECT_EQ(IndexSet::Parse("x,1,-3,5-2,4-y", 10).ToString(), "1");
}

TEST(IndexSet, WritesTwoNeighboursWithACommaAndThreeWithADash) {
  EXPECT_EQ(IndexSet::Parse("1,2", 10).ToString(), "1,2");
  EXPECT_EQ(IndexSet::Parse("1,2,3", 10).ToString(), "1-3");
}

TEST(IndexSet, FindsTheLowestMissing) {
  const IndexSet set = IndexSet::Parse("0,2-3", 6);
  EXPECT_EQ(set.LowestMissing(2, 6), (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(set.LowestMissing(9, 6), (std::vector<std::int32_t>{1, 4, 5}));
}

TEST(IndexSet, CountsWhatTwoSetsShare) {
  EXPECT_EQ(IndexSet::Parse("0-4,8", 10).CountCommon(IndexSet::Parse("3-9", 10)), 3);
}

IndexSet FromSet(const std::set<int>& indexes) {
  IndexSet set;
  for (const int index : indexes) {
    set.Add(index);
  }
  return set;
}

RC_GTEST_PROP(IndexSet, BehavesLikeASetOfNumbers, ()) {
  const auto adds = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40));
  const auto others = *rc::gen::container<std::set<int>>(rc::gen::inRange(0, 40));
  std::set<int> model;
  IndexSet set;
  for (const int index : adds) {
    model.insert(index);
    set.Add(index);
    RC_ASSERT(set.Count() == std::ssize(model));
  }
  for (int index = -1; index <= 41; ++index) {
    RC_ASSERT(set.Contains(index) == model.contains(index));
  }
  RC_ASSERT(IndexSet::Parse(set.ToString(), 40) == set);
  set.AddAll(FromSet(others));
  model.insert(others.begin(), others.end());
  RC_ASSERT(set == FromSet(model));
}

}  // namespace
}  // namespace cadre::sim
