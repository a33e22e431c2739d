// `cadre scheduler`: the scheduler against a real API server.
#pragma once

#include <ostream>

#include "app/scheduler_flags.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// Adds the subcommand; parsing fills `flags`, which must outlive `app`.
CLI::App* AddSchedulerCommand(CLI::App& app, SchedulerFlags& flags);

// Runs until SIGINT or SIGTERM. Returns the exit code: 0 ended by a signal, 1 it led and leads no more, 2 bad
// flags or no way to the cluster.
int RunScheduler(const SchedulerFlags& flags, std::ostream& err);

}  // namespace cadre::app
