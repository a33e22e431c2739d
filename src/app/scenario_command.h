// `cadre scenario`: runs scenario files and says what is not as it should be. docs/scenarios.md is its
// manual.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// The flags as given.
struct ScenarioFlags {
  std::vector<std::string> files;
  bool crash = false;              // also with the scheduler killed at each of its writes
  bool crash_controllers = false;  // also with the controllers killed at each of theirs
  std::uint64_t budget = 0;        // of writes made again, for each file and program; 0: no bound
  // On the API server that this file tells of instead of in the simulator; empty: in the simulator.
  std::string kubeconfig = {};
  bool compare = false;  // whether objects go through the same states there and in the simulator
  std::string scheduler_kubeconfig = {};  // who the scheduler is there; empty: as above
};

// Adds the subcommand; parsing fills `flags`, which must outlive `app`.
CLI::App* AddScenarioCommand(CLI::App& app, ScenarioFlags& flags);

// One line for each file, and what was wrong, to `out`; what could not be read to `err`. Returns the exit
// code: 0 all as they should be, 1 one is not, 2 bad input.
int RunScenarios(const ScenarioFlags& flags, std::ostream& out, std::ostream& err);

}  // namespace cadre::app
