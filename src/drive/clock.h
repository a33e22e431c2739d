// Clock: time and timers of the event loop. Virtual in the simulator, real in the live program.
// Thread rule: the event loop's thread only.
#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"

namespace cadre::drive {

class Clock {
 public:
  enum class Timer : std::uint64_t {};

  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  // Calls `run` once at `at` (or as soon as possible when that is past), never from inside this call. Timers
  // of the same time run in the order they were set.
  virtual Timer CallAt(Time at, std::function<void()> run) = 0;
  // After this the timer does not run. Unknown timers are ignored.
  virtual void Cancel(Timer timer) = 0;
};

}  // namespace cadre::drive
