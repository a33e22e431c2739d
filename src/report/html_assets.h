// The style sheet and the script of the HTML report: src/report/assets/report.css and report.js, taken in
// when the build is configured (cmake/CadreEmbed.cmake), so that a report is one file.
#pragma once

#include <string_view>

namespace cadre::report {

extern const std::string_view kReportCss;
extern const std::string_view kReportJs;

}  // namespace cadre::report
