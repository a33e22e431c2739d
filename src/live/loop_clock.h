// LoopClock: the wall clock, and timers of the event loop, for the live program.
//
// Ages and bounds are told by the times that objects carry, so Now is the wall clock; but machines must not
// see it jump back. It goes on with the monotonic clock and follows the wall clock forward alone: after a
// step back of the wall clock it stays ahead by that much. Thread rule: the event loop's thread.
#pragma once

#include <functional>

#include "drive/clock.h"
#include "net/event_loop.h"

namespace cadre::live {

class LoopClock : public drive::Clock {
 public:
  // `wall`: the wall clock; empty: the system's. The loop is borrowed.
  explicit LoopClock(net::EventLoop& loop, std::function<Time()> wall = {});

  Time Now() const override;
  Timer CallAt(Time at, std::function<void()> run) override;
  void Cancel(Timer timer) override;

 private:
  net::EventLoop& loop_;
  std::function<Time()> wall_;
  // Now is anchor_ plus what the monotonic clock has gone on since anchored_at_.
  mutable Time anchor_;
  mutable Duration anchored_at_;
};

}  // namespace cadre::live
