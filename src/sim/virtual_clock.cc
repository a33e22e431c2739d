#include "sim/virtual_clock.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace cadre::sim {

namespace {

constexpr std::size_t kSweepFrom = 1024;  // cancelled timers that are worth a sweep of the heap

std::uint32_t SlotOf(drive::Clock::Timer timer) {
  return static_cast<std::uint32_t>(timer);
}

std::uint32_t GenerationOf(drive::Clock::Timer timer) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(timer) >> 32);
}

drive::Clock::Timer MakeTimer(std::uint32_t slot, std::uint32_t generation) {
  return static_cast<drive::Clock::Timer>((static_cast<std::uint64_t>(generation) << 32) | slot);
}

}  // namespace

VirtualClock::VirtualClock(Time start, std::uint64_t max_per_instant)
    : now_(start), max_per_instant_(max_per_instant) {}

// std::push_heap keeps the largest in front: "larger" is what is due earlier.
bool VirtualClock::Later(const Due& a, const Due& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
}

drive::Clock::Timer VirtualClock::CallAt(Time at, std::function<void()> run) {
  CADRE_ASSERT(run != nullptr, "a timer needs something to run");
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot].run = std::move(run);
  const Timer timer = MakeTimer(slot, slots_[slot].generation);
  if (at <= now_) {
    present_.push_back(timer);
  } else {
    future_.push_back({at, order_++, timer});
    std::push_heap(future_.begin(), future_.end(), Later);
  }
  return timer;
}

bool VirtualClock::IsLive(Timer timer) const {
  const std::uint32_t slot = SlotOf(timer);
  return slot < slots_.size() && slots_[slot].generation == GenerationOf(timer) &&
         slots_[slot].run != nullptr;
}

void VirtualClock::Release(Timer timer) {
  Slot& slot = slots_[SlotOf(timer)];
  slot.run = nullptr;
  ++slot.generation;
  free_slots_.push_back(SlotOf(timer));
}

void VirtualClock::Cancel(Timer timer) {
  if (!IsLive(timer)) return;
  Release(timer);
  // It may stand in present_ instead; an estimate that is too high only sweeps earlier.
  ++cancelled_in_future_;
  if (cancelled_in_future_ < kSweepFrom || cancelled_in_future_ * 2 < future_.size()) return;
  std::erase_if(future_, [this](const Due& due) { return !IsLive(due.timer); });
  std::make_heap(future_.begin(), future_.end(), Later);
  cancelled_in_future_ = 0;
}

void VirtualClock::DropCancelled() {
  while (!present_.empty() && !IsLive(present_.front()))
    present_.pop_front();
  while (!future_.empty() && !IsLive(future_.front().timer)) {
    std::pop_heap(future_.begin(), future_.end(), Later);
    future_.pop_back();
  }
}

std::optional<Time> VirtualClock::NextAt() {
  DropCancelled();
  if (!present_.empty()) return now_;
  if (!future_.empty()) return future_.front().at;
  return std::nullopt;
}

// Moves time on to the next callback if that is due by `limit`. False when there is none, or the hook found
// more to do.
bool VirtualClock::Advance(Time limit) {
  DropCancelled();
  if (future_.empty() || future_.front().at > limit) return false;
  if (on_advance_) {
    on_advance_(now_, future_.front().at);
    DropCancelled();
    if (!present_.empty()) return true;
    if (future_.empty() || future_.front().at > limit) return false;
  }
  now_ = future_.front().at;
  callbacks_this_instant_ = 0;
  while (!future_.empty() && future_.front().at == now_) {
    present_.push_back(future_.front().timer);
    std::pop_heap(future_.begin(), future_.end(), Later);
    future_.pop_back();
  }
  DropCancelled();
  return true;
}

bool VirtualClock::RunOne(Time limit) {
  DropCancelled();
  while (present_.empty()) {
    if (!Advance(limit)) return false;
  }
  const Timer timer = present_.front();
  present_.pop_front();
  const std::function<void()> run = std::move(slots_[SlotOf(timer)].run);
  Release(timer);
  ++callbacks_;
  ++callbacks_this_instant_;
  CADRE_ASSERT(
      callbacks_this_instant_ <= max_per_instant_,
      "more callbacks at one instant than the clock allows: something sets timers for ever without letting "
      "time pass (a machine that asks to be woken now, or answers each event with a write)");
  run();
  return true;
}

bool VirtualClock::RunNext() {
  return RunOne(Time::max());
}

void VirtualClock::Run(Time until) {
  do {
    while (RunOne(until)) {
    }
    if (until <= now_) return;
    if (on_advance_) on_advance_(now_, until);
  } while (NextAt().value_or(Time::max()) <= until);
  now_ = until;
  callbacks_this_instant_ = 0;
}

}  // namespace cadre::sim
