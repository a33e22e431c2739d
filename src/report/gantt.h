// A Gantt chart for the terminal: one line per group, waiting dotted, running as a bar, on a common time
// axis.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/run_report.h"

namespace cadre::report {

struct GanttOptions {
  std::size_t width = 100;    // of the whole chart, labels included
  std::size_t max_rows = 50;  // groups beyond this are counted, not drawn
  bool colours = false;
};

// Empty when nothing has a length (no groups, or a run of no time). Groups in the order of the report.
//   █ ▌ ▏  pods hold nodes (partial blocks where that ends inside a column)
//   ·      waiting
//   ✗      ended as failed
std::string Gantt(const RunReport& report, const GanttOptions& options);

// The smallest round length of time (1, 2, 5, 10, 15, 30 of a unit, …) that is at least `minimum`.
Duration RoundUpToNice(Duration minimum);

}  // namespace cadre::report
