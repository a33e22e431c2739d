#include "live/loop_clock.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cadre::live {
namespace {

// Less is how wall and monotonic clock drift apart.
constexpr Duration kStep{1'000};

Time SystemTime() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

}  // namespace

LoopClock::LoopClock(net::EventLoop& loop, std::function<Time()> wall)
    : loop_(loop),
      wall_(wall ? std::move(wall) : std::function<Time()>(SystemTime)),
      anchor_(wall_()),
      anchored_at_(loop.Now()) {}

Time LoopClock::Now() const {
  const Duration since = loop_.Now() - anchored_at_;
  const Time now = anchor_ + since;
  const Time wall = wall_();
  if (wall < now + kStep) return now;
  anchor_ = wall;
  anchored_at_ = loop_.Now();
  return wall;
}

drive::Clock::Timer LoopClock::CallAt(Time at, std::function<void()> run) {
  const Duration after = std::max(Duration{0}, at - Now());
  return Timer{static_cast<std::uint64_t>(loop_.CallAfter(after, std::move(run)))};
}

void LoopClock::Cancel(Timer timer) {
  loop_.Cancel(net::EventLoop::Timer{static_cast<std::uint64_t>(timer)});
}

}  // namespace cadre::live
