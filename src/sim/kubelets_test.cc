#include "sim/kubelets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drive/driver.h"
#include "sim/json_util.h"
#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using kube::Kind;
using kube::PodPhase;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class KubeletsTest : public MemoryApiFixture {
 protected:
  void Start(KubeletOptions options = {}) {
    kubelets_ = std::make_unique<Kubelets>(options);
    driver_ = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{kubelets_.get()}, api_, clock_,
                                              drive::Limits{});
    Run(0);
  }
  void Run(std::int64_t until) { clock_.Run(kStart + seconds(until)); }
  void Node(std::string_view name,
            json::object allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}}) {
    Created(Kind::kNode, NodeBody(name, std::move(allocatable)));
  }
  // A pod with this command and restart policy, bound to n1.
  void BoundPod(std::string_view name, json::array command, std::string_view restart = "Never",
                json::object annotations = {}, json::object more = {}) {
    json::object spec{
        {"restartPolicy", restart},
        {"containers", json::array{{{"name", "main"}, {"image", "i"}, {"command", std::move(command)}}}}};
    for (auto& field : more)
      spec[field.key()] = field.value();
    json::object body = PodBody(name, std::move(spec));
    body["metadata"].as_object()["annotations"] = std::move(annotations);
    Created(Kind::kPod, std::move(body));
    ASSERT_EQ(Bind(std::string(name), "n1").outcome, Outcome::kDone);
  }
  void PodThatAsks(std::string_view name, std::string_view resource, std::string_view amount) {
    BoundPod(name, {"sleep", "10"}, "Never", {},
             {{"containers",
               json::array{{{"name", "main"},
                            {"image", "i"},
                            {"command", json::array{"sleep", "10"}},
                            {"resources",
                             {{"limits", {{resource, amount}}}, {"requests", {{resource, amount}}}}}}}}});
  }
  PodPhase Phase(std::string_view name) const { return Pod(name).status.phase; }
  bool IsReady(std::string_view name) const {
    return kube::FindTrue(Pod(name).status.conditions, "Ready") != nullptr;
  }
  void Delete(std::string name, std::optional<std::int64_t> grace = {}) {
    ASSERT_EQ(
        Write(drive::Delete{PodTarget(std::move(name)), drive::Propagation::kBackground, grace}).outcome,
        Outcome::kDone);
  }
  void SetReady(std::string_view status) {
    ASSERT_EQ(Write(drive::PatchStatus{
                        {Kind::kNode, "", "n1"},
                        {{"status", {{"conditions", json::array{{{"type", "Ready"}, {"status", status}}}}}}}})
                  .outcome,
              Outcome::kDone);
  }
  // The whole of container 0's status.
  const json::value& Container(std::string_view name) const {
    return Find(Kind::kPod, name)->raw->at("status").at("containerStatuses").at(0);
  }

  std::unique_ptr<Kubelets> kubelets_;
  std::unique_ptr<drive::Driver> driver_;
};

// --- Running ---

TEST_F(KubeletsTest, RunABoundPodForAsLongAsItSleeps) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "30"});
  Run(0);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  EXPECT_EQ(Pod("a").status.start_time, kStart);
  EXPECT_TRUE(IsReady("a"));
  Run(29);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  Run(30);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
  EXPECT_FALSE(IsReady("a"));
}

TEST_F(KubeletsTest, LeaveUnboundPodsAlone) {
  Start();
  Node("n1");
  CreatedPod("a");
  Run(600);
  EXPECT_EQ(Phase("a"), PodPhase::kPending);
}

TEST_F(KubeletsTest, WriteAStatusOnceForTheStartAndOnceForTheEnd) {
  Start();
  Node("n1");
  int writes = 0;
  api_.AddWriteObserver([&](const WriteRecord& write) { writes += write.user == "kubelet" ? 1 : 0; });
  BoundPod("a", {"sleep", "30"});
  Run(100);
  EXPECT_EQ(writes, 2);
}

TEST_F(KubeletsTest, StartAPodAfterTheDelay) {
  Start({.start_delay = seconds(5)});
  Node("n1");
  BoundPod("a", {"sleep", "30"});
  Run(4);
  EXPECT_EQ(Phase("a"), PodPhase::kPending);
  Run(5);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  Run(34);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  Run(35);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
}

