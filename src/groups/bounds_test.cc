#include "groups/bounds.h"

#include <gtest/gtest.h>

#include "groups/groups_testing.h"

namespace cadre::groups {
namespace {

constexpr Duration kMinute{60'000};

class Bounds : public CatalogTest {
 protected:
  // Of the group of Job default/work.
  model::GroupSpec OfJob(const JobWords& words) {
    Apply(JobOf(words));
    return DescribeGroupOf({PodOfJob(0)});
  }
  model::GroupSpec OfJobSet(const JobSetWords& words, const std::vector<JobWords>& children) {
    Apply(JobSetOf(words));
    for (const JobWords& child : children)
      Apply(JobOf(child));
    return DescribeGroupOf({PodOfChild("w", 0, 0)});
  }
};

constexpr const char* kFour = "completionMode: Indexed, completions: 4, parallelism: 4";

TEST_F(Bounds, NobodySaysAnything) {
  const model::GroupSpec spec = OfJob({.spec = kFour});
  EXPECT_EQ(spec.max_duration, std::nullopt);
  EXPECT_EQ(spec.ends_by, std::nullopt);
}

TEST_F(Bounds, TheAnnotationOnTheJobIsRead) {
  EXPECT_EQ(OfJob({.spec = kFour, .annotations = "cadre.dev/max-duration: 90m"}).max_duration, 90 * kMinute);
}

TEST_F(Bounds, TheAnnotationOnThePodTemplateIsRead) {
  EXPECT_EQ(OfJob({.spec = kFour, .pod_annotations = "cadre.dev/max-duration: 1h30m"}).max_duration,
            90 * kMinute);
}

TEST_F(Bounds, TheSmallerAnnotationHolds) {
  EXPECT_EQ(OfJob({.spec = kFour,
                   .annotations = "cadre.dev/max-duration: 2h",
                   .pod_annotations = "cadre.dev/max-duration: 1h"})
                .max_duration,
            60 * kMinute);
}

TEST_F(Bounds, WhatCannotBeReadDoesNotCount) {
  EXPECT_EQ(OfJob({.spec = kFour, .annotations = "cadre.dev/max-duration: soon"}).max_duration, std::nullopt);
}

TEST_F(Bounds, ZeroDoesNotCount) {
  EXPECT_EQ(OfJob({.spec = kFour, .annotations = "cadre.dev/max-duration: 0s"}).max_duration, std::nullopt);
}

TEST_F(Bounds, TheDeadlineOfAJobThatHasNotStartedIsADuration) {
  const model::GroupSpec spec = OfJob({.spec = std::string(kFour) + ", activeDeadlineSeconds: 600"});
  EXPECT_EQ(spec.max_duration, 10 * kMinute);
  EXPECT_EQ(spec.ends_by, std::nullopt);
}

// Kubernetes counts the time that the pods wait too.
TEST_F(Bounds, TheDeadlineOfAJobCountsFromItsStartTime) {
  const model::GroupSpec spec = OfJob({.spec = std::string(kFour) + ", activeDeadlineSeconds: 30",
                                       .status = R"(startTime: "2026-01-01T00:00:12Z")"});
  EXPECT_EQ(spec.ends_by, At(42));
}

TEST_F(Bounds, TheSmallerOfDeadlineAndAnnotationHolds) {
  EXPECT_EQ(OfJob({.spec = std::string(kFour) + ", activeDeadlineSeconds: 600",
                   .annotations = "cadre.dev/max-duration: 5m"})
                .max_duration,
            5 * kMinute);
}

TEST_F(Bounds, ADeadlineThatOverflowsSaysNothing) {
  EXPECT_EQ(OfJob({.spec = std::string(kFour) + ", activeDeadlineSeconds: 9223372036854775807"}).max_duration,
            std::nullopt);
}

TEST_F(Bounds, DeadlinesOfPodsCountOncePerTurn) {
  kube::Object job = JobOf({.spec = "completionMode: Indexed, completions: 5, parallelism: 2"});
  kube::Job body = job.As<kube::Job>();
  body.spec.pod_template.spec.active_deadline_seconds = 60;
  EXPECT_EQ(BoundOf(body).longest, 3 * kMinute);
}

TEST_F(Bounds, AJobSetRunsAsLongAsTheLongestOfItsJobs) {
  JobWords a = ChildOf("w", 0);
  JobWords b = ChildOf("w", 1);
  a.annotations = "cadre.dev/max-duration: 10m";
  b.annotations = "cadre.dev/max-duration: 20m";
  EXPECT_EQ(OfJobSet({.jobs = {{.name = "w", .replicas = 2}}}, {a, b}).max_duration, 20 * kMinute);
}

TEST_F(Bounds, AJobSetOfWhichOneJobSaysNothingSaysNothing) {
  JobWords a = ChildOf("w", 0);
  a.annotations = "cadre.dev/max-duration: 10m";
  EXPECT_EQ(OfJobSet({.jobs = {{.name = "w", .replicas = 2}}}, {a, ChildOf("w", 1)}).max_duration,
            std::nullopt);
}

TEST_F(Bounds, AJobThatIsFinishedNeedNotSayAnything) {
  JobWords a = ChildOf("w", 0);
  JobWords b = ChildOf("w", 1);
  a.annotations = "cadre.dev/max-duration: 10m";
  b.status = R"(conditions: [{type: Complete, status: "True"}])";
  EXPECT_EQ(OfJobSet({.jobs = {{.name = "w", .replicas = 2}}}, {a, b}).max_duration, 10 * kMinute);
}

TEST_F(Bounds, AJobThatIsNotThereYetCountsByItsTemplate) {
  JobWords a = ChildOf("w", 0);
  a.annotations = "cadre.dev/max-duration: 10m";
  EXPECT_EQ(
      OfJobSet({.jobs = {{.name = "w", .replicas = 2, .annotations = "cadre.dev/max-duration: 15m"}}}, {a})
          .max_duration,
      15 * kMinute);
}

TEST_F(Bounds, TheJobSetsOwnAnnotationTakesThePlaceOfItsJobs) {
  JobWords a = ChildOf("w", 0);
  a.annotations = "cadre.dev/max-duration: 10m";
  EXPECT_EQ(
      OfJobSet({.jobs = {{.name = "w"}}, .annotations = "cadre.dev/max-duration: 3h"}, {a}).max_duration,
      180 * kMinute);
}

TEST_F(Bounds, APodAloneSaysItByItsDeadline) {
  EXPECT_EQ(DescribeGroupOf({PodOf({.spec = "activeDeadlineSeconds: 120"})}).max_duration, 2 * kMinute);
}

TEST_F(Bounds, APodAloneRunsNoLongerThanItsJob) {
  Apply(JobOf({.spec = "activeDeadlineSeconds: 60", .status = R"(startTime: "2026-01-01T00:00:10Z")"}));
  const model::GroupSpec spec =
      DescribeGroupOf({PodOf({.owner = "Job work job-1", .spec = "activeDeadlineSeconds: 120"})});
  EXPECT_EQ(spec.max_duration, kMinute);
  EXPECT_EQ(spec.ends_by, At(70));
}

TEST_F(Bounds, APodGroupRunsAsLongAsTheLongestOfItsPods) {
  Apply(PluginsPodGroup("minMember: 2"));
  const std::string label = "scheduling.x-k8s.io/pod-group: ring";
  EXPECT_EQ(DescribeGroupOf({PodOf({.name = "a", .labels = label, .spec = "activeDeadlineSeconds: 60"}),
                             PodOf({.name = "b", .labels = label, .spec = "activeDeadlineSeconds: 180"})})
                .max_duration,
            3 * kMinute);
}

}  // namespace
}  // namespace cadre::groups
