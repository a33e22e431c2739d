// The program: picks the command.
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/kubelets_command.h"
#include "app/scenario_command.h"
#include "app/scheduler_command.h"
#include "app/simulate_command.h"
#include "app/topology_command.h"
#include "app/version.h"
#include "base/text.h"
#include "base/utf8.h"

namespace {

constexpr int kBadFlags = 2;

// The long flag that is nearest to a mistyped one, or empty.
std::string NearestFlag(const CLI::App& command, std::string_view flag) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames())
      flags.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(flags.begin(), flags.end());
  return std::string(cadre::ClosestTo(flag.substr(0, flag.find('=')), candidates));
}

// Helps with flags that do not exist; everything else CLI11 explains well.
int ExplainParseError(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const std::string& extra : app.remaining(true)) {
      if (!extra.starts_with('-')) continue;
      const std::string nearest = NearestFlag(command, extra);
      std::cerr << fmt::format("cadre: unknown flag {}{} (--help lists them)\n", cadre::Printable(extra),
                               nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest));
      return kBadFlags;
    }
  }
  std::ostringstream complaint;
  const int code = app.exit(error, std::cout, complaint);
  // Lines are CLI11's; what stands in them may be anything that was typed.
  std::istringstream lines(complaint.str());
  for (std::string line; std::getline(lines, line);)
    std::cerr << cadre::Printable(line) << '\n';
  return code == 0 ? 0 : kBadFlags;
}

int Run(int argc, char** argv) {
  CLI::App app("Cadre places groups of pods on a Kubernetes cluster: all of a group or nothing.", "cadre");
  app.set_version_flag("--version", fmt::format("cadre {}", cadre::app::kVersion));
  app.require_subcommand(1);
  cadre::app::SimulateFlags simulate;
  const CLI::App* simulate_command = cadre::app::AddSimulateCommand(app, simulate);
  cadre::app::TopologyFlags topology;
  const CLI::App* topology_command = cadre::app::AddTopologyCommand(app, topology);
  cadre::app::ScenarioFlags scenario;
  const CLI::App* scenario_command = cadre::app::AddScenarioCommand(app, scenario);
  cadre::app::SchedulerFlags scheduler;
  const CLI::App* scheduler_command = cadre::app::AddSchedulerCommand(app, scheduler);
  cadre::app::KubeletsFlags kubelets;
  const CLI::App* kubelets_command = cadre::app::AddKubeletsCommand(app, kubelets);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    for (const CLI::App* command :
         {topology_command, scenario_command, scheduler_command, kubelets_command}) {
      if (*command) return ExplainParseError(app, *command, error);
    }
    return ExplainParseError(app, *simulate_command, error);
  }
  if (*simulate_command) return cadre::app::RunSimulate(simulate, std::cout, std::cerr);
  if (*topology_command) return cadre::app::RunTopology(topology, std::cout, std::cerr);
  if (*scenario_command) return cadre::app::RunScenarios(scenario, std::cout, std::cerr);
  if (*scheduler_command) return cadre::app::RunScheduler(scheduler, std::cerr);
  if (*kubelets_command) return cadre::app::RunKubelets(kubelets, std::cerr);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    // Running out of memory or disk; our own errors are values.
    std::cerr << "cadre: " << cadre::Printable(error.what()) << '\n';
    return kBadFlags;
  }
}
