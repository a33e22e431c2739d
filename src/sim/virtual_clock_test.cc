#include "sim/virtual_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace cadre::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kStart{Duration{1'000'000}};

class VirtualClockTest : public testing::Test {
 protected:
  drive::Clock::Timer At(Duration after, std::string what) {
    return clock_.CallAt(kStart + after, [this, what] { ran_.push_back(what); });
  }
  VirtualClock clock_{kStart};
  std::vector<std::string> ran_;
};

TEST_F(VirtualClockTest, RunsCallbacksInTheOrderOfTheirTimes) {
  At(Duration{20}, "late");
  At(Duration{10}, "early");
  clock_.Run(kStart + Duration{30});
  EXPECT_THAT(ran_, ElementsAre("early", "late"));
}

TEST_F(VirtualClockTest, RunsCallbacksOfOneTimeInTheOrderTheyWereSet) {
  At(Duration{10}, "first");
  At(Duration{10}, "second");
  clock_.Run(kStart + Duration{10});
  EXPECT_THAT(ran_, ElementsAre("first", "second"));
}

TEST_F(VirtualClockTest, RunsWhatIsSetForThePastAtThePresentInstantAfterWhatWasSetBefore) {
  clock_.CallAt(kStart + Duration{10}, [&] {
    ran_.push_back("now");
    At(Duration{5}, "past");
  });
  At(Duration{10}, "also now");
  At(Duration{11}, "later");
  clock_.Run(kStart + Duration{11});
  EXPECT_THAT(ran_, ElementsAre("now", "also now", "past", "later"));
}

TEST_F(VirtualClockTest, NeverRunsACallbackFromInsideCallAt) {
  At(Duration{0}, "x");
  EXPECT_THAT(ran_, IsEmpty());
}

TEST_F(VirtualClockTest, StandsAtTheTimeItWasRunTo) {
  At(Duration{50}, "later");
  clock_.Run(kStart + Duration{20});
  EXPECT_EQ(clock_.Now(), kStart + Duration{20});
  EXPECT_THAT(ran_, IsEmpty());
}

TEST_F(VirtualClockTest, ShowsTheTimeOfTheCallbackThatRuns) {
  Time seen;
  clock_.CallAt(kStart + Duration{7}, [&] { seen = clock_.Now(); });
  clock_.Run(kStart + Duration{100});
  EXPECT_EQ(seen, kStart + Duration{7});
}

TEST_F(VirtualClockTest, DoesNotRunCancelledCallbacks) {
  const auto timer = At(Duration{10}, "cancelled");
  At(Duration{10}, "kept");
  clock_.Cancel(timer);
  clock_.Run(kStart + Duration{10});
  EXPECT_THAT(ran_, ElementsAre("kept"));
}

TEST_F(VirtualClockTest, CancelsOnlyTheTimerItWasGivenAndNotOneThatTookItsPlace) {
  const auto timer = At(Duration{10}, "first");
  clock_.Run(kStart + Duration{10});
  At(Duration{20}, "second");
  clock_.Cancel(timer);
  clock_.Run(kStart + Duration{20});
  EXPECT_THAT(ran_, ElementsAre("first", "second"));
}

TEST_F(VirtualClockTest, SaysWhenTheNextCallbackIsDue) {
  EXPECT_EQ(clock_.NextAt(), std::nullopt);
  const auto timer = At(Duration{10}, "x");
  EXPECT_EQ(clock_.NextAt(), kStart + Duration{10});
  clock_.Cancel(timer);
  EXPECT_EQ(clock_.NextAt(), std::nullopt);
}

TEST_F(VirtualClockTest, RunsOneCallbackAtATimeWhenAsked) {
  At(Duration{10}, "one");
  At(Duration{20}, "two");
  EXPECT_TRUE(clock_.RunNext());
  EXPECT_THAT(ran_, ElementsAre("one"));
  EXPECT_TRUE(clock_.RunNext());
  EXPECT_FALSE(clock_.RunNext());
  EXPECT_EQ(clock_.callbacks(), 2U);
}

TEST_F(VirtualClockTest, CallsTheHookOnceEverythingOfAnInstantHasRun) {
  At(Duration{10}, "a");
  At(Duration{10}, "b");
  At(Duration{20}, "c");
  std::vector<std::size_t> ran_at_hook;
  clock_.OnAdvance([&](Time, Time) { ran_at_hook.push_back(ran_.size()); });
  clock_.Run(kStart + Duration{20});
  EXPECT_THAT(ran_at_hook, ElementsAre(0U, 2U));
}

TEST_F(VirtualClockTest, CallsTheHookBeforeItStandsAtTheTimeItWasRunTo) {
  std::vector<std::pair<Time, Time>> hooks;
  clock_.OnAdvance([&](Time now, Time next) { hooks.emplace_back(now, next); });
  clock_.Run(kStart + Duration{20});
  EXPECT_THAT(hooks, ElementsAre(std::pair(kStart, kStart + Duration{20})));
}

TEST_F(VirtualClockTest, RunsWhatTheHookSetsForThePresentBeforeTimeMoves) {
  bool set = false;
  clock_.OnAdvance([&](Time, Time) {
    if (!std::exchange(set, true)) At(Duration{0}, "from the hook");
  });
  clock_.CallAt(kStart + Duration{10}, [&] { ran_.push_back("ten"); });
  clock_.Run(kStart + Duration{10});
  EXPECT_THAT(ran_, ElementsAre("from the hook", "ten"));
}

TEST_F(VirtualClockTest, KeepsTheOrderThroughThousandsOfCancelledTimers) {
  Random random(7);
  std::vector<std::pair<Duration, int>> expected;
  std::vector<int> got;
  for (int i = 0; i < 20'000; ++i) {
    const Duration after{random.Between(1, 1'000)};
    const auto timer = clock_.CallAt(kStart + after, [&got, i] { got.push_back(i); });
    if (random.Chance(0.9)) {
      clock_.Cancel(timer);
    } else {
      expected.emplace_back(after, i);
    }
  }
  std::ranges::sort(expected);
  clock_.Run(kStart + Duration{1'000});
  std::vector<int> order;
  for (const auto& [after, i] : expected)
    order.push_back(i);
  EXPECT_EQ(got, order);
}

TEST(VirtualClockDeathTest, StopsAProgramThatSetsTimersForEverAtOneInstant) {
  VirtualClock clock(kStart, 100);
  std::function<void()> again = [&] { clock.CallAt(clock.Now(), again); };
  again();
  EXPECT_DEATH(clock.Run(kStart), "without letting time pass");
}

}  // namespace
}  // namespace cadre::sim
