#include <gtest/gtest.h>

#include "groups/groups_testing.h"

namespace cadre::groups {
namespace {

bool IsGangJob(const JobWords& words) {
  const kube::Object job = JobOf(words);
  return JobModeOf(job.As<kube::Job>(), job.As<kube::Job>().spec.pod_template.annotations, nullptr) ==
         JobMode::kGang;
}

TEST(JobGang, AnIndexedJobThatRunsAllItsPodsAtOnceIsAGang) {
  EXPECT_TRUE(IsGangJob({.spec = "completionMode: Indexed, completions: 4, parallelism: 4"}));
}

TEST(JobGang, AnIndexedJobOfOnePodIsNone) {
  EXPECT_FALSE(IsGangJob({.spec = "completionMode: Indexed, completions: 1, parallelism: 1"}));
}

TEST(JobGang, AnIndexedJobThatRunsItsPodsInTurnsIsNone) {
  EXPECT_FALSE(IsGangJob({.spec = "completionMode: Indexed, completions: 5, parallelism: 4"}));
}

TEST(JobGang, AJobWhosePodsAreAlikeIsNone) {
  EXPECT_FALSE(IsGangJob({.spec = "completions: 4, parallelism: 4"}));
}

TEST(JobGang, AWorkQueueIsNone) {
  EXPECT_FALSE(IsGangJob({.spec = "parallelism: 4"}));
}

JobMode ModeOfJob(const JobWords& words) {
  const kube::Object job = JobOf(words);
  return JobModeOf(job.As<kube::Job>(), job.As<kube::Job>().spec.pod_template.annotations, nullptr);
}

TEST(JobGang, WithoutAGangTheDomainOfTheJobMakesItAGroupThatStartsOneByOne) {
  EXPECT_EQ(ModeOfJob({.annotations = "cadre.dev/gang: none"}), JobMode::kPods);
  for (const char* key : {"required", "preferred", "exclusive"}) {
    EXPECT_EQ(
        ModeOfJob({.annotations = fmt::format("cadre.dev/gang: none, cadre.dev/{}-topology: rack", key)}),
        JobMode::kOneByOne)
        << key;
  }
}

TEST(JobGang, AJobThatIsNoGangAndAsksForOneDomainStartsOneByOneToo) {
  EXPECT_EQ(ModeOfJob({.spec = "completions: 4, parallelism: 2",
                       .annotations = "cadre.dev/required-topology: rack"}),
            JobMode::kOneByOne);
}

TEST(JobGang, TheAnnotationMakesAnyJobAGang) {
  EXPECT_TRUE(IsGangJob({.spec = "parallelism: 4", .annotations = "cadre.dev/gang: job"}));
}

TEST(JobGang, TheAnnotationOnThePodTemplateDoesToo) {
  EXPECT_TRUE(IsGangJob({.spec = "parallelism: 4", .pod_annotations = "cadre.dev/gang: job"}));
}

TEST(JobGang, TheAnnotationNoneTakesAGangApart) {
  EXPECT_FALSE(IsGangJob({.annotations = "cadre.dev/gang: none"}));
}

TEST(JobGang, AMinimumMakesAJobAGang) {
  EXPECT_TRUE(IsGangJob(
      {.spec = "completions: 10, parallelism: 5", .annotations = R"(cadre.dev/min-available: "3")"}));
}

TEST(JobGang, NoneWinsOverAMinimum) {
  EXPECT_FALSE(IsGangJob({.annotations = R"(cadre.dev/gang: none, cadre.dev/min-available: "3")"}));
}

// --- how many pods it has at the same time

struct ExpectedCase {
  const char* what;
  const char* spec;
  const char* status;
  int expected;
};

class ExpectedPodsOf : public testing::TestWithParam<ExpectedCase> {};

TEST_P(ExpectedPodsOf, IsWhatTheJobControllerWouldRun) {
  const kube::Object job = JobOf({.spec = GetParam().spec, .status = GetParam().status});
  EXPECT_EQ(ExpectedPods(job.As<kube::Job>()), GetParam().expected);
}

constexpr const char* kIndexed5By4 = "completionMode: Indexed, completions: 5, parallelism: 4";
// More completions than parallelism: KAI-Scheduler#1347 waited for a fourth pod that never came.
INSTANTIATE_TEST_SUITE_P(
    Table, ExpectedPodsOf,
    testing::Values(ExpectedCase{"AJobWithoutNumbersRunsOne", "", "", 1},
                    ExpectedCase{"AllAtOnce", "completions: 4, parallelism: 4", "", 4},
                    ExpectedCase{"FiveByFourAtTheStart", kIndexed5By4, "", 4},
                    ExpectedCase{"FiveByFourWithOneDone", kIndexed5By4, "succeeded: 1", 4},
                    ExpectedCase{"FiveByFourWithTwoDone", kIndexed5By4, "succeeded: 2", 3},
                    ExpectedCase{"FiveByFourWithFourDone", kIndexed5By4, "succeeded: 4", 1},
                    ExpectedCase{"FiveByFourWithAllDone", kIndexed5By4, "succeeded: 5", 0},
                    ExpectedCase{"MoreParallelismThanCompletions", "completions: 2, parallelism: 10", "", 2},
                    ExpectedCase{"NoCompletionsAtAll", "completions: 0, parallelism: 4", "", 0},
                    ExpectedCase{"NoParallelism", "completions: 4, parallelism: 0", "", 0},
                    ExpectedCase{"AWorkQueue", "parallelism: 3", "", 3},
                    ExpectedCase{"AWorkQueueWithOneDone", "parallelism: 3", "succeeded: 1", 0},
                    ExpectedCase{"FailedPodsAreMadeAgain", "completions: 4, parallelism: 4", "failed: 2", 4},
                    ExpectedCase{
                        "IndexesThatFailedForGoodAreNot",
                        "completionMode: Indexed, completions: 4, parallelism: 4, backoffLimitPerIndex: 1",
                        R"(failedIndexes: "1-2")", 2},
                    ExpectedCase{"Complete", "completions: 4, parallelism: 4",
                                 R"(conditions: [{type: Complete, status: "True"}])", 0},
                    ExpectedCase{"Failed", "completions: 4, parallelism: 4",
                                 R"(conditions: [{type: Failed, status: "True"}])", 0},
                    ExpectedCase{"FailingButNotYetFailed", "completions: 4, parallelism: 4",
                                 R"(conditions: [{type: Failed, status: "False"}])", 4}),
    [](const testing::TestParamInfo<ExpectedCase>& tested) { return std::string(tested.param.what); });

// --- what a Job asks for

class JobGroup : public CatalogTest {};

TEST_F(JobGroup, IsOneUnitThatStartsWhole) {
  Apply(JobOf({}));
  const model::GroupSpec spec = DescribeGroupOf({PodOfJob(0)});
  EXPECT_EQ(UnitsOf(spec), "work (4)");
  EXPECT_EQ(spec.problem, "");
}

TEST_F(JobGroup, IsAsOldAsItsJob) {
  Apply(JobOf({}));
  EXPECT_EQ(DescribeGroupOf({PodOfJob(0)}).created, At(10));
}

TEST_F(JobGroup, IsRolledBackThroughItsJobWhichCarriesTheAnnotationsToo) {
  Apply(JobOf({}));
  const model::GroupSpec spec = DescribeGroupOf({PodOfJob(0)});
  ASSERT_EQ(spec.owners.size(), 1U);
  EXPECT_EQ(spec.owners.front().kind, kube::Kind::kJob);
  EXPECT_EQ(spec.owners.front().uid, "job-1");
  ASSERT_TRUE(spec.record.has_value());
  EXPECT_EQ(spec.record->uid, "job-1");
}

TEST_F(JobGroup, TheMinimumCountsPods) {
  Apply(JobOf({.annotations = R"(cadre.dev/min-available: "3")"}));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({PodOfJob(0)})), "work (4, minimum 3)");
}

