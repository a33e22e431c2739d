#include "sim/timer_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time At(int ms) {
  return Time(Duration(ms));
}

TEST(TimerSet, GivesWhatIsDueByTimeAndThenByNumber) {
  TimerSet timers;
  timers.Set(3, At(10));
  timers.Set(2, At(20));
  timers.Set(1, At(20));
  timers.Set(4, At(21));
  EXPECT_THAT(timers.TakeDue(At(20)), ElementsAre(3, 1, 2));
  EXPECT_THAT(timers.TakeDue(At(20)), IsEmpty());
  EXPECT_EQ(timers.Next(), At(21));
}

TEST(TimerSet, HoldsOneTimePerNumber) {
  TimerSet timers;
  timers.Set(1, At(10));
  timers.Set(1, At(30));
  EXPECT_EQ(timers.Next(), At(30));
  timers.SetIfEarlier(1, At(40));
  EXPECT_EQ(timers.Next(), At(30));
  timers.SetIfEarlier(1, At(20));
  EXPECT_EQ(timers.Next(), At(20));
}

TEST(TimerSet, ForgetsWhatIsCancelled) {
  TimerSet timers;
  timers.Set(1, At(10));
  timers.Cancel(1);
  timers.Cancel(2);
  EXPECT_EQ(timers.Next(), std::nullopt);
}

}  // namespace
}  // namespace cadre::sim
