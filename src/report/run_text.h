// The report as people read it in a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/run_report.h"

namespace cadre::report {

struct TextOptions {
  std::size_t width = 100;
  bool colours = false;
  bool gantt = true;
  bool placements = false;  // the node of every pod
};

// Sections: what was simulated; one line per group; why groups did not run or failed; utilisation; the
// timeline; what of the input was not used; totals. Empty sections are left out. The last line is the totals.
// Control characters in names and messages are written out (base/utf8.h).
std::string ToText(const RunReport& report, const TextOptions& options);

// "rack" of "topology.kubernetes.io/rack".
std::string_view ShortName(std::string_view label_key);

}  // namespace cadre::report
