#include "app/scenario_command.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/crash_runs.h"
#include "app/live_cluster.h"
#include "app/object_states.h"
#include "app/scenario.h"
#include "app/scenario_run.h"
#include "base/text.h"
#include "base/utf8.h"
#include "live/kubeconfig.h"

namespace cadre::app {
namespace {

constexpr int kNotAsItShould = 1;
constexpr int kBadInput = 2;
// Fewer writes than these are no sample.
constexpr std::uint64_t kFewestCrashes = 6;
constexpr const char* kExamples = R"(Examples:
  cadre scenario testdata/scenarios/own-rollback-of-a-jobset.yaml
      one file: what happens in it, and whether all that it expects holds
  cadre scenario --crash mine.yaml
      then again for each write of the scheduler, killed before it, after it, and after it with the answer lost
  cadre scenario --crash --crash-controllers --crash-budget 150000 testdata/scenarios/*.yaml
      all of them; where a run makes 1,000 writes, it is killed at 150 of them
  cadre scenario --kubeconfig test.kubeconfig testdata/live/*.yaml
      on a real API server without nodes, in real time, with simulated kubelets; what was made is deleted at the end

Exit codes: 0 all as it should be; 1 something is not; 2 bad input or bad flags.)";

// What is not the same in the simulator, and what is wrong there.
std::vector<std::string> ComparedWithSimulator(const Scenario& scenario, const ObjectStates& real) {
  ObjectStates simulated;
  ScenarioRunOptions options;
  options.look_on = [&](drive::ObservedApi& api) { simulated.LookOn(api); };
  const ScenarioOutcome outcome = RunScenario(scenario, options);
  std::vector<std::string> problems = DifferencesOf(simulated.Lines(), real.Lines());
  for (const std::string& problem : outcome.problems)
    problems.push_back("in the simulator: " + problem);
  return problems;
}

// On a real API server. An error says why it could not be run there.
Result<ScenarioOutcome> RunLive(const Scenario& scenario, const ScenarioFlags& flags) {
  LiveClusterOptions options;
  live::KubeconfigOptions kubeconfig;
  kubeconfig.kubeconfig = flags.kubeconfig;
  CADRE_TRY(options.user, live::LoadClusterAccess(kubeconfig));
  if (!flags.scheduler_kubeconfig.empty()) kubeconfig.kubeconfig = flags.scheduler_kubeconfig;
  CADRE_TRY(options.scheduler, live::LoadClusterAccess(kubeconfig));
  options.default_run_time = scenario.default_run_time;
  options.pod_start_delay = scenario.pod_start_delay;
  options.pod_stop_delay = scenario.pod_stop_delay;
  CADRE_TRY(const std::unique_ptr<LiveCluster> cluster, LiveCluster::Open(std::move(options)));
  ObjectStates real;
  real.LookOn(cluster->objects());
  ScenarioOutcome outcome = RunScenarioIn(*cluster, scenario);
  if (flags.compare) {
    for (std::string& problem : ComparedWithSimulator(scenario, real))
      outcome.problems.push_back(std::move(problem));
  }
  CADRE_TRY_VOID(cluster->CleanUp());
  return outcome;
}

class Runner {
 public:
  Runner(const Scenario& scenario, std::ostream& out) : scenario_(scenario), out_(out) {}

  bool Run(const ScenarioFlags& flags) {
    if (flags.kubeconfig.empty()) {
      outcome_ = RunScenario(scenario_);
    } else if (Result<ScenarioOutcome> outcome = RunLive(scenario_, flags); outcome) {
      outcome_ = *std::move(outcome);
    } else {
      outcome_.problems.push_back(outcome.error().message);
    }
    out_ << fmt::format("{}  {}: {}\n", outcome_.problems.empty() ? "ok    " : "FAILED",
                        Printable(scenario_.file), Printable(scenario_.sentence));
    Print(outcome_.problems);
    return outcome_.problems.empty();
  }

  // Kills `program` at its writes: at all of them, or where each run makes so many writes that `budget`
  // (0: none) would not do, at fewer.
  bool Crash(Program program, std::uint64_t budget) {
    const bool scheduler = program == Program::kScheduler;
    const std::uint64_t writes = scheduler ? outcome_.scheduler_writes : outcome_.controller_writes;
    const std::vector<std::uint64_t> numbers = SampleOfWrites(writes, MostOf(writes, budget));
    const CrashRuns crashes = CrashAtEach(scenario_, program, numbers);
    for (const BadCrash& bad : crashes.bad) {
      out_ << fmt::format("FAILED  {}:\n", ToString(bad.plan));
      Print(bad.problems);
    }
    out_ << fmt::format("        killed {} times at {} of the {}: {}\n", crashes.runs,
                        numbers.size() == writes ? Quantify(static_cast<std::int64_t>(writes), "write")
                                                 : fmt::format("{} of {} writes", numbers.size(), writes),
                        scheduler ? "scheduler" : "controllers",
                        crashes.bad.empty() ? "all ends as it should"
                                            : fmt::format("{} end as they should not", crashes.bad.size()));
    return crashes.bad.empty();
  }

 private:
  static std::uint64_t MostOf(std::uint64_t writes, std::uint64_t budget) {
    if (budget == 0 || writes == 0) return std::max<std::uint64_t>(writes, 1);
    return std::max(budget / writes, kFewestCrashes);
  }

  void Print(const std::vector<std::string>& problems) {
    for (const std::string& problem : problems)
      out_ << "        " << Printable(problem) << '\n';
  }

  const Scenario& scenario_;
  std::ostream& out_;
  ScenarioOutcome outcome_;
};

}  // namespace

CLI::App* AddScenarioCommand(CLI::App& app, ScenarioFlags& flags) {
  CLI::App* command = app.add_subcommand("scenario", "Whether what a scenario file expects comes true");
  command->footer(kExamples);
  command->add_option("files", flags.files, "Scenario files")->required()->type_name("FILE");
  command->add_flag("--crash", flags.crash, "Also with the scheduler killed at each of its writes");
  command->add_flag("--crash-controllers", flags.crash_controllers,
                    "Also with the controllers killed at each of their writes");
  command
      ->add_option(
          "--crash-budget", flags.budget,
          "Kill at fewer writes, evenly spread, where killing at each would make more than N writes again")
      ->type_name("N");
  CLI::Option* live =
      command->add_option("--kubeconfig", flags.kubeconfig,
                          "Run on this API server, which has no nodes, instead of in the simulator");
  live->type_name("FILE")->excludes("--crash")->excludes("--crash-controllers");
  command
      ->add_flag("--compare", flags.compare,
                 "Also whether Jobs and pods go through the same states as in the simulator")
      ->needs(live);
  command->add_option("--scheduler-kubeconfig", flags.scheduler_kubeconfig, "Who the scheduler is there")
      ->type_name("FILE")
      ->needs(live);
  return command;
}

int RunScenarios(const ScenarioFlags& flags, std::ostream& out, std::ostream& err) {
  int code = 0;
  for (const std::string& file : flags.files) {
    const Result<Scenario> scenario = LoadScenario(file);
    if (!scenario) {
      err << "cadre scenario: " << Printable(scenario.error().message) << '\n';
      code = kBadInput;
      continue;
    }
    Runner runner(*scenario, out);
    bool good = runner.Run(flags);
    out.flush();
    if (good && flags.crash) good = runner.Crash(Program::kScheduler, flags.budget);
    if (good && flags.crash_controllers) good = runner.Crash(Program::kControllers, flags.budget);
    if (!good && code == 0) code = kNotAsItShould;
  }
  return code;
}

}  // namespace cadre::app
