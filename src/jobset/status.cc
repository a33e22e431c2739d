#include "jobset/status.h"

#include <algorithm>
#include <functional>

namespace cadre::jobset {
namespace {

const json::array& ArrayAt(const json::value& root, std::initializer_list<std::string_view> path) {
  static const json::array kEmpty;
  const json::value* found = Find(root, path);
  return found != nullptr && found->is_array() ? found->get_array() : kEmpty;
}

json::value* FindCondition(json::array& conditions, std::string_view type) {
  const auto found =
      std::ranges::find_if(conditions, [&](const json::value& c) { return FindString(c, {"type"}) == type; });
  return found == conditions.end() ? nullptr : &*found;
}

kube::ReplicatedJobStatus* CounterOf(Counters& counters, const Child& child) {
  const auto found = std::ranges::find(counters, child.replicated_job, &kube::ReplicatedJobStatus::name);
  return found == counters.end() ? nullptr : &*found;
}

// Clients index this list: the names stand in descending order, as upstream's do.
json::array CountersJson(Counters counters) {
  std::ranges::sort(counters, std::greater<>(), &kube::ReplicatedJobStatus::name);
  json::array list;
  for (const kube::ReplicatedJobStatus& counter : counters) {
    list.push_back({{"name", counter.name},
                    {"ready", counter.ready},
                    {"succeeded", counter.succeeded},
                    {"failed", counter.failed},
                    {"active", counter.active},
                    {"suspended", counter.suspended}});
  }
  return list;
}

// What belongs to this controller; null: the key shall be absent.
json::object ToJson(const Status& status) {
  const auto unless_empty = [](const auto& value) {
    return value.empty() ? json::value(nullptr) : json::value(value);
  };
  json::object out;
  out["conditions"] = unless_empty(status.conditions);
  out["restarts"] = status.restarts;  // written even when 0
  out["restartsCountTowardsMax"] = status.restarts_count_towards_max == 0
                                       ? json::value(nullptr)
                                       : json::value(status.restarts_count_towards_max);
  out["terminalState"] = unless_empty(json::string(status.terminal_state));
  out["replicatedJobsStatus"] = unless_empty(CountersJson(status.counters));
  return out;
}

}  // namespace

Counters CountJobs(const kube::JobSetSpec& spec, const Children& children) {
  Counters counters;
  std::map<std::string_view, std::int32_t> pods;
  for (const kube::ReplicatedJob& job : spec.replicated_jobs) {
    counters.push_back({.name = job.name});
    pods[job.name] = kube::PodsAtOnce(job.job);
  }
  for (const Child& child : children.active) {
    if (kube::ReplicatedJobStatus* counter = CounterOf(counters, child)) {
      const kube::JobStatus& status = child.job->status;
      counter->ready += status.succeeded + status.ready >= pods[child.replicated_job] ? 1 : 0;
      counter->active += status.active > 0 ? 1 : 0;
      counter->suspended += child.job->spec.suspend ? 1 : 0;
    }
  }
  for (const Child& child : children.succeeded) {
    if (kube::ReplicatedJobStatus* counter = CounterOf(counters, child)) {
      ++counter->succeeded;
    }
  }
  for (const Child& child : children.failed) {
    if (kube::ReplicatedJobStatus* counter = CounterOf(counters, child)) {
      ++counter->failed;
    }
  }
  return counters;
}

const kube::ReplicatedJobStatus* FindCounter(const Counters& counters, std::string_view name) {
  const auto found = std::ranges::find(counters, name, &kube::ReplicatedJobStatus::name);
  return found == counters.end() ? nullptr : &*found;
}

Status ReadStatus(const kube::Object& jobset) {
  const auto& typed = jobset.As<kube::JobSet>().status;
  return {
      .conditions = jobset.raw == nullptr ? json::array() : ArrayAt(*jobset.raw, {"status", "conditions"}),
      .restarts = typed.restarts,
      .restarts_count_towards_max = typed.restarts_count_towards_max,
      .terminal_state = typed.terminal_state,
      .counters = typed.replicated_jobs};
}

bool SetCondition(Status& status, const ConditionChange& change, Time now) {
  json::value* existing = FindCondition(status.conditions, change.type);
  if (existing == nullptr && !change.value) {
    return false;
  }
  const std::string_view value = change.value ? "True" : "False";
  const bool same_value = existing != nullptr && FindString(*existing, {"status"}) == value;
  if (same_value && FindString(*existing, {"reason"}) == change.reason &&
      FindString(*existing, {"message"}) == change.message) {
    return false;
  }
  json::object condition = existing == nullptr ? json::object() : existing->as_object();
  condition["type"] = change.type;
  condition["status"] = value;
  condition["reason"] = change.reason;
  condition["message"] = change.message;
  if (!same_value) {
    condition["lastTransitionTime"] = FormatRfc3339(now);
  }
  if (existing == nullptr) {
    status.conditions.emplace_back(std::move(condition));
  } else {
    *existing = std::move(condition);
  }
  return true;
}

bool IsTrue(const Status& status, std::string_view type) {
  return std::ranges::any_of(status.conditions, [&](const json::value& condition) {
    return FindString(condition, {"type"}) == type && FindString(condition, {"status"}) == "True";
  });
}

std::optional<json::object> StatusPatch(const kube::Object& jobset, const Status& wanted) {
  static const json::value kNull;
  json::object patch;
  for (auto& [key, value] : ToJson(wanted)) {
    const json::value* current = jobset.raw == nullptr ? nullptr : Find(*jobset.raw, {"status", key});
    if ((current == nullptr ? kNull : *current) != value) {
      patch[key] = value;
    }
  }
  if (patch.empty()) {
    return std::nullopt;
  }
  return json::object{{"status", std::move(patch)}};
}

}  // namespace cadre::jobset
