// The topology of the cluster, coloured by load, with the claims on domains.
#pragma once

#include <string>

#include "report/html_limits.h"
#include "report/run_report.h"

namespace cadre::report {

// The section; empty without nodes. Colours show the mean of the run; report.js has a slider that makes them
// show any slice of it instead, from "data-l": two hexadecimal digits of percent per slice.
std::string TreeHtml(const RunReport& report, const HtmlLimits& limits);

}  // namespace cadre::report
