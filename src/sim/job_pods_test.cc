#include "sim/job_pods.h"

#include <gtest/gtest.h>

#include "sim/job_testing.h"

namespace cadre::sim {
namespace {

using testing::At;
using testing::EndedAt;
using testing::JobWith;
using testing::NamesOf;
using testing::PodWith;
using testing::Typed;

using Names = std::vector<std::string>;

struct Planned {
  std::vector<JobPod> pods;
  PodPlan plan;
  std::vector<std::int32_t> Indexes() const {
    std::vector<std::int32_t> indexes;
    for (const NewPod& pod : plan.create) {
      indexes.push_back(pod.index);
    }
    return indexes;
  }
};

Planned PlanFor(const kube::Object& job, std::vector<JobPod> pods, Duration backoff = Duration{0},
                std::int64_t now = 0) {
  Planned planned{.pods = std::move(pods), .plan = {}};
  OrderPods(planned.pods);
  const JobCounts counts = CountPods(Typed(job), ReadStatus(job), planned.pods);
  planned.plan = PlanPods(Typed(job), counts, planned.pods, backoff, At(now), {}, 500);
  return planned;
}

kube::Object Indexed(int completions, int parallelism, std::string_view more = "",
                     std::string_view status = "") {
  return JobWith(fmt::format(R"("completionMode":"Indexed","completions":{},"parallelism":{}{})", completions,
                             parallelism, more),
                 status);
}

TEST(PlanPods, CreatesTheLowestMissingIndexes) {
  const auto job = Indexed(6, 3, "", R"("completedIndexes":"1")");
  EXPECT_EQ(PlanFor(job, {PodWith({.index = 2})}).Indexes(), (std::vector<std::int32_t>{0, 3}));
}

TEST(PlanPods, CreatesNoMoreThanAreStillToSucceed) {
  EXPECT_EQ(PlanFor(JobWith(R"("completions":5,"parallelism":4)", R"("succeeded":3)"), {}).plan.create.size(),
            2U);
}

TEST(PlanPods, CreatesAtMostFiveHundredAtATime) {
  EXPECT_EQ(PlanFor(Indexed(800, 800), {}).plan.create.size(), 500U);
}

TEST(PlanPods, StartsNothingMoreInAWorkQueueAfterTheFirstSuccess) {
  const auto job = JobWith(R"("parallelism":3)", R"("succeeded":1)");
  const Planned planned = PlanFor(job, {PodWith({})});
  EXPECT_TRUE(planned.plan.create.empty());
  EXPECT_TRUE(planned.plan.remove.empty());
}

TEST(PlanPods, WaitsForTheBackoff) {
  const Planned planned = PlanFor(Indexed(2, 2), {}, Duration(7'000));
  EXPECT_TRUE(planned.plan.create.empty());
  EXPECT_EQ(planned.plan.wait, Duration(7'000));
}

TEST(PlanPods, RemovesEveryPodOfASuspendedJob) {
  const auto job = Indexed(2, 2, R"(,"suspend":true)");
  EXPECT_EQ(PlanFor(job, {PodWith({.name = "a", .index = 0}), PodWith({.name = "b", .index = 1})})
                .plan.remove.size(),
            2U);
}

TEST(PlanPods, AShrunkElasticJobLosesItsHighestIndexesWhateverTheyDo) {
  const auto job = Indexed(1, 1);
  const Planned planned =
      PlanFor(job, {PodWith({.name = "zero", .index = 0, .phase = "Pending", .node = ""}),
                    PodWith({.name = "one", .index = 1}), PodWith({.name = "two", .index = 2})});
  EXPECT_EQ(NamesOf(planned.plan.remove), (Names{"one", "two"}));
}

TEST(PlanPods, LessParallelismRemovesTheLeastAdvancedPodsFirst) {
  const auto job = Indexed(4, 1);
  constexpr std::string_view kReady =
      R"("conditions":[{{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:{:02}Z"}}])";
  const Planned planned =
      PlanFor(job, {PodWith({.name = "long-ready", .index = 0, .status = fmt::format(kReady, 10)}),
                    PodWith({.name = "just-ready", .index = 1, .status = fmt::format(kReady, 20)}),
                    PodWith({.name = "pending", .index = 2, .phase = "Pending"}),
                    PodWith({.name = "unassigned", .index = 3, .phase = "Pending", .node = ""})});
  EXPECT_EQ(NamesOf(planned.plan.remove), (Names{"unassigned", "pending", "just-ready"}));
}

TEST(PlanPods, RemovesAllButTheBestOfPodsThatShareAnIndex) {
  const Planned planned = PlanFor(Indexed(2, 2), {PodWith({.name = "old", .index = 0, .created = 1}),
                                                  PodWith({.name = "young", .index = 0, .created = 9})});
  EXPECT_EQ(NamesOf(planned.plan.remove), Names{"young"});
}

TEST(PlanPods, ReplacesATerminatingPodAtOnceUnlessThePolicySaysFailed) {
  const auto terminating = PodWith({.index = 0, .deleting = true});
  EXPECT_EQ(PlanFor(Indexed(1, 1), {terminating}).Indexes(), (std::vector<std::int32_t>{0}));
  EXPECT_TRUE(
      PlanFor(Indexed(1, 1, R"(,"podReplacementPolicy":"Failed")"), {terminating}).plan.create.empty());
}

TEST(PlanPods, BackoffPerIndexHoldsBackOnlyThatIndex) {
  const auto job = Indexed(2, 2, R"(,"backoffLimitPerIndex":3)");
  const auto failed = PodWith({.index = 0, .phase = "Failed", .status = EndedAt(0)});
  EXPECT_EQ(PlanFor(job, {failed}, Duration(5'000), 4).Indexes(), (std::vector<std::int32_t>{1}));
  const auto other = PodWith({.name = "q", .index = 1});
  const Planned waiting = PlanFor(job, {failed, other}, Duration{0}, 4);
  EXPECT_TRUE(waiting.plan.create.empty());
  EXPECT_EQ(waiting.plan.wait, Duration(6'000));
}

TEST(PlanPods, NeverRunsAFailedIndexAgain) {
  const auto job = Indexed(3, 3, R"(,"backoffLimitPerIndex":0)", R"("failedIndexes":"1")");
  EXPECT_EQ(PlanFor(job, {}).Indexes(), (std::vector<std::int32_t>{0, 2}));
}

TEST(MakePod, CopiesTheTemplateAndAddsWhatTheJobControllerAdds) {
  const auto job = Indexed(2, 2);
  const json::value pod = MakePod(job, {.index = 1, .replaces = nullptr}, "work-1-abcde");
  const json::value expected = json::parse(R"({
    "metadata": {
      "name": "work-1-abcde", "generateName": "work-1-", "namespace": "default",
      "labels": {"app": "a", "job-name": "work", "batch.kubernetes.io/job-name": "work", "controller-uid": "job-uid",
                 "batch.kubernetes.io/controller-uid": "job-uid", "batch.kubernetes.io/job-completion-index": "1"},
      "annotations": {"note": "b", "batch.kubernetes.io/job-completion-index": "1"},
      "finalizers": ["batch.kubernetes.io/job-tracking"],
      "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "work", "uid": "job-uid", "controller": true,
                           "blockOwnerDeletion": true}]}})");
  EXPECT_EQ(*Find(pod, {"metadata"}), *Find(expected, {"metadata"}));
  EXPECT_EQ(FindString(pod, {"spec", "hostname"}), "work-1");
  EXPECT_EQ(FindString(ArrayIn(pod, {"spec", "containers"})[0], {"image"}), "busybox");
}

TEST(MakePod, TellsContainersTheirIndexUnlessTheySetItThemselves) {
  const json::value pod = MakePod(Indexed(2, 2), {.index = 1, .replaces = nullptr}, "n");
  const json::array& env = ArrayIn(ArrayIn(pod, {"spec", "containers"})[0], {"env"});
  ASSERT_EQ(env.size(), 1U);
  EXPECT_EQ(FindString(env[0], {"valueFrom", "fieldRef", "fieldPath"}),
            "metadata.labels['batch.kubernetes.io/job-completion-index']");
}

TEST(MakePod, OfANonIndexedJobHasNoIndexAnywhere) {
  const json::value pod = MakePod(JobWith(""), {}, "work-abcde");
  EXPECT_EQ(FindString(pod, {"metadata", "generateName"}), "work-");
  EXPECT_EQ(Find(pod, {"spec", "hostname"}), nullptr);
  EXPECT_EQ(Find(pod, {"metadata", "annotations", kube::kCompletionIndexAnnotation}), nullptr);
}

TEST(MakePod, CarriesTheFailuresOfItsIndexOn) {
  const auto job = Indexed(2, 2, R"(,"backoffLimitPerIndex":5)");
  const JobPod last = PodWith(
      {.index = 0, .phase = "Failed", .annotations = R"("batch.kubernetes.io/job-index-failure-count":"2")"});
  const json::value pod = MakePod(job, {.index = 0, .replaces = &last}, "n");
  EXPECT_EQ(FindString(pod, {"metadata", "annotations", "batch.kubernetes.io/job-index-failure-count"}), "3");
}

TEST(ReleasePod, LeavesFinalizersOfOthersAndGuardsThemByTheVersion) {
  kube::Pod pod;
  pod.metadata.name = "p";
  pod.metadata.uid = "u";
  pod.metadata.resource_version = 12;
  pod.metadata.finalizers = {"theirs", std::string(kube::kJobTrackingFinalizer)};
  const drive::Effect effect = ReleasePod(pod);
  EXPECT_EQ(effect.resource_version, 12U);
  EXPECT_EQ(json::value(std::get<drive::Patch>(effect.what).merge),
            json::parse(R"({"metadata":{"finalizers":["theirs"]}})"));
}

TEST(PodNames, AreCutToWhatAHostnameMayBe) {
  const std::string long_name(70, 'x');
  EXPECT_EQ(PodNamePrefix(long_name, 12).size(), 58U);
  EXPECT_TRUE(PodNamePrefix(long_name, 12).ends_with("-12-"));
  EXPECT_EQ(PodNamePrefix("work", 3), "work-3-");
}

TEST(PodNames, HaveASuffixOfFiveLettersThatDependsOnTheText) {
  EXPECT_EQ(NameSuffix("a").size(), 5U);
  EXPECT_EQ(NameSuffix("a"), NameSuffix("a"));
  EXPECT_NE(NameSuffix("a"), NameSuffix("b"));
}

}  // namespace
}  // namespace cadre::sim
