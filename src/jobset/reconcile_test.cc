#include "jobset/reconcile.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::At;
using testing::ChildOf;
using testing::Complete;
using testing::ConditionsIn;
using testing::CreatedNames;
using testing::DeletedNames;
using testing::FailedAt;
using testing::JobSetWith;
using testing::PlanAt;
using testing::ReadyPods;
using testing::RemarksIn;
using Names = std::vector<std::string>;

const std::string kRestarts = R"("failurePolicy":{"maxRestarts":3},)";

bool DoesNothing(const Plan& plan) {
  return plan.delete_jobs.empty() && plan.create_jobs.empty() && plan.change_jobs.empty() &&
         !plan.create_service && !plan.delete_jobset && !plan.status_patch && plan.remarks.empty();
}

TEST(Reconcile, MakesTheServiceAndEveryJob) {
  const auto jobset = JobSetWith({.jobs = {{.name = "workers", .replicas = 2}, {.name = "driver"}}});
  const Plan plan = PlanAt(jobset, {}, 0, /*service_exists=*/false);
  EXPECT_TRUE(plan.create_service);
  EXPECT_EQ(CreatedNames(plan), (Names{"train-workers-0", "train-workers-1", "train-driver-0"}));
}

TEST(Reconcile, MakesNoServiceWhenHostnamesAreOff) {
  EXPECT_FALSE(PlanAt(JobSetWith({.spec = R"("network":{"enableDNSHostnames":false},)"}), {}, 0, false)
                   .create_service);
}

TEST(Reconcile, DoesNothingTwice) {
  const auto jobset = JobSetWith({});
  const std::vector<kube::Object> jobs = {ChildOf(jobset, {.status = ReadyPods(2)})};
  json::value raw = *jobset.raw;
  MergePatch(raw, PlanAt(jobset, jobs).status_patch.value());
  EXPECT_TRUE(DoesNothing(PlanAt(testing::DecodeOrDie(kube::Kind::kJobSet, std::move(raw)), jobs)));
}

// Trap 6: not even a status is written.
TEST(Reconcile, LeavesAJobSetOfAnotherManagerAlone) {
  EXPECT_TRUE(
      DoesNothing(PlanAt(JobSetWith({.spec = R"("managedBy":"kueue.x-k8s.io/multikueue",)"}), {}, 0, false)));
}

TEST(Reconcile, KnowsItsOwnNameAsManager) {
  EXPECT_EQ(CreatedNames(
                PlanAt(JobSetWith({.spec = R"("managedBy":"jobset.sigs.k8s.io/jobset-controller",)"}), {})),
            Names{"train-workers-0"});
}

