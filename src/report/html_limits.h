// What bounds the size of the HTML report, so that a browser stays quick on any run. Where a bound is
// reached, the file says so.
#pragma once

#include <cstddef>

namespace cadre::report {

struct HtmlLimits {
  // Groups drawn one by one; of more, those that waited longest are, and all are folded into `folded_rows`.
  std::size_t gantt_rows = 300;
  std::size_t longest_waits = 60;
  std::size_t folded_rows = 120;
  // Domains, and nodes, with a row of their own in "who held what".
  std::size_t holder_rows = 250;
  std::size_t holder_bars = 6'000;  // in one chart; rows with more than their share become strips of load
  std::size_t cells = 1'500;        // squares in the topology
  std::size_t table_rows = 10'000;
  std::size_t remarks = 500;  // of one kind: violations, problems, notes, claims
};

// Names and texts are cut after so many bytes of HTML.
inline constexpr std::size_t kLongestReason = 600;
inline constexpr std::size_t kLongestName = 120;

// With the limits as they are, the file is smaller than this whatever the run. 10,000 groups on 1,000 nodes
// take about a tenth of it.
inline constexpr std::size_t kLargestHtmlBytes = 48U << 20U;

}  // namespace cadre::report
