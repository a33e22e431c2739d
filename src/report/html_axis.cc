#include "report/html_axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/gantt.h"

namespace cadre::report {

namespace {

// Labels start at their tick: one that starts later than this would not end inside the chart.
constexpr double kLastLabel = 0.93;

double Share(Duration time, Duration end) {
  return std::clamp(static_cast<double>(time.count()) / static_cast<double>(end.count()), 0.0, 1.0);
}

}  // namespace

std::string ShortNumber(double number) {
  std::string text = fmt::format("{:.2f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string PercentText(double fraction) {
  if (fraction > 0 && fraction < 0.01) return "1 %";
  if (fraction < 1 && fraction > 0.99) return "99 %";
  return fmt::format("{} %", std::lround(fraction * 100));
}

std::string SpanText(const Span& span) {
  return fmt::format("{} – {}", FormatDuration(span.from),
                     span.to ? FormatDuration(*span.to) : "end of the run");
}

std::string TimeAxis::Position(Duration time) const {
  return ShortNumber(Share(time, end_) * 100) + '%';
}

std::string TimeAxis::Box(Duration from, Duration to) const {
  return fmt::format("left:{}%;width:{}%", ShortNumber(Share(from, end_) * 100),
                     ShortNumber((Share(to, end_) - Share(from, end_)) * 100));
}

Duration TimeAxis::Tick(std::size_t ticks) const {
  const auto count = static_cast<std::int64_t>(ticks);
  return RoundUpToNice(Duration((end_.count() + count - 1) / count));
}

std::string TimeAxis::Html(std::size_t ticks) const {
  const Duration tick = Tick(ticks);
  std::string html = R"(<div class="axis" aria-hidden="true">)";
  for (Duration time{0}; Share(time, end_) <= kLastLabel; time += tick)
    html += fmt::format(R"(<span style="left:{}">{}</span>)", Position(time),
                        time == Duration(0) ? "0" : FormatDuration(time));
  return html + "</div>";
}

Duration TimeAxis::SliceStart(std::size_t index, std::size_t count) const {
  return Duration(end_.count() * static_cast<std::int64_t>(index) / static_cast<std::int64_t>(count));
}

}  // namespace cadre::report
