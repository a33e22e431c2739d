#include "drive/sender.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace cadre::drive {

namespace {

constexpr std::size_t kFailuresRemembered = 100'000;

bool IsLow(Lane lane) {
  return lane == Lane::kCondition || lane == Lane::kNote;
}

}  // namespace

Sender::Sender(std::vector<std::string> users, Api& api, Clock& clock, const Limits& limits,
               Driver::Counters& counters, Sink sink)
    : users_(std::move(users)),
      api_(api),
      clock_(clock),
      limits_(limits),
      counters_(counters),
      sink_(std::move(sink)),
      rate_(limits.writes_per_second, limits.burst) {
  CADRE_ASSERT(limits_.in_flight > 0 && limits_.attempts > 0, "a driver must be allowed to send something");
}

Sender::~Sender() {
  Stop();
}

void Sender::SetCrashHook(Driver::CrashHook hook, Death death) {
  hook_ = std::move(hook);
  death_ = std::move(death);
}

void Sender::Stop() {
  stopped_ = true;
  if (next_) clock_.Cancel(*next_);
  next_.reset();
  for (auto& [key, entry] : live_) {
    if (entry->retry) clock_.Cancel(*entry->retry);
    entry->retry.reset();
  }
}

void Sender::Finish(std::function<void()> done) {
  Stop();
  finished_ = std::move(done);
  if (in_flight_ == 0) finished_();
}

void Sender::Submit(std::size_t machine, std::vector<Effect> effects) {
  for (Effect& effect : effects)
    Accept(machine, std::move(effect));
  Pump();
}

void Sender::Accept(std::size_t machine, Effect effect) {
  const Key key{machine, static_cast<std::uint64_t>(effect.id)};
  const Lane lane = effect.lane;
  const std::optional<EffectId> after = effect.after;
  const auto [entry, is_new] = live_.try_emplace(key, std::make_unique<Entry>());
  CADRE_ASSERT(is_new, "a machine used the id of an effect that has not been answered yet");
  entry->second->effect = std::move(effect);
  if (!after) return Enqueue(key, lane);

  const Key before{machine, static_cast<std::uint64_t>(*after)};
  CADRE_ASSERT(before != key, "an effect cannot wait for itself");
  if (const auto predecessor = live_.find(before); predecessor != live_.end()) {
    predecessor->second->waiters.push_back(key);
  } else if (failed_.contains(before)) {
    End(key, {EffectId{key.second}, Outcome::kNotSent, "what it was to follow had failed before", {}});
  } else {
    Enqueue(key, lane);
  }
}

void Sender::Enqueue(Key key, Lane lane) {
  lanes_[static_cast<std::size_t>(lane)].push_back(key);
  if (IsLow(lane)) DropOldest(lane);
}

void Sender::DropOldest(Lane lane) {
  std::deque<Key>& queue = lanes_[static_cast<std::size_t>(lane)];
  const std::size_t bound = lane == Lane::kNote ? limits_.waiting_notes : limits_.waiting_conditions;
  while (queue.size() > bound) {
    const Key key = queue.front();
    queue.pop_front();
    ++counters_.dropped;
    End(key, {EffectId{key.second},
              Outcome::kNotSent,
              fmt::format("dropped: more than {} of its kind were waiting", bound),
              {}});
  }
}

void Sender::Pump() {
  while (!stopped_ && SendOne()) {
  }
}

bool Sender::SendOne() {
  if (in_flight_ >= limits_.in_flight) return false;
  const bool low_may_go = low_in_flight_ < std::max<std::size_t>(1, limits_.in_flight / 2);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].empty() || (IsLow(static_cast<Lane>(lane)) && !low_may_go)) continue;
    if (!MaySendNow()) return false;
    const Key key = lanes_[lane].front();
    lanes_[lane].pop_front();
    Send(key);
    return true;
  }
  return false;
}

bool Sender::MaySendNow() {
  if (next_) return false;
  const Time now = clock_.Now();
  if (rate_.Take(now)) return true;
  next_ = clock_.CallAt(rate_.NextAt(now), [this] {
    next_.reset();
    Pump();
  });
  return false;
}

void Sender::Send(Key key) {
  Entry& entry = *live_.at(key);
  ++counters_.writes;
  if (entry.attempts++ > 0) ++counters_.retries;
  const CrashPoint crash = hook_ ? hook_(counters_.writes, entry.effect) : CrashPoint::kNone;
  if (crash == CrashPoint::kBefore) return death_(std::nullopt);
  ++in_flight_;
  if (IsLow(entry.effect.lane)) ++low_in_flight_;
  const bool last = crash == CrashPoint::kAfter;
  api_.Write(users_[key.first], entry.effect,
             [this, key, last, alive = std::weak_ptr(alive_)](WriteResult result) {
               if (alive.expired()) return;
               if (!stopped_) return OnAnswer(key, last, std::move(result));
               if (--in_flight_ == 0 && finished_) finished_();
             });
  if (crash == CrashPoint::kAfterUnanswered) death_(std::nullopt);
}

void Sender::OnAnswer(Key key, bool last, WriteResult result) {
  Entry& entry = *live_.at(key);
  --in_flight_;
  if (IsLow(entry.effect.lane)) --low_in_flight_;
  if (result.outcome == Outcome::kRetryable && entry.attempts < limits_.attempts) {
    if (last) return death_(std::nullopt);
    RetryLater(key, entry, result.retry_after);
  } else {
    End(key, {EffectId{key.second}, result.outcome, std::move(result.message), std::move(result.object)});
    if (last) return death_(key.first);
  }
  Pump();
}

void Sender::RetryLater(Key key, Entry& entry, Duration retry_after) {
  Duration wait = limits_.first_retry;
  for (int i = 1; i < entry.attempts && wait < limits_.max_retry; ++i)
    wait *= 2;
  wait = retry_after > Duration{0} ? retry_after : std::min(wait, limits_.max_retry);
  entry.retry = clock_.CallAt(clock_.Now() + wait, [this, key] {
    Entry& waiting = *live_.at(key);
    waiting.retry.reset();
    Enqueue(key, waiting.effect.lane);
    Pump();
  });
}

// Releases what waited for it; what waited for a failure fails too, and so on along the chain.
void Sender::End(Key key, Answer answer) {
  std::deque<std::pair<Key, Answer>> ended;
  ended.emplace_back(key, std::move(answer));
  while (!ended.empty()) {
    auto [ended_key, ended_answer] = std::move(ended.front());
    ended.pop_front();
    const std::unique_ptr<Entry> entry = std::move(live_.at(ended_key));
    live_.erase(ended_key);
    const Outcome outcome = ended_answer.outcome;
    if (outcome != Outcome::kDone) Remember(ended_key);
    sink_(ended_key.first, std::move(ended_answer));
    for (const Key& waiter : entry->waiters) {
      if (outcome == Outcome::kDone) {
        Enqueue(waiter, live_.at(waiter)->effect.lane);
      } else {
        ended.emplace_back(waiter,
                           Answer{EffectId{waiter.second},
                                  Outcome::kNotSent,
                                  fmt::format("what it was to follow ended in \"{}\"", ToString(outcome)),
                                  {}});
      }
    }
  }
}

void Sender::Remember(Key failed) {
  failed_.insert(failed);
  failed_order_.push_back(failed);
  if (failed_order_.size() <= kFailuresRemembered) return;
  failed_.erase(failed_order_.front());
  failed_order_.pop_front();
}

}  // namespace cadre::drive
