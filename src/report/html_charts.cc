#include "report/html_charts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/resources.h"
#include "report/html_axis.h"
#include "report/html_escape.h"
#include "report/html_text.h"

namespace cadre::report {

namespace {

constexpr std::size_t kQueueSlices = 120;
constexpr std::size_t kTicks = 5;

// One line: values in equal slices, drawn as steps on a scale from 0 to `top`.
struct Line {
  std::vector<double> values;
  double top = 1;
};

// The box is as many units wide as there are slices and 100 high; CSS stretches it.
std::string StepsOf(const Line& line) {
  std::string path;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    const double y = 100 - std::clamp(line.values[i] / line.top, 0.0, 1.0) * 100;
    const bool same = i > 0 && line.values[i] == line.values[i - 1];
    if (!same) fmt::format_to(std::back_inserter(path), "{}{}", i == 0 ? "M0 " : "V", ShortNumber(y));
    const bool next_is_same = i + 1 < line.values.size() && line.values[i + 1] == line.values[i];
    if (!next_is_same) fmt::format_to(std::back_inserter(path), "H{}", i + 1);
  }
  return path;
}

std::string NumbersOf(const std::vector<double>& values) {
  std::string text;
  for (const double value : values)
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ",", ShortNumber(value));
  return text;
}

struct Figure {
  std::string name;
  std::string facts;  // "448 CPU offered · mean 31 % · peak 50 %"
  std::string top;    // label of the highest line
  std::string one;    // unit of a value in the readout, with its blank: " %", " group"
  std::string many;
  std::string_view css;
  Line line;
  double shown_as = 1;  // a value times this is what the readout shows
};

std::string FigureHtml(const Figure& figure, const TimeAxis& axis) {
  std::vector<double> shown = figure.line.values;
  std::transform(shown.begin(), shown.end(), shown.begin(),
                 [&](double value) { return std::round(value * figure.shown_as); });
  const std::string steps = StepsOf(figure.line);
  return fmt::format(R"(<figure class="chart {}"><figcaption><b>{}</b> <span>{}</span></figcaption>)"
                     R"(<div class="plot" data-v="{}" data-one="{}" data-many="{}">)"
                     R"(<svg viewBox="0 0 {} 100" preserveAspectRatio="none" role="img" aria-label="{}: {}">)"
                     R"(<path class="area" d="{}V100H0Z"/><path class="line" d="{}"/></svg>)"
                     R"(<span class="top">{}</span></div>{}</figure>)",
                     figure.css, Escape(figure.name), Escape(figure.facts), NumbersOf(shown), figure.one,
                     figure.many, figure.line.values.size(), Escape(figure.name), Escape(figure.facts), steps,
                     steps, figure.top, axis.Html(kTicks));
}

Figure UseFigure(const ResourceUse& use) {
  std::string amount = kube::FormatAmount(use.resource, use.allocatable);
  if (amount.ends_with(' ' + use.resource)) amount.resize(amount.size() - use.resource.size() - 1);
  return {.name = use.resource,
          .facts = fmt::format("{} offered · mean {} · peak {}", amount, PercentText(use.mean_fraction),
                               PercentText(use.peak_fraction)),
          .top = "100 %",
          .one = " %",
          .many = " %",
          .css = "use",
          .line = {.values = use.detail.empty() ? use.over_time : use.detail, .top = 1},
          .shown_as = 100};
}

// 1, 2 or 5 times a power of ten, at least `most`.
double NiceTop(std::size_t most) {
  double unit = 1;
  while (unit * 10 < static_cast<double>(most))
    unit *= 10;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (unit * factor >= static_cast<double>(most)) return unit * factor;
  }
  return unit * 10;
}

Figure QueueFigure(std::string_view what, const std::vector<std::size_t>& counts, std::size_t most) {
  const double top = NiceTop(most);
  return {.name = fmt::format("waiting {}s", what),
          .facts = fmt::format("at most {}", Grouped(most)),
          .top = Grouped(static_cast<std::size_t>(top)),
          .one = fmt::format(" {}", what),
          .many = fmt::format(" {}s", what),
          .css = "queue",
          .line = {.values = {counts.begin(), counts.end()}, .top = top},
          .shown_as = 1};
}

struct Step {
  Duration at{0};
  std::int64_t groups = 0;
  std::int64_t members = 0;
};

std::vector<Step> StepsIn(const RunReport& report) {
  std::vector<Step> steps;
  for (const GroupRow& row : report.groups) {
    if (row.state == GroupState::kNever) continue;
    for (const Span& wait : WaitsOf(row, report.end)) {
      steps.push_back({wait.from, +1, +row.members});
      if (wait.to) steps.push_back({*wait.to, -1, -row.members});
    }
  }
  // Who leaves at an instant does not wait beside who comes at it.
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::pair(a.at, a.groups) < std::pair(b.at, b.groups);
  });
  return steps;
}

}  // namespace

std::vector<Span> WaitsOf(const GroupRow& row, Duration end) {
  std::vector<Span> waits;
  Duration free_since = row.submit;
  for (const Span& run : row.runs) {
    if (run.from > free_since) waits.push_back({free_since, run.from});
    free_since = run.to.value_or(end);
    if (!run.to) return waits;
  }
  if (row.end) {
    if (*row.end > free_since) waits.push_back({free_since, row.end});
  } else if (free_since < end) {
    waits.push_back({free_since, std::nullopt});
  }
  return waits;
}

QueueOverTime QueueOf(const RunReport& report, std::size_t slices) {
  CADRE_ASSERT(report.end > Duration(0) && slices > 0, "a queue over no time");
  QueueOverTime queue{std::vector<std::size_t>(slices), std::vector<std::size_t>(slices), 0, 0};
  const TimeAxis axis(report.end);
  const std::vector<Step> steps = StepsIn(report);
  std::int64_t groups = 0;
  std::int64_t members = 0;
  std::size_t next = 0;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    const Duration until = axis.SliceStart(slice + 1, slices);
    // What changes at the border is seen by the slice that it begins.
    while (next < steps.size() && steps[next].at <= axis.SliceStart(slice, slices)) {
      groups += steps[next].groups;
      members += steps[next++].members;
    }
    std::int64_t most_groups = groups;
    std::int64_t most_members = members;
    while (next < steps.size() && steps[next].at < until) {
      groups += steps[next].groups;
      members += steps[next++].members;
      most_groups = std::max(most_groups, groups);
      most_members = std::max(most_members, members);
    }
    queue.groups[slice] = static_cast<std::size_t>(most_groups);
    queue.members[slice] = static_cast<std::size_t>(most_members);
  }
  queue.most_groups = *std::max_element(queue.groups.begin(), queue.groups.end());
  queue.most_members = *std::max_element(queue.members.begin(), queue.members.end());
  return queue;
}

std::string ChartsHtml(const RunReport& report) {
  if (report.end <= Duration(0)) return "";
  const TimeAxis axis(report.end);
  std::string html = R"(<div class="charts">)";
  for (const ResourceUse& use : report.utilisation)
    html += FigureHtml(UseFigure(use), axis) + '\n';
  const QueueOverTime queue = QueueOf(report, kQueueSlices);
  html += FigureHtml(QueueFigure("group", queue.groups, queue.most_groups), axis) + '\n';
  html += FigureHtml(QueueFigure("member", queue.members, queue.most_members), axis);
  return html + "</div>\n";
}

}  // namespace cadre::report
