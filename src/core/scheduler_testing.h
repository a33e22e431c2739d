// For tests only: a Scheduler and a tiny API server around it. Objects are written as YAML, effects are
// carried out on them one after the other and answered, and a test decides the fate of each.
//
// Time moves only in Pass(). What the watch brings can be held back, the process can be killed between any
// two writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "core/scheduler.h"
#include "kube/decode.h"
#include "kube/test_support.h"

namespace cadre::core {

// What becomes of one write.
struct Fate {
  drive::Outcome outcome = drive::Outcome::kDone;  // what is answered
  bool happens = true;                             // is it carried out? (kUnknown: either)
  std::string message = {};
};

// Everything of a step's result, as text.
inline std::string BytesOf(const drive::StepResult& result) {
  std::string bytes;
  for (const drive::Effect& effect : result.effects) {
    bytes += fmt::format("#{} lane {} {}", static_cast<std::uint64_t>(effect.id),
                         static_cast<int>(effect.lane), drive::ToString(effect));
    if (const auto* bind = std::get_if<drive::Bind>(&effect.what)) {
      for (const auto& [key, value] : bind->annotations)
        bytes += fmt::format(" {}={}", key, value);
    }
    bytes += '\n';
  }
  return bytes + (result.wake ? FormatRfc3339Millis(*result.wake) : "no wake") + '\n';
}

struct RecordedStep {
  Time now;
  std::vector<drive::Event> events;
  std::vector<drive::Effect> effects;
  std::string bytes;
};

inline constexpr Time kStart{std::chrono::milliseconds(1'767'225'600'000)};  // 2026-01-01T00:00:00Z

class SchedulerWorld {
 public:
  explicit SchedulerWorld(Options options = {}) : options_(std::move(options)) { Restart(); }

  // --- the API server

  // One object, or several documents parted by lines of "---". UID, version and time of creation are filled
  // in.
  void Create(std::string_view yaml) {
    kube::Manifests manifests;
    kube::LoadText(yaml, "test.yaml", manifests);
    for (const kube::Problem& problem : manifests.problems)
      ADD_FAILURE() << ToString(problem);
    for (const kube::LoadedObject& loaded : manifests.objects)
      Store(loaded.object.kind, *loaded.object.raw);
  }
  // A merge patch by somebody else.
  void Change(kube::Kind kind, const std::string& name, std::string_view patch) {
    Patch({kind, name}, json::parse(patch));
  }
  void Delete(kube::Kind kind, const std::string& name) {
    const auto found = objects_.find({kind, name});
    ASSERT_NE(found, objects_.end()) << "there is no " << name;
    const kube::Object last = DecodeOrDie(kind, found->second);
    objects_.erase(found);
    Send(drive::Changed{last, true});
  }
  bool Exists(kube::Kind kind, const std::string& name) const { return objects_.contains({kind, name}); }
  const json::value& Get(kube::Kind kind, const std::string& name) const {
    const auto found = objects_.find({kind, name});
    CADRE_ASSERT(found != objects_.end(), fmt::format("there is no {}", name));
    return found->second;
  }
  std::string UidOf(kube::Kind kind, const std::string& name) const {
    return std::string(FindString(Get(kind, name), {"metadata", "uid"}));
  }
  std::string AnnotationOf(kube::Kind kind, const std::string& name, std::string_view key) const {
    return std::string(FindString(Get(kind, name), {"metadata", "annotations", key}));
  }
  std::string NodeOf(const std::string& pod) const {
    return std::string(FindString(Get(kube::Kind::kPod, pod), {"spec", "nodeName"}));
  }
  std::vector<std::string> PodNames() const {
    std::vector<std::string> names;
    for (const auto& [key, value] : objects_) {
      if (key.first == kube::Kind::kPod) names.push_back(key.second);
    }
    return names;
  }
  int CountBound(std::string_view prefix = "") const {
    int count = 0;
    for (const std::string& name : PodNames())
      count += name.starts_with(prefix) && !NodeOf(name).empty() ? 1 : 0;
    return count;
  }

  std::vector<drive::Event> AllObjects() const {
    std::vector<drive::Event> events;
    for (const auto& [key, value] : objects_)
      events.push_back(drive::Changed{DecodeOrDie(key.first, value), false});
    return events;
  }

  // --- objects in few words

