#include "base/random.h"

#include <array>
#include <cstdint>
#include <limits>
#include <set>

#include <gtest/gtest.h>

namespace cadre {
namespace {

// First outputs of the published splitmix64 for seed 1234567.
TEST(Random, GivesThePublishedSequence) {
  Random random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317ULL);
  EXPECT_EQ(random.Next(), 3203168211198807973ULL);
}

TEST(Random, UniformReachesEveryResultAboutEquallyOften) {
  Random random(1);
  std::array<int, 5> hits = {};
  for (int i = 0; i < 50'000; ++i)
    ++hits[random.Uniform(hits.size())];
  for (const int count : hits)
    EXPECT_NEAR(count, 10'000, 500);  // more than five standard deviations
}

TEST(Random, UniformOfOneIsZero) {
  EXPECT_EQ(Random(1).Uniform(1), 0U);
}

TEST(Random, UniformStaysBelowAHugeBound) {
  Random random(2);
  constexpr std::uint64_t kBound = (std::uint64_t{1} << 63U) + 1;
  for (int i = 0; i < 1'000; ++i)
    EXPECT_LT(random.Uniform(kBound), kBound);
}

TEST(RandomDeathTest, UniformOfNothingIsAMistake) {
  EXPECT_DEATH(Random(1).Uniform(0), "empty range");
}

TEST(Random, BetweenReachesBothEnds) {
  Random random(3);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1'000; ++i)
    seen.insert(random.Between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Random, BetweenTakesRangesWiderThanTheSignedType) {
  Random random(4);
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min() + 1;
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    const auto drawn = random.Between(kLow, std::numeric_limits<std::int64_t>::max());
    (drawn < 0 ? negative : positive) = true;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Random, ChanceZeroNeverHappens) {
  Random random(5);
  for (int i = 0; i < 1'000; ++i)
    EXPECT_FALSE(random.Chance(0.0));
}

TEST(Random, ChanceOneAlwaysHappens) {
  Random random(5);
  for (int i = 0; i < 1'000; ++i)
    EXPECT_TRUE(random.Chance(1.0));
}

TEST(Random, ChanceAQuarterHappensAQuarterOfTheTime) {
  Random random(6);
  int hits = 0;
  for (int i = 0; i < 40'000; ++i)
    hits += random.Chance(0.25) ? 1 : 0;
  EXPECT_NEAR(hits, 10'000, 450);
}

}  // namespace
}  // namespace cadre
