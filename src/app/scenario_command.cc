#include "app/scenario_command.h"

#include <cstddef>
#include <cstdint>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/scenario.h"
#include "app/scenario_run.h"
#include "base/text.h"
#include "base/utf8.h"

namespace cadre::app {
namespace {

constexpr int kNotAsItShould = 1;
constexpr int kBadInput = 2;
// So many crashes that end badly say enough.
constexpr std::size_t kMostBadCrashes = 5;

constexpr const char* kExamples = R"(Examples:
  cadre scenario testdata/scenarios/own-rollback-of-a-jobset.yaml
      one file: what happens in it, and whether all that it expects holds
  cadre scenario --crash mine.yaml
      then again for each write of the scheduler, killed before it, after it, and after it with the answer lost

Exit codes: 0 all as it should be; 1 something is not; 2 bad input or bad flags.)";

class Runner {
 public:
  Runner(const Scenario& scenario, std::ostream& out) : scenario_(scenario), out_(out) {}

  bool Run() {
    const ScenarioOutcome outcome = RunScenario(scenario_);
    out_ << fmt::format("{}  {}: {}\n", outcome.problems.empty() ? "ok    " : "FAILED",
                        Printable(scenario_.file), Printable(scenario_.sentence));
    Print(outcome);
    writes_ = outcome.scheduler_writes;
    return outcome.problems.empty();
  }

  bool CrashAtEachWrite() {
    std::size_t runs = 0;
    std::size_t bad = 0;
    for (std::uint64_t n = 1; n <= writes_ && bad < kMostBadCrashes; ++n) {
      for (const drive::CrashPoint point : drive::kCrashPoints) {
        ScenarioRunOptions options;
        options.crash = CrashPlan{Program::kScheduler, n, point};
        options.only_end = true;
        const ScenarioOutcome outcome = RunScenario(scenario_, options);
        ++runs;
        if (outcome.problems.empty()) continue;
        ++bad;
        out_ << fmt::format("FAILED  {}:\n", ToString(*options.crash));
        Print(outcome);
      }
    }
    out_ << fmt::format("        killed {} times at {} of the scheduler: {}\n", runs,
                        Quantify(static_cast<std::int64_t>(writes_), "write"),
                        bad == 0 ? "all ends as it should" : fmt::format("{} end as they should not", bad));
    return bad == 0;
  }

 private:
  void Print(const ScenarioOutcome& outcome) {
    for (const std::string& problem : outcome.problems)
      out_ << "        " << Printable(problem) << '\n';
  }

  const Scenario& scenario_;
  std::ostream& out_;
  std::uint64_t writes_ = 0;
};

}  // namespace

CLI::App* AddScenarioCommand(CLI::App& app, ScenarioFlags& flags) {
  CLI::App* command = app.add_subcommand("scenario", "Whether what a scenario file expects comes true");
  command->footer(kExamples);
  command->add_option("files", flags.files, "Scenario files")->required()->type_name("FILE");
  command->add_flag("--crash", flags.crash, "Also with the scheduler killed at each of its writes");
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
    const bool good = runner.Run() && (!flags.crash || runner.CrashAtEachWrite());
    if (!good && code == 0) code = kNotAsItShould;
  }
  return code;
}

}  // namespace cadre::app
