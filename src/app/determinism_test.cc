// The same input gives the same effects, byte for byte; and state kept up to date event by event is the state
// built from a list.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/scenario_random.h"
#include "app/scenario_run.h"
#include "app/scenario_testing.h"
#include "app/summary.h"
#include "base/random.h"
#include "core/scheduler.h"
#include "report/run_json.h"

namespace cadre::app {
namespace {

struct Traces {
  std::string steps;   // what went into the scheduler and what came out
  std::string report;  // the JSON for people's programs
};

Traces TracesOf(const Scenario& scenario, std::optional<sim::FaultOptions> faults = {}) {
  Traces traces;
  ScenarioRunOptions options;
  options.scheduler_trace = &traces.steps;
  options.faults = std::move(faults);
  options.at_end = [&](Simulation& simulation) {
    traces.report = json::serialize(report::ToJson(Summarise(simulation, SimulationInput{}, false)));
  };
  RunScenario(scenario, options);
  return traces;
}

// Where two texts part, for a failure that can be read.
std::string FirstDifference(const std::string& a, const std::string& b) {
  const auto [at, other] = std::ranges::mismatch(a, b);
  if (at == a.end() && other == b.end()) return "none";
  const auto offset = static_cast<std::size_t>(at - a.begin());
  const std::size_t line = a.rfind('\n', offset) == std::string::npos ? 0 : a.rfind('\n', offset) + 1;
  return fmt::format("\"{}\" against \"{}\"", a.substr(line, 300), b.substr(std::min(line, b.size()), 300));
}

class SameInput : public testing::TestWithParam<std::string> {};

TEST_P(SameInput, GivesTheSameStepsAndTheSameReport) {
  const Result<Scenario> scenario = LoadScenarioNamed(GetParam());
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Traces first = TracesOf(*scenario);
  const Traces second = TracesOf(*scenario);
  ASSERT_FALSE(first.steps.empty());
  EXPECT_EQ(FirstDifference(first.steps, second.steps), "none");
  EXPECT_EQ(FirstDifference(first.report, second.report), "none");
}

INSTANTIATE_TEST_SUITE_P(All, SameInput, testing::ValuesIn(AllScenarioNames()),
                         [](const auto& one) { return TestNameOf(one.param); });

TEST(SameSeed, GivesTheSameStepsUnderFaults) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const sim::FaultOptions faults = RandomFaults(seed, SimulationOptions{}.start);
    const Traces first = TracesOf(scenario, faults);
    const Traces second = TracesOf(scenario, faults);
    EXPECT_EQ(FirstDifference(first.steps, second.steps), "none") << "seed " << seed;
  }
}

// A scheduler that has seen nothing but a list, in an order of its own.
std::string FingerprintOfList(const sim::MemoryApi& api, Time now, Random& random) {
  core::Options options;
  options.scheduler_names.clear();  // as the simulation's
  core::Scheduler fresh(std::move(options));
  std::vector<drive::Event> events;
  for (const kube::Kind kind : fresh.Kinds()) {
    for (kube::Object& object : api.All(kind))
      events.emplace_back(drive::Changed{std::move(object), false});
  }
  for (std::size_t i = events.size(); i > 1; --i)
    std::swap(events[i - 1], events[random.Uniform(i)]);
  // It never hears that a list is complete, so it decides nothing.
  fresh.Step(now, events);
  return fresh.Fingerprint();
}

class IncrementalState : public testing::TestWithParam<std::uint64_t> {};

TEST_P(IncrementalState, IsTheStateBuiltFromAList) {
  constexpr std::uint64_t kSeeds = 25;
  std::size_t compared = 0;
  for (std::uint64_t seed = GetParam() * kSeeds + 1; seed <= (GetParam() + 1) * kSeeds; ++seed) {
    Scenario scenario = RandomScenario(seed);
    // A scheduler whose watches lag knows less than the list says.
    scenario.watch_lag = Duration{0};
    scenario.api_latency = Duration{0};
    Random random(seed);
    ScenarioRunOptions options;
    options.on_settled = [&](Simulation& simulation) {
      if (HasFailure() || !random.Chance(0.5)) return;
      ++compared;
      EXPECT_EQ(FirstDifference(simulation.scheduler().Fingerprint(),
                                FingerprintOfList(simulation.api(), simulation.clock().Now(), random)),
                "none")
          << "seed " << seed << " at " << FormatDuration(simulation.Elapsed());
    };
    RunScenario(scenario, options);
  }
  EXPECT_GE(compared, 250U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, IncrementalState, testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace cadre::app