  void AddNode(const std::string& name, int cpus, std::string_view labels = "") {
    Create(fmt::format(R"(apiVersion: v1
kind: Node
metadata: {{name: {}, labels: {{{}}}}}
status: {{allocatable: {{cpu: "{}", pods: "110"}}}}
)",
                       name, labels, cpus));
  }
  // n1 to n<count>.
  void AddNodes(int count, int cpus) {
    for (int i = 1; i <= count; ++i)
      AddNode(fmt::format("n{}", i), cpus);
  }
  // An Indexed Job with completions = parallelism. `more` and `annotations` are the insides of flow mappings.
  void AddJob(const std::string& name, int pods, std::string_view annotations = "",
              std::string_view more = "") {
    Create(fmt::format(R"(apiVersion: batch/v1
kind: Job
metadata: {{name: {}, annotations: {{{}}}}}
spec:
  {{completionMode: Indexed, completions: {}, parallelism: {}, {}template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: a}}]}}}}}}
)",
                       name, annotations, pods, pods, more));
  }
  // A pod of a Job, named <job>-<index>, that asks for whole CPUs.
  void AddPod(const std::string& job, int index, int cpus = 1, std::string_view spec = "") {
    Create(fmt::format(R"(apiVersion: v1
kind: Pod
metadata:
  name: {0}-{1}
  annotations: {{batch.kubernetes.io/job-completion-index: "{1}"}}
  ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: {0}, uid: {2}, controller: true}}]
