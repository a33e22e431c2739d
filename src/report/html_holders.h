// Who held what: one row per domain or node, one bar per group that had pods there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/html_domains.h"
#include "report/html_limits.h"
#include "report/run_report.h"

namespace cadre::report {

// A group had pods in a part of the cluster, without a gap.
struct Holding {
  std::size_t group = 0;  // index into report.groups
  Span span;
  std::size_t members = 0;  // the most at one instant
  std::size_t lane = 0;     // bars of one lane do not overlap
};

// By part of the division, each by start, then group. A pod that moved within an instant leaves no gap.
std::vector<std::vector<Holding>> HoldingsOf(const RunReport& report, const Division& division);

// The section, with a chart by domain and one by node as far as the limits allow.
std::string HoldersHtml(const RunReport& report, const HtmlLimits& limits);

}  // namespace cadre::report
