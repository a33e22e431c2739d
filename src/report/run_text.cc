#include "report/run_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "kube/resources.h"
#include "report/gantt.h"
#include "report/printable.h"
#include "report/text_layout.h"

namespace cadre::report {

namespace {

constexpr std::size_t kNamesShown = 3;
constexpr std::size_t kNodesNamed = 2;  // beyond these they are counted
constexpr std::size_t kDomainsNamed = 2;
constexpr std::size_t kLinesShown = 20;  // of one kind of remark

bool ManyNamespaces(const RunReport& report) {
  return std::any_of(report.groups.begin(), report.groups.end(),
                     [](const GroupRow& row) { return row.namespace_ != "default"; });
}

std::string NameOf(const GroupRow& row, bool with_namespace) {
  return with_namespace ? fmt::format("{}/{}", row.namespace_, row.name) : row.name;
}

std::string FirstOf(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamesShown);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(" +{}", names.size() - shown);
  return text;
}

constexpr std::string_view kHostname = "kubernetes.io/hostname";

// How much a level tells about where something is: its place among the levels; other keys least.
std::size_t FinenessOf(const std::string& label_key, const std::vector<std::string>& levels) {
  const auto found = std::ranges::find(levels, label_key);
  return found == levels.end() ? 0 : 1 + static_cast<std::size_t>(std::distance(levels.begin(), found));
}

// The topology key whose domains say most about where the group is: the one with the most values, the finer
// of two. Not the host: nodes are named beside it.
const std::pair<const std::string, std::vector<std::string>>* FinestDomains(
    const GroupRow& row, const std::vector<std::string>& levels) {
  const std::pair<const std::string, std::vector<std::string>>* finest = nullptr;
  const auto rank = [&](const auto& domains) {
    return std::pair(domains.second.size(), FinenessOf(domains.first, levels));
  };
  for (const auto& domains : row.domains) {
    if (domains.first == kHostname) continue;
    if (finest == nullptr || rank(domains) > rank(*finest)) finest = &domains;
  }
  return finest;
}

std::string Where(const GroupRow& row, const std::vector<std::string>& levels) {
  if (row.nodes.empty()) return "";
  const auto* domains = FinestDomains(row, levels);
  const auto count = static_cast<std::int64_t>(row.nodes.size());
  if (domains == nullptr) return FirstOf(row.nodes);
  const std::string nodes = row.nodes.size() <= kNodesNamed ? fmt::format("{}", fmt::join(row.nodes, ", "))
                                                            : Quantify(count, "node");
  const auto& [key, values] = *domains;
  const std::string place = values.size() <= kDomainsNamed
                                ? fmt::format("{}", fmt::join(values, ", "))
                                : Quantify(static_cast<std::int64_t>(values.size()), ShortName(key));
  return fmt::format("{} in {}", nodes, place);
}

Cell StateCell(const GroupRow& row) {
  if (row.outcome == "failed") return {"failed", Colour::kRed};
  if (row.outcome == "deleted") return {"deleted", Colour::kYellow};
  switch (row.state) {
    case GroupState::kFinished:
      return {"finished", Colour::kGreen};
    case GroupState::kRunning:
      return {"running", Colour::kCyan};
    case GroupState::kPending:
      return {"pending", Colour::kYellow};
    case GroupState::kNever:
      return {"never", Colour::kRed};
  }
  return {};
}

std::string TimeText(const std::optional<Duration>& time) {
  return time ? FormatDuration(*time) : "-";
}

std::string Heading(std::string_view text, bool colours) {
  return '\n' + Paint(text, Colour::kBold, colours) + '\n';
}

std::string SummaryLine(const RunReport& report) {
  std::string cluster = Quantify(static_cast<std::int64_t>(report.cluster.nodes), "node");
  std::vector<std::string> domains;
  for (const auto& [key, count] : report.cluster.domains)
    domains.push_back(Quantify(static_cast<std::int64_t>(count), ShortName(key)));
  if (!domains.empty()) cluster += fmt::format(" ({})", fmt::join(domains, ", "));
  const Totals totals = TotalsOf(report);
  return fmt::format(
      "{} of {} on {}, {}{} of cluster time\n\n", Quantify(static_cast<std::int64_t>(totals.groups), "group"),
      Quantify(totals.members, "pod"), cluster, report.cut ? "the first " : "", FormatDuration(report.end));
}

std::string GroupTable(const RunReport& report, const TextOptions& options) {
  Table table({{"GROUP"},
               {"KIND"},
               {"PODS", Align::kRight},
               {"STATE"},
               {"SUBMIT", Align::kRight},
               {"WAIT", Align::kRight},
               {"START", Align::kRight},
               {"END", Align::kRight},
               {"WHERE"}});
  const bool with_namespace = ManyNamespaces(report);
  for (const GroupRow& row : report.groups) {
    const std::optional<Duration> wait = row.start ? std::optional(*row.start - row.submit) : std::nullopt;
    std::string where = Where(row, report.levels);
    if (row.restarts > 0) where += fmt::format(" ({})", Quantify(row.restarts, "restart"));
    table.AddRow({{NameOf(row, with_namespace)},
                  {row.kind},
                  {std::to_string(row.members)},
                  StateCell(row),
                  {FormatDuration(row.submit)},
                  {TimeText(wait)},
                  {TimeText(row.start)},
                  {TimeText(row.end)},
                  {where}});
  }
  return table.Render(options.width, options.colours);
}

std::string Reasons(const RunReport& report, const TextOptions& options) {
  std::string text;
  for (const GroupRow& row : report.groups) {
    if (row.reason.empty()) continue;
    const std::string line = fmt::format("  {} {}/{}, {}: {}", row.kind, row.namespace_, row.name,
                                         StateCell(row).text, row.reason);
    text += Wrap(line, options.width, 6) + '\n';
  }
  return text.empty() ? text : Heading("Why", options.colours) + text;
}

std::string Placements(const RunReport& report, const TextOptions& options) {
  if (!options.placements) return "";
  Table table({{"GROUP"}, {"POD"}, {"NODE"}, {"FROM", Align::kRight}, {"TO", Align::kRight}});
  const bool with_namespace = ManyNamespaces(report);
  bool any = false;
  for (const GroupRow& row : report.groups) {
    for (const MemberPlacement& placement : row.placements) {
      any = true;
      table.AddRow({{NameOf(row, with_namespace)},
                    {placement.member},
                    {placement.node},
                    {FormatDuration(placement.span.from)},
                    {TimeText(placement.span.to)}});
    }
  }
  return any ? Heading("Placements", options.colours) + table.Render(options.width, options.colours) : "";
}

std::string Sparkline(const std::vector<double>& fractions) {
  static constexpr std::array<std::string_view, 9> kLevels = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (const double fraction : fractions) {
    const auto level = static_cast<std::size_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * 8));
    line += kLevels[fraction > 0 ? std::max<std::size_t>(level, 1) : 0];
  }
  return line;
}

