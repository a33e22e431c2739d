#include "sim/faults.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cadre::sim {

namespace {

// One of several exclusive faults, or none, with one draw.
template <class Fault, std::size_t kCount>
Fault Draw(Random& random, const std::array<std::pair<double, Fault>, kCount>& faults) {
  for (const auto& [probability, fault] : faults) {
    if (probability > 0 && random.Chance(probability)) return fault;
  }
  return Fault::kNone;
}

}  // namespace

Faults::OfWrite Faults::OnWrite(Time now, std::string_view user, const drive::Effect& effect) {
  if (now >= options_.until || (options_.applies_to && !options_.applies_to(user))) return OfWrite::kNone;
  const double conflict = effect.resource_version != 0 ? options_.conflict : 0;
  return Draw(random_, std::array{std::pair{options_.refused, OfWrite::kRefused},
                                  std::pair{conflict, OfWrite::kConflict},
                                  std::pair{options_.lost_before, OfWrite::kLostBefore},
                                  std::pair{options_.lost_after, OfWrite::kLostAfter}});
}

Duration Faults::RetryAfter() {
  if (options_.retry_after <= Duration{0} || random_.Chance(0.5)) return Duration{0};
  return options_.retry_after;
}

bool Faults::CompactsAfterWrite(Time now) {
  return now < options_.until && options_.compacted > 0 && random_.Chance(options_.compacted);
}

bool Faults::FailsList(Time now) {
  return now < options_.until && options_.failed_list > 0 && random_.Chance(options_.failed_list);
}

Faults::OfWatch Faults::OnWatchEvent(Time now) {
  if (now >= options_.until) return OfWatch::kNone;
  return Draw(random_, std::array{std::pair{options_.watch_delayed, OfWatch::kDelayed},
                                  std::pair{options_.watch_ended, OfWatch::kEnded},
                                  std::pair{options_.watch_expired, OfWatch::kExpired},
                                  std::pair{options_.watch_repeated, OfWatch::kRepeated}});
}

Duration Faults::Delay() {
  return Duration{random_.Between(1, std::max<std::int64_t>(1, options_.longest_delay.count()))};
}

}  // namespace cadre::sim
