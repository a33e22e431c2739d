// TimerSet: at most one time per number, for machines that wake for many objects. Deterministic: due numbers
// come out by time, then by number.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/time.h"

namespace cadre::sim {

class TimerSet {
 public:
  // Replaces the number's time.
  void Set(std::uint64_t number, Time at) {
    Cancel(number);
    order_.emplace(at, number);
    times_.emplace(number, at);
  }

  // The same, unless it has an earlier time.
  void SetIfEarlier(std::uint64_t number, Time at) {
    const auto found = times_.find(number);
    if (found == times_.end() || at < found->second) Set(number, at);
  }

  void Cancel(std::uint64_t number) {
    const auto found = times_.find(number);
    if (found == times_.end()) return;
    order_.erase({found->second, number});
    times_.erase(found);
  }

  // Takes out what is due.
  std::vector<std::uint64_t> TakeDue(Time now) {
    std::vector<std::uint64_t> due;
    while (!order_.empty() && order_.begin()->first <= now) {
      due.push_back(order_.begin()->second);
      times_.erase(due.back());
      order_.erase(order_.begin());
    }
    return due;
  }

  std::optional<Time> Next() const {
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
  }

 private:
  std::set<std::pair<Time, std::uint64_t>> order_;
  boost::unordered_flat_map<std::uint64_t, Time> times_;
};

}  // namespace cadre::sim