TEST_F(KubeletsTest, RunAPodThatDoesNotSayHowLongForTheDefault) {
  Start({.default_duration = seconds(7)});
  Node("n1");
  BoundPod("a", {"train"});
  Run(6);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  Run(7);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
}

TEST_F(KubeletsTest, NeverEndAPodThatIsAlwaysRestarted) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "5"}, "Always");
  Run(100'000);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
}

TEST_F(KubeletsTest, EndEvenThatPodWhenItsAnnotationSaysSo) {
  Start();
  Node("n1");
  BoundPod("a", {"serve"}, "Always", {{"cadre.dev/sim-duration", "5m"}});
  Run(300);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
}

TEST_F(KubeletsTest, FailAPodAtItsDeadline) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "infinity"}, "Never", {}, {{"activeDeadlineSeconds", 20}});
  Run(19);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  Run(20);
  EXPECT_EQ(Phase("a"), PodPhase::kFailed);
  EXPECT_EQ(Pod("a").status.reason, "DeadlineExceeded");
}

TEST_F(KubeletsTest, FailAPodThatIsToldToFail) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "30"}, "Never", {{"cadre.dev/sim-exit-code", "42"}});
  Run(30);
  EXPECT_EQ(Phase("a"), PodPhase::kFailed);
  EXPECT_EQ(Pod("a").status.container_statuses.at(0).exit_code, 42);
}

TEST_F(KubeletsTest, FailOnlyTheFirstRunsOfAnIndexWhenToldSo) {
  Start();
  Node("n1");
  std::vector<PodPhase> phases;
  for (const char* name : {"a", "b", "c"}) {
    json::object body =
        PodBody(name, {{"restartPolicy", "Never"},
                       {"containers", json::array{{{"name", "m"}, {"command", json::array{"sleep", "1"}}}}}});
    body["metadata"].as_object()["annotations"] = {{"cadre.dev/sim-fail-attempts", "2"},
                                                   {"batch.kubernetes.io/job-completion-index", "0"}};
    body["metadata"].as_object()["ownerReferences"] = json::array{{{"apiVersion", "batch/v1"},
                                                                   {"kind", "Job"},
                                                                   {"name", "j"},
                                                                   {"uid", "job-uid"},
                                                                   {"controller", true}}};
    Created(Kind::kPod, body);
    Bind(name, "n1");
    clock_.Run(clock_.Now() + seconds(1));
    phases.push_back(Phase(name));
  }
  EXPECT_THAT(phases, ElementsAre(PodPhase::kFailed, PodPhase::kFailed, PodPhase::kSucceeded));
}

// --- Restarts in place ---

TEST_F(KubeletsTest, RestartAFailedContainerInPlaceAfterTenSecondsAndThenTwenty) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "5"}, "OnFailure", {{"cadre.dev/sim-fail-attempts", "2"}});
  Run(5);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  EXPECT_FALSE(IsReady("a"));
  EXPECT_EQ(Container("a").at("restartCount"), json::value(1));
  EXPECT_EQ(FindString(Container("a"), {"state", "waiting", "reason"}), "CrashLoopBackOff");
  Run(15);
  EXPECT_TRUE(IsReady("a")) << "the second run, from 15 s to 20 s";
  Run(20);
  EXPECT_EQ(Container("a").at("restartCount"), json::value(2));
  Run(39);
  EXPECT_FALSE(IsReady("a"));
  Run(40);
  EXPECT_TRUE(IsReady("a"));
  Run(45);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
}

TEST_F(KubeletsTest, EndAPodThatWaitsForItsRestartAtItsDeadline) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "5"}, "OnFailure", {{"cadre.dev/sim-exit-code", "1"}},
           {{"activeDeadlineSeconds", 8}});
  Run(8);
  EXPECT_EQ(Phase("a"), PodPhase::kFailed);
  EXPECT_EQ(Pod("a").status.reason, "DeadlineExceeded");
}

// --- Admission ---

struct Refusal {
  const char* resource;
  const char* first;
  const char* second;
  const char* reason;
  const char* message;
};

class KubeletsRefuse : public KubeletsTest, public ::testing::WithParamInterface<Refusal> {};

