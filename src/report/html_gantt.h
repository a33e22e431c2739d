// When each group waited and ran: one row per group, or per run of groups where there are very many.
#pragma once

#include <string>
#include <string_view>

#include "report/html_axis.h"
#include "report/html_limits.h"
#include "report/run_report.h"

namespace cadre::report {

// The section; empty when nothing has a length. Names link to the rows of the table ("#g12": by index into
// report.groups) while the table has no more than limits.table_rows.
std::string GanttHtml(const RunReport& report, const HtmlLimits& limits);

// Opens and closes a chart of rows on a common time axis; `label` is text; in between come
// rows as RowHtml makes them.
std::string OpenRows(std::string_view label, const TimeAxis& axis);
std::string CloseRows();
// `name` and `bars` are HTML; `story` is text that says what the bars show; `lanes`: how many bars are on top
// of each other.
std::string RowHtml(std::string_view name, std::string_view story, std::string_view bars,
                    std::size_t lanes = 1);

}  // namespace cadre::report
