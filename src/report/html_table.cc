#include "report/html_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "report/html_escape.h"
#include "report/html_text.h"
#include "report/run_text.h"

namespace cadre::report {

namespace {

constexpr std::size_t kNamesShown = 3;
constexpr std::size_t kLevelsShown = 4;  // the finest that a group has

struct Column {
  std::string_view title;
  std::string_view css;
  std::string_view sort;  // how report.js compares its cells
};

constexpr auto kColumns = std::to_array<Column>({
    {"Group", "", "text"},
    {"Pods", "num", "number"},
    {"State", "", "text"},
    {"Submit", "num", "number"},
    {"Wait", "num", "number"},
    {"Start", "num", "number"},
    {"End", "num", "number"},
    {"Nodes", "", "number"},
    {"Domains", "", "text"},
    {"Why", "", "text"},
});

// Names, or how many there are where they would fill the page.
std::string NamesOrCount(const std::vector<std::string>& names, std::string_view one) {
  if (names.size() > kNamesShown) return Count(names.size(), EscapeCut(one, kLongestName));
  std::string text;
  for (const std::string& name : names)
    fmt::format_to(std::back_inserter(text), "{}<bdi>{}</bdi>", text.empty() ? "" : ", ",
                   EscapeCut(name, kLongestName));
  return text;
}

// Coarse to fine; keys that are no level of the cluster come last.
std::string DomainsOf(const GroupRow& row, const std::vector<std::string>& levels) {
  std::vector<std::string> keys;
  for (const std::string& level : levels) {
    if (row.domains.contains(level)) keys.push_back(level);
  }
  for (const auto& [key, values] : row.domains) {
    if (std::find(levels.begin(), levels.end(), key) == levels.end()) keys.push_back(key);
  }
  if (keys.size() > kLevelsShown) keys.erase(keys.begin(), keys.end() - kLevelsShown);
  std::string text;
  for (const std::string& key : keys) {
    const std::vector<std::string>& values = row.domains.at(key);
    const std::string_view level = ShortName(key);
    if (!text.empty()) text += "<br>";
    if (values.size() <= kNamesShown)
      text += fmt::format("<small>{}</small> ", EscapeCut(level, kLongestName));
    text += NamesOrCount(values, level);
  }
  return text;
}

void AddTime(std::string& html, const std::optional<Duration>& time) {
  if (time) {
    fmt::format_to(std::back_inserter(html), R"(<td data-v="{}">{}</td>)", time->count(),
                   FormatDuration(*time));
  } else {
    html += "<td>–</td>";
  }
}

std::string Why(const GroupRow& row) {
  std::string why = EscapeCut(row.reason, kLongestReason);
  const auto add = [&](std::int32_t count, std::string_view what) {
    if (count > 0) why += (why.empty() ? "" : "; ") + Count(static_cast<std::size_t>(count), what);
  };
  add(row.restarts, "restart");
  add(row.recreated_pods, "recreated pod");
  return why;
}

void AddRow(std::string& html, const RunReport& report, std::size_t index, bool with_namespace) {
  const GroupRow& row = report.groups[index];
  fmt::format_to(std::back_inserter(html),
                 R"(<tr id="g{}"><th scope="row">{} <small>{}</small></th><td data-v="{}">{}</td>)"
                 R"(<td><span class="st {}">{}</span></td>)",
                 index, EscapeCut(NameOf(row, with_namespace), kLongestName),
                 EscapeCut(row.kind, kLongestName), row.members, row.members, StateWord(row), StateWord(row));
  AddTime(html, row.submit);
  AddTime(html, row.start ? std::optional(*row.start - row.submit) : std::nullopt);
  AddTime(html, row.start);
  AddTime(html, row.end);
  fmt::format_to(std::back_inserter(html), R"(<td data-v="{}">{}</td><td>{}</td><td>{}</td></tr>)",
                 row.nodes.size(), NamesOrCount(row.nodes, "node"), DomainsOf(row, report.levels), Why(row));
  html += '\n';
}

bool EndedWell(const GroupRow& row) {
  return row.state == GroupState::kRunning || (row.state == GroupState::kFinished && row.outcome != "failed");
}

std::string Head() {
  std::string html = "<thead><tr>";
  for (const Column& column : kColumns)
    html += fmt::format(R"(<th scope="col" class="{}" data-sort="{}">{}</th>)", column.css, column.sort,
                        column.title);
  return html + "</tr></thead>\n";
}

}  // namespace

std::vector<std::size_t> ListedGroups(const RunReport& report, std::size_t most) {
  std::vector<std::size_t> listed(report.groups.size());
  std::iota(listed.begin(), listed.end(), std::size_t{0});
  if (listed.size() <= most) return listed;
  std::stable_partition(listed.begin(), listed.end(),
                        [&](std::size_t i) { return !EndedWell(report.groups[i]); });
  listed.resize(most);
  std::sort(listed.begin(), listed.end());
  return listed;
}

std::string TableHtml(const RunReport& report, const HtmlLimits& limits) {
  if (report.groups.empty()) return "";
  const std::vector<std::size_t> listed = ListedGroups(report, limits.table_rows);
  std::string html;
  if (listed.size() < report.groups.size())
    html += fmt::format(
        "<p class=\"note\">{} of {} are listed: those that did not end well, and the earliest of the others. "
        "--json has them all.</p>\n",
        Grouped(listed.size()), Count(report.groups.size(), "group"));
  html +=
      R"(<form class="find" role="search" hidden><label for="find">Find</label> )"
      R"(<input id="find" type="search" placeholder="name, state, node, reason" autocomplete="off" spellcheck="false"> )"
      R"(<output for="find"></output></form>)"
      "\n"
      R"(<div class="scroll" tabindex="0" role="region" aria-labelledby="groups-h"><table id="table">)"
      "\n";
  html += Head() + "<tbody>\n";
  const bool with_namespace = NeedNamespaces(report);
  for (const std::size_t index : listed)
    AddRow(html, report, index, with_namespace);
  html += "</tbody></table></div>\n<p><button id=\"more\" type=\"button\" hidden></button></p>\n";
  return Section("groups", "Groups", "", html);
}

}  // namespace cadre::report
