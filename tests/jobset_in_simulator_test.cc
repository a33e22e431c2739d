// The JobSet controller with the real Job controller and garbage collector of the simulator, through drivers,
// against the API in memory. Pods are never bound here; the test says when they are ready and how they end.
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "drive/driver.h"
#include "jobset/jobset_controller.h"
#include "kube/jobset.h"
#include "sim/garbage_collector.h"
#include "sim/job_controller.h"
#include "sim/memory_api.h"
#include "sim/virtual_clock.h"

namespace cadre {
namespace {

constexpr std::string_view kOneJob = R"("replicatedJobs":[{"name":"w","replicas":2,"template":{"spec":{
    "parallelism":2,"completions":2,"backoffLimit":0,
    "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox"}]}}}}}])";

class World {
 public:
  World() : clock_(*ParseRfc3339("2026-01-01T00:00:00Z")), api(clock_) {
    manager_ = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{&jobs_, &garbage_}, api, clock_,
                                               drive::Limits{});
    Start();
  }

  // A new process of the JobSet controller.
  void Start() {
    driver.reset();
    controller_ = std::make_unique<jobset::JobSetController>();
    driver = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{controller_.get()}, api, clock_,
                                             drive::Limits{});
  }

  // JobSet default/js with this inside of spec.
  void Submit(std::string_view spec) {
    json::value body = json::parse(
        fmt::format(R"({{"metadata":{{"name":"js","namespace":"default"}},"spec":{{{}}}}})", spec));
    const drive::WriteResult result = api.CreateNow("user", kube::Kind::kJobSet, body.as_object(), "default");
    ASSERT_EQ(result.outcome, drive::Outcome::kDone) << result.message;
  }

  void Patch(std::string_view merge) {
    Write(drive::Patch{.target = JobSetTarget(), .merge = json::parse(merge).as_object()});
  }
  void DeleteJobSet() {
    Write(drive::Delete{.target = JobSetTarget(),
                        .propagation = drive::Propagation::kForeground,
                        .grace_period_seconds = {}});
  }
  void Run(std::int64_t seconds = 0) { clock_.Run(clock_.Now() + Duration(1000 * seconds)); }

  const kube::JobSet& JobSet() const {
    const kube::Object* found = api.Find(kube::Kind::kJobSet, "default", "js");
    CADRE_ASSERT(found != nullptr, "the JobSet is gone");
    return found->As<kube::JobSet>();
  }
  std::string Conditions() const {
    std::string text;
    for (const kube::Condition& condition : JobSet().status.conditions) {
      text += fmt::format("{}{}{}/{}", text.empty() ? "" : " ", condition.status ? "" : "!", condition.type,
                          condition.reason);
    }
    return text;
  }

  // Pods that are neither ended nor being deleted, whose name starts so.
  std::vector<kube::Object> Alive(std::string_view prefix = "") const {
    std::vector<kube::Object> alive = api.All(kube::Kind::kPod);
    std::erase_if(alive, [&](const kube::Object& pod) {
      return kube::IsTerminal(pod.As<kube::Pod>()) || pod.Meta().deletion_timestamp ||
             !pod.Meta().name.starts_with(prefix);
    });
    return alive;
  }

  void MakeReady(std::string_view prefix = "") {
    for (const kube::Object& pod : Alive(prefix)) {
      PatchPod(pod, R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
    }
    Run();
  }
  void Finish(std::string_view prefix = "", bool well = true) {
    for (const kube::Object& pod : Alive(prefix)) {
      PatchPod(pod, well ? R"({"phase":"Succeeded"})" : R"({"phase":"Failed"})");
    }
    Run();
  }

  void Write(drive::What what) {
    drive::Effect effect;
    effect.what = std::move(what);
    const drive::WriteResult result = api.WriteNow("user", effect);
    EXPECT_EQ(result.outcome, drive::Outcome::kDone) << result.message;
  }

 private:
  static drive::Target JobSetTarget() { return {kube::Kind::kJobSet, "default", "js"}; }
  void PatchPod(const kube::Object& pod, std::string_view status) {
    json::object merge;
    merge["status"] = json::parse(status);
    Write(drive::PatchStatus{.target = {kube::Kind::kPod, "default", pod.Meta().name},
                             .merge = std::move(merge)});
  }

  sim::VirtualClock clock_;

 public:
  sim::MemoryApi api;
  std::unique_ptr<drive::Driver> driver;  // of the JobSet controller

 private:
  sim::JobController jobs_;
  sim::GarbageCollector garbage_;
  std::unique_ptr<drive::Driver> manager_;
  std::unique_ptr<jobset::JobSetController> controller_;
};

