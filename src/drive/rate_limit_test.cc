#include "drive/rate_limit.h"

#include <gtest/gtest.h>

namespace cadre::drive {
namespace {

constexpr Time kNow{std::chrono::milliseconds(1'700'000'000'000)};

int TakeAll(RateLimit& rate, Time now) {
  int taken = 0;
  while (taken < 1'000 && rate.Take(now))
    ++taken;
  return taken;
}

TEST(RateLimit, GivesTheBurstAtOnceAndThenSoManyPerSecond) {
  RateLimit rate(10, 5);
  EXPECT_EQ(TakeAll(rate, kNow), 5);
  EXPECT_EQ(TakeAll(rate, kNow + Duration(300)), 3);
}

TEST(RateLimit, SavesNoMoreThanTheBurst) {
  RateLimit rate(10, 5);
  TakeAll(rate, kNow);
  EXPECT_EQ(TakeAll(rate, kNow + Duration(60'000)), 5);
}

TEST(RateLimit, SaysWhenItGivesAgain) {
  RateLimit rate(4, 1);
  ASSERT_TRUE(rate.Take(kNow));
  ASSERT_FALSE(rate.Take(kNow));
  EXPECT_EQ(rate.NextAt(kNow), kNow + Duration(250));
  EXPECT_TRUE(rate.Take(rate.NextAt(kNow)));
}

TEST(RateLimit, GivesNothingForATimeThatGoesBack) {
  RateLimit rate(10, 5);
  TakeAll(rate, kNow);
  EXPECT_FALSE(rate.Take(kNow - Duration(5'000)));
  EXPECT_FALSE(rate.Take(kNow));
}

TEST(RateLimit, OfZeroIsNone) {
  RateLimit rate(0, 0);
  EXPECT_EQ(TakeAll(rate, kNow), 1'000);
}

}  // namespace
}  // namespace cadre::drive
