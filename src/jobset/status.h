// JobSetStatus: counters, conditions, and the one patch that writes them.
//
// Ready is judged against the size that the JobSet's spec asks for, not against the child Job as it is: a Job
// that is small for a while is not ready (see README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "jobset/children.h"
#include "kube/jobset.h"

namespace cadre::jobset {

inline constexpr std::string_view kCompletedCondition = "Completed";
inline constexpr std::string_view kFailedCondition = "Failed";
inline constexpr std::string_view kSuspendedCondition = "Suspended";
inline constexpr std::string_view kRestartingCondition = "RestartingJobSet";
inline constexpr std::string_view kStartupInProgressCondition = "StartupPolicyInProgress";
inline constexpr std::string_view kStartupCompletedCondition = "StartupPolicyCompleted";

// By replicated job, in the order of the spec.
using Counters = std::vector<kube::ReplicatedJobStatus>;

// A Job can count in several: active and ready, for example.
Counters CountJobs(const kube::JobSetSpec& spec, const Children& children);

const kube::ReplicatedJobStatus* FindCounter(const Counters& counters, std::string_view name);

struct Status {
  json::array conditions;  // entries of others pass through untouched
  std::int32_t restarts = 0;
  std::int32_t restarts_count_towards_max = 0;
  std::string terminal_state;
  Counters counters;
};

Status ReadStatus(const kube::Object& jobset);

struct ConditionChange {
  std::string_view type;
  bool value = true;
  std::string reason;
  std::string message;
};

// Sets a condition; one that is absent is only added as True. Its time changes with its value only. Returns
// whether anything changed.
bool SetCondition(Status& status, const ConditionChange& change, Time now);

bool IsTrue(const Status& status, std::string_view type);

// The merge patch {"status": {...}} that brings the object to `wanted`; none when it is there.
std::optional<json::object> StatusPatch(const kube::Object& jobset, const Status& wanted);

}  // namespace cadre::jobset
