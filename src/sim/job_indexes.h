// IndexSet: the completion indexes of an Indexed Job, as JobStatus writes them ("0,2-4").
//
// Kept as runs, because a Job may have 100,000 indexes and all but a few of them are one run.
// Source: API reference of JobStatus.completedIndexes and failedIndexes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::sim {

class IndexSet {
 public:
  struct Run {
    std::int32_t first = 0;
    std::int32_t last = 0;  // inclusive
    bool operator==(const Run&) const = default;
  };

  IndexSet() = default;

  // What is out of range (negative, >= completions) or is no number is left out: an index that an elastic Job
  // lost by shrinking does not count any more.
  static IndexSet Parse(std::string_view text, std::int32_t completions);

  // Two neighbours are written "1,2", three or more "1-3", as Kubernetes does.
  std::string ToString() const;

  bool Contains(std::int32_t index) const;
  std::int64_t Count() const;
  std::int64_t CountCommon(const IndexSet& other) const;  // in both
  bool empty() const { return runs_.empty(); }
  const std::vector<Run>& runs() const { return runs_; }  // sorted, disjoint, not adjacent

  void Add(std::int32_t index) { AddRun({index, index}); }
  void AddAll(const IndexSet& other);

  // The lowest `count` indexes in [0, completions) that are not in the set.
  std::vector<std::int32_t> LowestMissing(std::int64_t count, std::int32_t completions) const;

  bool operator==(const IndexSet&) const = default;

 private:
  void AddRun(Run run);

  std::vector<Run> runs_;
};

}  // namespace cadre::sim
