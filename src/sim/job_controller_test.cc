#include "sim/job_controller.h"

#include <gtest/gtest.h>

#include "sim/job_world.h"

namespace cadre::sim {
namespace {

using testing::At;
using testing::JobWorld;
using Indexes = std::vector<int>;

std::string Indexed(int size, std::string_view more = "") {
  return fmt::format(R"("completionMode":"Indexed","completions":{0},"parallelism":{0}{1})", size, more);
}

// --- A Job's way through a good life

TEST(JobController, CreatesItsPodsAndCountsThem) {
  JobWorld world;
  world.Submit(Indexed(3));
  world.Run();
  EXPECT_EQ(world.AliveIndexes(), (Indexes{0, 1, 2}));
  EXPECT_EQ(world.Status().active, 3);
  EXPECT_EQ(world.Status().start_time, At(0));
}

// Measured: the one status write of a new Job.
TEST(JobController, WritesTheStatusOfANewJobAsKubernetesDoes) {
  JobWorld world;
  world.Submit(Indexed(3));
  world.Run();
  EXPECT_EQ(
      *Find(*world.JobObject()->raw, {"status"}),
      json::parse(
          R"({"startTime":"2026-01-01T00:00:00Z","active":3,"terminating":0,"uncountedTerminatedPods":{},"ready":0})"));
}

TEST(JobController, CountsReadyPods) {
  JobWorld world;
  world.Submit(Indexed(2));
  world.Run();
  world.SetReady(world.AliveName(1));
  world.Run();
  EXPECT_EQ(world.Status().ready, 1);
}

TEST(JobController, CompletesAnIndexedJob) {
  JobWorld world;
  world.Submit(Indexed(3));
  world.Run(10);
  world.EndAll();
  world.Run();
  EXPECT_EQ(world.Conditions(), "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached");
  EXPECT_EQ(world.Status().completed_indexes, "0-2");
  EXPECT_EQ(world.Status().succeeded, 3);
  EXPECT_EQ(world.Status().active, 0);
  EXPECT_EQ(world.Status().completion_time, At(10));
}

TEST(JobController, LeavesNoFinalizerOnPodsOfAFinishedJob) {
  JobWorld world;
  world.Submit(R"("completions":2,"parallelism":2)");
  world.Run();
  world.EndAll();
  world.Run();
  for (const kube::Object& pod : world.Pods()) {
    EXPECT_TRUE(pod.Meta().finalizers.empty()) << pod.Meta().name;
  }
}

TEST(JobController, RunsMoreCompletionsThanParallelismOneWaveAfterAnother) {
  JobWorld world;
  world.Submit(R"("completions":5,"parallelism":2)");
  for (int wave = 0; wave < 3; ++wave) {
    world.Run(1);
    EXPECT_EQ(world.Alive().size(), wave < 2 ? 2U : 1U);
    world.EndAll();
  }
  world.Run();
  EXPECT_EQ(world.Status().succeeded, 5);
  EXPECT_EQ(world.Conditions(), "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached");
}

TEST(JobController, LetsAWorkQueueDrainAfterItsFirstSuccess) {
  JobWorld world;
  world.Submit(R"("parallelism":3)");
  world.Run();
  world.End(world.Alive()[0].Meta().name);
  world.Run();
  EXPECT_EQ(world.Alive().size(), 2U);
  EXPECT_EQ(world.Conditions(), "");
  world.EndAll();
  world.Run();
  EXPECT_EQ(world.Status().succeeded, 3);
  EXPECT_EQ(world.Conditions(), "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached");
}

TEST(JobController, CompletesAJobOfNothingAtOnce) {
  JobWorld world;
  world.Submit(R"("completions":0,"parallelism":0)");
  world.Run();
  EXPECT_EQ(world.Conditions(), "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached");
}

// --- The order of its writes

// Names of the writes that the controller asked for, one batch of its Step per entry, from an observer of its
// driver.
struct Recorder {
  explicit Recorder(JobWorld& world) {
    world.driver->SetStepObserver([this](const drive::Machine&, Time, auto, const drive::StepResult& result) {
      std::size_t creates = 0;
      for (const drive::Effect& effect : result.effects) {
        creates += std::holds_alternative<drive::Create>(effect.what) ? 1U : 0U;
      }
      if (creates > 0) {
        batches.push_back(creates);
      }
    });
  }
  std::vector<std::size_t> batches;
};

TEST(SlowStart, DoublesTheBatchWhileAllCreatesSucceed) {
  JobWorld world;
  Recorder recorder(world);
  world.Submit(Indexed(20));
  world.Run();
  EXPECT_EQ(recorder.batches, (std::vector<std::size_t>{1, 2, 4, 8, 5}));
}

TEST(SlowStart, StopsAtTheFirstBatchWithAnErrorAndTriesAgainAfterASecond) {
  JobWorld world(testing::Batching(Duration(1000)));
  Recorder recorder(world);
  // As JobSet's webhook does: followers are refused.
  world.api.SetAdmission(
      [](std::string_view, const drive::Effect& effect) -> std::optional<drive::WriteResult> {
        const auto* create = std::get_if<drive::Create>(&effect.what);
        const bool follower =
            create != nullptr && FindString(create->body, {"metadata", "generateName"}) != "work-0-";
        return follower ? std::optional(drive::WriteResult{.outcome = drive::Outcome::kRejected,
                                                           .message = "leader pod not yet scheduled",
                                                           .retry_after = Duration{0},
                                                           .object = {}})
                        : std::nullopt;
      });
  world.Submit(Indexed(8));
  world.Run();
  EXPECT_EQ(recorder.batches, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(world.Status().active, 1);
  world.clock.Run(At(1) - Duration{1});
  EXPECT_EQ(recorder.batches.size(), 2U);
  world.Run(7);  // after 1, 2 and 4 s
  EXPECT_EQ(recorder.batches, (std::vector<std::size_t>{1, 2, 1, 1, 1}));
}

TEST(SlowStart, CreatesAtMostFiveHundredPodsInOnePass) {
  JobWorld world;
  Recorder recorder(world);
  world.Submit(Indexed(600));
  world.Run();
  std::size_t before_restart = 0;
  for (std::size_t i = 0; i < recorder.batches.size() && (i == 0 || recorder.batches[i] != 1); ++i) {
    before_restart += recorder.batches[i];
  }
  EXPECT_EQ(before_restart, 500U);
  EXPECT_EQ(world.Alive().size(), 600U);
}

TEST(JobController, RecordsFailedPodsBeforeItTakesTheirFinalizer) {
  JobWorld world;
  bool recorded = false;
  world.api.AddWriteObserver([&](const WriteRecord& record) {
    if (record.after == nullptr || record.user != "job-controller") {
      return;
    }
    if (record.after->kind == kube::Kind::kJob) {
      recorded = recorded || !ReadStatus(*record.after).uncounted_failed.empty();
    } else if (record.before != nullptr && record.after->Meta().finalizers.empty()) {
      EXPECT_TRUE(recorded);
    }
  });
  world.Submit(Indexed(1));
  world.Run();
  world.EndAll(1);
  world.Run();
  EXPECT_TRUE(recorded);
  EXPECT_EQ(world.Status().failed, 1);
}

// --- Failures

TEST(JobBackoff, ReplacesAFailedPodAfterTenTwentyAndFortySeconds) {
  JobWorld world;
  world.Submit(Indexed(1));
  std::int64_t at = 0;
  for (const int wait : {10, 20, 40}) {
    world.Run();
    world.EndAll(1);
    world.clock.Run(At(at + wait) - Duration{1});
    EXPECT_TRUE(world.Alive().empty()) << wait;
    world.clock.Run(At(at + wait));
    EXPECT_EQ(world.Alive().size(), 1U) << wait;
    at += wait;
  }
}

TEST(JobBackoff, PerIndexLetsOtherIndexesGoOn) {
  JobWorld world;
  world.Submit(R"("completionMode":"Indexed","completions":3,"parallelism":2,"backoffLimitPerIndex":2)");
  world.Run();
  world.End(world.AliveName(0), 1);
  world.Run();
  EXPECT_EQ(world.AliveIndexes(), (Indexes{1}));  // index 0 waits, and keeps its place
  world.Run(10);
  EXPECT_EQ(world.AliveIndexes(), (Indexes{0, 1}));
}

TEST(JobController, FailsBeyondItsBackoffLimitAndEndsTheOtherPods) {
  JobWorld world;
  world.Submit(Indexed(3, R"(,"backoffLimit":0)"));
  world.Run();
  world.End(world.AliveName(1), 1);
  world.Run();
  EXPECT_EQ(world.Conditions(), "FailureTarget/BackoffLimitExceeded Failed/BackoffLimitExceeded");
  EXPECT_TRUE(world.Alive().empty());
  EXPECT_EQ(world.Status().failed, 3);
}

TEST(JobController, IsFailedOnlyWhenNoPodIsTerminatingAnyMore) {
  JobWorld world;
  world.Submit(Indexed(2, R"(,"backoffLimit":0)"));
  world.Run();
  const std::string other = world.AliveName(0);
  world.Bind(other);
  world.End(world.AliveName(1), 1);
  world.Run(20);
  EXPECT_EQ(world.Conditions(), "FailureTarget/BackoffLimitExceeded");
  EXPECT_EQ(world.Status().terminating, 1);
  world.DeletePod(other, 0);  // the kubelet is done with it
  world.Run();
  EXPECT_EQ(world.Conditions(), "FailureTarget/BackoffLimitExceeded Failed/BackoffLimitExceeded");
}

TEST(JobController, RunsTheOtherIndexesToTheirEndWhenOneHasFailedForGood) {
  JobWorld world;
  world.Submit(Indexed(3, R"(,"backoffLimitPerIndex":0)"));
  world.Run();
  world.End(world.AliveName(1), 1);
  world.Run(60);
  EXPECT_EQ(world.AliveIndexes(), (Indexes{0, 2}));
  EXPECT_EQ(world.Status().failed_indexes, "1");
  world.EndAll();
  world.Run();
  EXPECT_EQ(world.Conditions(), "FailureTarget/FailedIndexes Failed/FailedIndexes");
  EXPECT_EQ(world.Status().completed_indexes, "0,2");
}

TEST(JobController, TellsAReplacementHowOftenItsIndexHasFailed) {
  JobWorld world;
  world.Submit(Indexed(1, R"(,"backoffLimitPerIndex":3)"));
  world.Run();
  world.EndAll(1);
  world.Run(10);
  EXPECT_EQ(IndexFailures(world.Alive().at(0).As<kube::Pod>()), 1);
  EXPECT_EQ(world.Status().failed, 1);
}

TEST(JobController, FailsAtItsDeadline) {
  JobWorld world;
  world.Submit(Indexed(1, R"(,"activeDeadlineSeconds":30)"));
  world.clock.Run(At(30) - Duration{1});
  EXPECT_EQ(world.Conditions(), "");
  world.clock.Run(At(30));
  EXPECT_EQ(world.Conditions(), "FailureTarget/DeadlineExceeded Failed/DeadlineExceeded");
}

TEST(JobController, FailsAtOnceForAnExitCodeThatItsPolicyNames) {
  JobWorld world;
  world.Submit(Indexed(
      2,
      R"(,"podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}}]})"));
  world.Run();
  world.End(world.AliveName(0), 42);
  world.Run();
  EXPECT_EQ(world.Conditions(), "FailureTarget/PodFailurePolicy Failed/PodFailurePolicy");
}

