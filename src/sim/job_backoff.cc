#include "sim/job_backoff.h"

#include <algorithm>
#include <ranges>

#include "sim/job_status.h"

namespace cadre::sim {
namespace {

// When the last container ended; none while one of them has not.
std::optional<Time> LastContainerEnd(const JobPod& pod) {
  if (pod.object.raw == nullptr) {
    return std::nullopt;
  }
  std::optional<Time> last;
  for (const json::value& status : ArrayIn(*pod.object.raw, {"status", "containerStatuses"})) {
    const std::optional<Time> end = TimeIn(status, {"state", "terminated", "finishedAt"});
    if (!end) {
      return std::nullopt;
    }
    last = last ? std::max(*last, *end) : *end;
  }
  return last;
}

std::optional<Time> StoppedBeingReady(const JobPod& pod) {
  for (const kube::Condition& condition : pod.pod->status.conditions) {
    if (condition.type == "Ready" && !condition.status) {
      return condition.last_transition_time;
    }
  }
  return std::nullopt;
}

std::optional<Time> DeletionAsked(const JobPod& pod) {
  const std::optional<Time> deletion = pod.pod->metadata.deletion_timestamp;
  if (!deletion || pod.object.raw == nullptr) {
    return deletion;
  }
  // The timestamp is when the grace period ends.
  return *deletion -
         Duration(1000 * std::int64_t{Int32In(*pod.object.raw, {"metadata", "deletionGracePeriodSeconds"})});
}

Duration Remaining(std::int32_t failures, std::optional<Time> last_failure, Time now,
                   const BackoffLimits& limits) {
  if (failures <= 0 || !last_failure) {
    return Duration{0};
  }
  Duration wait = limits.first;
  for (std::int32_t i = 1; i < failures && wait < limits.max; ++i) {
    wait = std::min(2 * wait, limits.max);
  }
  return std::max(Duration{0}, std::chrono::duration_cast<Duration>(*last_failure + wait - now));
}

}  // namespace

Time FinishedAt(const JobPod& pod) {
  if (const auto end = LastContainerEnd(pod)) {
    return *end;
  }
  if (const auto end = StoppedBeingReady(pod)) {
    return *end;
  }
  if (const auto end = DeletionAsked(pod)) {
    return *end;
  }
  return pod.pod->metadata.creation_timestamp.value_or(Time{});
}

BackoffRecord NextBackoff(const BackoffRecord& record, const std::vector<const JobPod*>& succeeded,
                          const std::vector<const JobPod*>& failed) {
  if (succeeded.empty() && failed.empty()) {
    return record;
  }
  BackoffRecord next = succeeded.empty() ? record : BackoffRecord{};
  std::optional<Time> last_success;
  for (const JobPod* pod : succeeded) {
    last_success = std::max(last_success.value_or(Time::min()), FinishedAt(*pod));
  }
  std::optional<Time> last_failure;
  for (const JobPod* pod : failed) {
    const Time end = FinishedAt(*pod);
    if (last_success && end <= *last_success) {
      continue;
    }
    ++next.failures;
    last_failure = std::max(last_failure.value_or(end), end);
  }
  if (last_failure) {
    next.last_failure = last_failure;
  }
  return next;
}

Duration RemainingBackoff(const BackoffRecord& record, Time now, const BackoffLimits& limits) {
  return Remaining(record.failures, record.last_failure, now, limits);
}

Duration RemainingIndexBackoff(const JobPod* last, Time now, const BackoffLimits& limits) {
  if (last == nullptr) {
    return Duration{0};
  }
  return Remaining(IndexFailures(*last->pod) + IgnoredIndexFailures(*last->pod) + 1, FinishedAt(*last), now,
                   limits);
}

}  // namespace cadre::sim
