// How full parts of the cluster were, from what the report says of pods and nodes.
//
// The load of a part is the largest, over the resources that its nodes offer, of requested over allocatable:
// 1 says that something has run out.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "report/run_report.h"

namespace cadre::report {

inline constexpr std::size_t kNoUnit = std::numeric_limits<std::size_t>::max();

struct UnitLoad {
  double mean = 0;             // over the whole run
  double peak = 0;             // at one instant
  std::vector<double> slices;  // mean in equal slices of the run
};

// 0 for nothing, else 1 to 10: the tenth that is nearest, and the CSS class "l3" that colours it.
int LoadLevel(double load);

// A unit is any set of nodes. `unit_of_node`: by index into report.nodes, kNoUnit for none. `parent`: by
// unit; what is in a unit is in its parent too; kNoUnit at the top. REQUIRES: a parent's index is below its
// child's; report.end > 0. O(pods × depth × (resources + slices they touch)).
std::vector<UnitLoad> LoadsOf(const RunReport& report, std::span<const std::size_t> unit_of_node,
                              std::span<const std::size_t> parent, std::size_t slices);

}  // namespace cadre::report