TEST_F(JobGroup, TheMinimumIsAtMostWhatIsLeftToRun) {
  Apply(JobOf({.status = "succeeded: 2", .annotations = R"(cadre.dev/min-available: "3")"}));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({PodOfJob(0)})), "work (2, minimum 2)");
}

TEST_F(JobGroup, TheTopologyIsReadFromTheJobOrItsTemplate) {
  Apply(JobOf({.annotations = "cadre.dev/required-topology: rack"}));
  EXPECT_EQ(DescribeGroupOf({PodOfJob(0)}).units.front().topology.required, "rack");
  Apply(JobOf({.version = 2, .pod_annotations = "cadre.dev/required-topology: zone"}));
  EXPECT_EQ(DescribeGroupOf({PodOfJob(0)}).units.front().topology.required, "zone");
}

TEST_F(JobGroup, DoesNotStartWhileItsJobIsSuspended) {
  Apply(JobOf({.spec = "completionMode: Indexed, completions: 4, parallelism: 4, suspend: true"}));
  EXPECT_EQ(DescribeGroupOf({PodOfJob(0)}).problem, "Job default/work is suspended");
}

TEST_F(JobGroup, DoesNotStartBeforeItsJobIsSeen) {
  EXPECT_EQ(DescribeGroupOf({PodOfJob(0)}).problem, "Job default/work has not been seen yet");
}

TEST_F(JobGroup, IsMarkedWhenItsJobIsFinished) {
  Apply(JobOf({.status = R"(conditions: [{type: Complete, status: "True"}])"}));
  const model::GroupSpec spec = DescribeGroupOf({PodOfJob(0)});
  EXPECT_TRUE(spec.owners.front().finished);
  EXPECT_EQ(UnitsOf(spec), "work (0)");
}

}  // namespace
}  // namespace cadre::groups
