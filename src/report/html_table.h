// One row per group: state, times, places, and why it waits, never runs or failed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/html_limits.h"
#include "report/run_report.h"

namespace cadre::report {

// Indexes of the groups that are listed, in the order of the report: all while there are at most `most`, else
// first those that did not end well, then the earliest.
std::vector<std::size_t> ListedGroups(const RunReport& report, std::size_t most);

// The section; empty without groups. A plain table; report.js adds search, sorting and paging. Row ids are
// "g" and the index into report.groups; cells that hold times carry them as data-v, in milliseconds.
std::string TableHtml(const RunReport& report, const HtmlLimits& limits);

}  // namespace cadre::report
