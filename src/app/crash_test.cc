// A crash at every write of every scenario, and many runs under random faults: a new process that knows
// nothing but the API finishes the work, with no half group, nothing placed twice and nothing leaked.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/scenario_random.h"
#include "app/scenario_run.h"
#include "app/scenario_testing.h"

namespace cadre::app {
namespace {

// A run with more writes than this is crashed at a sample of them (docs/scenarios.md says which).
constexpr std::uint64_t kEveryWriteUpTo = 300;
constexpr std::uint64_t kSampled = 40;
constexpr std::uint64_t kLongRun = 1'000;  // writes
constexpr std::uint64_t kSampledOfLong = 12;

// CADRE_EVERY_WRITE=1: every write of every scenario, which takes hours for the largest.
bool EveryWrite() {
  return std::getenv("CADRE_EVERY_WRITE") != nullptr;
}

// Controllers write far more, and are the simulator's and JobSet's own: without CADRE_EVERY_WRITE a sample,
// and a smaller one where each run is long.
std::uint64_t SampledOfControllers(std::uint64_t writes) {
  constexpr std::uint64_t kMost = 25;
  constexpr std::uint64_t kFewest = 6;
  constexpr std::uint64_t kWritesInAll = 40'000;
  return std::clamp(kWritesInAll / std::max<std::uint64_t>(writes, 1), kFewest, kMost);
}

constexpr std::size_t kMostReported = 5;

// `count` numbers from 1 to `writes`: the first ones, then evenly spread up to the last.
std::vector<std::uint64_t> Sample(std::uint64_t writes, std::uint64_t count) {
  std::vector<std::uint64_t> numbers;
  if (writes <= count) {
    for (std::uint64_t n = 1; n <= writes; ++n)
      numbers.push_back(n);
    return numbers;
  }
  const std::uint64_t first = count / 4;
  for (std::uint64_t n = 1; n <= first; ++n)
    numbers.push_back(n);
  for (std::uint64_t i = 1; i <= count - first; ++i)
    numbers.push_back(first + i * (writes - first) / (count - first));
  return numbers;
}

void CrashAtEach(const Scenario& scenario, Program program, const std::vector<std::uint64_t>& numbers) {
  std::size_t reported = 0;
  std::size_t runs = 0;
  for (const std::uint64_t n : numbers) {
    for (const drive::CrashPoint point : drive::kCrashPoints) {
      ScenarioRunOptions options;
      options.crash = CrashPlan{program, n, point};
      options.only_end = true;
      const ScenarioOutcome outcome = RunScenario(scenario, options);
      ++runs;
      if (outcome.problems.empty()) continue;
      ADD_FAILURE() << ToString(*options.crash) << ":\n"
                    << fmt::format("{}", fmt::join(outcome.problems, "\n"));
      if (++reported == kMostReported) return;
    }
  }
  testing::Test::RecordProperty("runs", static_cast<int>(runs));
}

class CrashOf : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<Scenario> scenario = LoadScenarioNamed(GetParam());
    ASSERT_TRUE(scenario) << scenario.error().message;
    scenario_ = *std::move(scenario);
    clean_ = RunScenario(scenario_);
  }

  Scenario scenario_;
  ScenarioOutcome clean_;
};

TEST_P(CrashOf, TheSchedulerAtAnyWriteLosesAndDoublesNothing) {
  const std::uint64_t writes = clean_.scheduler_writes;
  std::uint64_t count = writes;
  if (writes > kEveryWriteUpTo && !EveryWrite()) count = writes > kLongRun ? kSampledOfLong : kSampled;
  CrashAtEach(scenario_, Program::kScheduler, Sample(writes, count));
}

TEST_P(CrashOf, TheControllersAtAnyWriteLosesAndDoublesNothing) {
  const std::uint64_t writes = clean_.controller_writes;
  CrashAtEach(scenario_, Program::kControllers,
              Sample(writes, EveryWrite() ? writes : SampledOfControllers(writes)));
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
