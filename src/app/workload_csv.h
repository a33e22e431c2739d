// Reads a workload trace in CSV: a header, then one line per job. csv_columns.h says which column means what.
#pragma once

#include <string>
#include <string_view>

#include "app/workload.h"
#include "base/result.h"

namespace cadre::app {

// `mapping` is the value of --trace-columns, or empty. Times are seconds, "90m" or, for submit, points in
// time
// ("2017-10-03 05:44:12", RFC 3339); amounts are numbers or quantities ("500m", "4Gi").
// Jobs with an empty or zero run time, submit time or size are skipped and counted; a line that cannot be
// read is a problem that names line and column, and the others are read.
// Error, without the file: there is no usable header.
Result<Workload> ReadCsv(std::string_view text, std::string file, std::string_view mapping,
                         const WorkloadOptions& options);

}  // namespace cadre::app
