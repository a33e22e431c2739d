// Sender: carries the effects of a driver's machines to the API server: lower lanes first, first come first
// served within a lane, `after` respected, a bound on what is in flight, retries with doubling waits up to a
// bound, and exactly one Answer for each effect.
//
// The low lanes (kCondition, kNote) never use more than half of the slots in flight, so that a bind never
// waits behind a pipe full of notes; and what waits there beyond its bound is dropped, oldest first. Thread
// rule: the event loop's thread only. Destroying it stops everything; requests that have left still land.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "drive/api.h"
#include "drive/clock.h"
#include "drive/driver.h"
#include "drive/rate_limit.h"

namespace cadre::drive {

class Sender {
 public:
  // The machine's number in the driver, and the end of its effect.
  using Sink = std::function<void(std::size_t machine, Answer answer)>;
  // The process dies: at once, or (with a machine) as soon as that machine has had the Step with its last
  // answer.
  using Death = std::function<void(std::optional<std::size_t> after_step_of)>;

  // `users[i]` is the name machine i writes under. Api, clock and counters are borrowed and must outlive it.
  Sender(std::vector<std::string> users, Api& api, Clock& clock, const Limits& limits,
         Driver::Counters& counters, Sink sink);
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  void SetCrashHook(Driver::CrashHook hook, Death death);

  // REQUIRES: ids are new for this machine; `after` names an earlier effect of the same machine.
  void Submit(std::size_t machine, std::vector<Effect> effects);

  // Sends nothing, answers nothing and sets no timer any more.
  void Stop();
  // Sends and retries nothing any more; `done` is called once everything that has left is answered, perhaps
  // from inside this call.
  void Finish(std::function<void()> done);

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;  // machine, effect id
  struct Entry {
    Effect effect;
    int attempts = 0;
    std::vector<Key> waiters;  // effects whose `after` this is, in the order they came
    std::optional<Clock::Timer> retry;
  };

  void Accept(std::size_t machine, Effect effect);
  void Enqueue(Key key, Lane lane);
  void DropOldest(Lane lane);
  void Pump();
  bool SendOne();
  bool MaySendNow();
  void Send(Key key);
  void OnAnswer(Key key, bool last, WriteResult result);
  void RetryLater(Key key, Entry& entry, Duration retry_after);
  void End(Key key, Answer answer);
  void Remember(Key failed);

  const std::vector<std::string> users_;
  Api& api_;
  Clock& clock_;
  const Limits limits_;
  Driver::Counters& counters_;
  const Sink sink_;
  Driver::CrashHook hook_;
  Death death_;

  std::shared_ptr<char> alive_ = std::make_shared<char>();  // answers that outlive us find it gone
  bool stopped_ = false;
  std::function<void()> finished_;                               // set: it is finishing
  boost::unordered_flat_map<Key, std::unique_ptr<Entry>> live_;  // accepted and not answered
  std::array<std::deque<Key>, 4> lanes_;                         // ready to go, by Lane
  RateLimit rate_;
  std::optional<Clock::Timer> next_;  // when the rate allows the next one
  std::size_t in_flight_ = 0;
  std::size_t low_in_flight_ = 0;  // of those, kCondition and kNote
  // The last effects that did not end in kDone, for an `after` that names one of them.
  boost::unordered_flat_set<Key> failed_;
  std::deque<Key> failed_order_;
};

}  // namespace cadre::drive
