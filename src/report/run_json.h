// The JSON form of a report. Its schema is documented in docs/simulate.md; fields are only ever added.
#pragma once

#include "base/json.h"
#include "report/run_report.h"

namespace cadre::report {

// Seconds are numbers since the start of the run; what has not happened is null.
json::object ToJson(const RunReport& report);

}  // namespace cadre::report
