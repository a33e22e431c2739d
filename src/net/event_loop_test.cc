#include "net/event_loop.h"

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kLong{10'000};  // only ever waited for by a test that fails

TEST(EventLoop, NeverRunsAPostedTaskFromInsideTheCall) {
  EventLoop loop;
  bool ran = false;
  loop.Post([&] { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_TRUE(loop.RunOne(kLong));
  EXPECT_TRUE(ran);
}

TEST(EventLoop, RunsPostedTasksInTheOrderTheyCame) {
  EventLoop loop;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i)
    loop.Post([&, i] { order.push_back(i); });
  loop.Post([&] { loop.Stop(); });
  loop.Run();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(EventLoop, WaitsForTasksOfAnotherThread) {
  EventLoop loop;
  std::thread other([&] { loop.Post([&] { loop.Stop(); }); });
  loop.Run();
  other.join();
}

TEST(EventLoop, ReturnsAtOnceFromARunThatWasStoppedBefore) {
  EventLoop loop;
  bool ran = false;
  loop.Post([&] { ran = true; });
  loop.Stop();
  loop.Run();
  EXPECT_FALSE(ran);
}

TEST(EventLoop, CanRunAgainAfterItWasStopped) {
  EventLoop loop;
  loop.Stop();
  loop.Run();
  bool ran = false;
  loop.Post([&] {
    ran = true;
    loop.Stop();
  });
  loop.Run();
  EXPECT_TRUE(ran);
}

TEST(EventLoop, RunsTimersByTheirTimeWhateverTheOrderTheyWereSetIn) {
  EventLoop loop;
  std::vector<std::string> order;
  loop.CallAfter(Duration{30}, [&] {
    order.emplace_back("late");
    loop.Stop();
  });
  loop.CallAfter(Duration{1}, [&] { order.emplace_back("early"); });
  loop.Run();
  EXPECT_THAT(order, ElementsAre("early", "late"));
}

TEST(EventLoop, RunsATimerNotBeforeItsTime) {
  EventLoop loop;
  const Duration start = loop.Now();
  Duration ran{0};
  loop.CallAfter(Duration{20}, [&] {
    ran = loop.Now();
    loop.Stop();
  });
  loop.Run();
  EXPECT_GE(ran - start, Duration{19});  // Now is cut to whole milliseconds
}

TEST(EventLoop, DoesNotRunACancelledTimer) {
  EventLoop loop;
  std::vector<std::string> order;
  const EventLoop::Timer timer = loop.CallAfter(Duration{1}, [&] { order.emplace_back("cancelled"); });
  loop.CallAfter(Duration{5}, [&] { loop.Stop(); });
  loop.Cancel(timer);
  loop.Run();
  EXPECT_THAT(order, IsEmpty());
}

TEST(EventLoop, DoesNotRunATimerThatAnotherOfTheSameInstantCancels) {
  EventLoop loop;
  bool ran = false;
  EventLoop::Timer second{};
  loop.CallAfter(Duration{0}, [&] { loop.Cancel(second); });
  second = loop.CallAfter(Duration{0}, [&] { ran = true; });
  loop.CallAfter(Duration{5}, [&] { loop.Stop(); });
  loop.Run();
  EXPECT_FALSE(ran);
}

TEST(EventLoop, SetsATimerFromInsideATimer) {
  EventLoop loop;
  int runs = 0;
  std::function<void()> again = [&] {
    if (++runs == 3) return loop.Stop();
    loop.CallAfter(Duration{1}, again);
  };
  loop.CallAfter(Duration{1}, again);
  loop.Run();
  EXPECT_EQ(runs, 3);
}

TEST(EventLoop, SaysWhenNothingBecameReady) {
  EventLoop loop;
  EXPECT_FALSE(loop.RunOne(Duration{1}));
}

TEST(EventLoop, DeliversEachSignalToTheCallback) {
  EventLoop loop;
  std::vector<int> seen;
  ASSERT_TRUE(loop.OnSignals({SIGUSR1, SIGUSR2}, [&](int signal) {
    seen.push_back(signal);
    if (seen.size() == 2) loop.Stop();
  }));
  loop.Post([] { std::raise(SIGUSR1); });
  loop.CallAfter(Duration{1}, [] { std::raise(SIGUSR2); });
  loop.Run();
  EXPECT_THAT(seen, ElementsAre(SIGUSR1, SIGUSR2));
}

TEST(EventLoop, RefusesASignalThatCannotBeHandled) {
  EventLoop loop;
  const Result<void> result = loop.OnSignals({SIGKILL}, [](int) {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, testing::HasSubstr("Killed"));
}

}  // namespace
}  // namespace cadre::net
