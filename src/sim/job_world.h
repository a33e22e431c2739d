// For tests: one Job controller against the API in memory, and hands to play kubelet, user and fate.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "drive/driver.h"
#include "sim/job_controller.h"
#include "sim/job_testing.h"
#include "sim/memory_api.h"
#include "sim/virtual_clock.h"

namespace cadre::sim::testing {

inline JobControllerOptions Batching(Duration period) {
  JobControllerOptions options;
  options.batch_period = period;
  return options;
}

inline MemoryApiOptions LaggingWatch(Duration latency) {
  MemoryApiOptions options;
  options.watch_latency = latency;
  return options;
}

class JobWorld {
 public:
  explicit JobWorld(JobControllerOptions options = {}, MemoryApiOptions api_options = {})
      : clock(At(0)), api(clock, std::move(api_options)), options_(options) {
    Start();
  }
  ~JobWorld() { driver.reset(); }

  // A new process: what the old one knew is gone.
  void Start() {
    driver.reset();
    controller = std::make_unique<JobController>(options_);
    driver = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{controller.get()}, api, clock,
                                             drive::Limits{});
  }

  void Run(std::int64_t seconds = 0) { clock.Run(clock.Now() + Duration(1000 * seconds)); }

  // Job default/<name> with these fields of spec beside its template. Returns its UID.
  std::string Submit(std::string_view spec, std::string_view restart = "Never",
                     std::string_view name = "work") {
    json::value body = json::parse(fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"default"}},
             "spec":{{{}{}"template":{{"spec":{{"restartPolicy":"{}","containers":[{{"name":"main","image":"busybox"}}]}}}}}}}})",
        name, spec, spec.empty() ? "" : ",", restart));
    const drive::WriteResult result = api.CreateNow("user", kube::Kind::kJob, body.as_object(), "default");
    EXPECT_EQ(result.outcome, drive::Outcome::kDone) << result.message;
    return result.object ? result.object->Meta().uid : "";
  }

  drive::Outcome PatchJob(std::string_view merge, std::string_view name = "work") {
    return Write(drive::Patch{.target = JobTarget(name), .merge = json::parse(merge).as_object()});
  }

  void DeleteJob(drive::Propagation propagation) {
    Write(drive::Delete{.target = JobTarget("work"), .propagation = propagation, .grace_period_seconds = {}});
  }

  const kube::Object* JobObject(std::string_view name = "work") const {
    return api.Find(kube::Kind::kJob, "default", name);
  }
  const kube::JobStatus& Status(std::string_view name = "work") const {
    return JobObject(name)->As<kube::Job>().status;
  }
  std::string Conditions(std::string_view name = "work") const {
    std::string text;
    for (const kube::Condition& condition : Status(name).conditions) {
      text += (text.empty() ? "" : " ") + std::string(condition.status ? "" : "!") + condition.type + "/" +
              condition.reason;
    }
    return text;
  }

  std::vector<kube::Object> Pods() const { return api.All(kube::Kind::kPod); }
  // Pods that neither have ended nor are being deleted.
  std::vector<kube::Object> Alive() const {
    std::vector<kube::Object> alive = Pods();
    std::erase_if(alive, [](const kube::Object& object) { return !IsActive(MakeJobPod(object)); });
    return alive;
  }
  std::vector<int> AliveIndexes() const {
    std::vector<int> indexes;
    for (const kube::Object& pod : Alive()) {
      indexes.push_back(MakeJobPod(pod).index);
    }
    std::ranges::sort(indexes);
    return indexes;
  }
  // The living pod of this index.
  std::string AliveName(int index) const {
    for (const kube::Object& pod : Alive()) {
      if (MakeJobPod(pod).index == index) {
        return pod.Meta().name;
      }
    }
    ADD_FAILURE() << "no living pod of index " << index;
    return "";
  }

  void Bind(const std::string& pod) {
    Write(drive::Bind{.pod = PodTarget(pod), .node = "n1", .annotations = {}});
  }

  void SetReady(const std::string& pod) {
    PatchPodStatus(pod, fmt::format(R"({{"phase":"Running","conditions":[{{"type":"Ready","status":"True",
                                          "lastTransitionTime":"{}"}}]}})",
                                    FormatRfc3339(clock.Now())));
  }

  // The pod ends: exit code 0 is success.
  void End(const std::string& pod, int exit_code = 0) {
    PatchPodStatus(
        pod, fmt::format(
                 R"({{"phase":"{}","conditions":null,"containerStatuses":[{{"name":"main","image":"busybox",
        "imageID":"","ready":false,"restartCount":0,"state":{{"terminated":{{"exitCode":{},"finishedAt":"{}"}}}}}}]}})",
                 exit_code == 0 ? "Succeeded" : "Failed", exit_code, FormatRfc3339(clock.Now())));
  }
  void EndAll(int exit_code = 0) {
    for (const kube::Object& pod : Alive()) {
      End(pod.Meta().name, exit_code);
    }
  }

  void DeletePod(const std::string& pod, std::optional<std::int64_t> grace = {}) {
    Write(drive::Delete{.target = PodTarget(pod), .grace_period_seconds = grace});
  }

  drive::Outcome Write(drive::What what) {
    drive::Effect effect;
    effect.what = std::move(what);
    const drive::WriteResult result = api.WriteNow("user", effect);
    EXPECT_EQ(result.outcome, drive::Outcome::kDone) << result.message;
    return result.outcome;
  }

  drive::Target JobTarget(std::string_view name) const {
    return {kube::Kind::kJob, "default", std::string(name)};
  }
  drive::Target PodTarget(const std::string& name) const { return {kube::Kind::kPod, "default", name}; }

  VirtualClock clock;
  MemoryApi api;
  std::unique_ptr<JobController> controller;
  std::unique_ptr<drive::Driver> driver;

 private:
  void PatchPodStatus(const std::string& pod, const std::string& status) {
    json::object merge;
    merge["status"] = json::parse(status);
    Write(drive::PatchStatus{.target = PodTarget(pod), .merge = std::move(merge)});
  }

  JobControllerOptions options_;
};

}  // namespace cadre::sim::testing
