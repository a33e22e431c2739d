#include "bench/match/measure.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/core.h>
#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"

namespace cadre::bench {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double ResidentMib() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

double Percentile(std::vector<double> values, double percent) {
  CADRE_ASSERT(!values.empty(), "a percentile of nothing");
  const double rank = std::ceil(percent / 100.0 * static_cast<double>(values.size()));
  const auto index = static_cast<std::ptrdiff_t>(std::max(1.0, rank)) - 1;
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

void PrintRow(std::string_view case_name, std::string_view metric, double value, std::string_view unit) {
  // The names are ours and need no escaping.
  fmt::print(
      "{{\"case\": \"{}\", \"system\": \"cadre\", \"metric\": \"{}\", \"value\": {:.6g}, \"unit\": "
      "\"{}\"}}\n",
      case_name, metric, value, unit);
}

}  // namespace cadre::bench
