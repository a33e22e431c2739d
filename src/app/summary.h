// Summary: a finished (or cut) simulation -> the report that people and programs read.
#pragma once

#include "app/input.h"
#include "app/simulation.h"
#include "report/run_report.h"

namespace cadre::app {

// `input` says what was not simulated. `cut`: the run was ended by a limit of time.
report::RunReport Summarise(Simulation& simulation, const SimulationInput& input, bool cut);

// 0: all groups ended or run. 1: at least one never ran or still waits (or an invariant was violated). 2: bad
// input. `strict`: unknown kinds are bad input.
int ExitCodeOf(const report::RunReport& report, bool strict);

}  // namespace cadre::app
