#include "jobset/startup_policy.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::JobSetWith;
using testing::Typed;

kube::ReplicatedJobStatus Counter(std::string name, int ready, int succeeded = 0, int failed = 0) {
  kube::ReplicatedJobStatus counter;
  counter.name = std::move(name);
  counter.ready = ready;
  counter.succeeded = succeeded;
  counter.failed = failed;
  return counter;
}

const std::string kInOrder = R"("startupPolicy":{"startupPolicyOrder":"InOrder"},)";

kube::Object ThreeStages(std::string spec) {
  return JobSetWith(
      {.jobs = {{.name = "a", .replicas = 2}, {.name = "b"}, {.name = "c"}}, .spec = std::move(spec)});
}

using Open = std::vector<bool>;

TEST(StartupPolicy, WithoutOrderOpensEverythingAtOnce) {
  const Startup startup = PlanStartup(Typed(ThreeStages("")).spec, {});
  EXPECT_EQ(startup.open, (Open{true, true, true}));
  EXPECT_EQ(startup.progress, StartupProgress::kNotOrdered);
}

TEST(InOrder, OpensTheNextStageWhenAllJobsBeforeItHaveStarted) {
  const auto jobset = ThreeStages(kInOrder);
  EXPECT_EQ(PlanStartup(Typed(jobset).spec, {Counter("a", 1)}).open, (Open{true, false, false}));
  EXPECT_EQ(PlanStartup(Typed(jobset).spec, {Counter("a", 2)}).open, (Open{true, true, false}));
  EXPECT_EQ(PlanStartup(Typed(jobset).spec, {Counter("a", 0, 1, 1)}).open, (Open{true, true, false}));
}

TEST(InOrder, IsCompletedWhenTheLastStageHasStarted) {
  const auto jobset = ThreeStages(kInOrder);
  EXPECT_EQ(PlanStartup(Typed(jobset).spec, {Counter("a", 2), Counter("b", 1)}).progress,
            StartupProgress::kInProgress);
  EXPECT_EQ(PlanStartup(Typed(jobset).spec, {Counter("a", 2), Counter("b", 1), Counter("c", 0, 1)}).progress,
            StartupProgress::kCompleted);
}

TEST(InOrder, DoesNotMatterWhileSuspended) {
  const Startup startup = PlanStartup(Typed(ThreeStages(kInOrder + R"("suspend":true,)")).spec, {});
  EXPECT_EQ(startup.open, (Open{true, true, true}));
  EXPECT_EQ(startup.progress, StartupProgress::kNotOrdered);
}

kube::Object Depending(std::string_view status, std::string spec = "") {
  return JobSetWith(
      {.jobs = {{.name = "a", .replicas = 2},
                {.name = "b", .more = fmt::format(R"("dependsOn":[{{"name":"a","status":"{}"}}],)", status)}},
       .spec = std::move(spec)});
}

TEST(DependsOn, ReadyIsMetByRunningJobs) {
  EXPECT_EQ(PlanStartup(Typed(Depending("Ready")).spec, {Counter("a", 1)}).open, (Open{true, false}));
  EXPECT_EQ(PlanStartup(Typed(Depending("Ready")).spec, {Counter("a", 2)}).open, (Open{true, true}));
}

TEST(DependsOn, CompleteIsMetByCompleteJobsOnly) {
  EXPECT_EQ(PlanStartup(Typed(Depending("Complete")).spec, {Counter("a", 1, 1)}).open, (Open{true, false}));
  EXPECT_EQ(PlanStartup(Typed(Depending("Complete")).spec, {Counter("a", 0, 2)}).open, (Open{true, true}));
}

TEST(DependsOn, HoldsWhileSuspendedToo) {
  EXPECT_EQ(PlanStartup(Typed(Depending("Ready", R"("suspend":true,)")).spec, {}).open, (Open{true, false}));
}

TEST(DependsOn, WaitsForEveryOneOfSeveral) {
  const auto jobset = JobSetWith(
      {.jobs = {
           {.name = "a"},
           {.name = "b"},
           {.name = "c",
            .more = R"("dependsOn":[{"name":"a","status":"Ready"},{"name":"b","status":"Complete"}],)"}}});
  EXPECT_FALSE(PlanStartup(Typed(jobset).spec, {Counter("a", 1), Counter("b", 1)}).open[2]);
  EXPECT_TRUE(PlanStartup(Typed(jobset).spec, {Counter("a", 1), Counter("b", 0, 1)}).open[2]);
}

}  // namespace
}  // namespace cadre::jobset
