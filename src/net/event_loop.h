// EventLoop: the one thread on which the network is read and written, timers run and answers are delivered.
//
// Thread rule: everything runs on the thread that calls Run (or RunOne); only Post and Stop may be called
// from any thread. No callback ever runs from inside a call of this class but Run and RunOne. What is
// registered here keeps no object alive: a client, connection or server cancels its own when it is destroyed,
// and must be destroyed before the loop. Destroying the loop drops what has not run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>

#include "base/result.h"
#include "base/time.h"

namespace cadre::net {

class EventLoop {
 public:
  enum class Timer : std::uint64_t {};

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs what becomes ready until Stop. Waits while nothing is ready, even when nothing is registered.
  void Run();

  // Runs at most one thing, and waits for it at most `at_most`. False: nothing became ready. For tests.
  bool RunOne(Duration at_most);

  // Run returns as soon as what is running has returned; a Stop before Run makes that Run return at once.
  // Thread-safe.
  void Stop();

  // Runs `task` soon, after what was posted before it. The queue has no bound of its own: who posts bounds
  // what he posts (one wake-up for a whole batch, not one task per item). Thread-safe.
  void Post(std::function<void()> task);

  // Runs `run` once, `after` from now; not at all when cancelled. Timers that are due at the same instant run
  // in the order they were set. A negative time is taken as 0.
  Timer CallAfter(Duration after, std::function<void()> run);
  // After this the timer does not run. Timers that have run or never existed are ignored.
  void Cancel(Timer timer);

  // Time since some fixed point, that never jumps: for differences only.
  Duration Now() const;

  // Calls `run` on the loop for each of these POSIX signals from now on, instead of what the process did with
  // them. Signals that come while it runs are delivered after it. An error names the signal.
  // REQUIRES: called once.
  Result<void> OnSignals(std::initializer_list<int> signals, std::function<void(int signal)> run);

  // For this folder's own files: what event_loop_asio.h shows.
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