TEST_P(KubeletsRefuse, WhatDoesNotFit) {
  Start();
  Node("n1", {{"cpu", "4"},
              {"memory", "8Gi"},
              {"ephemeral-storage", "10Gi"},
              {"nvidia.com/gpu", "8"},
              {"pods", "110"}});
  PodThatAsks("a", GetParam().resource, GetParam().first);
  PodThatAsks("b", GetParam().resource, GetParam().second);
  Run(0);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  EXPECT_EQ(Phase("b"), PodPhase::kFailed);
  EXPECT_EQ(Pod("b").status.reason, GetParam().reason);
  EXPECT_EQ(Pod("b").status.message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Table, KubeletsRefuse,
                         ::testing::Values(Refusal{"cpu", "3", "1500m", "OutOfcpu",
                                                   "Pod was rejected: Node didn't have enough resource: cpu, "
                                                   "requested: 1500, used: 3000, capacity: 4000"},
                                           Refusal{"memory", "8Gi", "1", "OutOfmemory",
                                                   "Pod was rejected: Node didn't have enough resource: "
                                                   "memory, requested: 1, used: 8589934592, capacity: "
                                                   "8589934592"},
                                           Refusal{"ephemeral-storage", "10Gi", "1", "OutOfephemeral-storage",
                                                   "Pod was rejected: Node didn't have enough resource: "
                                                   "ephemeral-storage, requested: 1, used: 10737418240, "
                                                   "capacity: 10737418240"},
                                           Refusal{"nvidia.com/gpu", "5", "4", "UnexpectedAdmissionError",
                                                   "Pod was rejected: Allocate failed due to requested "
                                                   "number of devices unavailable for nvidia.com/gpu. "
                                                   "Requested: 4, Available: 3, which is unexpected"}));

TEST_F(KubeletsTest, RefuseOnePodTooMany) {
  Start();
  Node("n1", {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "2"}});
  for (const char* name : {"a", "b", "c"})
    BoundPod(name, {"sleep", "10"});
  Run(0);
  EXPECT_EQ(Phase("b"), PodPhase::kRunning);
  EXPECT_EQ(Pod("c").status.reason, "OutOfpods");
}

TEST_F(KubeletsTest, RefuseAPodWhoseSelectorTheNodeDoesNotMatch) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "10"}, "Never", {}, {{"nodeSelector", {{"rack", "r7"}}}});
  Run(0);
  EXPECT_EQ(Pod("a").status.reason, "NodeAffinity");
}

TEST_F(KubeletsTest, RefuseAPodWhoseHostPortIsTaken) {
  Start();
  Node("n1");
  const json::array containers{
      {{"name", "m"}, {"ports", json::array{{{"containerPort", 80}, {"hostPort", 8080}}}}}};
  BoundPod("a", {}, "Always", {}, {{"containers", containers}});
  BoundPod("b", {}, "Always", {}, {{"containers", containers}});
  Run(0);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  EXPECT_EQ(Pod("b").status.reason, "NodePorts");
}

TEST_F(KubeletsTest, GiveRoomBackWhenAPodHasEnded) {
  Start();
  Node("n1");
  PodThatAsks("a", "cpu", "4");
  Run(10);
  PodThatAsks("b", "cpu", "4");
  Run(10);
  EXPECT_EQ(Phase("b"), PodPhase::kRunning);
}

TEST_F(KubeletsTest, GiveNoRoomBackWhileAPodIsBeingEnded) {
  Start({.termination = seconds(10)});
  Node("n1");
  PodThatAsks("a", "cpu", "4");
  Run(1);
  Delete("a");
  Run(2);
  PodThatAsks("b", "cpu", "4");
  Run(3);
  EXPECT_EQ(Pod("b").status.reason, "OutOfcpu");
}

TEST_F(KubeletsTest, CountPodsThatRanBeforeThemWithoutAskingThem) {
  Node("n1");
  json::object body = PodBody(
      "old", {{"nodeName", "n1"},
              {"containers", json::array{{{"name", "m"}, {"resources", {{"requests", {{"cpu", "6"}}}}}}}}});
  body["metadata"].as_object()["namespace"] = "ns";
  body["status"] = {{"phase", "Running"}};
  ASSERT_THAT(api_.Load(std::vector{*kube::Decode(Kind::kPod, body)}), IsEmpty());
  PodThatAsks("a", "cpu", "1");
  Start();
  EXPECT_EQ(Phase("old"), PodPhase::kRunning) << "more than the node has, but it runs";
  EXPECT_EQ(Pod("a").status.reason, "OutOfcpu");
}

