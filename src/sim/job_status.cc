#include "sim/job_status.h"

#include <algorithm>
#include <limits>

namespace cadre::sim {
const json::array& ArrayIn(const json::value& document, JsonPath path) {
  static const json::array kEmpty;
  const json::value* found = Find(document, path);
  return found != nullptr && found->is_array() ? found->get_array() : kEmpty;
}

std::int32_t Int32In(const json::value& document, JsonPath path, std::int32_t otherwise) {
  const json::value* found = Find(document, path);
  if (found == nullptr) {
    return otherwise;
  }
  using Limits = std::numeric_limits<std::int32_t>;
  if (found->is_int64() && found->get_int64() >= Limits::min() && found->get_int64() <= Limits::max()) {
    return static_cast<std::int32_t>(found->get_int64());
  }
  if (found->is_uint64() && found->get_uint64() <= std::uint64_t{Limits::max()}) {
    return static_cast<std::int32_t>(found->get_uint64());
  }
  return otherwise;
}

std::string_view StringIn(const json::value& document, JsonPath path) {
  const json::value* found = Find(document, path);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

std::optional<Time> TimeIn(const json::value& document, JsonPath path) {
  const std::string_view text = StringIn(document, path);
  if (text.empty()) {
    return std::nullopt;
  }
  const Result<Time> time = ParseRfc3339(text);
  return time ? std::optional(*time) : std::nullopt;
}

namespace {

std::vector<std::string> StringsIn(const json::value& document, JsonPath path) {
  std::vector<std::string> strings;
  for (const json::value& item : ArrayIn(document, path)) {
    if (item.is_string()) {
      strings.emplace_back(item.get_string());
    }
  }
  return strings;
}

std::optional<std::int32_t> OptionalInt32In(const json::value& document, JsonPath path) {
  return Find(document, path) == nullptr ? std::nullopt : std::optional(Int32In(document, path));
}

json::value* FindCondition(json::array& conditions, std::string_view type) {
  const auto found =
      std::ranges::find_if(conditions, [&](const json::value& c) { return StringIn(c, {"type"}) == type; });
  return found == conditions.end() ? nullptr : &*found;
}

// What is zero or empty is left out, as the Go types do.
json::object ToJson(const TrackedStatus& status) {
  json::object out;
  const auto put_count = [&](std::string_view key, std::int32_t count) {
    if (count != 0) {
      out[key] = count;
    }
  };
  const auto put_if_set = [&](std::string_view key, const auto& value) {
    if (value) {
      out[key] = *value;
    }
  };
  const auto put_time = [&](std::string_view key, const std::optional<Time>& time) {
    if (time) {
      out[key] = FormatRfc3339(*time);
    }
  };
  put_time("startTime", status.start_time);
  put_time("completionTime", status.completion_time);
  put_count("active", status.active);
  put_if_set("ready", status.ready);
  put_if_set("terminating", status.terminating);
  put_count("succeeded", status.succeeded);
  put_count("failed", status.failed);
  if (!status.completed_indexes.empty()) {
    out["completedIndexes"] = status.completed_indexes;
  }
  put_if_set("failedIndexes", status.failed_indexes);
  if (!status.conditions.empty()) {
    out["conditions"] = status.conditions;
  }
  return out;
}

json::value UidList(const std::vector<std::string>& uids) {
  if (uids.empty()) {
    return nullptr;  // in a merge patch: no such key
  }
  json::array list;
  for (const std::string& uid : uids) {
    list.emplace_back(uid);
  }
  return list;
}

}  // namespace

TrackedStatus ReadStatus(const kube::Object& job) {
  TrackedStatus status;
  const json::value* found = job.raw == nullptr ? nullptr : Find(*job.raw, {"status"});
  if (found == nullptr) {
    return status;
  }
  status.start_time = TimeIn(*found, {"startTime"});
  status.completion_time = TimeIn(*found, {"completionTime"});
  status.active = Int32In(*found, {"active"});
  status.ready = OptionalInt32In(*found, {"ready"});
  status.terminating = OptionalInt32In(*found, {"terminating"});
  status.succeeded = Int32In(*found, {"succeeded"});
  status.failed = Int32In(*found, {"failed"});
  status.completed_indexes = StringIn(*found, {"completedIndexes"});
  if (Find(*found, {"failedIndexes"}) != nullptr) {
    status.failed_indexes = StringIn(*found, {"failedIndexes"});
  }
  status.uncounted_succeeded = StringsIn(*found, {"uncountedTerminatedPods", "succeeded"});
  status.uncounted_failed = StringsIn(*found, {"uncountedTerminatedPods", "failed"});
  status.has_uncounted = Find(*found, {"uncountedTerminatedPods"}) != nullptr;
  status.conditions = ArrayIn(*found, {"conditions"});
  return status;
}

std::optional<json::object> StatusPatch(const TrackedStatus& before, const TrackedStatus& after) {
  const json::object old_fields = ToJson(before);
  const json::object new_fields = ToJson(after);
  json::object patch;
  for (const auto& [key, value] : new_fields) {
    const json::value* old_value = old_fields.if_contains(key);
    if (old_value == nullptr || *old_value != value) {
      patch[key] = value;
    }
  }
  for (const auto& [key, value] : old_fields) {
    if (!new_fields.contains(key)) {
      patch[key] = nullptr;
    }
  }
  json::object uncounted;
  if (before.uncounted_succeeded != after.uncounted_succeeded) {
    uncounted["succeeded"] = UidList(after.uncounted_succeeded);
  }
  if (before.uncounted_failed != after.uncounted_failed) {
    uncounted["failed"] = UidList(after.uncounted_failed);
  }
  if (!uncounted.empty() || (after.has_uncounted && !before.has_uncounted)) {
    patch["uncountedTerminatedPods"] = std::move(uncounted);
  }
  if (patch.empty()) {
    return std::nullopt;
  }
  return json::object{{"status", std::move(patch)}};
}

std::optional<JobCondition> FindTrueCondition(const TrackedStatus& status, std::string_view type) {
  for (const json::value& condition : status.conditions) {
    if (StringIn(condition, {"type"}) == type && StringIn(condition, {"status"}) == "True") {
      return JobCondition{std::string(type), std::string(StringIn(condition, {"reason"})),
                          std::string(StringIn(condition, {"message"}))};
    }
  }
  return std::nullopt;
}

bool SetCondition(TrackedStatus& status, const JobCondition& condition, bool value, Time now) {
  json::value* existing = FindCondition(status.conditions, condition.type);
  const std::string_view wanted = value ? "True" : "False";
  if (existing == nullptr && !value) {
    return false;
  }
  if (existing != nullptr && StringIn(*existing, {"status"}) == wanted &&
      StringIn(*existing, {"reason"}) == condition.reason &&
      StringIn(*existing, {"message"}) == condition.message) {
    return false;
  }
  json::object made{{"type", condition.type},
                    {"status", wanted},
                    {"lastProbeTime", FormatRfc3339(now)},
                    {"lastTransitionTime", FormatRfc3339(now)},
                    {"reason", condition.reason},
                    {"message", condition.message}};
  if (existing == nullptr) {
    status.conditions.emplace_back(std::move(made));
  } else {
    *existing = std::move(made);
  }
  return true;
}

}  // namespace cadre::sim