// Trap jobset#562: a JobSet that is being deleted would get its Jobs again for ever.
TEST(Reconcile, LeavesAJobSetAloneThatIsBeingDeleted) {
  EXPECT_TRUE(DoesNothing(
      PlanAt(JobSetWith({.metadata = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"}), {}, 0, false)));
}

// Trap 5: nothing but replicatedJobs is there when no webhook has filled in defaults.
TEST(Reconcile, NeedsNoneOfTheOptionalPolicies) {
  json::value raw = *JobSetWith({}).raw;
  json::object& spec = raw.at("spec").as_object();
  for (const std::string_view key :
       {"successPolicy", "failurePolicy", "startupPolicy", "network", "suspend"}) {
    spec.erase(key);
  }
  const auto jobset = testing::DecodeOrDie(kube::Kind::kJobSet, std::move(raw));
  EXPECT_EQ(CreatedNames(PlanAt(jobset, {})), Names{"train-workers-0"});
  EXPECT_EQ(ConditionsIn(PlanAt(jobset, {ChildOf(jobset, {.status = Complete()})})),
            "Completed/AllJobsCompleted");
  EXPECT_EQ(ConditionsIn(PlanAt(jobset, {ChildOf(jobset, {.status = FailedAt(1)})})), "Failed/FailedJobs");
}

TEST(Reconcile, DoesNotMakeAJobWhoseNameSomebodyElseHolds) {
  const auto jobset = JobSetWith({});
  const Plan plan = Reconcile({.jobset = jobset,
                               .jobs = {},
                               .now = At(0),
                               .service_exists = true,
                               .uid_of_job = [](const std::string&) { return std::string("theirs"); }});
  EXPECT_TRUE(plan.create_jobs.empty());
  EXPECT_EQ(plan.blocked_names, Names{"train-workers-0"});
}

TEST(Reconcile, SaysWhenItCannotReadAChild) {
  const auto jobset = JobSetWith({});
  json::value raw = *ChildOf(jobset, {}).raw;
  raw.at("metadata").at("labels").as_object().erase(kube::kRestartAttemptLabel);
  const Plan plan = PlanAt(jobset, {testing::DecodeOrDie(kube::Kind::kJob, std::move(raw))});
  EXPECT_TRUE(plan.trouble);
  EXPECT_TRUE(DoesNothing(plan));
}

// --- Success

TEST(Success, CompletesTheJobSet) {
  const auto jobset = JobSetWith({});
  const Plan plan = PlanAt(jobset, {ChildOf(jobset, {.status = Complete()})}, 7);
  EXPECT_EQ(ConditionsIn(plan), "Completed/AllJobsCompleted");
  EXPECT_EQ(FindString(json::value(*plan.status_patch), {"status", "terminalState"}), "Completed");
  EXPECT_EQ(RemarksIn(plan), Names{"Normal AllJobsCompleted"});
}

const std::string kDone = R"("conditions":[{"type":"Completed","status":"True","reason":"AllJobsCompleted",
    "message":"m","lastTransitionTime":"2026-01-01T00:00:10Z"}],"terminalState":"Completed")";

TEST(Finished, DeletesTheJobsThatStillRunAndKeepsTheOthers) {
  const auto jobset = JobSetWith({.jobs = {{.replicas = 3}}, .status = kDone});
  EXPECT_EQ(
      DeletedNames(PlanAt(jobset, {ChildOf(jobset, {.index = 0, .status = Complete()}),
                                   ChildOf(jobset, {.index = 1, .status = ReadyPods(2)}),
                                   ChildOf(jobset, {.index = 2, .status = ReadyPods(2), .deleting = true})})),
      Names{"train-workers-1"});
}

TEST(Finished, IsDeletedAfterItsTimeToLive) {
  const auto jobset = JobSetWith({.spec = R"("ttlSecondsAfterFinished":20,)", .status = kDone});
  EXPECT_FALSE(PlanAt(jobset, {}, 29).delete_jobset);
  EXPECT_EQ(PlanAt(jobset, {}, 29).again, At(30));
  EXPECT_TRUE(PlanAt(jobset, {}, 30).delete_jobset);
}

// --- Failure

TEST(Failure, WinsOverSuccessInTheSamePass) {
  const auto jobset =
      JobSetWith({.jobs = {{.replicas = 2}}, .spec = R"("successPolicy":{"operator":"Any"},)"});
  EXPECT_EQ(ConditionsIn(PlanAt(jobset, {ChildOf(jobset, {.index = 0, .status = Complete()}),
                                         ChildOf(jobset, {.index = 1, .status = FailedAt(3)})})),
            "Failed/FailedJobs");
}

TEST(Failure, CountsARestartBeforeAnythingIsDeleted) {
  const auto jobset =
      JobSetWith({.spec = kRestarts, .status = R"("restarts":1,"restartsCountTowardsMax":1)"});
  const Plan plan = PlanAt(jobset, {ChildOf(jobset, {.attempt = 1, .status = FailedAt(3)})});
  const json::value patch = *plan.status_patch;
  EXPECT_EQ(*Find(patch, {"status", "restarts"}), 2);
  EXPECT_EQ(*Find(patch, {"status", "restartsCountTowardsMax"}), 2);
  EXPECT_EQ(ConditionsIn(plan), "RestartingJobSet/DefaultFailurePolicy");
  EXPECT_TRUE(plan.delete_jobs.empty());
  EXPECT_EQ(RemarksIn(plan),
            (Names{"Warning RestartJobSetFailurePolicyAction", "Warning DefaultFailurePolicy"}));
}

TEST(Restart, DeletesJobsOfTheEarlierAttemptAndMakesOnlyThoseWhoseNameIsFree) {
  const auto jobset = JobSetWith({.jobs = {{.replicas = 3}}, .spec = kRestarts, .status = R"("restarts":1)"});
  const Plan plan = PlanAt(jobset, {ChildOf(jobset, {.index = 0, .attempt = 0, .status = FailedAt(3)}),
                                    ChildOf(jobset, {.index = 1, .attempt = 0, .deleting = true})});
  EXPECT_EQ(DeletedNames(plan), Names{"train-workers-0"});
  EXPECT_EQ(CreatedNames(plan), Names{"train-workers-2"});
}

TEST(Restart, WithBlockingRecreateMakesNothingUntilTheEarlierAttemptIsGone) {
  const auto jobset =
      JobSetWith({.jobs = {{.replicas = 2}},
                  .spec = R"("failurePolicy":{"maxRestarts":3,"restartStrategy":"BlockingRecreate"},)",
                  .status = R"("restarts":1)"});
  EXPECT_TRUE(
      CreatedNames(PlanAt(jobset, {ChildOf(jobset, {.index = 0, .attempt = 0, .deleting = true})})).empty());
  EXPECT_EQ(CreatedNames(PlanAt(jobset, {})).size(), 2U);
}

TEST(Restart, GivesNewJobsTheNewAttempt) {
  const auto jobset = JobSetWith({.spec = kRestarts, .status = R"("restarts":12)"});
  EXPECT_EQ(FindString(json::value(PlanAt(jobset, {}).create_jobs.at(0)),
                       {"metadata", "labels", kube::kRestartAttemptLabel}),
            "12");
}

TEST(Restart, IsOverWhenEveryJobIsReadyAgain) {
  const auto jobset = JobSetWith({.spec = kRestarts, .status = R"("restarts":1,"conditions":[
      {"type":"RestartingJobSet","status":"True","reason":"DefaultFailurePolicy","message":"m"}])"});
  EXPECT_EQ(ConditionsIn(PlanAt(jobset, {ChildOf(jobset, {.attempt = 1, .status = ReadyPods(1)})})), "");
  EXPECT_EQ(ConditionsIn(PlanAt(jobset, {ChildOf(jobset, {.attempt = 1, .status = ReadyPods(2)})})),
            "!RestartingJobSet/JobsReady");
}

// --- Order

const std::string kInOrder = R"("startupPolicy":{"startupPolicyOrder":"InOrder"},)";

TEST(InOrderStartup, MakesOneStageAtATimeAndSaysSo) {
  const auto jobset = JobSetWith({.jobs = {{.name = "a"}, {.name = "b"}}, .spec = kInOrder});
  const Plan first = PlanAt(jobset, {});
  EXPECT_EQ(CreatedNames(first), Names{"train-a-0"});
  EXPECT_EQ(ConditionsIn(first), "StartupPolicyInProgress/InOrderStartupPolicyInProgress");
  EXPECT_EQ(CreatedNames(PlanAt(jobset, {ChildOf(jobset, {.status = ReadyPods(2)})})), Names{"train-b-0"});
}

TEST(InOrderStartup, IsCompletedWhenTheLastStageIsReady) {
  const auto jobset =
      JobSetWith({.jobs = {{.name = "a"}, {.name = "b"}}, .spec = kInOrder, .status = R"("conditions":[
      {"type":"StartupPolicyInProgress","status":"True","reason":"InOrderStartupPolicyInProgress","message":"m"}])"});
  EXPECT_EQ(ConditionsIn(PlanAt(jobset, {ChildOf(jobset, {.replicated_job = 0, .status = ReadyPods(2)}),
                                         ChildOf(jobset, {.replicated_job = 1, .status = ReadyPods(2)})})),
            "!StartupPolicyInProgress/InOrderStartupPolicyCompleted "
            "StartupPolicyCompleted/InOrderStartupPolicyCompleted");
}

TEST(InOrderStartup, ResumesOneStageAtATime) {
  const auto jobset = JobSetWith({.jobs = {{.name = "a"}, {.name = "b"}}, .spec = kInOrder});
  const Plan plan = PlanAt(jobset, {ChildOf(jobset, {.replicated_job = 0, .suspended = true}),
                                    ChildOf(jobset, {.replicated_job = 1, .suspended = true})});
  ASSERT_EQ(plan.change_jobs.size(), 1U);
  EXPECT_EQ(plan.change_jobs[0].job.Meta().name, "train-a-0");
}

// --- Suspension

TEST(Suspension, MakesAllJobsSuspendedWhateverTheOrder) {
  const auto jobset =
      JobSetWith({.jobs = {{.name = "a"}, {.name = "b"}}, .spec = kInOrder + R"("suspend":true,)"});
  const Plan plan = PlanAt(jobset, {});
  EXPECT_EQ(CreatedNames(plan), (Names{"train-a-0", "train-b-0"}));
  EXPECT_EQ(*Find(json::value(plan.create_jobs[1]), {"spec", "suspend"}), true);
  EXPECT_EQ(ConditionsIn(plan), "Suspended/SuspendedJobs");
}

TEST(Suspension, SuspendsTheJobsThatRun) {
  const auto jobset = JobSetWith({.jobs = {{.replicas = 3}}, .spec = R"("suspend":true,)"});
  const Plan plan = PlanAt(jobset, {ChildOf(jobset, {.index = 0, .status = ReadyPods(2)}),
                                    ChildOf(jobset, {.index = 1, .suspended = true}),
                                    ChildOf(jobset, {.index = 2, .status = Complete()})});
  ASSERT_EQ(plan.change_jobs.size(), 1U);
  EXPECT_EQ(plan.change_jobs[0].job.Meta().name, "train-workers-0");
  EXPECT_EQ(json::value(plan.change_jobs[0].patch), json::parse(R"({"spec":{"suspend":true}})"));
}

TEST(Suspension, EndsWithTheConditionFalse) {
  const auto jobset = JobSetWith({.status = R"("conditions":[
      {"type":"Suspended","status":"True","reason":"SuspendedJobs","message":"m"}])"});
  const Plan plan = PlanAt(jobset, {ChildOf(jobset, {.suspended = true})});
  EXPECT_EQ(plan.change_jobs.size(), 1U);
  EXPECT_EQ(ConditionsIn(plan), "!Suspended/ResumeJobs");
}

}  // namespace
}  // namespace cadre::jobset
