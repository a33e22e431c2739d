#include "live/loop_clock.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::live {
namespace {

using testing::ElementsAre;

class LoopClockTest : public testing::Test {
 protected:
  net::EventLoop loop_;
  Time wall_{Duration{1'000'000}};
  LoopClock clock_{loop_, [this] { return wall_; }};
};

TEST_F(LoopClockTest, FollowsTheWallClockForward) {
  wall_ += std::chrono::hours(1);
  EXPECT_EQ(clock_.Now(), wall_);
}

TEST_F(LoopClockTest, NeverGoesBackWithIt) {
  const Time before = clock_.Now();
  wall_ -= std::chrono::hours(1);
  EXPECT_GE(clock_.Now(), before);
}

TEST_F(LoopClockTest, TimersRunInTheirOrderAlsoWhenTheyAreLate) {
  std::vector<int> ran;
  clock_.CallAt(clock_.Now() + Duration{30}, [&] { ran.push_back(3); });
  clock_.CallAt(clock_.Now() + Duration{10}, [&] { ran.push_back(2); });
  clock_.CallAt(clock_.Now() - Duration{10}, [&] { ran.push_back(1); });
  while (ran.size() < 3)
    loop_.RunOne(Duration{1'000});
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST_F(LoopClockTest, ACancelledTimerDoesNotRun) {
  bool ran = false;
  bool other = false;
  clock_.Cancel(clock_.CallAt(clock_.Now() + Duration{5}, [&] { ran = true; }));
  clock_.CallAt(clock_.Now() + Duration{10}, [&] { other = true; });
  while (!other)
    loop_.RunOne(Duration{1'000});
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace cadre::live