spec: {{schedulerName: cadre, {3}containers: [{{name: main, image: a, resources: {{requests: {{cpu: "{4}"}}}}}}]}}
)",
                       job, index, UidOf(kube::Kind::kJob, job), spec, cpus));
  }
  void AddPods(const std::string& job, int count, int cpus = 1) {
    for (int i = 0; i < count; ++i)
      AddPod(job, i, cpus);
  }
  void AddGang(const std::string& name, int pods, int cpus = 1) {
    AddJob(name, pods);
    AddPods(name, pods, cpus);
  }
  // A pod without an owner. `more` is the inside of metadata's flow mapping.
  void AddLonePod(const std::string& name, int cpus, std::string_view spec = "schedulerName: cadre, ",
                  std::string_view more = "") {
    Create(fmt::format(R"(apiVersion: v1
kind: Pod
metadata: {{name: {}{}{}}}
spec: {{{}containers: [{{name: main, image: a, resources: {{requests: {{cpu: "{}"}}}}}}]}}
)",
                       name, more.empty() ? "" : ", ", more, spec, cpus));
  }
  // The child Job of a JobSet, <jobset>-<replicated job>-<index>.
  void AddChildJob(const std::string& jobset, const std::string& replicated, int index, int pods,
                   int attempt = 0) {
    Create(fmt::format(R"(apiVersion: batch/v1
kind: Job
metadata:
  name: {0}-{1}-{2}
  labels: {{"jobset.sigs.k8s.io/replicatedjob-name": {1}, "jobset.sigs.k8s.io/restart-attempt": "{5}"}}
  ownerReferences: [{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: {0}, uid: {4}, controller: true}}]
spec:
  {{completionMode: Indexed, completions: {3}, parallelism: {3}, template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: a}}]}}}}}}
)",
                       jobset, replicated, index, pods, UidOf(kube::Kind::kJobSet, jobset), attempt));
  }
  // Somebody else binds it.
  void BindByOther(const std::string& pod, const std::string& node) {
    Change(kube::Kind::kPod, pod, fmt::format(R"({{"spec":{{"nodeName":"{}"}}}})", node));
  }
  void SetPhase(const std::string& pod, std::string_view phase) {
    Change(kube::Kind::kPod, pod, fmt::format(R"({{"status":{{"phase":"{}"}}}})", phase));
  }
  void DeletePodsOf(const std::string& prefix) {
    for (const std::string& name : PodNames()) {
      if (name.starts_with(prefix)) Delete(kube::Kind::kPod, name);
    }
  }

  // --- the process

  // kill -9 and start again: everything is listed anew. What was not sent is lost.
  void Restart() {
    scheduler_ = std::make_unique<Scheduler>(options_);
    events_.clear();
    held_.clear();
    outbox_.clear();
    outcomes_.clear();
    wake_.reset();
    steps_.clear();
    events_ = AllObjects();
    for (const kube::Kind kind : scheduler_->Kinds())
      events_.push_back(drive::Listed{kind});
  }
  // Decides the fate of every write from now on.
  void SetFate(std::function<Fate(const drive::Effect&)> fate) { fate_ = std::move(fate); }
  // Every write whose text (drive::ToString) contains this is answered so, `times` times; 0: always.
  void Refuse(std::string contains, drive::Outcome outcome, int times = 0) {
    SetFate([contains = std::move(contains), outcome, times,
             seen = 0](const drive::Effect& effect) mutable -> Fate {
      if (drive::ToString(effect).find(contains) == std::string::npos) return {};
      if (times > 0 && ++seen > times) return {};
      return {outcome, false, "refused by the test"};
    });
  }
  void RefuseNothing() { fate_ = nullptr; }
  // While held, the watch brings nothing.
  void HoldWatch(bool hold) {
    hold_watch_ = hold;
    if (hold) return;
    for (drive::Event& event : std::exchange(held_, {}))
      events_.push_back(std::move(event));
  }

  // Steps once with what has come; effects wait in the outbox.
  void Step() {
    const std::vector<drive::Event> events = std::exchange(events_, {});
    drive::StepResult result = scheduler_->Step(now_, events);
    wake_ = result.wake;
    steps_.push_back({now_, events, result.effects, BytesOf(result)});
    for (drive::Effect& effect : result.effects)
      outbox_.push_back(std::move(effect));
  }
  // Sends the first effect of the outbox. False when there is none.
  bool SendOne() {
    if (outbox_.empty()) return false;
    const drive::Effect effect = outbox_.front();
    outbox_.erase(outbox_.begin());
    drive::Answer answer{
        .id = effect.id, .outcome = CarryOut(effect), .message = last_message_, .object = {}};
    outcomes_[effect.id] = answer.outcome;
    events_.push_back(std::move(answer));
    return true;
  }
  // Steps and sends until nothing is left to do at this time. At most `writes` writes (notes aside) are
  // carried out; when that many have been, it stops before the next one and returns false.
  bool Run(int writes = 1'000'000) {
    for (int round = 0; round < 1'000; ++round) {
      Step();
      if (outbox_.empty() && events_.empty()) return true;
      while (!outbox_.empty()) {
        const bool note = std::holds_alternative<drive::Note>(outbox_.front().what);
        if (!note && writes-- == 0) return false;
        SendOne();
      }
    }
    ADD_FAILURE() << "it does not come to rest: " << (log_.empty() ? "" : log_.back());
    return true;
  }
  // Lets time pass, stepping whenever the scheduler asked to be woken.
  void Pass(Duration by) {
    const Time until = now_ + by;
    Run();
    while (wake_ && *wake_ <= until) {
      now_ = std::max(*wake_, now_ + Duration(1));
      Run();
    }
    now_ = std::max(now_, until);
    Run();
  }
  void PassSeconds(int seconds) { Pass(Duration(1000 * seconds)); }

  Time now() const { return now_; }
  std::optional<Time> wake() const { return wake_; }
  const Scheduler& scheduler() const { return *scheduler_; }
  const std::vector<drive::Effect>& outbox() const { return outbox_; }
  // Every step of this process.
  const std::vector<RecordedStep>& steps() const { return steps_; }

  // --- what was written

  // All writes that were sent, in order, as text; those that were not carried out are marked with their
  // outcome.
  const std::vector<std::string>& log() const { return log_; }
  void ClearLog() {
    log_.clear();
    notes_.clear();
  }
  int CountWrites(std::string_view contains) const { return Count(log_, contains); }
  int CountNotes(std::string_view contains) const { return Count(notes_, contains); }
  const std::vector<std::string>& notes() const { return notes_; }

  // The view of the group with this name.
  std::optional<GroupView> ViewOf(std::string_view name) const {
    for (GroupView& view : scheduler_->Groups()) {
      if (view.key.name == name) return view;
    }
    return std::nullopt;
  }
  std::string ReasonOf(std::string_view name) const {
    const auto view = ViewOf(name);
    return view ? view->reason : "no such group";
  }
  GroupState StateOf(std::string_view name) const {
    const auto view = ViewOf(name);
    EXPECT_TRUE(view.has_value()) << name;
    return view ? view->state : GroupState::kWaiting;
  }

 private:
  using Key = std::pair<kube::Kind, std::string>;

  static kube::Object DecodeOrDie(kube::Kind kind, const json::value& value) {
    auto object = kube::Decode(kind, value);
    CADRE_ASSERT(object.has_value(), object.error().message);
    return *std::move(object);
  }
  static int Count(const std::vector<std::string>& lines, std::string_view contains) {
    int count = 0;
    for (const std::string& line : lines)
      count += line.find(contains) != std::string::npos ? 1 : 0;
    return count;
  }
  void Send(drive::Event event) { (hold_watch_ ? held_ : events_).push_back(std::move(event)); }

  void Store(kube::Kind kind, json::value value) {
    json::object& meta = value.as_object()["metadata"].as_object();
    const std::string name(meta["name"].as_string());
    ASSERT_FALSE(objects_.contains({kind, name})) << name << " is there already";
    meta["uid"] = fmt::format("{}#{}", name, ++last_uid_);
    meta["creationTimestamp"] = FormatRfc3339(now_);
    if (kube::Info(kind).namespaced) meta["namespace"] = "default";
    objects_[{kind, name}] = std::move(value);
    Patch({kind, name}, json::object{});
  }
  void Patch(const Key& key, const json::value& patch) {
    json::value& object = objects_.at(key);
    MergePatch(object, patch);
    object.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(++last_version_);
    Send(drive::Changed{DecodeOrDie(key.first, object), false});
  }

  drive::Outcome CarryOut(const drive::Effect& effect) {
    last_message_.clear();
    const std::string text = drive::ToString(effect);
    if (std::holds_alternative<drive::Note>(effect.what)) {
      notes_.push_back(text);
      return drive::Outcome::kDone;
    }
    if (effect.after && outcomes_[*effect.after] != drive::Outcome::kDone) return drive::Outcome::kNotSent;
    const Fate fate = fate_ ? fate_(effect) : Fate{};
    drive::Outcome outcome = fate.outcome;
    if (IsStale(effect)) {
      outcome = drive::Outcome::kConflict;
    } else if (fate.happens) {
      const drive::Outcome real =
          std::visit([&](const auto& what) { return Write(what, effect.uid); }, effect.what);
      if (real != drive::Outcome::kDone) outcome = real;
    }
    last_message_ = fate.message;
    log_.push_back(outcome == drive::Outcome::kDone ? text
                                                    : fmt::format("{} [{}]", text, drive::ToString(outcome)));
    return outcome;
  }
  bool IsThere(const Key& key, const std::string& uid) const {
    return objects_.contains(key) && (uid.empty() || UidOf(key.first, key.second) == uid);
  }
  bool IsStale(const drive::Effect& effect) const {
    const auto* patch = std::get_if<drive::PatchStatus>(&effect.what);
    if (patch == nullptr || effect.resource_version == 0) return false;
    const auto found = objects_.find({patch->target.kind, patch->target.name});
    return found != objects_.end() && FindString(found->second, {"metadata", "resourceVersion"}) !=
                                          std::to_string(effect.resource_version);
  }
  drive::Outcome Write(const drive::Bind& bind, const std::string& uid) {
    const Key key{kube::Kind::kPod, bind.pod.name};
    if (!objects_.contains(key)) return drive::Outcome::kGone;
    if (!IsThere(key, uid) || !NodeOf(bind.pod.name).empty()) return drive::Outcome::kConflict;
    json::object annotations;
    for (const auto& [name, value] : bind.annotations)
      annotations[name] = value;
    Patch(key, json::object{{"spec", {{"nodeName", bind.node}}},
                            {"metadata", {{"annotations", std::move(annotations)}}}});
    return drive::Outcome::kDone;
  }
  drive::Outcome Write(const drive::Patch& patch, const std::string& uid) {
    const Key key{patch.target.kind, patch.target.name};
    if (!IsThere(key, uid)) return drive::Outcome::kGone;
    Patch(key, patch.merge);
    return drive::Outcome::kDone;
  }
  // Conditions alone, merged by their type.
  drive::Outcome Write(const drive::PatchStatus& patch, const std::string& uid) {
    const Key key{patch.target.kind, patch.target.name};
    if (!IsThere(key, uid)) return drive::Outcome::kGone;
    json::object status = patch.merge.at("status").as_object();
    if (!patch.strategic) {
      Patch(key, json::object{{"status", std::move(status)}});
      return drive::Outcome::kDone;
    }
    json::array conditions;
    const json::value* before = Find(Get(key.first, key.second), {"status", "conditions"});
    if (before != nullptr) conditions = before->as_array();
    for (const json::value& one : status.at("conditions").as_array()) {
      const auto same = std::ranges::find_if(
          conditions, [&](const json::value& old) { return old.at("type") == one.at("type"); });
      MergePatch(same == conditions.end() ? conditions.emplace_back(json::object{}) : *same, one);
    }
    Patch(key, json::object{{"status", {{"conditions", std::move(conditions)}}}});
    return drive::Outcome::kDone;
  }
  drive::Outcome Write(const drive::Evict& evict, const std::string& uid) {
    if (!IsThere({kube::Kind::kPod, evict.pod.name}, uid)) return drive::Outcome::kGone;
    Delete(kube::Kind::kPod, evict.pod.name);
    return drive::Outcome::kDone;
  }
  template <class Other>
  drive::Outcome Write(const Other&, const std::string&) {
    ADD_FAILURE() << "the scheduler does not write this";
    return drive::Outcome::kRejected;
  }

  Options options_;
  std::unique_ptr<Scheduler> scheduler_;
  Time now_ = kStart;
  std::optional<Time> wake_;
  std::map<Key, json::value> objects_;
  std::uint64_t last_uid_ = 0;
  std::uint64_t last_version_ = 0;
  std::vector<drive::Event> events_;
  std::vector<drive::Event> held_;
  bool hold_watch_ = false;
  std::vector<drive::Effect> outbox_;
  std::map<drive::EffectId, drive::Outcome> outcomes_;
  std::function<Fate(const drive::Effect&)> fate_;
  std::string last_message_;
  std::vector<std::string> log_;
  std::vector<std::string> notes_;
  std::vector<RecordedStep> steps_;
};

}  // namespace cadre::core
