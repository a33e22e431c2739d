#include "report/gantt.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/text_layout.h"

namespace cadre::report {

namespace {

constexpr std::size_t kWidestLabel = 28;
constexpr std::size_t kNarrowestBar = 20;
constexpr std::size_t kBetweenTicks = 12;  // columns, so that labels do not touch

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kNice = std::to_array<Duration>(
    {milliseconds(1),  milliseconds(2),   milliseconds(5),   milliseconds(10),  milliseconds(20),
     milliseconds(50), milliseconds(100), milliseconds(200), milliseconds(500), seconds(1),
     seconds(2),       seconds(5),        seconds(10),       seconds(15),       seconds(30),
     minutes(1),       minutes(2),        minutes(5),        minutes(10),       minutes(15),
     minutes(30),      hours(1),          hours(2),          hours(3),          hours(6),
     hours(12),        hours(24),         hours(48),         hours(24 * 7)});

// One line's worth of time per column.
struct Scale {
  Duration slice{1};
  std::size_t columns = 0;
  Duration At(std::size_t column) const { return slice * static_cast<std::int64_t>(column); }
};

Scale ScaleFor(Duration end, std::size_t columns) {
  const auto count = static_cast<std::int64_t>(columns);
  const Duration slice = RoundUpToNice(Duration((end.count() + count - 1) / count));
  return {slice, static_cast<std::size_t>((end.count() + slice.count() - 1) / slice.count())};
}

struct CellState {
  double covered = 0;  // share of the column
  bool from_left = false;
  bool touched = false;  // something ran in it, if only for an instant
};

CellState Cover(const GroupRow& row, Duration end, Duration from, Duration to) {
  CellState cell;
  for (const Span& run : row.runs) {
    const Duration run_end = run.to.value_or(end);
    if (run.from >= to || run_end < from || (run_end == from && run.from != run_end)) continue;
    const Duration overlap = std::min(run_end, to) - std::max(run.from, from);
    cell.covered += static_cast<double>(overlap.count()) / static_cast<double>((to - from).count());
    cell.from_left = cell.from_left || run.from <= from;
    cell.touched = true;
  }
  return cell;
}

std::string_view BlockFor(const CellState& cell) {
  static constexpr std::array<std::string_view, 9> kEighths = {"▏", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  if (cell.from_left || cell.covered == 0)
    return kEighths[static_cast<std::size_t>(std::lround(std::min(cell.covered, 1.0) * 8))];
  return cell.covered > 0.75 ? "█" : "▐";
}

bool FailedWithin(const GroupRow& row, Duration from, Duration to) {
  // An end on the border between two columns belongs to the one before it.
  return row.outcome == "failed" && row.end && *row.end > from && *row.end <= to;
}

bool WaitsWithin(const GroupRow& row, Duration from, Duration to) {
  return row.submit < to && (!row.end || *row.end > from);
}

std::string Bar(const GroupRow& row, Duration end, const Scale& scale, bool colours) {
  std::string bar;
  const Colour running = row.outcome == "failed" ? Colour::kYellow : Colour::kGreen;
  const Colour waiting = row.state == GroupState::kNever ? Colour::kRed : Colour::kDim;
  for (std::size_t column = 0; column < scale.columns; ++column) {
    const Duration from = scale.At(column);
    const Duration to = std::min(scale.At(column + 1), std::max(end, from + Duration(1)));
    const CellState cell = Cover(row, end, from, to);
    if (FailedWithin(row, from, to)) {
      bar += Paint("✗", Colour::kRed, colours);
    } else if (cell.touched) {
      bar += Paint(BlockFor(cell), running, colours);
    } else {
      bar += WaitsWithin(row, from, to) ? Paint("·", waiting, colours) : " ";
    }
  }
  bar.erase(bar.find_last_not_of(' ') + 1);
  return bar;
}

std::string Axis(const Scale& scale, std::size_t label_width) {
  const auto step = static_cast<std::size_t>(
      RoundUpToNice(scale.slice * static_cast<std::int64_t>(kBetweenTicks)).count() / scale.slice.count());
  std::string axis(label_width, ' ');
  for (std::size_t column = 0; column < scale.columns; column += std::max<std::size_t>(step, 1)) {
    axis.append(label_width + column - DisplayWidth(axis), ' ');
    axis += fmt::format("|{}", column == 0 ? "0" : FormatDuration(scale.At(column)));
  }
  return axis;
}

}  // namespace

Duration RoundUpToNice(Duration minimum) {
  const auto* nice = std::lower_bound(kNice.begin(), kNice.end(), minimum);
  if (nice != kNice.end()) return *nice;
  const Duration week = kNice.back();
  return week * ((minimum.count() + week.count() - 1) / week.count());
}

std::string Gantt(const RunReport& report, const GanttOptions& options) {
  if (report.groups.empty() || report.end <= Duration(0)) return "";
  const std::size_t rows = std::min(report.groups.size(), options.max_rows);
  std::size_t label_width = 0;
  for (std::size_t i = 0; i < rows; ++i)
    label_width = std::max(label_width, DisplayWidth(report.groups[i].name));
  label_width = std::min(label_width, kWidestLabel) + 2;
  const std::size_t bar_width = std::max(options.width - std::min(options.width, label_width), kNarrowestBar);
  const Scale scale = ScaleFor(report.end, bar_width);

  std::string chart = Axis(scale, label_width) + '\n';
  for (std::size_t i = 0; i < rows; ++i) {
    const GroupRow& row = report.groups[i];
    std::string label = Shorten(row.name, label_width - 2);
    label.append(label_width - DisplayWidth(label), ' ');
    std::string line = label + Bar(row, report.end, scale, options.colours);
    line.erase(line.find_last_not_of(' ') + 1);
    chart += line + '\n';
  }
  if (rows < report.groups.size())
    chart += fmt::format("… and {} more groups\n", report.groups.size() - rows);
  return chart;
}

}  // namespace cadre::report
