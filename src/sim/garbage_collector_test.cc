#include "sim/garbage_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drive/driver.h"
#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using drive::Propagation;
using kube::Kind;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GarbageCollectorTest : public MemoryApiFixture {
 protected:
  void Start(GarbageCollectorOptions options = {}) {
    collector_ = std::make_unique<GarbageCollector>(options);
    driver_ = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{collector_.get()}, api_, clock_,
                                              drive::Limits{});
    Run(0);
  }
  void Run(std::int64_t until) { clock_.Run(kStart + seconds(until)); }
  static json::object Owner(const kube::Object& owner, bool blocks = true) {
    return {{"apiVersion", kube::ApiVersion(owner.kind)},
            {"kind", kube::Info(owner.kind).name},
            {"name", owner.Meta().name},
            {"uid", owner.Meta().uid},
            {"controller", true},
            {"blockOwnerDeletion", blocks}};
  }
  void OwnedPod(std::string_view name, json::array owners, json::array finalizers = {}) {
    json::object body = PodBody(name);
    json::object& metadata = body["metadata"].as_object();
    metadata["ownerReferences"] = std::move(owners);
    if (!finalizers.empty()) metadata["finalizers"] = std::move(finalizers);
    Created(Kind::kPod, std::move(body));
  }
  void Delete(Kind kind, std::string name, Propagation propagation) {
    ASSERT_EQ(Write(drive::Delete{{kind, kind == Kind::kNode ? "" : "ns", std::move(name)}, propagation, {}})
                  .outcome,
              Outcome::kDone);
  }
  void Release(std::string pod) {
    Write(drive::Patch{PodTarget(std::move(pod)), {{"metadata", {{"finalizers", nullptr}}}}});
  }

  std::unique_ptr<GarbageCollector> collector_;
  std::unique_ptr<drive::Driver> driver_;
};

// --- Owners ---

TEST_F(GarbageCollectorTest, DeletesWhatBelongedToAnObjectThatIsGone) {
  Start();
  const kube::Object job = CreatedJob("j");
  OwnedPod("a", {Owner(job)});
  Delete(Kind::kJob, "j", Propagation::kBackground);
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr) << "at once";
  Run(0);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(GarbageCollectorTest, LeavesWhatBelongsToNobodyOrToTheLiving) {
  Start();
  const kube::Object job = CreatedJob("j");
  CreatedPod("free");
  OwnedPod("owned", {Owner(job)});
  Run(600);
  EXPECT_NE(Find(Kind::kPod, "free"), nullptr);
  EXPECT_NE(Find(Kind::kPod, "owned"), nullptr);
}

TEST_F(GarbageCollectorTest, TellsOwnersApartByUidAndNotByName) {
  Start();
  const kube::Object old = CreatedJob("j");
  OwnedPod("a", {Owner(old)}, {"x.y/z"});
  Delete(Kind::kJob, "j", Propagation::kBackground);
  CreatedJob("j");
  Run(0);
  EXPECT_TRUE(Pod("a").metadata.deletion_timestamp);
}

TEST_F(GarbageCollectorTest, OnlyDropsTheReferenceWhenAnotherOwnerLives) {
  Start();
  const kube::Object one = CreatedJob("one");
  const kube::Object two = CreatedJob("two");
  json::object second = Owner(two);
  second["controller"] = false;
  OwnedPod("a", {Owner(one), second});
  Delete(Kind::kJob, "one", Propagation::kBackground);
  Run(0);
  const auto& owners = Pod("a").metadata.owner_references;
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners[0].name, "two");
}

TEST_F(GarbageCollectorTest, DeletesWhatAppearsAfterItsOwnerWent) {
  Start();
  const kube::Object job = CreatedJob("j");
  Run(0);
  Delete(Kind::kJob, "j", Propagation::kBackground);
  Run(1);
  OwnedPod("late", {Owner(job)});
  Run(1);
  EXPECT_EQ(Find(Kind::kPod, "late"), nullptr);
}

