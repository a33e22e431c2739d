#include "app/crash_runs.h"

#include "base/check.h"

namespace cadre::app {

std::vector<std::uint64_t> SampleOfWrites(std::uint64_t writes, std::uint64_t most) {
  CADRE_ASSERT(most > 0, "no write to crash at");
  std::vector<std::uint64_t> numbers;
  const std::uint64_t first = writes <= most ? writes : most / 4;
  for (std::uint64_t n = 1; n <= first; ++n)
    numbers.push_back(n);
  if (first == writes) return numbers;
  for (std::uint64_t i = 1; i <= most - first; ++i)
    numbers.push_back(first + i * (writes - first) / (most - first));
  return numbers;
}

CrashRuns CrashAtEach(const Scenario& scenario, Program program, const std::vector<std::uint64_t>& numbers) {
  CrashRuns result;
  for (const std::uint64_t n : numbers) {
    for (const drive::CrashPoint point : drive::kCrashPoints) {
      ScenarioRunOptions options;
      options.crash = CrashPlan{program, n, point};
      options.only_end = true;
      ScenarioOutcome outcome = RunScenario(scenario, options);
      ++result.runs;
      if (outcome.problems.empty()) continue;
      result.bad.push_back({*options.crash, std::move(outcome.problems)});
      if (result.bad.size() == kMostBadCrashes) return result;
    }
  }
  return result;
}

}  // namespace cadre::app
