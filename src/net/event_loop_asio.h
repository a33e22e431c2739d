// What an EventLoop is made of, for the files of this folder that put sockets on it. Slow to compile: for .cc
// files, never for a header that others include.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/event_loop.h"

namespace cadre::net {

struct EventLoop::Impl {
  using Instant = std::chrono::steady_clock::time_point;
  using Work = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

  // One thread, so no locks beyond those of Post and Stop.
  boost::asio::io_context io{1};
  Work work = boost::asio::make_work_guard(io);
  // Asio's own timers do not promise an order at the same instant, so that one of them serves this list.
  boost::asio::steady_timer alarm{io};
  std::optional<Instant> alarm_at;
  bool is_run_posted = false;  // RunDueTimers, for a timer that was due when it was set
  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> timers;
  std::map<std::uint64_t, Instant> timer_times;
  std::uint64_t last_timer = 0;
  std::optional<boost::asio::signal_set> signals;
  std::function<void(int)> on_signal;

  void SetAlarm();
  void RunDueTimers();
  void WaitForSignal();
};

}  // namespace cadre::net
