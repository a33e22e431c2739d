// The report as one HTML file that needs nothing else: style and script are in it, and it asks no server for
// anything. Everything can be seen without the script, which only adds searching, sorting, tooltips and a
// slider.
#pragma once

#include <string>

#include "report/html_limits.h"
#include "report/run_report.h"

namespace cadre::report {

// The same bytes for the same report. Sections without content are left out. With the default limits less
// than kLargestHtmlBytes.
std::string ToHtml(const RunReport& report, const HtmlLimits& limits = {});

}  // namespace cadre::report
