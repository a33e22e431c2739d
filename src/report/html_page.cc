#include "report/html_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/html_assets.h"
#include "report/html_axis.h"
#include "report/html_charts.h"
#include "report/html_escape.h"
#include "report/html_gantt.h"
#include "report/html_holders.h"
#include "report/html_table.h"
#include "report/html_text.h"
#include "report/html_tree.h"
#include "report/run_text.h"

namespace cadre::report {

namespace {

constexpr std::size_t kOpenRemarks = 8;  // longer lists are folded

std::string ClusterText(const RunReport& report) {
  std::vector<std::string> domains;
  for (const auto& [key, count] : report.cluster.domains)
    domains.push_back(Count(count, ShortName(key)));
  const std::string nodes = Count(report.cluster.nodes, "node");
  return domains.empty() ? nodes : fmt::format("{} ({})", nodes, fmt::join(domains, ", "));
}

std::string Subtitle(const RunReport& report, const Totals& totals) {
  return fmt::format("{} of {} on {}; {}{} of cluster time from {}", Count(totals.groups, "group"),
                     Count(static_cast<std::size_t>(totals.members), "pod"), ClusterText(report),
                     report.cut ? "the first " : "", FormatDuration(report.end), FormatRfc3339(report.start));
}

struct Figure {
  std::string value;
  std::string_view label;
  std::string_view css;
};

std::string SecondsText(const std::optional<double>& seconds) {
  return seconds ? FormatDuration(Duration(std::llround(*seconds * 1000))) : "–";
}

std::string FiguresHtml(const RunReport& report, const Totals& totals) {
  const auto count = [](std::size_t number) { return Grouped(number); };
  const auto css = [](std::size_t number, std::string_view name) { return number > 0 ? name : ""; };
  std::vector<Figure> figures = {
      {count(totals.finished), "finished", css(totals.finished, "good")},
      {count(totals.failed), "of them failed", css(totals.failed, "bad")},
      {count(totals.running), "running", css(totals.running, "run")},
      {count(totals.pending), "pending", css(totals.pending, "warn")},
      {count(totals.never), "never", css(totals.never, "bad")},
      {totals.makespan ? FormatDuration(*totals.makespan) : "–", "makespan", ""},
      {SecondsText(totals.mean_wait_s), "mean wait", ""},
      {SecondsText(totals.max_wait_s), "longest wait", ""},
  };
  if (totals.restarts > 0)
    figures.push_back({count(static_cast<std::size_t>(totals.restarts)), "restarts", ""});
  std::string html = "<dl class=\"figures\">\n";
  for (const Figure& figure : figures)
    html += fmt::format("<div class=\"{}\"><dd>{}</dd><dt>{}</dt></div>\n", figure.css, figure.value,
                        figure.label);
  if (!report.violations.empty())
    html += fmt::format("<div class=\"bad\"><dd>{}</dd><dt>violations</dt></div>\n",
                        Grouped(report.violations.size()));
  return html + "</dl>\n";
}

struct Remarks {
  std::string_view id;
  std::string_view title;
  std::string_view css;
  std::vector<std::string> lines;
};

std::string RemarksHtml(const Remarks& remarks, const HtmlLimits& limits) {
  if (remarks.lines.empty()) return "";
  const std::size_t shown = std::min(remarks.lines.size(), limits.remarks);
  std::string list = "<ul>\n";
  for (std::size_t i = 0; i < shown; ++i)
    list += fmt::format("<li>{}</li>\n", EscapeCut(remarks.lines[i], kLongestReason));
  list += "</ul>\n";
  if (shown < remarks.lines.size())
    list += fmt::format("<p class=\"note\">And {} more; --json has them all.</p>\n",
                        Grouped(remarks.lines.size() - shown));
  const bool open = remarks.lines.size() <= kOpenRemarks;
  const std::string body = open ? list
                                : fmt::format("<details><summary>Show all {}</summary>\n{}</details>\n",
                                              Grouped(remarks.lines.size()), list);
  return Section(remarks.id, remarks.title, "",
                 fmt::format("<div class=\"remarks {}\">\n{}</div>\n", remarks.css, body));
}

std::vector<std::string> UnknownKinds(const RunReport& report) {
  std::vector<std::string> lines;
  for (const UnknownKind& unknown : report.unknown_kinds)
    lines.push_back(ToString(unknown));
  return lines;
}

std::vector<std::string> ClaimLines(const RunReport& report) {
  std::vector<std::string> lines;
  for (const DomainClaim& claim : report.claims) {
    std::vector<std::string> values;
    std::copy_if(claim.path.begin(), claim.path.end(), std::back_inserter(values),
                 [](const std::string& value) { return !value.empty(); });
    lines.push_back(fmt::format("{} {}: {}, {}", ShortName(claim.key), fmt::join(values, " / "), claim.group,
                                SpanText(claim.span)));
  }
  return lines;
}

struct Part {
  std::string_view id;
  std::string_view title;
  std::string html;  // empty: left out
};

std::vector<Part> PartsOf(const RunReport& report, const HtmlLimits& limits) {
  const auto remarks = [&](std::string_view id, std::string_view title, std::string_view css,
                           std::vector<std::string> lines) {
    return RemarksHtml({id, title, css, std::move(lines)}, limits);
  };
  const std::string charts = ChartsHtml(report);
  std::vector<Part> parts = {
      {"violations", "Violations",
       remarks("violations", "Violations (a bug in Cadre: please report it)", "bad", report.violations)},
      {"problems", "Problems", remarks("problems", "Input that was not used", "warn", report.problems)},
      {"use", "Use and queue",
       charts.empty()
           ? ""
           : Section("use", "Use and queue", "Requested of allocatable, and what waited.", charts)},
      {"timeline", "Timeline", GanttHtml(report, limits)},
      {"holders", "Who held what", HoldersHtml(report, limits)},
      {"topology", "Topology", TreeHtml(report, limits)},
      {"claims", "Claims", remarks("claims", "Claims on exclusive domains", "", ClaimLines(report))},
      {"groups", "Groups", TableHtml(report, limits)},
      {"unknown", "Unknown kinds",
       remarks("unknown", "Kinds that Cadre does not know (left out)", "", UnknownKinds(report))},
      {"notes", "Notes", remarks("notes", "Notes", "", report.notes)},
  };
  std::erase_if(parts, [](const Part& part) { return part.html.empty(); });
  return parts;
}

constexpr std::string_view kFooter =
    "<footer>A group waits from its submission until its minimum of members is placed, and ends with its Job "
    "or JobSet, "
    "or when its pods have ended. Times count from the start of the run. Made by <code>cadre simulate "
    "--html</code>."
    "</footer>\n";

// The browser itself refuses whatever would leave this file.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri "
    "'none'; "
    "form-action 'none'";

}  // namespace

std::string ToHtml(const RunReport& report, const HtmlLimits& limits) {
  const Totals totals = TotalsOf(report);
  const std::string subtitle = Escape(Subtitle(report, totals));
  const std::vector<Part> parts = PartsOf(report, limits);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>Cadre: {} on {}</title>\n<style>\n",
      kPolicy, Escape(Count(totals.groups, "group")), Escape(Count(report.cluster.nodes, "node")));
  html += kReportCss;
  html += fmt::format(
      "</style>\n</head>\n<body>\n<header>\n<p class=\"brand\">Cadre</p>\n<h1>Simulation report</h1>\n"
      "<p class=\"sub\">{}</p>\n{}<nav aria-label=\"Sections\">",
      subtitle, FiguresHtml(report, totals));
  for (const Part& part : parts)
    html += fmt::format("<a href=\"#{}\">{}</a>", part.id, part.title);
  html += "</nav>\n</header>\n<main>\n";
  for (const Part& part : parts)
    html += part.html;
  html += "</main>\n";
  html += kFooter;
  html += "<div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div>\n<script>\n";
  html += kReportJs;
  return html + "</script>\n</body>\n</html>\n";
}

}  // namespace cadre::report
