// Clock, memory and rows of the benchmark.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::bench {

// CPU time of this thread: what other processes do on the machine is not in it.
double CpuSeconds();

// What the process holds in memory, after the allocator has given back what it can.
double ResidentMib();

// The smallest value that `percent` of the values do not exceed. REQUIRES: not empty.
double Percentile(std::vector<double> values, double percent);
inline double Median(std::vector<double> values) {
  return Percentile(std::move(values), 50);
}

// {"case": …, "system": "cadre", "metric": …, "value": …, "unit": …} on a line of its own.
void PrintRow(std::string_view case_name, std::string_view metric, double value, std::string_view unit);

// Ends a loop of measurements after `most` of them, or when `budget_s` of CPU time are used up, but not
// before the third.
class Repetitions {
 public:
  Repetitions(std::size_t most, double budget_s) : most_(most), until_s_(CpuSeconds() + budget_s) {}
  bool Next() {
    if (done_ >= most_ || (done_ >= kFewest && CpuSeconds() >= until_s_)) return false;
    ++done_;
    return true;
  }
  // The present one counted.
  std::size_t done() const { return done_; }

 private:
  static constexpr std::size_t kFewest = 3;
  std::size_t most_;
  double until_s_;
  std::size_t done_ = 0;
};

}  // namespace cadre::bench
