// Which pods a Job needs more or fewer of, in which order, and what a new one looks like. Pure functions.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/, KEP-2214 (Indexed), KEP-3715
// (elastic), KEP-3850 (per-index back-off), KEP-3939 (pod replacement).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "drive/effect.h"
#include "sim/job_backoff.h"
#include "sim/job_counting.h"

namespace cadre::sim {

struct NewPod {
  std::int32_t index = -1;           // -1: NonIndexed
  const JobPod* replaces = nullptr;  // with backoffLimitPerIndex: the failed pod whose count it carries on
};

// Either creates or removes, never both in one sync.
struct PodPlan {
  std::vector<const JobPod*> remove;
  std::vector<NewPod> create;  // in this order, slow start
  Duration wait{0};            // a back-off: nothing now, look again after this
};

// `backoff`: what the Job as a whole has still to wait (see job_backoff.h). At most `max_per_sync` creates or
// removes.
PodPlan PlanPods(const kube::Job& job, const JobCounts& counts, std::span<const JobPod> pods,
                 Duration backoff, Time now, const BackoffLimits& limits, std::size_t max_per_sync);

// The pod object for a create: the Job's template verbatim, and what the Job controller adds.
json::object MakePod(const kube::Object& job, const NewPod& pod, const std::string& name);

// Takes the tracking finalizer off the pod, so that it can vanish.
drive::Effect ReleasePod(const kube::Pod& pod);

drive::Target TargetOf(kube::Kind kind, const kube::ObjectMeta& meta);

// "<job>-" or "<job>-<index>-", cut so that the name of the pod is a valid hostname (63 characters).
std::string PodNamePrefix(std::string_view job_name, std::int32_t index);

// Five characters of Kubernetes' alphabet, the same for the same text.
std::string NameSuffix(std::string_view text);

}  // namespace cadre::sim
