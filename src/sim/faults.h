// Faults: what goes wrong between a client and the API server, from a seed. The same seed and the same
// requests give the same faults. Off by default.
//
// Every fault is one that a correct client must survive: refusals and lost answers of writes, failed lists,
// watches that lag, end, expire or repeat themselves, a history that is compacted.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "base/time.h"
#include "drive/effect.h"

namespace cadre::sim {

// Probabilities are per write, per list and per delivered watch event.
struct FaultOptions {
  std::uint64_t seed = 1;
  Time until = Time::max();  // nothing goes wrong from here on

  double refused = 0;       // 429 or 503: not carried out, may be retried
  Duration retry_after{0};  // what half of the refusals ask for; 0: they say nothing
  double conflict = 0;  // 409, as if somebody had written in between; only where a version is a precondition
  double lost_before = 0;  // the connection breaks before the write is carried out; the client cannot tell
  double lost_after = 0;   // the write is carried out and the answer lost
  double compacted =
      0;  // after a write all history is dropped: watches that lag or resume later have expired

  double failed_list = 0;

  double watch_delayed = 0;
  Duration longest_delay{5'000};
  double watch_ended = 0;
  double watch_expired = 0;
  double watch_repeated = 0;

  // Whose writes may go wrong; empty: everyone's.
  std::function<bool(std::string_view user)> applies_to = {};
};

class Faults {
 public:
  enum class OfWrite : std::uint8_t { kNone, kRefused, kConflict, kLostBefore, kLostAfter };
  enum class OfWatch : std::uint8_t { kNone, kDelayed, kEnded, kExpired, kRepeated };

  explicit Faults(FaultOptions options) : options_(std::move(options)), random_(options_.seed) {}

  OfWrite OnWrite(Time now, std::string_view user, const drive::Effect& effect);
  // With kRefused: the Retry-After, 0 for none.
  Duration RetryAfter();
  bool CompactsAfterWrite(Time now);
  bool FailsList(Time now);
  OfWatch OnWatchEvent(Time now);
  // With kDelayed: for how long, at least 1 ms.
  Duration Delay();

 private:
  FaultOptions options_;
  Random random_;
};

}  // namespace cadre::sim
