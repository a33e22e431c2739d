#include "report/html_gantt.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/html_axis.h"
#include "report/html_charts.h"
#include "report/html_escape.h"
#include "report/html_text.h"

namespace cadre::report {

namespace {

constexpr std::size_t kTicks = 8;
constexpr std::size_t kRunsDrawn = 40;  // of one group
constexpr std::size_t kFoldedSlices = 60;

// Runs that would look like one are drawn as one, and so are as many as it takes to have few.
std::vector<Span> Merged(std::vector<Span> runs, Duration end) {
  Duration gap = end / 1000;
  for (; runs.size() > 1; gap = std::max(gap * 2, Duration(1))) {
    std::vector<Span> merged;
    for (const Span& run : runs) {
      if (!merged.empty() && run.from - merged.back().to.value_or(end) <= gap) {
        merged.back().to = run.to;
      } else {
        merged.push_back(run);
      }
    }
    runs = std::move(merged);
    if (runs.size() <= kRunsDrawn) break;
  }
  return runs;
}

std::string BarsOf(const GroupRow& row, const TimeAxis& axis) {
  std::string bars;
  const auto add = [&](std::string_view css, const Span& span, std::string_view what) {
    const Duration to = span.to.value_or(axis.end());
    fmt::format_to(std::back_inserter(bars), R"html(<i class="{}" style="{}" title="{} {} ({})"></i>)html",
                   css, axis.Box(span.from, to), what, SpanText(span), FormatDuration(to - span.from));
  };
  const bool never = row.state == GroupState::kNever;
  for (const Span& wait : Merged(WaitsOf(row, axis.end()), axis.end()))
    add(never ? "n" : "w", wait, never ? "can never run:" : "waits");
  const std::vector<Span> runs = Merged(row.runs, axis.end());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool last = i + 1 == runs.size();
    const bool failed = last && row.outcome == "failed";
    add(failed       ? "r f"
        : runs[i].to ? "r"
                     : "r o",
        runs[i],
        i > 0    ? "runs again"
        : failed ? "runs, fails at the end"
                 : "runs");
  }
  if (row.outcome == "failed" && row.end)
    fmt::format_to(std::back_inserter(bars), R"(<i class="x" style="left:{}" title="failed at {}">×</i>)",
                   axis.Position(*row.end), FormatDuration(*row.end));
  return bars;
}

std::string GroupRowHtml(const RunReport& report, std::size_t index, bool with_namespace, bool linked,
                         const TimeAxis& axis) {
  const GroupRow& row = report.groups[index];
  const std::string space =
      with_namespace ? fmt::format("<small>{}/</small>", EscapeCut(row.namespace_, kLongestName)) : "";
  const std::string name = space + EscapeCut(NameOf(row, false), kLongestName);
  const std::string again =
      row.restarts > 0 ? fmt::format(R"( <small title="{}">↻{}</small>)",
                                     Count(static_cast<std::size_t>(row.restarts), "restart"), row.restarts)
                       : "";
  const std::string label =
      linked ? fmt::format(R"(<a href="#g{}">{}</a>{})", index, name, again) : name + again;
  return RowHtml(label, StoryOf(row, axis.end()), BarsOf(row, axis));
}

std::string RowsOf(const RunReport& report, const std::vector<std::size_t>& groups, std::string_view label,
                   bool linked, const TimeAxis& axis) {
  const bool with_namespace = NeedNamespaces(report);
  std::string html = OpenRows(label, axis);
  for (const std::size_t index : groups)
    html += GroupRowHtml(report, index, with_namespace, linked, axis);
  return html + CloseRows();
}

Duration WaitOf(const GroupRow& row, Duration end) {
  return row.start.value_or(row.end.value_or(end)) - row.submit;
}

// Indexes of the groups that waited longest, in the order of the report.
std::vector<std::size_t> LongestWaits(const RunReport& report, std::size_t count) {
  std::vector<std::size_t> order(report.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return WaitOf(report.groups[a], report.end) > WaitOf(report.groups[b], report.end);
  });
  order.resize(std::min(order.size(), count));
  std::sort(order.begin(), order.end());
  return order;
}

// How many groups of [from, to) run in each slice, on average.
std::vector<double> RunningIn(const RunReport& report, std::size_t from, std::size_t to,
                              const TimeAxis& axis) {
  std::vector<double> running(kFoldedSlices);
  for (std::size_t i = from; i < to; ++i) {
    for (const Span& run : report.groups[i].runs) {
      const Duration run_end = run.to.value_or(axis.end());
      auto slice = static_cast<std::size_t>(run.from.count() * static_cast<std::int64_t>(kFoldedSlices) /
                                            axis.end().count());
      for (; slice < kFoldedSlices && axis.SliceStart(slice, kFoldedSlices) < run_end; ++slice) {
        const Duration slice_from = axis.SliceStart(slice, kFoldedSlices);
        const Duration slice_to = axis.SliceStart(slice + 1, kFoldedSlices);
        const Duration overlap = std::min(run_end, slice_to) - std::max(run.from, slice_from);
        if (slice_to > slice_from && overlap > Duration(0))
          running[slice] += Seconds(overlap) / Seconds(slice_to - slice_from);
      }
    }
  }
  return running;
}

std::string FoldedRowHtml(const RunReport& report, std::size_t from, std::size_t to, const TimeAxis& axis) {
  const std::vector<double> running = RunningIn(report, from, to, axis);
  const auto groups = static_cast<double>(to - from);
  std::string bars;
  for (std::size_t slice = 0; slice < kFoldedSlices; ++slice) {
    if (running[slice] <= 0) continue;
    const auto level = static_cast<int>(std::clamp(running[slice] / groups * 10 + 0.5, 1.0, 10.0));
    const Duration start = axis.SliceStart(slice, kFoldedSlices);
    fmt::format_to(std::back_inserter(bars), R"(<i class="l{}" style="{}" title="{}: {:.1f} of {} run"></i>)",
                   level, axis.Box(start, axis.SliceStart(slice + 1, kFoldedSlices)), FormatDuration(start),
                   running[slice], to - from);
  }
  const Duration first = report.groups[from].submit;
  const std::string name = fmt::format("{}–{}", Grouped(from + 1), Grouped(to));
  return RowHtml(
      name, fmt::format("{}, the first submitted at {}", Count(to - from, "group"), FormatDuration(first)),
      bars);
}

std::string FoldedRows(const RunReport& report, const HtmlLimits& limits, const TimeAxis& axis) {
  const std::size_t count = report.groups.size();
  const std::size_t per_row = (count + limits.folded_rows - 1) / limits.folded_rows;
  std::string html = OpenRows("Share of the groups that run, by order of submission", axis);
  for (std::size_t from = 0; from < count; from += per_row)
    html += FoldedRowHtml(report, from, std::min(from + per_row, count), axis);
  return fmt::format(
      "<h3>All {}, {} in a row</h3>\n<p class=\"note\">More than {} groups are not drawn one by one: each "
      "row stands for "
      "groups that were submitted one after the other; the darker, the more of them run.</p>\n{}",
      Count(count, "group"), Grouped(per_row), Grouped(limits.gantt_rows), html + CloseRows());
}

}  // namespace