TEST(JobSetRun, GoesFromManifestToCompleted) {
  World world;
  world.Submit(kOneJob);
  world.Run();
  EXPECT_EQ(world.Alive().size(), 4U);
  world.MakeReady();
  ASSERT_EQ(world.JobSet().status.replicated_jobs.size(), 1U);
  EXPECT_EQ(world.JobSet().status.replicated_jobs[0].ready, 2);
  world.Finish();
  EXPECT_EQ(world.Conditions(), "Completed/AllJobsCompleted");
  EXPECT_EQ(world.JobSet().status.terminal_state, "Completed");
  EXPECT_EQ(world.JobSet().status.replicated_jobs[0].succeeded, 2);
}

TEST(JobSetRun, GivesPodsTheirDnsNames) {
  World world;
  world.Submit(kOneJob);
  world.Run();
  const auto& pod = world.Alive("js-w-1-0-").at(0).As<kube::Pod>();
  EXPECT_EQ(pod.spec.hostname, "js-w-1-0");
  EXPECT_EQ(pod.spec.subdomain, "js");
  EXPECT_EQ(pod.metadata.labels.at("jobset.sigs.k8s.io/job-global-index"), "1");
  EXPECT_NE(world.api.Find(kube::Kind::kService, "default", "js"), nullptr);
}

TEST(JobSetRun, WithoutAFailurePolicyEndsWithItsFirstFailedJob) {
  World world;
  world.Submit(kOneJob);
  world.Run();
  world.MakeReady();
  world.Finish("js-w-0-1", false);
  world.Run(1);
  EXPECT_EQ(world.Conditions(), "Failed/FailedJobs");
  EXPECT_TRUE(world.Alive().empty());  // Jobs that still ran are deleted
  EXPECT_NE(world.api.Find(kube::Kind::kJob, "default", "js-w-0"), nullptr);
  EXPECT_EQ(world.api.Find(kube::Kind::kJob, "default", "js-w-1"), nullptr);
}

TEST(JobSetRun, RestartsAllJobsAndIsCompletedInTheEnd) {
  World world;
  world.Submit(fmt::format(R"({},"failurePolicy":{{"maxRestarts":1}})", kOneJob));
  world.Run();
  world.MakeReady();
  world.Finish("js-w-0-1", false);
  world.Run(1);
  EXPECT_EQ(world.JobSet().status.restarts, 1);
  EXPECT_EQ(world.Conditions(), "RestartingJobSet/DefaultFailurePolicy");
  ASSERT_EQ(world.Alive().size(), 4U);
  for (const kube::Object& pod : world.Alive()) {
    EXPECT_EQ(pod.Meta().labels.at(std::string(kube::kRestartAttemptLabel)), "1");
  }
  world.MakeReady();
  EXPECT_EQ(world.Conditions(), "!RestartingJobSet/JobsReady");
  world.Finish();
  EXPECT_EQ(world.JobSet().status.terminal_state, "Completed");
}

TEST(JobSetRun, FailsWhenItsRestartsAreUsed) {
  World world;
  world.Submit(fmt::format(R"({},"failurePolicy":{{"maxRestarts":1}})", kOneJob));
  for (int attempt = 0; attempt < 2; ++attempt) {
    world.Run(1);
    world.MakeReady();
    world.Finish("js-w-1", false);
  }
  world.Run(1);
  EXPECT_EQ(world.JobSet().status.terminal_state, "Failed");
  EXPECT_EQ(world.JobSet().status.restarts, 1);
}

