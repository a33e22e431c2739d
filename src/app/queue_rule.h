// --queue: who may pass a group that has no room, for the commands that schedule.
#pragma once

#include <string>

#include "queue/policy.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

void AddQueueRule(CLI::App& command, std::string& rule);

// REQUIRES: the flag's own check has passed.
queue::Backfill BackfillOf(std::string_view rule);

}  // namespace cadre::app
