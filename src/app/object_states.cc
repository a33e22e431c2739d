#include "app/object_states.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "kube/job.h"
#include "kube/pod.h"

namespace cadre::app {
namespace {

constexpr std::string_view kDeleting = " deleting";

std::string NameOf(const kube::Object& object) {
  const kube::ObjectMeta& meta = object.Meta();
  if (object.kind == kube::Kind::kJob) return fmt::format("Job {}", kube::KeyOf(meta));
  const kube::OwnerReference* owner = meta.Controller();
  if (owner == nullptr) return fmt::format("Pod {}", kube::KeyOf(meta));
  const auto index = kube::CompletionIndex(object.As<kube::Pod>());
  return fmt::format("Pod {}/{}{}", meta.namespace_, owner->name, index ? fmt::format("[{}]", *index) : "");
}

std::string JobState(const kube::Object& object) {
  const auto& job = object.As<kube::Job>();
  std::set<std::string> words;
  for (const kube::Condition& condition : job.status.conditions) {
    if (condition.status) words.insert(condition.type);
  }
  std::string state = job.spec.suspend ? "held" : "runs";
  state += fmt::format(" {}/{}", job.spec.parallelism.value_or(1), job.spec.completions.value_or(0));
  for (const std::string& word : words)
    state += " " + word;
  if (object.Meta().deletion_timestamp) state += kDeleting;
  return state;
}

// What the Job says of its pods; empty fields are left out, as both servers do in their own way.
std::string JobCounts(const kube::Object& object) {
  static constexpr const char* kFields[] = {"active",           "ready",         "succeeded",  "failed",
                                            "completedIndexes", "failedIndexes", "terminating"};
  if (object.raw == nullptr) return "";
  const json::value* status = object.raw->as_object().if_contains("status");
  if (status == nullptr || !status->is_object()) return "";
  std::string counts;
  for (const char* field : kFields) {
    const json::value* value = status->as_object().if_contains(field);
    if (value == nullptr || *value == 0 || *value == "") continue;
    counts += fmt::format(" {}={}", field, json::serialize(*value));
  }
  return counts;
}

std::string_view NameOf(kube::PodPhase phase) {
  constexpr std::string_view kNames[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string PodState(const kube::Object& object) {
  const auto& pod = object.As<kube::Pod>();
  std::string state;
  if (pod.status.phase == kube::PodPhase::kPending)
    state = pod.spec.node_name.empty() ? "waits" : "bound";
  else
    state = NameOf(pod.status.phase);
  if (object.Meta().deletion_timestamp) state += kDeleting;
  return state;
}

}  // namespace

void ObjectStates::LookOn(drive::ObservedApi& api) {
  api.AddWriteObserver([this](const drive::WriteRecord& record) { OnWrite(record); });
}

void ObjectStates::Add(History& history, std::string state) {
  if (history.states.empty() || history.states.back() != state) history.states.push_back(std::move(state));
}

void ObjectStates::OnWrite(const drive::WriteRecord& record) {
  const kube::Object& object = record.after != nullptr ? *record.after : *record.before;
  if (object.kind != kube::Kind::kJob && object.kind != kube::Kind::kPod) return;
  History& history = by_uid_[object.Meta().uid];
  if (history.of.empty()) history.of = NameOf(object);
  const bool is_job = object.kind == kube::Kind::kJob;
  if (record.after != nullptr) {
    Add(history, is_job ? JobState(object) : PodState(object));
    if (is_job) history.counts = JobCounts(object);
    return;
  }
  // A pod that ends at once is marked and removed by one request: two changes for a watch, one write here.
  if (!is_job && !history.states.empty() && !history.states.back().ends_with(kDeleting))
    Add(history, history.states.back() + std::string(kDeleting));
  Add(history, "gone");
  history.counts.clear();
}

std::vector<std::string> ObjectStates::Lines() const {
  std::vector<std::string> lines;
  for (const auto& [uid, history] : by_uid_)
    lines.push_back(fmt::format("{}: {}{}", history.of, fmt::join(history.states, " > "),
                                history.counts.empty() ? "" : ";" + history.counts));
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> DifferencesOf(const std::vector<std::string>& simulated,
                                       const std::vector<std::string>& real) {
  std::vector<std::string> only_simulated;
  std::vector<std::string> only_real;
  std::ranges::set_difference(simulated, real, std::back_inserter(only_simulated));
  std::ranges::set_difference(real, simulated, std::back_inserter(only_real));
  std::vector<std::string> differences;
  for (const std::string& line : only_simulated)
    differences.push_back("only simulated: " + line);
  for (const std::string& line : only_real)
    differences.push_back("only real: " + line);
  return differences;
}

}  // namespace cadre::app
