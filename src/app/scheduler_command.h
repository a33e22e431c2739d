// `cadre scheduler`: the scheduler against a real API server.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// The flags as given.
struct SchedulerFlags {
  std::string kubeconfig;
  std::string context;
  std::vector<std::string> scheduler_names;
  std::string log_level = "info";
};

// Adds the subcommand; parsing fills `flags`, which must outlive `app`.
CLI::App* AddSchedulerCommand(CLI::App& app, SchedulerFlags& flags);

// Runs until SIGINT or SIGTERM. Returns the exit code: 0 ended by a signal, 2 bad flags or no way to the
// cluster.
int RunScheduler(const SchedulerFlags& flags, std::ostream& err);

}  // namespace cadre::app