// --- Ending pods that are deleted ---

TEST_F(KubeletsTest, EndAndRemoveADeletedPod) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "infinity"});
  Run(1);
  std::vector<PodPhase> seen;
  const auto watch = api_.Watch(Kind::kPod, api_.revision(), [&](const drive::WatchEvent& event) {
    seen.push_back(std::get<drive::WatchChange>(event).object.As<kube::Pod>().status.phase);
  });
  Delete("a");
  Run(1);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
  EXPECT_THAT(seen, ElementsAre(PodPhase::kRunning, PodPhase::kFailed, PodPhase::kFailed, PodPhase::kFailed))
      << "marked, failed, removed in two steps";
}

TEST_F(KubeletsTest, TakeTheirTimeToEndAPodButNotMoreThanItsGrace) {
  Start({.termination = seconds(20)});
  Node("n1");
  BoundPod("a", {"sleep", "infinity"});
  BoundPod("b", {"sleep", "infinity"});
  Run(1);
  Delete("a");
  Delete("b", 5);
  Run(5);
  EXPECT_NE(Find(Kind::kPod, "b"), nullptr);
  Run(6);
  EXPECT_EQ(Find(Kind::kPod, "b"), nullptr);
  Run(20);
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr);
  Run(21);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(KubeletsTest, FailADeletedPodThatAFinalizerHolds) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "infinity"});
  Write(drive::Patch{PodTarget("a"), {{"metadata", {{"finalizers", json::array{"x.y/z"}}}}}});
  Run(1);
  Delete("a");
  Run(2);
  ASSERT_NE(Find(Kind::kPod, "a"), nullptr);
  EXPECT_EQ(Phase("a"), PodPhase::kFailed);
  Write(drive::Patch{PodTarget("a"), {{"metadata", {{"finalizers", nullptr}}}}});
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

// --- Nodes ---

TEST_F(KubeletsTest, DoNothingForAPodOnANodeThatDoesNotExistUntilItDoes) {
  Start();
  BoundPod("a", {"sleep", "10"});
  Run(100);
  EXPECT_EQ(Phase("a"), PodPhase::kPending);
  Node("n1");
  Run(100);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
}

TEST_F(KubeletsTest, MakeNoProgressOnANodeThatIsNotReady) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "10"});
  Run(5);
  SetReady("False");
  BoundPod("b", {"sleep", "10"});
  Run(60);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  EXPECT_EQ(Phase("b"), PodPhase::kPending);
  SetReady("True");
  Run(60);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
  EXPECT_EQ(Phase("b"), PodPhase::kRunning);
}

TEST_F(KubeletsTest, StopWithTheirNode) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "10"});
  Run(5);
  Write(drive::Delete{{Kind::kNode, "", "n1"}, drive::Propagation::kBackground, {}});
  Run(60);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
}

// --- Faults and restarts ---

TEST_F(KubeletsTest, KeepAConditionThatSomebodyElseWroteAtTheSameInstant) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "10"});
  // Written after the kubelets saw the pod and before their own status arrives: theirs conflicts and is
  // written again.
  clock_.CallAt(kStart, [this] {
    Write(drive::PatchStatus{
        PodTarget("a"), {{"status", {{"conditions", json::array{{{"type", "Mine"}, {"status", "True"}}}}}}}});
  });
  Run(10);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
  EXPECT_NE(kube::FindTrue(Pod("a").status.conditions, "Mine"), nullptr);
}

TEST_F(KubeletsTest, GoOnWhereTheyWereAfterARestart) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "30"});
  BoundPod("b", {"sleep", "5"}, "OnFailure", {{"cadre.dev/sim-fail-attempts", "1"}});
  Run(8);
  driver_.reset();
  Start();
  Run(15);
  EXPECT_TRUE(IsReady("b")) << "restarted 10 s after its end at 5 s";
  Run(20);
  EXPECT_EQ(Phase("b"), PodPhase::kSucceeded);
  Run(29);
  EXPECT_EQ(Phase("a"), PodPhase::kRunning);
  Run(30);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
}

