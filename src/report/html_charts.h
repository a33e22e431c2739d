// Lines over time: how much of each resource was requested, and how many groups and members waited.
#pragma once

#include <string>
#include <vector>

#include "report/run_report.h"

namespace cadre::report {

// What waits at an instant: submitted, not ended, no pod on a node; groups that can never run are left out.
struct QueueOverTime {
  std::vector<std::size_t> groups;  // the most within each of equal slices of the run
  std::vector<std::size_t> members;
  std::size_t most_groups = 0;
  std::size_t most_members = 0;
};

// REQUIRES: report.end > 0, slices > 0.
QueueOverTime QueueOf(const RunReport& report, std::size_t slices);

// When a group waits, in order of time: from its submit on, whenever none of its pods holds a node.
std::vector<Span> WaitsOf(const GroupRow& row, Duration end);

// <figure>s, one per resource and two for the queue; empty when the run took no time.
std::string ChartsHtml(const RunReport& report);

}  // namespace cadre::report