TEST_F(GarbageCollectorTest, WaitsForAnOwnerThatItHasNotSeenYet) {
  Start();
  json::object owner{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", "j"}, {"uid", "unknown"}};
  OwnedPod("a", {owner});
  Run(29);
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr);
  Run(30);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(GarbageCollectorTest, LeavesPodsOfADumpWhoseOwnersAreNotInIt) {
  OwnedPod("a", {{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", "j"}, {"uid", "not-in-the-dump"}}});
  const std::set<std::string> left_out = {"not-in-the-dump"};
  Start({.left_out = &left_out});
  Run(600);
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr);
}

// The collector died between the deletion of a Job and that of its pods.
TEST_F(GarbageCollectorTest, DeletesWhatWasOrphanedBeforeItsStart) {
  const kube::Object job = CreatedJob("j");
  OwnedPod("a", {Owner(job)});
  Delete(Kind::kJob, "j", Propagation::kBackground);
  Start();
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(GarbageCollectorTest, TakesOwnersOfKindsItDoesNotWatchToExist) {
  Start();
  OwnedPod("a", {{{"apiVersion", "apps/v1"}, {"kind", "ReplicaSet"}, {"name", "r"}, {"uid", "r"}}});
  Run(600);
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr);
}

// --- Foreground and orphans ---

TEST_F(GarbageCollectorTest, DeletesInTheForegroundAfterTheDependents) {
  Start();
  const kube::Object job = CreatedJob("j");
  OwnedPod("a", {Owner(job)}, {"x.y/z"});
  Delete(Kind::kJob, "j", Propagation::kForeground);
  Run(10);
  EXPECT_NE(Find(Kind::kJob, "j"), nullptr);
  EXPECT_TRUE(Pod("a").metadata.deletion_timestamp);
  Release("a");
  Run(10);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr);
}

TEST_F(GarbageCollectorTest, DoesNotWaitForDependentsThatDoNotBlock) {
  Start();
  const kube::Object job = CreatedJob("j");
  OwnedPod("a", {Owner(job, false)}, {"x.y/z"});
  Delete(Kind::kJob, "j", Propagation::kForeground);
  Run(1);
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr);
  EXPECT_TRUE(Pod("a").metadata.deletion_timestamp);
}

TEST_F(GarbageCollectorTest, DeletesAChainInTheForegroundFromItsEnd) {
  Start();
  const kube::Object top = Created(Kind::kConfigMap, {{"metadata", {{"name", "top"}}}});
  json::object body = JobBody("middle");
  body["metadata"].as_object()["ownerReferences"] = json::array{Owner(top)};
  const kube::Object middle = Created(Kind::kJob, body);
  OwnedPod("leaf", {Owner(middle)}, {"x.y/z"});
  Delete(Kind::kConfigMap, "top", Propagation::kForeground);
  Run(1);
  ASSERT_NE(Find(Kind::kJob, "middle"), nullptr);
  EXPECT_THAT(Find(Kind::kJob, "middle")->Meta().finalizers, ElementsAre("foregroundDeletion"));
  EXPECT_NE(Find(Kind::kConfigMap, "top"), nullptr);
  Release("leaf");
  Run(1);
  EXPECT_EQ(Find(Kind::kJob, "middle"), nullptr);
  EXPECT_EQ(Find(Kind::kConfigMap, "top"), nullptr);
}

TEST_F(GarbageCollectorTest, FreesOrphansBeforeTheirOwnerGoes) {
  Start();
  const kube::Object job = CreatedJob("j");
  OwnedPod("a", {Owner(job)});
  OwnedPod("b", {Owner(job)});
  Delete(Kind::kJob, "j", Propagation::kOrphan);
  Run(1);
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr);
  EXPECT_THAT(Pod("a").metadata.owner_references, IsEmpty());
  EXPECT_THAT(Pod("b").metadata.owner_references, IsEmpty());
}

// --- Pods that no kubelet ends ---

TEST_F(GarbageCollectorTest, RemovesPodsOfANodeThatIsGoneAfterTheQuarantine) {
  Start();
  Created(Kind::kNode, NodeBody("n1", {}));
  CreatedPod("a");
  Bind("a", "n1");
  Run(10);
  Delete(Kind::kNode, "n1", Propagation::kBackground);
  std::vector<std::string> reasons;
  const auto watch = api_.Watch(Kind::kPod, api_.revision(), [&](const drive::WatchEvent& event) {
    const auto& pod = std::get<drive::WatchChange>(event).object.As<kube::Pod>();
    const kube::Condition* disrupted = kube::FindTrue(pod.status.conditions, "DisruptionTarget");
    if (disrupted != nullptr) reasons.push_back(disrupted->reason);
  });
  Run(49);
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr);
  Run(50);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
  EXPECT_THAT(reasons, ElementsAre("DeletionByPodGC", "DeletionByPodGC", "DeletionByPodGC"));
}

