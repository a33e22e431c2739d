#include "app/workload.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace cadre::app {

namespace {

constexpr std::size_t kNamedProblems = 10;

}  // namespace

void LineTally::Note(std::string_view what, std::size_t line) {
  auto found = counts_.find(what);
  if (found == counts_.end()) found = counts_.emplace(what, Count{.lines = 0, .first = line}).first;
  ++found->second.lines;
}

void LineTally::Problem(std::string message) {
  if (problems_.size() < kNamedProblems)
    problems_.push_back(std::move(message));
  else
    ++problems_left_out_;
}

void LineTally::Finish(Workload& workload) const {
  for (const auto& [what, count] : counts_) {
    workload.notes.push_back(fmt::format("{}: {} {} (the first: line {})", workload.file,
                                         Quantify(static_cast<std::int64_t>(count.lines), "job"), what,
                                         count.first));
  }
  workload.problems.insert(workload.problems.end(), problems_.begin(), problems_.end());
  if (problems_left_out_ > 0) {
    workload.problems.push_back(
        fmt::format("{} that cannot be read",
                    Quantify(static_cast<std::int64_t>(problems_left_out_), "more line", "more lines")));
  }
}

void FinishWorkload(LineTally& tally, Workload& workload) {
  const auto by_submit = [](const WorkloadJob& a, const WorkloadJob& b) { return a.submit < b.submit; };
  const auto first = std::min_element(workload.jobs.begin(), workload.jobs.end(), by_submit);
  if (first != workload.jobs.end()) {
    const Duration shift = first->submit;
    if (workload.zero) *workload.zero += shift;
    if (shift != Duration(0) && !workload.zero) {
      workload.notes.push_back(
          fmt::format("{}: submit times count from its first job (line {}), which came at {:.0f} s",
                      workload.file, first->line, Seconds(shift)));
    }
    for (WorkloadJob& job : workload.jobs)
      job.submit -= shift;
  }
  std::erase_if(workload.jobs, [&](const WorkloadJob& job) {
    const auto problem = [&](std::string_view what) {
      tally.Problem(fmt::format("line {}: {}", job.line, what));
      return true;
    };
    if (job.submit > kLongestTraceTime)
      return problem(
          fmt::format("submitted {} after the first job, expected at most 10 years: check the "
                      "unit (--trace-columns submit=COLUMN:ms)",
                      FormatDuration(job.submit)));
    if (job.run > kLongestTraceTime)
      return problem(
          fmt::format("runs {}, expected at most 10 years: check the unit (--trace-columns "
                      "duration=COLUMN:ms)",
                      FormatDuration(job.run)));
    if (job.pods > kMostTracePods)
      return problem(
          fmt::format("{} pods, expected at most {}: put more processors or GPUs into one pod "
                      "(--trace-procs-per-pod, --trace-gpus-per-pod)",
                      job.pods, kMostTracePods));
    return false;
  });
  tally.Finish(workload);
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace cadre::app
