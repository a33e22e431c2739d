// VirtualClock: time that passes only when everything due has run. A day of a cluster is as long as its
// callbacks take.
//
// Order: callbacks run by time, and within one time in the order they were set. One that is set for now or
// the past runs at the present instant, after those already set for it. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "drive/clock.h"

namespace cadre::sim {

class VirtualClock final : public drive::Clock {
 public:
  // Callbacks at one instant beyond this mean that something sets timers for ever without letting time pass:
  // a programmer's error, which stops the program with a message instead of hanging it.
  static constexpr std::uint64_t kMaxPerInstant = 10'000'000;

  explicit VirtualClock(Time start, std::uint64_t max_per_instant = kMaxPerInstant);

  Time Now() const override { return now_; }
  Timer CallAt(Time at, std::function<void()> run) override;
  void Cancel(Timer timer) override;

  // When the next callback is due (never before Now()); none when nothing is set.
  std::optional<Time> NextAt();
  // Runs the next callback, letting time move on to it. False when nothing is set.
  bool RunNext();
  // Runs everything due up to and including `until`, then stands at `until` (or stays, when that is past).
  void Run(Time until);

  // Called each time before time moves on, with the present instant and the next one: all callbacks of the
  // present have run, the state is settled. What the hook sets for the present still runs before time moves
  // (and the hook again after it).
  void OnAdvance(std::function<void(Time now, Time next)> hook) { on_advance_ = std::move(hook); }

  // Callbacks run so far.
  std::uint64_t callbacks() const { return callbacks_; }

 private:
  struct Slot {
    std::function<void()> run;
    std::uint32_t generation = 0;
  };
  struct Due {
    Time at;
    std::uint64_t order;
    Timer timer;
  };
  static bool Later(const Due& a, const Due& b);

  bool IsLive(Timer timer) const;
  void Release(Timer timer);
  void DropCancelled();
  bool Advance(Time limit);
  bool RunOne(Time limit);

  Time now_;
  const std::uint64_t max_per_instant_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Due> future_;  // a heap, earliest first; cancelled timers stay until they surface or are swept
  std::deque<Timer> present_;  // due now, in order
  std::size_t cancelled_in_future_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t callbacks_ = 0;
  std::uint64_t callbacks_this_instant_ = 0;
  std::function<void(Time, Time)> on_advance_;
};

}  // namespace cadre::sim
