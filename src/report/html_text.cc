#include "report/html_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/html_axis.h"
#include "report/html_charts.h"
#include "report/html_escape.h"
#include "report/html_limits.h"

namespace cadre::report {

namespace {

constexpr std::size_t kRunsTold = 4;

}  // namespace

std::string_view StateWord(const GroupRow& row) {
  if (row.state != GroupState::kFinished) return ToString(row.state);
  return row.outcome == "failed" ? "failed" : row.outcome == "deleted" ? "deleted" : "finished";
}

std::string NameOf(const GroupRow& row, bool with_namespace) {
  return CutText(with_namespace ? row.namespace_ + '/' + row.name : row.name, kLongestName);
}

bool NeedNamespaces(const RunReport& report) {
  return std::any_of(report.groups.begin(), report.groups.end(),
                     [](const GroupRow& row) { return row.namespace_ != "default"; });
}

std::string StoryOf(const GroupRow& row, Duration end) {
  const Duration wait = row.start.value_or(row.end.value_or(end)) - row.submit;
  std::string story;
  if (wait > Duration(0) || !row.start)
    story = fmt::format("{} {}, ", row.start ? "waited" : "waits", FormatDuration(wait));
  for (std::size_t i = 0; i < std::min(row.runs.size(), kRunsTold); ++i)
    story += fmt::format("ran {}, ", SpanText(row.runs[i]));
  if (row.runs.size() > kRunsTold) story += fmt::format("and {} times more, ", row.runs.size() - kRunsTold);
  if (row.restarts > 0) story += Count(static_cast<std::size_t>(row.restarts), "restart") + ", ";
  return story + std::string(StateWord(row));
}

std::string Grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

std::string Count(std::size_t number, std::string_view one) {
  return fmt::format("{} {}{}", Grouped(number), one, number == 1 ? "" : "s");
}

std::string Section(std::string_view id, std::string_view title, std::string_view lead,
                    std::string_view body) {
  const std::string lead_html = lead.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", lead);
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}{3}</section>\n", id,
      title, lead_html, body);
}

}  // namespace cadre::report
