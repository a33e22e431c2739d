// How long a Job waits before it replaces failed pods: 10 s, doubling to 10 min, since the last failure.
//
// As in Kubernetes the count of failures in a row lives in memory only: a restart of the controller forgets
// it (the count per index does not: pods carry it). Source:
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy, KEP-3850.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "sim/job_counting.h"

namespace cadre::sim {

struct BackoffLimits {
  Duration first{10'000};
  Duration max{600'000};
};

struct BackoffRecord {
  std::int32_t failures = 0;  // since the last success
  std::optional<Time> last_failure;
  bool operator==(const BackoffRecord&) const = default;
};

// When the pod ended: its last container's end, else when it stopped being ready, else when its deletion was
// asked for, else its creation.
Time FinishedAt(const JobPod& pod);

// The record after these pods ended, both lists in any order. A success after a failure clears it.
BackoffRecord NextBackoff(const BackoffRecord& record, const std::vector<const JobPod*>& succeeded,
                          const std::vector<const JobPod*>& failed);

// How long to wait from `now`; zero when nothing failed or the time is over.
Duration RemainingBackoff(const BackoffRecord& record, Time now, const BackoffLimits& limits);

// The same for one index whose last pod was `last` (null: it has not failed).
Duration RemainingIndexBackoff(const JobPod* last, Time now, const BackoffLimits& limits);

}  // namespace cadre::sim
