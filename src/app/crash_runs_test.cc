#include "app/crash_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/scenario_testing.h"

namespace cadre::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SampleOfWrites, TakesAllWhenThereAreNoMoreThanAskedFor) {
  EXPECT_THAT(SampleOfWrites(0, 4), IsEmpty());
  EXPECT_THAT(SampleOfWrites(4, 4), ElementsAre(1, 2, 3, 4));
}

TEST(SampleOfWrites, TakesTheFirstOnesThenSpreadsTheRestUpToTheLast) {
  EXPECT_THAT(SampleOfWrites(102, 4), ElementsAre(1, 34, 68, 102));
  EXPECT_THAT(SampleOfWrites(10, 1), ElementsAre(10));
}

TEST(CrashAtEach, KillsBeforeAfterAndWithTheAnswerLost) {
  const Result<Scenario> scenario = LoadScenarioNamed("kube-batch-514-small-group-passes-a-blocked-one");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const CrashRuns crashes = CrashAtEach(*scenario, Program::kScheduler, {1, 3});
  EXPECT_EQ(crashes.runs, 6);
  EXPECT_THAT(crashes.bad, IsEmpty());
}

TEST(CrashAtEach, SaysWhenTheCrashNeverCame) {
  const Result<Scenario> scenario = LoadScenarioNamed("kube-batch-514-small-group-passes-a-blocked-one");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const CrashRuns crashes = CrashAtEach(*scenario, Program::kScheduler, {1'000});
  ASSERT_EQ(crashes.bad.size(), 3);
  EXPECT_EQ(crashes.bad.front().plan.n, 1'000);
  EXPECT_THAT(crashes.bad.front().problems,
              ElementsAre(testing::StartsWith("the crash did not come: there were only ")));
}

}  // namespace
}  // namespace cadre::app
