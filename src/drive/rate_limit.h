// RateLimit: a token bucket, as client-go's flow control: `burst` at once, then `per_second`.
//
// Source: k8s.io/client-go/util/flowcontrol (what --kube-api-qps and --kube-api-burst mean). Pure: the caller
// says what time it is, and time that goes back gives nothing.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/time.h"

namespace cadre::drive {

class RateLimit {
 public:
  // 0 per second: no limit. `burst` below 1 counts as 1.
  RateLimit(double per_second, double burst)
      : per_second_(per_second), burst_(std::max(1.0, burst)), tokens_(burst_) {}

  // Takes one token; false: none is there.
  bool Take(Time now) {
    if (per_second_ <= 0) return true;
    Refill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

  // When Take may be asked again with success. REQUIRES: it has just said false.
  Time NextAt(Time now) const {
    const double seconds = (1 - tokens_) / per_second_;
    return now + Duration(std::max<std::int64_t>(1, std::llround(std::ceil(seconds * 1'000))));
  }

 private:
  void Refill(Time now) {
    if (now <= last_) return;
    const double seconds = static_cast<double>((now - last_).count()) / 1'000;
    last_ = now;
    tokens_ = std::min(burst_, tokens_ + seconds * per_second_);
  }

  double per_second_;
  double burst_;
  double tokens_;
  Time last_{};
};

}  // namespace cadre::drive
