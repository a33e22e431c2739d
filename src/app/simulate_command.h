// `cadre simulate`: what would happen to these manifests on that cluster. docs/simulate.md is its manual.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "app/cluster_options.h"
#include "app/workload_input.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// The flags as given.
struct SimulateFlags : ClusterFlags {
  std::vector<std::string> files;  // -f
  TraceFlags trace;                // --trace and how to read traces
  std::string json;                // "-": stdout, instead of the text
  std::string html;                // a file
  std::string default_duration = "60s";
  std::string start_delay = "0s";
  std::string queue = "easy";
  std::string topology;  // levels; empty: the well-known ones
  std::string until;     // empty: until nothing can change any more
  bool respect_scheduler_name = false;
  bool strict = false;
  bool gantt = true;
  bool verbose = false;
  std::string colour = "auto";
  std::int64_t width = 0;  // 0: the terminal's, or 100
};

// Adds the subcommand; parsing fills `flags`, which must outlive `app`.
CLI::App* AddSimulateCommand(CLI::App& app, SimulateFlags& flags);

// Text and JSON "-" go to `out`, complaints and progress to `err`. Returns the exit code: 0 all groups ended
// or run, 1 at least one never ran or still waits, 2 bad input.
int RunSimulate(const SimulateFlags& flags, std::ostream& out, std::ostream& err);

}  // namespace cadre::app