constexpr std::string_view kTwoStages = R"("replicatedJobs":[
    {"name":"a","template":{"spec":{"parallelism":1,"completions":1,
        "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox"}]}}}}},
    {"name":"b",%DEPENDS%"template":{"spec":{"parallelism":1,"completions":1,
        "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox"}]}}}}}])";

std::string TwoStages(std::string_view depends) {
  std::string text(kTwoStages);
  text.replace(text.find("%DEPENDS%"), 9, depends);
  return text;
}

TEST(JobSetRun, StartsStagesInOrder) {
  World world;
  world.Submit(TwoStages("") + R"(,"startupPolicy":{"startupPolicyOrder":"InOrder"})");
  world.Run(5);
  EXPECT_TRUE(world.Alive("js-b").empty());
  world.MakeReady("js-a");
  EXPECT_EQ(world.Alive("js-b").size(), 1U);
  EXPECT_EQ(world.Conditions(), "StartupPolicyInProgress/InOrderStartupPolicyInProgress");
  world.MakeReady("js-b");
  EXPECT_EQ(world.Conditions(),
            "!StartupPolicyInProgress/InOrderStartupPolicyCompleted "
            "StartupPolicyCompleted/InOrderStartupPolicyCompleted");
}

TEST(JobSetRun, WaitsForADependencyToComplete) {
  World world;
  world.Submit(TwoStages(R"("dependsOn":[{"name":"a","status":"Complete"}],)"));
  world.Run();
  world.MakeReady();
  EXPECT_TRUE(world.Alive("js-b").empty());
  world.Finish("js-a");
  EXPECT_EQ(world.Alive("js-b").size(), 1U);
}

const std::string kSelector = R"("nodeSelector":{"zone":"z1","pool":"old"},)";

std::string WithSelector() {
  std::string text(kOneJob);
  text.insert(text.find(R"("restartPolicy")"), kSelector);
  return text;
}

// The JobSet's replicated jobs with another node selector, as Kueue writes them on admission.
std::string Admission(const World& world, bool suspend) {
  json::value jobs =
      *Find(*world.api.Find(kube::Kind::kJobSet, "default", "js")->raw, {"spec", "replicatedJobs"});
  jobs.at(0).at("template").at("spec").at("template").at("spec").as_object()["nodeSelector"] = {
      {"zone", "z2"}};
  return json::serialize(json::value{{"spec", {{"suspend", suspend}, {"replicatedJobs", jobs}}}});
}

std::set<std::string> Selectors(const World& world) {
  std::set<std::string> selectors;
  for (const kube::Object& pod : world.Alive()) {
    std::string text;
    for (const auto& [key, value] : pod.As<kube::Pod>().spec.node_selector) {
      text += key + "=" + value + ";";
    }
    selectors.insert(text);
  }
  return selectors;
}

// Report jobset#1294.
TEST(JobSetRun, ResumesWithTheNewNodeSelectorAlone) {
  World world;
  world.Submit(WithSelector());
  world.Run();
  ASSERT_EQ(Selectors(world), std::set<std::string>{"pool=old;zone=z1;"});
  world.Patch(R"({"spec":{"suspend":true}})");
  world.Run(5);
  EXPECT_TRUE(world.Alive().empty());
  EXPECT_EQ(world.Conditions(), "Suspended/SuspendedJobs");
  world.Patch(Admission(world, false));
  world.Run();
  EXPECT_EQ(world.Alive().size(), 4U);
  EXPECT_EQ(Selectors(world), std::set<std::string>{"zone=z2;"});
  EXPECT_EQ(world.Conditions(), "!Suspended/ResumeJobs");
}

// Report jobset#1021: suspended and resumed within one instant.
TEST(JobSetRun, ResumedAtOnceComesUpWithTheNewNodeSelector) {
  World world;
  world.Submit(WithSelector());
  world.Run();
  world.Patch(Admission(world, true));
  world.Patch(R"({"spec":{"suspend":false}})");
  world.Run(10);
  EXPECT_EQ(world.Alive().size(), 4U);
}