std::string OpenRows(std::string_view label, const TimeAxis& axis) {
  return fmt::format(
      R"(<div class="scroll rows" tabindex="0" role="region" aria-label="{}">)"
      R"(<div class="in" style="--tick:{}"><div class="row head"><span class="name"></span>{}</div>)"
      "\n",
      Escape(label), axis.Position(axis.Tick(kTicks)), axis.Html(kTicks));
}

std::string CloseRows() {
  return "</div></div>\n";
}

std::string RowHtml(std::string_view name, std::string_view story, std::string_view bars, std::size_t lanes) {
  const std::string height = lanes > 1 ? fmt::format(R"( style="--lanes:{}")", lanes) : "";
  return fmt::format(
      R"(<div class="row"{}><span class="name">{}</span><div class="track" role="img" aria-label="{}">{}</div></div>)"
      "\n",
      height, name, Escape(story), bars);
}

std::string GanttHtml(const RunReport& report, const HtmlLimits& limits) {
  if (report.groups.empty() || report.end <= Duration(0)) return "";
  const TimeAxis axis(report.end);
  const bool linked = report.groups.size() <= limits.table_rows;
  constexpr std::string_view kLegend =
      R"(<span class="key"><i class="w"></i>waits</span> <span class="key"><i class="r"></i>pods hold nodes</span> )"
      R"(<span class="key"><i class="r f"></i>failed</span> <span class="key"><i class="n"></i>can never run</span>)";
  std::string body;
  if (report.groups.size() <= limits.gantt_rows) {
    std::vector<std::size_t> all(report.groups.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    body = RowsOf(report, all, "Timeline by group", linked, axis);
  } else {
    const std::vector<std::size_t> longest = LongestWaits(report, limits.longest_waits);
    body = FoldedRows(report, limits, axis) +
           fmt::format("<h3>The {} that waited longest</h3>\n", Count(longest.size(), "group")) +
           RowsOf(report, longest, "Timeline of the groups that waited longest", linked, axis);
  }
  return Section("timeline", "Timeline by group", kLegend, body);
}

}  // namespace cadre::report
