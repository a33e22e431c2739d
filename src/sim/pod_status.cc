#include "sim/pod_status.h"

#include <algorithm>
#include <array>

#include "kube/pod.h"
#include "sim/json_util.h"

namespace cadre::sim {

namespace {

const json::object& StatusOf(const kube::Object& pod) {
  static const json::object kEmpty;
  const json::object* status = ObjectOf(pod.raw->get_object(), "status");
  return status == nullptr ? kEmpty : *status;
}

// Takes the place of a condition of the same type, or goes to the end. A condition stays as it is while its
// status does.
void SetCondition(json::array& conditions, json::object condition) {
  const auto same = std::ranges::find_if(conditions, [&](const json::value& other) {
    return other.is_object() && StringOf(other.get_object(), "type") == StringOf(condition, "type");
  });
  if (same == conditions.end()) {
    conditions.emplace_back(std::move(condition));
  } else if (StringOf(same->get_object(), "status") != StringOf(condition, "status")) {
    *same = std::move(condition);
  }
}

// The pod's conditions with these types set, the others as they are.
json::array WithConditions(const kube::Object& pod, Time now, std::string_view reason,
                           std::initializer_list<std::pair<std::string_view, bool>> wanted) {
  const json::array* old = ArrayOf(StatusOf(pod), "conditions");
  json::array conditions = old == nullptr ? json::array() : *old;
  for (const auto& [type, status] : wanted) {
    json::object condition{{"type", type},
                           {"status", status ? "True" : "False"},
                           {"lastProbeTime", nullptr},
                           {"lastTransitionTime", FormatRfc3339(now)}};
    if (!status && !reason.empty()) condition["reason"] = reason;
    SetCondition(conditions, std::move(condition));
  }
  return conditions;
}

json::object Terminated(Time started, Time ended, int exit_code) {
  return {{"terminated",
           {{"exitCode", exit_code},
            {"reason", exit_code == 0 ? "Completed" : "Error"},
            {"startedAt", FormatRfc3339(started)},
            {"finishedAt", FormatRfc3339(ended)}}}};
}

// One status per container, all in the same state.
json::array ContainerStatuses(const kube::Object& pod, const ContainerLife& life, const json::object& state,
                              bool ready) {
  json::array statuses;
  for (const kube::Container& container : pod.As<kube::Pod>().spec.containers) {
    json::object status{{"name", container.name},
                        {"ready", ready},
                        {"started", ready},
                        {"restartCount", life.restarts},
                        {"state", state}};
    if (life.last_end) status["lastState"] = Terminated(*life.last_end, *life.last_end, life.last_exit_code);
    statuses.emplace_back(std::move(status));
  }
  return statuses;
}

std::optional<Time> TimeIn(const json::value& root, std::initializer_list<std::string_view> path) {
  const Result<Time> time = ParseRfc3339(FindString(root, path));
  return time ? std::optional(*time) : std::nullopt;
}

// The status of the first container; null when there is none.
const json::value* FirstContainer(const kube::Object& pod) {
  const json::array* statuses = ArrayOf(StatusOf(pod), "containerStatuses");
  return statuses == nullptr || statuses->empty() || !statuses->front().is_object() ? nullptr
                                                                                    : &statuses->front();
}

}  // namespace

json::object RejectedStatus(const kube::Object& pod, const Rejection& rejection, Time now) {
  return {{"status",
           {{"phase", "Failed"},
            {"reason", rejection.reason},
            {"message", "Pod was rejected: " + rejection.message},
            {"startTime", FormatRfc3339(now)},
            {"conditions",
             WithConditions(pod, now, "PodFailed", {{"Ready", false}, {"ContainersReady", false}})}}}};
}

json::object RunningStatus(const kube::Object& pod, const ContainerLife& life) {
  json::object status{
      {"phase", "Running"},
      {"conditions", WithConditions(pod, life.started, "",
                                    {{"PodReadyToStartContainers", true},
                                     {"Initialized", true},
                                     {"Ready", true},
                                     {"ContainersReady", true},
                                     {"PodScheduled", true}})},
      {"containerStatuses",
       ContainerStatuses(pod, life, {{"running", {{"startedAt", FormatRfc3339(life.started)}}}}, true)}};
  if (!pod.As<kube::Pod>().status.start_time) status["startTime"] = FormatRfc3339(life.started);
  return {{"status", std::move(status)}};
}

json::object CrashLoopStatus(const kube::Object& pod, const ContainerLife& life, Time now) {
  return {{"status",
           {{"conditions",
             WithConditions(pod, now, "ContainersNotReady", {{"Ready", false}, {"ContainersReady", false}})},
            {"containerStatuses",
             ContainerStatuses(pod, life, {{"waiting", {{"reason", "CrashLoopBackOff"}}}}, false)}}}};
}

json::object EndedStatus(const kube::Object& pod, const std::optional<ContainerLife>& life, int exit_code,
                         Time now, std::string_view reason, std::string_view message) {
  const bool succeeded = exit_code == 0 && reason.empty();
  json::object status{{"phase", succeeded ? "Succeeded" : "Failed"},
                      {"conditions", WithConditions(pod, now, succeeded ? "PodCompleted" : "PodFailed",
                                                    {{"Ready", false}, {"ContainersReady", false}})}};
  if (life)
    status["containerStatuses"] =
        ContainerStatuses(pod, *life, Terminated(life->started, now, exit_code), false);
  if (!reason.empty()) status["reason"] = reason;
  if (!message.empty()) status["message"] = message;
  return {{"status", std::move(status)}};
}

json::object DisruptedStatus(const kube::Object& pod, std::string_view reason, std::string_view message,
                             Time now) {
  json::array conditions =
      WithConditions(pod, now, "PodFailed", {{"Ready", false}, {"ContainersReady", false}});
  SetCondition(conditions, {{"type", "DisruptionTarget"},
                            {"status", "True"},
                            {"lastProbeTime", nullptr},
                            {"lastTransitionTime", FormatRfc3339(now)},
                            {"reason", reason},
                            {"message", message}});
  return {{"status", {{"phase", "Failed"}, {"conditions", std::move(conditions)}}}};
}

std::optional<ContainerLife> LifeIn(const kube::Object& pod) {
  const json::value* status = FirstContainer(pod);
  if (status == nullptr) return std::nullopt;
  const json::value& first = *status;
  ContainerLife life;
  life.restarts = static_cast<int>(IntOf(first.get_object(), "restartCount", 0));
  life.last_end = TimeIn(first, {"lastState", "terminated", "finishedAt"});
  const std::optional<Time> started = TimeIn(first, {"state", "running", "startedAt"});
  if (!started && !life.last_end) return std::nullopt;
  life.started = started.value_or(life.last_end.value_or(Time{}));
  return life;
}

bool WaitsForRestart(const kube::Object& pod) {
  const json::value* status = FirstContainer(pod);
  return status != nullptr && FindString(*status, {"state", "waiting", "reason"}) == "CrashLoopBackOff";
}

}  // namespace cadre::sim