TEST_F(GarbageCollectorTest, KeepsPodsOfANodeThatComesBackInTime) {
  Start();
  Created(Kind::kNode, NodeBody("n1", {}));
  CreatedPod("a");
  Bind("a", "n1");
  Delete(Kind::kNode, "n1", Propagation::kBackground);
  Run(30);
  Created(Kind::kNode, NodeBody("n1", {}));
  Run(600);
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(GarbageCollectorTest, RemovesPodsBoundToANodeThatNeverWas) {
  Start();
  CreatedPod("a");
  Bind("a", "ghost");
  Run(40);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(GarbageCollectorTest, FailsADeletedPodThatWasNeverBound) {
  Start();
  json::object body = PodBody("a");
  body["metadata"].as_object()["finalizers"] = json::array{"x.y/z"};
  Created(Kind::kPod, body);
  Delete(Kind::kPod, "a", Propagation::kBackground);
  Run(19);
  EXPECT_EQ(Pod("a").status.phase, kube::PodPhase::kPending);
  Run(20);
  EXPECT_EQ(Pod("a").status.phase, kube::PodPhase::kFailed);
}

// --- Finished Jobs ---

TEST_F(GarbageCollectorTest, DeletesAFinishedJobWhenItsTimeIsUp) {
  Start();
  CreatedJob("j", {{"ttlSecondsAfterFinished", 100}});
  Run(50);
  const std::string now = FormatRfc3339(clock_.Now());
  const auto condition = [&](std::string_view type) {
    return json::object{{"type", type}, {"status", "True"}, {"lastTransitionTime", now}};
  };
  const auto done = Write(drive::PatchStatus{
      {Kind::kJob, "ns", "j"},
      {{"status",
        {{"startTime", now},
         {"completionTime", now},
         {"conditions", json::array{condition("SuccessCriteriaMet"), condition("Complete")}}}}}});
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.message;
  Run(149);
  EXPECT_NE(Find(Kind::kJob, "j"), nullptr);
  Run(150);
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr);
}

TEST_F(GarbageCollectorTest, SleepsWhenThereIsNothingToDo) {
  Start();
  const kube::Object job = CreatedJob("j", {{"ttlSecondsAfterFinished", 100}});
  OwnedPod("a", {Owner(job)});
  Run(1);
  EXPECT_EQ(clock_.NextAt(), std::nullopt);
}

class GarbageCollectorUnderFaults : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(GarbageCollectorUnderFaults, LeavesNothingBehind) {
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
  GarbageCollector collector;
  const drive::Driver driver({&collector}, api, clock, {});
  clock.Run(kStart + seconds(60));
  const std::array policies = {Propagation::kBackground, Propagation::kForeground};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string name = fmt::format("j{}", i);
    const auto job = api.CreateNow("t", Kind::kJob, JobBody(name), "ns");
    for (int p = 0; p < 5; ++p) {
      json::object body = PodBody(fmt::format("{}-{}", name, p));
      body["metadata"].as_object()["ownerReferences"] = json::array{{{"apiVersion", "batch/v1"},
                                                                     {"kind", "Job"},
                                                                     {"name", name},
                                                                     {"uid", job.object->Meta().uid},
                                                                     {"controller", true},
                                                                     {"blockOwnerDeletion", true}}};
      api.CreateNow("t", Kind::kPod, body, "ns");
    }
    clock.Run(clock.Now() + seconds(1));
    api.WriteNow("t", EffectOf(drive::Delete{{Kind::kJob, "ns", name}, policies[i], {}}));
  }
  clock.Run(kStart + seconds(600));
  EXPECT_EQ(api.Count(Kind::kPod), 0U);
  EXPECT_EQ(api.Count(Kind::kJob), 0U);
  EXPECT_THAT(collector.complaints(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, GarbageCollectorUnderFaults, ::testing::Range<std::uint64_t>(1, 51));

}  // namespace
}  // namespace cadre::sim
