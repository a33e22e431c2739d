#include "report/run_report.h"

#include <algorithm>

#include <fmt/format.h>

namespace cadre::report {

std::string_view ToString(GroupState state) {
  switch (state) {
    case GroupState::kFinished:
      return "finished";
    case GroupState::kRunning:
      return "running";
    case GroupState::kPending:
      return "pending";
    case GroupState::kNever:
      return "never";
  }
  return "";
}

std::string ToString(const UnknownKind& unknown) {
  return fmt::format("{} × {} ({}), first in {}{}{}", unknown.count, unknown.kind, unknown.api_version,
                     unknown.first, unknown.instead.empty() ? "" : "; ",
                     unknown.instead.empty() ? "" : unknown.instead + " is read, this is not");
}

namespace {

struct Mean {
  double sum = 0;
  double max = 0;
  std::size_t count = 0;
  void Add(double value) {
    sum += value;
    max = count == 0 ? value : std::max(max, value);
    ++count;
  }
  std::optional<double> Value() const {
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  }
};

void CountState(const GroupRow& row, Totals& totals) {
  switch (row.state) {
    case GroupState::kFinished:
      ++totals.finished;
      if (row.outcome == "failed") ++totals.failed;
      return;
    case GroupState::kRunning:
      ++totals.running;
      return;
    case GroupState::kPending:
      ++totals.pending;
      return;
    case GroupState::kNever:
      ++totals.never;
      return;
  }
}

}  // namespace

Totals TotalsOf(const RunReport& report) {
  Totals totals;
  Mean wait;
  Mean turnaround;
  std::optional<Duration> first_submit;
  std::optional<Duration> last_end;
  for (const GroupRow& row : report.groups) {
    ++totals.groups;
    CountState(row, totals);
    totals.members += row.members;
    totals.restarts += row.restarts;
    first_submit = std::min(first_submit.value_or(row.submit), row.submit);
    if (row.start) wait.Add(Seconds(*row.start - row.submit));
    if (row.end) {
      turnaround.Add(Seconds(*row.end - row.submit));
      last_end = std::max(last_end.value_or(*row.end), *row.end);
    }
  }
  totals.mean_wait_s = wait.Value();
  if (wait.count > 0) totals.max_wait_s = wait.max;
  totals.mean_submit_to_end_s = turnaround.Value();
  if (last_end) totals.makespan = *last_end - *first_submit;
  return totals;
}

}  // namespace cadre::report
