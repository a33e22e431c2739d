#include "sim/job_indexes.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace cadre::sim {
namespace {

std::optional<std::int32_t> ToIndex(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

IndexSet IndexSet::Parse(std::string_view text, std::int32_t completions) {
  IndexSet result;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const std::size_t dash = part.find('-');
    const auto first = ToIndex(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ToIndex(part.substr(dash + 1));
    if (!first || !last || *first >= completions || *last < *first) {
      continue;
    }
    result.AddRun({*first, std::min(*last, completions - 1)});
  }
  return result;
}

std::string IndexSet::ToString() const {
  std::string text;
  for (const Run& run : runs_) {
    if (!text.empty()) {
      text += ',';
    }
    text += std::to_string(run.first);
    if (run.last > run.first) {
      text += run.last == run.first + 1 ? ',' : '-';
      text += std::to_string(run.last);
    }
  }
  return text;
}

bool IndexSet::Contains(std::int32_t index) const {
  const auto run = std::ranges::lower_bound(runs_, index, {}, &Run::last);
  return run != runs_.end() && run->first <= index;
}

std::int64_t IndexSet::Count() const {
  std::int64_t count = 0;
  for (const Run& run : runs_) {
    count += std::int64_t{run.last} - run.first + 1;
  }
  return count;
}

std::int64_t IndexSet::CountCommon(const IndexSet& other) const {
  std::int64_t count = 0;
  for (auto ours = runs_.begin(), theirs = other.runs_.begin();
       ours != runs_.end() && theirs != other.runs_.end();) {
    const std::int64_t overlap =
        std::int64_t{std::min(ours->last, theirs->last)} - std::max(ours->first, theirs->first) + 1;
    count += std::max(overlap, std::int64_t{0});
    if (ours->last < theirs->last) {
      ++ours;
    } else {
      ++theirs;
    }
  }
  return count;
}

void IndexSet::AddRun(Run run) {
  // The first run that ends at or after the place just before ours may touch it.
  const auto begin = std::ranges::lower_bound(runs_, std::int64_t{run.first} - 1, {},
                                              [](const Run& other) { return std::int64_t{other.last}; });
  auto end = begin;
  while (end != runs_.end() && end->first <= std::int64_t{run.last} + 1) {
    run.first = std::min(run.first, end->first);
    run.last = std::max(run.last, end->last);
    ++end;
  }
  if (begin == end) {
    runs_.insert(begin, run);
    return;
  }
  *begin = run;
  runs_.erase(begin + 1, end);
}

void IndexSet::AddAll(const IndexSet& other) {
  for (const Run& run : other.runs_) {
    AddRun(run);
  }
}

std::vector<std::int32_t> IndexSet::LowestMissing(std::int64_t count, std::int32_t completions) const {
  std::vector<std::int32_t> missing;
  std::int32_t candidate = 0;
  const auto take_until = [&](std::int32_t end) {
    for (; candidate < end && std::ssize(missing) < count; ++candidate) {
      missing.push_back(candidate);
    }
  };
  for (const Run& run : runs_) {
    take_until(std::min(run.first, completions));
    candidate = std::max(candidate, run.last + 1);
  }
  take_until(completions);
  return missing;
}

}  // namespace cadre::sim
