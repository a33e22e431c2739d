// JobStatus as the Job controller reads and writes it: with uncountedTerminatedPods, and conditions as JSON.
//
// The controller reads what it wrote from the object's raw JSON, not from kube::JobStatus: nobody else needs
// these parts. Pure functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "kube/object.h"

namespace cadre::sim {

inline constexpr std::string_view kFailureTarget = "FailureTarget";
inline constexpr std::string_view kSuccessCriteriaMet = "SuccessCriteriaMet";
inline constexpr std::string_view kJobComplete = "Complete";
inline constexpr std::string_view kJobFailed = "Failed";
inline constexpr std::string_view kJobSuspended = "Suspended";

struct TrackedStatus {
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::int32_t active = 0;
  std::optional<std::int32_t> ready;  // set from the first sync on
  std::optional<std::int32_t> terminating;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string completed_indexes;
  std::optional<std::string> failed_indexes;     // with backoffLimitPerIndex
  std::vector<std::string> uncounted_succeeded;  // UIDs; see job_counting.h
  std::vector<std::string> uncounted_failed;
  bool has_uncounted = false;  // the object that holds both lists is there; set from the first sync on
  json::array conditions;      // entries of others pass through untouched
};

TrackedStatus ReadStatus(const kube::Object& job);

// The merge patch {"status": {...}} that turns `before` into `after`; none when they are equal.
std::optional<json::object> StatusPatch(const TrackedStatus& before, const TrackedStatus& after);

struct JobCondition {
  std::string type;
  std::string reason;
  std::string message;
};

// The condition of this type when it is True.
std::optional<JobCondition> FindTrueCondition(const TrackedStatus& status, std::string_view type);

// Sets the condition to `value`; one that is absent is only added as True. Returns whether anything changed.
bool SetCondition(TrackedStatus& status, const JobCondition& condition, bool value, Time now);

// Where a value stands inside a JSON document: {"status", "startTime"}.
using JsonPath = std::initializer_list<std::string_view>;

// The array there; an empty one when there is none.
const json::array& ArrayIn(const json::value& document, JsonPath path);

// Its number or string; the default when there is none or it is of another type.
std::int32_t Int32In(const json::value& document, JsonPath path, std::int32_t otherwise = 0);
std::string_view StringIn(const json::value& document, JsonPath path);
std::optional<Time> TimeIn(const json::value& document, JsonPath path);

}  // namespace cadre::sim
