// Time as horizontal position: everything in the report that has a time axis has this one.
#pragma once

#include <cstddef>
#include <string>

#include "report/run_report.h"

namespace cadre::report {

// A run cut into equal slices, for whatever is shown over time.
class TimeAxis {
 public:
  // REQUIRES: end > 0.
  explicit TimeAxis(Duration end) : end_(end) {}

  Duration end() const { return end_; }
  // "12.5%": of the whole width. Clamped to the run.
  std::string Position(Duration time) const;
  // left and width of a CSS box, "left:10%;width:2.5%". REQUIRES: from <= to.
  std::string Box(Duration from, Duration to) const;
  // The distance between ticks; at most `ticks` of them fit.
  Duration Tick(std::size_t ticks) const;
  // A row of labels, <div class="axis">.
  std::string Html(std::size_t ticks) const;
  // The start of slice `index` of `count`; index may be count.
  Duration SliceStart(std::size_t index, std::size_t count) const;

 private:
  Duration end_;
};

// "12.5": up to two decimals, no zeros at the end.
std::string ShortNumber(double number);

// "62 %". What is more than nothing is at least "1 %", what is less than all at most "99 %".
std::string PercentText(double fraction);

// "10 s – 4m", or "10 s – end of the run" for what still is so.
std::string SpanText(const Span& span);

}  // namespace cadre::report