TEST(JobSetRun, LeavesNothingBehindWhenItIsDeleted) {
  World world;
  world.Submit(kOneJob);
  world.Run();
  world.MakeReady();
  world.DeleteJobSet();
  world.Run(60);
  for (const kube::Kind kind :
       {kube::Kind::kJobSet, kube::Kind::kJob, kube::Kind::kPod, kube::Kind::kService}) {
    EXPECT_EQ(world.api.Count(kind), 0U) << kube::Info(kind).name;
  }
}

TEST(JobSetRun, IsDeletedAfterItsTimeToLive) {
  World world;
  world.Submit(fmt::format(R"({},"ttlSecondsAfterFinished":20)", kOneJob));
  world.Run();
  world.Finish();
  world.Run(19);
  EXPECT_EQ(world.api.Count(kube::Kind::kJobSet), 1U);
  world.Run(60);
  EXPECT_EQ(world.api.Count(kube::Kind::kJobSet), 0U);
}

TEST(JobSetRun, NeverAsksForWhatIsRefused) {
  World world;
  std::vector<std::string> refusals;
  world.driver->SetStepObserver(
      [&](const drive::Machine&, Time, std::span<const drive::Event> events, const auto&) {
        for (const drive::Event& event : events) {
          const auto* answer = std::get_if<drive::Answer>(&event);
          if (answer != nullptr && answer->outcome != drive::Outcome::kDone) {
            refusals.push_back(answer->message);
          }
        }
      });
  world.Submit(fmt::format(R"({},"failurePolicy":{{"maxRestarts":1}})", kOneJob));
  world.Run();
  world.MakeReady();
  world.Finish("js-w-0-1", false);
  world.Run(1);
  world.Finish();
  EXPECT_EQ(world.JobSet().status.terminal_state, "Completed");
  EXPECT_EQ(refusals, std::vector<std::string>{});
}

// --- Death at every write

struct Ending {
  bool crashed = false;
  std::string state;
};

// A life with one failure and one restart; the controller dies at its n-th write.
Ending Live(std::uint64_t n, drive::CrashPoint point) {
  World world;
  bool crashed = false;
  world.driver->SetCrashHook(
      [&](std::uint64_t write, const drive::Effect&) {
        return write == n ? point : drive::CrashPoint::kNone;
      },
      [&] { crashed = true; });
  const auto run = [&] {
    world.Run(2);
    if (crashed) {
      world.Start();
      world.Run(2);
    }
  };
  world.Submit(fmt::format(R"({},"failurePolicy":{{"maxRestarts":1}})", kOneJob));
  run();
  world.MakeReady();
  world.Finish("js-w-0-1", false);
  run();
  world.MakeReady();
  run();
  world.Finish();
  run();
  const kube::JobSetStatus& status = world.JobSet().status;
  return {.crashed = crashed,
          .state = fmt::format("{} restarts {} counted {} conditions {} jobs {} services {}",
                               status.terminal_state, status.restarts, status.restarts_count_towards_max,
                               world.Conditions(), world.api.Count(kube::Kind::kJob),
                               world.api.Count(kube::Kind::kService))};
}

TEST(JobSetCrash, AtAnyWriteChangesNothingAboutTheEnd) {
  const std::string expected =
      "Completed restarts 1 counted 1 conditions !RestartingJobSet/JobSetCompleted "
      "Completed/AllJobsCompleted jobs 2 services 1";
  EXPECT_EQ(Live(0, drive::CrashPoint::kNone).state, expected);
  for (const auto point :
       {drive::CrashPoint::kBefore, drive::CrashPoint::kAfter, drive::CrashPoint::kAfterUnanswered}) {
    std::uint64_t n = 1;
    for (; n < 1'000; ++n) {
      const Ending ending = Live(n, point);
      if (!ending.crashed) {
        break;
      }
      EXPECT_EQ(ending.state, expected) << "crash point " << static_cast<int>(point) << " at write " << n;
    }
    EXPECT_GT(n, 10U);  // it did write, and did die
  }
}

}  // namespace
}  // namespace cadre