// Without the resource's name, which stands beside it.
std::string AmountOf(const ResourceUse& use) {
  const std::string text = kube::FormatAmount(use.resource, use.allocatable);
  return text.ends_with(' ' + use.resource) ? text.substr(0, text.size() - use.resource.size() - 1) : text;
}

std::string Utilisation(const RunReport& report, const TextOptions& options) {
  if (report.utilisation.empty() || report.end <= Duration(0)) return "";
  Table table({{"RESOURCE"},
               {"OFFERED", Align::kRight},
               {"MEAN", Align::kRight},
               {"PEAK", Align::kRight},
               {"OVER TIME"}});
  for (const ResourceUse& use : report.utilisation) {
    table.AddRow({{use.resource},
                  {AmountOf(use)},
                  {fmt::format("{:.0f} %", use.mean_fraction * 100)},
                  {fmt::format("{:.0f} %", use.peak_fraction * 100)},
                  {Sparkline(use.over_time)}});
  }
  return Heading("Utilisation (requested of allocatable)", options.colours) +
         table.Render(options.width, options.colours);
}

std::string Timeline(const RunReport& report, const TextOptions& options) {
  if (!options.gantt) return "";
  const std::string chart = Gantt(report, {.width = options.width, .colours = options.colours});
  return chart.empty() ? "" : Heading("Timeline (█ running, · waiting, ✗ failed)", options.colours) + chart;
}

std::string Remarks(std::string_view heading, const std::vector<std::string>& lines,
                    const TextOptions& options) {
  if (lines.empty()) return "";
  std::string text = Heading(heading, options.colours);
  const std::size_t shown = std::min(lines.size(), kLinesShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += Wrap("  " + lines[i], options.width, 6) + '\n';
  if (shown < lines.size()) text += fmt::format("  … and {} more (--json lists all)\n", lines.size() - shown);
  return text;
}

std::string UnknownKinds(const RunReport& report, const TextOptions& options) {
  std::vector<std::string> lines;
  for (const UnknownKind& unknown : report.unknown_kinds)
    lines.push_back(ToString(unknown));
  return Remarks("Kinds that Cadre does not know (left out)", lines, options);
}

std::string TotalsLine(const RunReport& report, bool colours) {
  const Totals totals = TotalsOf(report);
  std::string line = fmt::format("{} finished", totals.finished);
  if (totals.failed > 0) line += fmt::format(" ({} of them failed)", totals.failed);
  line += fmt::format(", {} running, {} pending, {} never", totals.running, totals.pending, totals.never);
  if (totals.makespan) line += fmt::format("; makespan {}", FormatDuration(*totals.makespan));
  const auto mean = [](double seconds) { return FormatDuration(Duration(std::llround(seconds * 1000))); };
  if (totals.mean_wait_s) line += fmt::format(", mean wait {}", mean(*totals.mean_wait_s));
  if (totals.mean_submit_to_end_s)
    line += fmt::format(", mean submit to end {}", mean(*totals.mean_submit_to_end_s));
  return '\n' + Paint(line, Colour::kBold, colours) + '\n';
}

}  // namespace

std::string_view ShortName(std::string_view label_key) {
  const std::size_t slash = label_key.rfind('/');
  return slash == std::string_view::npos ? label_key : label_key.substr(slash + 1);
}

std::string ToText(const RunReport& given, const TextOptions& options) {
  const RunReport report = PrintableReport(given);
  std::string text;
  if (!report.groups.empty()) text += SummaryLine(report) + GroupTable(report, options);
  text += Reasons(report, options);
  text += Placements(report, options);
  text += Utilisation(report, options);
  text += Timeline(report, options);
  text += UnknownKinds(report, options);
  text += Remarks("Input that was not used", report.problems, options);
  text += Remarks("Notes", report.notes, options);
  text += Remarks("Violations (a bug in Cadre: please report it)", report.violations, options);
  return text + TotalsLine(report, options.colours);
}

}  // namespace cadre::report
