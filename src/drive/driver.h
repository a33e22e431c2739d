// Driver: runs machines against an Api. It lists and watches the kinds they want, hands them batches of
// events, sends their effects in order of lanes and dependencies, retries within bounds, and (in tests)
// crashes.
//
// One Driver is one process: the scheduler's, the controller manager's. Destroying it is what SIGKILL does:
// requests that have left still land, nothing else happens. Retries, conflicts, lost answers and overload are
// therefore the same code live and simulated. Thread rule: the event loop's thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "drive/api.h"
#include "drive/clock.h"
#include "drive/machine.h"

namespace cadre::drive {

struct Limits {
  std::size_t in_flight = 64;    // writes sent and not answered, all lanes together
  double writes_per_second = 0;  // a token bucket of `burst` tokens (drive/rate_limit.h); 0: no limit
  double burst = 0;
  int attempts = 6;           // per effect, the first one included
  Duration first_retry{100};  // doubles per attempt, up to max_retry; a Retry-After wins
  Duration max_retry{10'000};
  std::size_t waiting_notes = 10'000;  // beyond this the oldest note is dropped
  std::size_t waiting_conditions = 10'000;
  Duration relist_backoff{
      500};  // first wait after a failed list or an ended watch that brought nothing; doubles
  Duration max_relist_backoff{30'000};
};

// Where a test kills the process, relative to one write.
enum class CrashPoint : std::uint8_t {
  kNone,
  kBefore,          // the write is not sent
  kAfter,           // it is carried out, the answer is handled (its Step runs), then the process dies
  kAfterUnanswered  // it is carried out, the process dies before the answer arrives
};
// All of them but kNone, for tests that try each.
inline constexpr std::array kCrashPoints = {CrashPoint::kBefore, CrashPoint::kAfter,
                                            CrashPoint::kAfterUnanswered};

class Driver {
 public:
  // Asked once for each write attempt of this driver, just before it would be sent; n counts from 1.
  using CrashHook = std::function<CrashPoint(std::uint64_t n, const Effect& effect)>;

  // Machines, api and clock are borrowed and must outlive the driver. Starts to list at once.
  Driver(std::vector<Machine*> machines, Api& api, Clock& clock, Limits limits);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // `on_crash` is called from the event loop once the process has died; the owner may then destroy the driver
  // and its machines. A dead driver sends nothing, hands on nothing and sets no timers.
  void SetCrashHook(CrashHook hook, std::function<void()> on_crash);

  // The process ends in order: the machines take no more Steps, nothing more is sent or retried, and `done`
  // is called from the event loop once every write that has left is answered. At most once, and not after a
  // crash.
  void Finish(std::function<void()> done);

  // Called after each Step with what went in and came out: traces, and the test that the same input gives the
  // same bytes.
  using StepObserver = std::function<void(const Machine&, Time, std::span<const Event>, const StepResult&)>;
  void SetStepObserver(StepObserver observer);

  struct Counters {
    std::uint64_t steps = 0, events = 0, writes = 0, retries = 0, relists = 0, dropped = 0;
  };
  const Counters& counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::drive
