// Which column of a CSV trace means what: by well-known names, or as --trace-columns says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cadre::app {

// What a column can tell of a job. docs/traces.md describes each.
enum class ColumnRole {
  kName,
  kSubmit,
  kDuration,
  kMaxDuration,
  kPods,
  kGpus,      // of the job as a whole
  kGpu,       // of each pod
  kCpu,       // of each pod
  kMemory,    // of each pod
  kRequests,  // of each pod, "cpu=4,memory=8Gi"
  kResource,  // of each pod: a column whose name is that of an extended resource, such as example.com/fpga
  kPriority,
};

// "duration": as --trace-columns and messages call it.
std::string_view RoleName(ColumnRole role);

struct Column {
  ColumnRole role{};
  std::size_t index = 0;  // in a record
  std::string name;       // as the header spells it
  double unit = 1;        // a plain number in it is so many seconds, CPUs, bytes, pieces
};

struct ColumnMap {
  std::vector<Column> columns;      // by index; each role at most once, kResource excepted
  std::vector<std::string> unused;  // names of the others

  const Column* Find(ColumnRole role) const;
};

// Finds the columns of a header. `mapping` is the value of --trace-columns, "submit=arrival:ms,gpus=num_gpu",
// or empty; what it names wins over the well-known names. Names are compared without regard to case.
// Errors: the mapping cannot be read, or names a column that is not there; a role with two columns; no column
// for submit or duration (they list the header, so that one sees what to map).
Result<ColumnMap> FindColumns(const std::vector<std::string>& header, std::string_view mapping);

}  // namespace cadre::app