TEST(JobController, DoesNotCountIgnoredFailures) {
  JobWorld world;
  world.Submit(Indexed(1, R"(,"backoffLimit":0,
      "podFailurePolicy":{"rules":[{"action":"Ignore","onExitCodes":{"operator":"In","values":[42]}}]})"));
  world.Run();
  world.End(world.AliveName(0), 42);
  world.Run(10);
  EXPECT_EQ(world.Status().failed, 0);
  EXPECT_EQ(world.AliveIndexes(), Indexes{0});
}

// Measured: evicting one member at backoffLimit 0 fails the whole Job.
TEST(JobController, CountsADeletedPodAsFailed) {
  JobWorld world;
  world.Submit(Indexed(2, R"(,"backoffLimit":0)"));
  world.Run();
  world.DeletePod(world.AliveName(1));
  world.Run();
  EXPECT_EQ(world.Conditions(), "FailureTarget/BackoffLimitExceeded Failed/BackoffLimitExceeded");
}

TEST(JobController, ReplacesATerminatingPodOnlyOnceItIsGoneUnderPolicyFailed) {
  JobWorld world;
  world.Submit(Indexed(1, R"(,"podReplacementPolicy":"Failed")"));
  world.Run();
  const std::string pod = world.AliveName(0);
  world.Bind(pod);
  world.DeletePod(pod);
  world.Run(20);
  EXPECT_TRUE(world.Alive().empty());
  world.End(pod, 137);
  world.Run(10);
  EXPECT_EQ(world.AliveIndexes(), Indexes{0});
}

// --- Success policy

TEST(JobController, EndsTheOtherPodsOnceItsSuccessPolicyHolds) {
  JobWorld world;
  world.Submit(Indexed(3, R"(,"successPolicy":{"rules":[{"succeededIndexes":"0"}]})"));
  world.Run();
  world.End(world.AliveName(0));
  world.Run();
  EXPECT_EQ(world.Conditions(), "SuccessCriteriaMet/SuccessPolicy Complete/SuccessPolicy");
  EXPECT_TRUE(world.Alive().empty());
  EXPECT_EQ(world.Status().failed, 0);
}

// --- Suspend, resume, resize

TEST(JobController, CreatesNothingForASuspendedJob) {
  JobWorld world;
  world.Submit(Indexed(2, R"(,"suspend":true)"));
  world.Run(5);
  EXPECT_TRUE(world.Pods().empty());
  EXPECT_EQ(world.Conditions(), "Suspended/JobSuspended");
  EXPECT_FALSE(world.Status().start_time);
}

TEST(JobController, SuspendingDeletesItsPodsWithoutCountingThem) {
  JobWorld world;
  world.Submit(Indexed(2, R"(,"backoffLimit":0)"));
  world.Run(5);
  world.PatchJob(R"({"spec":{"suspend":true}})");
  world.Run();
  EXPECT_TRUE(world.Pods().empty());
  EXPECT_EQ(world.Status().failed, 0);
  EXPECT_FALSE(world.Status().start_time);
}

TEST(JobController, ResumingStartsItsClockAnewAndKeepsWhatSucceeded) {
  JobWorld world;
  world.Submit(Indexed(3, R"(,"activeDeadlineSeconds":60)"));
  world.Run(5);
  world.End(world.AliveName(1));
  world.Run(5);
  world.PatchJob(R"({"spec":{"suspend":true}})");
  world.Run(100);
  world.PatchJob(R"({"spec":{"suspend":false}})");
  world.Run();
  EXPECT_EQ(world.AliveIndexes(), (Indexes{0, 2}));
  EXPECT_EQ(world.Status().start_time, At(110));
  EXPECT_EQ(world.Conditions(), "!Suspended/JobResumed");
}

TEST(ElasticJob, GrowsByTheMissingIndexesAtOnce) {
  JobWorld world(testing::Batching(Duration(1000)));
  world.Submit(Indexed(1));
  world.Run(5);
  world.PatchJob(R"({"spec":{"completions":8,"parallelism":8}})");
  world.Run();
  EXPECT_EQ(world.Alive().size(), 8U);
}

TEST(ElasticJob, ShrinksFromTheTopWithoutCountingFailures) {
  JobWorld world;
  world.Submit(Indexed(8, R"(,"backoffLimit":0)"));
  world.Run();
  const std::string first = world.AliveName(0);
  world.PatchJob(R"({"spec":{"completions":1,"parallelism":1}})");
  world.Run();
  EXPECT_EQ(world.AliveIndexes(), Indexes{0});
  EXPECT_EQ(world.AliveName(0), first);
  EXPECT_EQ(world.Status().failed, 0);
}

// Measured: shrinking to 1 after index 0 has succeeded completes the Job for good.
TEST(ElasticJob, ShrunkToWhatHasSucceededIsCompleteForGood) {
  JobWorld world;
  world.Submit(Indexed(3));
  world.Run();
  world.Bind(world.AliveName(1));
  world.Bind(world.AliveName(2));
  world.End(world.AliveName(0));
  world.Run();
  world.PatchJob(R"({"spec":{"completions":1,"parallelism":1}})");
  world.Run();
  world.PatchJob(R"({"spec":{"completions":3,"parallelism":3}})");
  world.Run();
  EXPECT_TRUE(world.Conditions().starts_with("SuccessCriteriaMet/CompletionsReached")) << world.Conditions();
  EXPECT_TRUE(world.Alive().empty());
}

TEST(ElasticJob, RunsAnIndexAgainThatSucceededLeftAndCameBack) {
  JobWorld world;
  world.Submit(Indexed(3));
  world.Run();
  world.End(world.AliveName(2));
  world.Run();
  world.PatchJob(R"({"spec":{"completions":2,"parallelism":2}})");
  world.Run();
  EXPECT_EQ(world.Status().completed_indexes, "");
  world.PatchJob(R"({"spec":{"completions":3,"parallelism":3}})");
  world.Run();
  EXPECT_EQ(world.AliveIndexes(), (Indexes{0, 1, 2}));
}

// --- Who it leaves alone

TEST(JobController, CreatesNothingForAJobThatSomebodyElseManages) {
  JobWorld world;
  world.Submit(Indexed(2, R"(,"managedBy":"example.com/other")"));
  world.Run(5);
  EXPECT_TRUE(world.Pods().empty());
  EXPECT_EQ(Find(*world.JobObject()->raw, {"status", "active"}), nullptr);
}

TEST(JobController, CreatesNothingForAJobThatIsBeingDeletedButReleasesItsPods) {
  JobWorld world;
  world.Submit(Indexed(2));
  world.Run();
  world.Bind(world.AliveName(0));
  world.DeleteJob(drive::Propagation::kForeground);
  world.DeletePod(world.AliveName(1));
  world.Run(30);
  EXPECT_EQ(world.AliveIndexes(), Indexes{0});
  for (const kube::Object& pod : world.Pods()) {
    EXPECT_TRUE(pod.Meta().finalizers.empty());
  }
}

TEST(JobController, ReleasesThePodsOfADeletedJob) {
  JobWorld world;
  world.Submit(Indexed(2));
  world.Run();
  world.DeleteJob(drive::Propagation::kBackground);
  world.Run();
  for (const kube::Object& pod : world.Pods()) {
    EXPECT_TRUE(pod.Meta().finalizers.empty());
  }
}

TEST(JobController, TakesAJobOfTheSameNameForAnotherOne) {
  JobWorld world;
  world.Submit(Indexed(1));
  world.Run();
  const std::string old = world.AliveName(0);
  world.DeleteJob(drive::Propagation::kBackground);
  world.Submit(Indexed(1));
  world.Run();
  EXPECT_EQ(world.Alive().size(), 2U);  // the old one is the garbage collector's
  EXPECT_EQ(world.Status().active, 1);
}

}  // namespace
}  // namespace cadre::sim
