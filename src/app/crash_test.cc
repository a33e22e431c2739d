// A crash at many writes of every scenario, and many runs under random faults: a new process that knows
// nothing but the API finishes the work, with no half group, nothing placed twice and nothing leaked.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/crash_runs.h"
#include "app/scenario_random.h"
#include "app/scenario_run.h"
#include "app/scenario_testing.h"

namespace cadre::app {
namespace {

// Under the sanitizers a sample: what they look for is in the way back, whichever write came last.
// scripts/crashes kills the release build at every write.
constexpr std::uint64_t kSchedulerWrites = 12;
constexpr std::uint64_t kControllerWrites = 6;

constexpr std::size_t kMostReported = 5;

class CrashOf : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<Scenario> scenario = LoadScenarioNamed(GetParam());
    ASSERT_TRUE(scenario) << scenario.error().message;
    scenario_ = *std::move(scenario);
    clean_ = RunScenario(scenario_);
  }

  void CrashAt(Program program, const std::vector<std::uint64_t>& numbers) {
    const CrashRuns crashes = CrashAtEach(scenario_, program, numbers);
    for (const BadCrash& bad : crashes.bad)
      ADD_FAILURE() << ToString(bad.plan) << ":\n" << fmt::format("{}", fmt::join(bad.problems, "\n"));
  }

  Scenario scenario_;
  ScenarioOutcome clean_;
};

TEST_P(CrashOf, TheSchedulerAtAWriteLosesAndDoublesNothing) {
  CrashAt(Program::kScheduler, SampleOfWrites(clean_.scheduler_writes, kSchedulerWrites));
}

TEST_P(CrashOf, TheControllersAtAWriteLosesAndDoublesNothing) {
  CrashAt(Program::kControllers, SampleOfWrites(clean_.controller_writes, kControllerWrites));
}

INSTANTIATE_TEST_SUITE_P(All, CrashOf, testing::ValuesIn(AllScenarioNames()),
                         [](const auto& one) { return TestNameOf(one.param); });

// ---- random workloads, random faults

constexpr std::uint64_t kSeedsPerCase = 50;

class RandomRuns : public testing::TestWithParam<std::uint64_t> {
 protected:
  // Runs `kSeedsPerCase` seeds; a seed can be looked at alone with CADRE_SEED=n.
  template <class Run>
  void ForEachSeed(Run run) {
    std::size_t reported = 0;
    const char* only = std::getenv("CADRE_SEED");
    for (std::uint64_t i = 0; i < kSeedsPerCase; ++i) {
      const std::uint64_t seed = GetParam() * kSeedsPerCase + i + 1;
      if (only != nullptr && std::to_string(seed) != only) continue;
      const ScenarioOutcome outcome = run(seed);
      if (outcome.problems.empty()) continue;
      ADD_FAILURE() << "seed " << seed << ":\n" << fmt::format("{}", fmt::join(outcome.problems, "\n"));
      if (++reported == kMostReported) return;
    }
  }
};

TEST_P(RandomRuns, WithoutFaultsEverythingRunsWhole) {
  ForEachSeed([](std::uint64_t seed) { return RunScenario(RandomScenario(seed)); });
}

TEST_P(RandomRuns, UnderFaultsEverythingRunsWhole) {
  ForEachSeed([](std::uint64_t seed) {
    ScenarioRunOptions options;
    options.faults = RandomFaults(seed, SimulationOptions{}.start);
    options.only_end = true;
    return RunScenario(RandomScenario(seed), options);
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRuns, testing::Range<std::uint64_t>(0, 24));

}  // namespace
}  // namespace cadre::app
