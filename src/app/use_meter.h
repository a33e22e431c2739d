// UseMeter: how much of a resource was requested and offered over time, in bounded memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "kube/resources.h"

namespace cadre::app {

class UseMeter {
 public:
  explicit UseMeter(Time start) : start_(start), now_(start) {}

  // What changes from `now` on. REQUIRES: `now` never goes back.
  void Offer(Time now, const kube::ResourceList& allocatable, std::int64_t sign);
  void Request(Time now, const kube::ResourceList& requests, std::int64_t sign);

  struct Use {
    std::string resource;
    std::int64_t offered = 0;  // at the end
    double mean_fraction = 0;  // integral of requested over integral of offered; 0 when nothing was offered
    double peak_fraction = 0;
    std::vector<double> slices;  // the same mean in `count` equal slices
  };
  // From the start to `end`, for every resource that was ever offered and requested, and for cpu and memory.
  // Sorted by name. REQUIRES: end is not before the last change.
  std::vector<Use> Read(Time end, std::size_t count) const;

 private:
  // Integrals over equal buckets of time. When they run out, two become one: the series stays below kBuckets.
  static constexpr std::size_t kBuckets = 256;
  struct Series {
    std::int64_t requested = 0;
    std::int64_t offered = 0;
    double peak = 0;
    bool was_requested = false;
    std::vector<double> requested_in;  // by bucket, amount x ms
    std::vector<double> offered_in;
  };

  void PassTime(Time now);
  void Halve();
  void Fill(Series& series, std::int64_t from_ms, std::int64_t to_ms) const;
  static void NotePeak(Series& series);
  // Integral of the buckets from the start to `ms`, assuming each is even inside.
  double Cumulated(const std::vector<double>& buckets, double ms) const;

  Time start_;
  Time now_;
  std::int64_t width_ms_ = 1'000;
  std::map<std::string, Series, std::less<>> series_;
};

}  // namespace cadre::app
