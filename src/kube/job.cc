#include "kube/job.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cadre::kube {
namespace {

// A whole number >= 0 that makes up all of `text`.
std::optional<std::int32_t> ParseIndex(std::string_view text) {
  std::int32_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto parsed = std::from_chars(begin, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < 0) return std::nullopt;
  return value;
}

struct Interval {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

// "3" or "2-4".
std::optional<Interval> ParseInterval(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<std::int32_t> first = ParseIndex(text.substr(0, dash));
  const std::optional<std::int32_t> last =
      dash == std::string_view::npos ? first : ParseIndex(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return Interval{*first, *last};
}

}  // namespace

bool IsFinished(const Job& job) {
  return FindTrue(job.status.conditions, "Complete") != nullptr ||
         FindTrue(job.status.conditions, "Failed") != nullptr;
}

std::int32_t Parallelism(const Job& job) {
  return job.spec.parallelism.value_or(1);
}

std::int32_t PodsAtOnce(const JobSpec& spec) {
  const std::int32_t parallelism = std::max(spec.parallelism.value_or(1), 0);
  if (!spec.completions) return parallelism;
  return std::min(parallelism, std::max(*spec.completions, 0));
}

std::optional<std::int32_t> CompletionIndex(const Pod& pod) {
  const auto annotation = pod.metadata.annotations.find(kCompletionIndexAnnotation);
  if (annotation == pod.metadata.annotations.end()) return std::nullopt;
  return ParseIndex(annotation->second);
}

std::vector<std::int32_t> ParseIndexes(std::string_view text, std::int32_t completions) {
  std::vector<Interval> intervals;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const auto interval = ParseInterval(text.substr(0, comma))) intervals.push_back(*interval);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  std::ranges::sort(intervals, {}, &Interval::first);
  std::vector<std::int32_t> indexes;  // each index once, so never more than `completions`
  for (const auto& [first, last] : intervals) {
    std::int32_t index = indexes.empty() ? first : std::max(first, indexes.back() + 1);
    for (; index <= last && index < completions; ++index)
      indexes.push_back(index);
  }
  return indexes;
}

std::string FormatIndexes(const std::vector<std::int32_t>& sorted) {
  std::string text;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1)
      ++end;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", sorted[begin]);
    // Kubernetes writes two neighbours as "3,4" and three as "3-5".
    if (end - begin == 2) text += fmt::format(",{}", sorted[end - 1]);
    if (end - begin > 2) text += fmt::format("-{}", sorted[end - 1]);
    begin = end;
  }
  return text;
}

}  // namespace cadre::kube
