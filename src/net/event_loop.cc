#include "net/event_loop.h"

#include <csignal>
#include <cstring>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/check.h"
#include "net/event_loop_asio.h"

namespace cadre::net {

namespace asio = boost::asio;
using boost::system::error_code;

void EventLoop::Impl::SetAlarm() {
  if (timers.empty()) return;
  const Instant due = timers.begin()->first.first;
  if (due <= std::chrono::steady_clock::now()) {
    // Due already: no call to the kernel for it. Posted, so that the network gets its turn.
    if (std::exchange(is_run_posted, true)) return;
    asio::post(io, [this] {
      is_run_posted = false;
      RunDueTimers();
    });
    return;
  }
  if (alarm_at && *alarm_at <= due) return;  // it will ring in time, and look again then
  alarm_at = due;
  alarm.expires_at(due);
  alarm.async_wait([this](error_code error) {
    if (error) return;  // set anew, or the loop is going away
    alarm_at.reset();
    RunDueTimers();
  });
}

void EventLoop::Impl::RunDueTimers() {
  // One at a time and posted in between: what a timer cancels does not run, and a timer that sets itself
  // again at once does not shut out the network.
  if (timers.empty()) return;
  const auto first = timers.begin();
  if (first->first.first > std::chrono::steady_clock::now()) return SetAlarm();
  const std::function<void()> run = std::move(first->second);
  timer_times.erase(first->first.second);
  timers.erase(first);
  SetAlarm();
  run();
}

void EventLoop::Impl::WaitForSignal() {
  signals->async_wait([this](error_code error, int signal) {
    if (error) return;
    on_signal(signal);
    WaitForSignal();
  });
}

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}

EventLoop::~EventLoop() = default;

void EventLoop::Run() {
  impl_->io.run();
  impl_->io.restart();
}

bool EventLoop::RunOne(Duration at_most) {
  const bool ran = impl_->io.run_one_for(at_most) > 0;
  if (impl_->io.stopped()) impl_->io.restart();
  return ran;
}

void EventLoop::Stop() {
  impl_->io.stop();
}

void EventLoop::Post(std::function<void()> task) {
  asio::post(impl_->io, std::move(task));
}

EventLoop::Timer EventLoop::CallAfter(Duration after, std::function<void()> run) {
  const std::uint64_t id = ++impl_->last_timer;
  const Impl::Instant due = std::chrono::steady_clock::now() + std::max(after, Duration{0});
  impl_->timers.emplace(std::pair(due, id), std::move(run));
  impl_->timer_times.emplace(id, due);
  impl_->SetAlarm();
  return Timer{id};
}

void EventLoop::Cancel(Timer timer) {
  const auto found = impl_->timer_times.find(static_cast<std::uint64_t>(timer));
  if (found == impl_->timer_times.end()) return;
  impl_->timers.erase({found->second, found->first});
  impl_->timer_times.erase(found);
}

Duration EventLoop::Now() const {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

Result<void> EventLoop::OnSignals(std::initializer_list<int> signals, std::function<void(int)> run) {
  CADRE_ASSERT(!impl_->signals, "the signals of an event loop are set once");
  impl_->signals.emplace(impl_->io);
  for (const int signal : signals) {
    error_code error;
    if (impl_->signals->add(signal, error))
      return Err("signal {} ({}) cannot be handled: {}", signal, strsignal(signal), error.message());
  }
  impl_->on_signal = std::move(run);
  impl_->WaitForSignal();
  return {};
}

}  // namespace cadre::net
