// Reports for the tests of the HTML parts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/run_report.h"

namespace cadre::report::testing_html {

using std::chrono::seconds;

inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kRack = "topology.kubernetes.io/rack";

inline NodeRow Node(std::string name, std::vector<std::string> path, std::int64_t cpu = 4'000) {
  return {.name = std::move(name), .path = std::move(path), .allocatable = {{"cpu", cpu}}};
}

// Ran from `start` to `end`, one pod of shape 0 on each node.
inline GroupRow Ran(std::string name, int submit, int start, int end, const std::vector<std::string>& nodes) {
  GroupRow row;
  row.namespace_ = "default";
  row.name = std::move(name);
  row.kind = "Job";
  row.members = static_cast<std::int32_t>(nodes.size());
  row.state = GroupState::kFinished;
  row.outcome = "succeeded";
  row.submit = seconds(submit);
  row.first_bind = row.start = seconds(start);
  row.end = seconds(end);
  row.nodes = nodes;
  row.runs = {{seconds(start), seconds(end)}};
  for (const std::string& node : nodes)
    row.placements.push_back(
        {fmt::format("{}/{}", row.name, row.placements.size()), node, {seconds(start), seconds(end)}, 0});
  return row;
}

inline GroupRow Waiting(std::string name, int submit, GroupState state, std::string reason) {
  GroupRow row;
  row.namespace_ = "default";
  row.name = std::move(name);
  row.kind = "Job";
  row.members = 2;
  row.state = state;
  row.submit = seconds(submit);
  row.reason = std::move(reason);
  return row;
}

// Two zones with a rack each, two nodes of 4 CPUs in a rack; 100 s; pods ask for 2 CPUs.
inline RunReport Small(std::vector<GroupRow> groups) {
  RunReport report;
  report.groups = std::move(groups);
  report.end = seconds(100);
  report.levels = {kZone, kRack};
  report.nodes = {Node("n1", {"a", "1"}), Node("n2", {"a", "1"}), Node("n3", {"b", "1"}),
                  Node("n4", {"b", "1"})};
  report.cluster = {4, {{kZone, 2}, {kRack, 1}}};
  report.shapes = {{{"cpu", 2'000}}};
  report.utilisation = {{"cpu", 16'000, 0.25, 0.5, {0.5, 0}}};
  return report;
}

inline std::size_t CountOf(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

}  // namespace cadre::report::testing_html
