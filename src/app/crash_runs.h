// Runs a scenario again and again, each time with one of its programs killed at another of its writes: before
// the write, after it, and after it with the answer lost. What comes back knows nothing but the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/scenario_run.h"

namespace cadre::app {

// So many crashes that end badly say enough: no more are tried.
inline constexpr std::size_t kMostBadCrashes = 5;

// Which of `writes` writes to crash at, by number from 1, rising. All of them up to `most`; else `most` of
// them: a quarter are the first ones, the others evenly spread up to the last. `most` is at least 1.
std::vector<std::uint64_t> SampleOfWrites(std::uint64_t writes, std::uint64_t most);

struct BadCrash {
  CrashPlan plan;
  std::vector<std::string> problems;
};

struct CrashRuns {
  std::size_t runs = 0;
  std::vector<BadCrash> bad;
};

// Three runs for each number. The scenario is judged at its end, as a crash may cost time and writes.
CrashRuns CrashAtEach(const Scenario& scenario, Program program, const std::vector<std::uint64_t>& numbers);

}  // namespace cadre::app
