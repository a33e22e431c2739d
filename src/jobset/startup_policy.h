// Which replicated jobs may run now: startupPolicy InOrder and dependsOn.
//
// InOrder: one after another in the order of the spec, each when all Jobs of those before it have started.
// While the JobSet is suspended the order does not matter: all Jobs are made, suspended. dependsOn: a
// replicated job waits for each one that it names to be Ready or Complete, while suspended too. A failed Job
// counts as started.
#pragma once

#include <string_view>
#include <vector>

#include "jobset/status.h"

namespace cadre::jobset {

enum class StartupProgress { kNotOrdered, kInProgress, kCompleted };

struct Startup {
  std::vector<bool> open;  // by replicated job in the order of the spec: its Jobs may be made and resumed
  StartupProgress progress = StartupProgress::kNotOrdered;
};

Startup PlanStartup(const kube::JobSetSpec& spec, const Counters& counters);

}  // namespace cadre::jobset