TEST_F(KubeletsTest, KeepPodsOfADumpRunningWhenNothingSaysHowLong) {
  Node("n1");
  json::object body = PodBody("old", {{"nodeName", "n1"}, {"restartPolicy", "Never"}});
  body["metadata"].as_object()["namespace"] = "ns";
  body["status"] = {{"phase", "Running"}, {"startTime", FormatRfc3339(kStart - seconds(3'600))}};
  ASSERT_THAT(api_.Load(std::vector{*kube::Decode(Kind::kPod, body)}), IsEmpty());
  Start({.running_before = kStart});
  Run(100'000);
  EXPECT_EQ(Phase("old"), PodPhase::kRunning);
}

TEST_F(KubeletsTest, KeepPodsThatHadTheirNodeFromTheStartWhenNothingSaysHowLong) {
  Node("n1");
  BoundPod("old", {"python"});
  BoundPod("new", {"python"});
  const std::set<std::string> old = {std::string(Find(Kind::kPod, "old")->Meta().uid)};
  Start({.bound_at_start = &old});
  Run(100'000);
  EXPECT_EQ(Phase("old"), PodPhase::kRunning);
  EXPECT_EQ(Phase("new"), PodPhase::kSucceeded);
}

TEST_F(KubeletsTest, LeaveNoTimersBehindWhenAllPodsHaveEnded) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "86400"});
  BoundPod("b", {"sleep", "10"});
  Run(5);
  Delete("a");
  Run(10);
  EXPECT_EQ(clock_.NextAt(), std::nullopt);
}

TEST_F(KubeletsTest, NameAnnotationsThatTheyCannotRead) {
  Start();
  Node("n1");
  BoundPod("a", {"sleep", "3"}, "Never", {{"cadre.dev/sim-duration", "soon"}});
  Run(3);
  EXPECT_EQ(Phase("a"), PodPhase::kSucceeded);
  EXPECT_THAT(kubelets_->complaints(), ElementsAre(AllOf(HasSubstr("ns/a"), HasSubstr("soon"))));
}

class KubeletsUnderFaults : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(KubeletsUnderFaults, RunEveryPodToItsEndAndRemoveWhatIsDeleted) {
  constexpr Time kStart{std::chrono::milliseconds(1'764'660'000'000)};
  VirtualClock clock(kStart);
  MemoryApiOptions options;
  options.request_latency = Duration{3};
  options.watch_latency = Duration{7};
  options.faults = FaultOptions{.seed = GetParam(),
                                .until = kStart + seconds(300),
                                .refused = 0.1,
                                .conflict = 0.1,
                                .lost_before = 0.1,
                                .lost_after = 0.1,
                                .compacted = 0.02,
                                .failed_list = 0.2,
                                .watch_delayed = 0.1,
                                .watch_ended = 0.05,
                                .watch_expired = 0.02,
                                .watch_repeated = 0.1};
  MemoryApi api(clock, options);
  Kubelets kubelets({.default_duration = seconds(10)});
  const drive::Driver driver({&kubelets}, api, clock, {});
  api.CreateNow("t", Kind::kNode, NodeBody("n1", {{"cpu", "64"}, {"memory", "1Ti"}, {"pods", "110"}}));
  for (int i = 0; i < 20; ++i) {
    const std::string name = fmt::format("p{}", i);
    api.CreateNow("t", Kind::kPod, PodBody(name, {{"restartPolicy", "Never"}}), "ns");
    api.WriteNow("t", EffectOf(drive::Bind{PodTarget(name), "n1", {}}));
  }
  clock.Run(kStart + seconds(5));
  for (int i = 0; i < 20; i += 2) {
    const drive::Target target = PodTarget(fmt::format("p{}", i));
    api.WriteNow("t", EffectOf(drive::Delete{target, drive::Propagation::kBackground, {}}));
  }
  clock.Run(kStart + seconds(600));
  for (int i = 0; i < 20; ++i) {
    const kube::Object* pod = api.Find(Kind::kPod, "ns", fmt::format("p{}", i));
    if (i % 2 == 0) {
      EXPECT_EQ(pod, nullptr) << i;
    } else {
      ASSERT_NE(pod, nullptr) << i;
      EXPECT_EQ(pod->As<kube::Pod>().status.phase, PodPhase::kSucceeded) << i;
    }
  }
  EXPECT_THAT(kubelets.complaints(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, KubeletsUnderFaults, ::testing::Range<std::uint64_t>(1, 51));

}  // namespace
}  // namespace cadre::sim
