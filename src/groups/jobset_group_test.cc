#include <gtest/gtest.h>

#include "groups/groups_testing.h"

namespace cadre::groups {
namespace {

// JobSet default/train with replicated jobs as the tests need them.
class JobSetGroup : public CatalogTest {
 protected:
  void Given(JobSetWords words) { Apply(JobSetOf(words)); }
  void GivenJobs(std::initializer_list<JobWords> jobs) {
    for (const JobWords& job : jobs)
      Apply(JobOf(job));
  }
  std::string UnitsFor(const kube::Object& pod) const { return UnitsOf(DescribeGroupOf({pod})); }
};

TEST_F(JobSetGroup, IsAllOfItsJobsTogether) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers", .replicas = 2, .pods = 4}}});
  GivenJobs({ChildOf("driver", 0, 1), ChildOf("workers", 0, 4), ChildOf("workers", 1, 4)});
  EXPECT_EQ(Where(PodOfChild("workers", 1, 3)), "JobSet default/train unit train-workers-1 index 3");
  EXPECT_EQ(MembershipOf(PodOfChild("driver", 0, 0)).group, MembershipOf(PodOfChild("workers", 0, 0)).group);
  EXPECT_EQ(UnitsFor(PodOfChild("driver", 0, 0)),
            "train-driver-0 (1), train-workers-0 (4), train-workers-1 (4)");
}

TEST_F(JobSetGroup, UnitsOfOneReplicatedJobShareARole) {
  Given({.jobs = {{.name = "workers", .replicas = 2}}});
  GivenJobs({ChildOf("workers", 0)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("workers", 0, 0)});
  EXPECT_EQ(spec.units[0].role, "workers");
  EXPECT_EQ(spec.units[1].role, "workers");
}

TEST_F(JobSetGroup, AJobThatIsNotCreatedYetIsPartOfIt) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers", .pods = 4}}});
  GivenJobs({ChildOf("driver", 0, 1)});
  EXPECT_EQ(UnitsFor(PodOfChild("driver", 0, 0)), "train-driver-0 (1), train-workers-0 (4, no Job)");
}

TEST_F(JobSetGroup, AJobThatIsFinishedExpectsNothingMore) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers", .pods = 4}}});
  JobWords driver = ChildOf("driver", 0, 1);
  driver.status = R"(conditions: [{type: Complete, status: "True"}])";
  GivenJobs({driver, ChildOf("workers", 0, 4)});
  EXPECT_EQ(UnitsFor(PodOfChild("workers", 0, 0)), "train-driver-0 (0), train-workers-0 (4)");
}

TEST_F(JobSetGroup, AJobBeingDeletedIsNotThereAnyMore) {
  Given({.jobs = {{.name = "workers", .replicas = 2, .pods = 4}}});
  JobWords going = ChildOf("workers", 0, 4);
  going.deleting = true;
  GivenJobs({going, ChildOf("workers", 1, 4)});
  EXPECT_EQ(UnitsFor(PodOfChild("workers", 1, 0)), "train-workers-0 (4, no Job), train-workers-1 (4)");
}

TEST_F(JobSetGroup, IsAsOldAsTheJobSetAndRolledBackThroughIt) {
  Given({.jobs = {{.name = "workers"}}});
  GivenJobs({ChildOf("workers", 0)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("workers", 0, 0)});
  EXPECT_EQ(spec.created, At(5));
  ASSERT_EQ(spec.owners.size(), 1U);
  EXPECT_EQ(spec.owners.front().uid, "jobset-1");
  EXPECT_EQ(spec.owners.front().kind, kube::Kind::kJobSet);
  EXPECT_EQ(spec.record->uid, "jobset-1");
}

TEST_F(JobSetGroup, DoesNotStartWhileTheJobSetIsSuspended) {
  Given({.jobs = {{.name = "workers"}}, .spec = "suspend: true"});
  GivenJobs({ChildOf("workers", 0)});
  EXPECT_EQ(DescribeGroupOf({PodOfChild("workers", 0, 0)}).problem, "JobSet default/train is suspended");
}

TEST_F(JobSetGroup, TheScopeOnTheJobSetHoldsForTheKeyOnItsJobTemplate) {
  Given({.jobs = {{.name = "workers", .annotations = "alpha.jobset.sigs.k8s.io/exclusive-topology: rack"}},
         .annotations = "cadre.dev/exclusive-scope: all"});
  GivenJobs({ChildOf("workers", 0)});
  EXPECT_EQ(DescribeGroupOf({PodOfChild("workers", 0, 0)}).units[0].topology.scope,
            model::ExclusiveScope::kAll);
}

TEST_F(JobSetGroup, TheScopeOnTheJobTemplateWinsOverTheJobSets) {
  Given({.jobs = {{.name = "workers", .annotations = "cadre.dev/exclusive-scope: groups"}},
         .annotations = "cadre.dev/exclusive-scope: all, alpha.jobset.sigs.k8s.io/exclusive-topology: rack"});
  GivenJobs({ChildOf("workers", 0)});
  EXPECT_EQ(DescribeGroupOf({PodOfChild("workers", 0, 0)}).units[0].topology.scope,
            model::ExclusiveScope::kGroups);
}

TEST_F(JobSetGroup, AJobThatIsAGangOfItsOwnLiesInTheDomainThatTheJobSetAsksFor) {
  Given({.jobs = {{.name = "workers"}},
         .annotations = "cadre.dev/gang: job, cadre.dev/required-topology: rack"});
  GivenJobs({ChildOf("workers", 0)});
  EXPECT_EQ(DescribeGroupOf({PodOfChild("workers", 0, 0)}).topology.required, "rack");
}

TEST_F(JobSetGroup, WithoutAGangTheJobsOfAJobSetThatAsksForADomainStartOneByOne) {
  Given({.jobs = {{.name = "workers"}},
         .annotations = "cadre.dev/gang: none, alpha.jobset.sigs.k8s.io/exclusive-topology: rack"});
  GivenJobs({ChildOf("workers", 0)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("workers", 0, 0)});
  EXPECT_EQ(spec.units[0].topology.exclusive, "rack");
  EXPECT_EQ(spec.units[0].minimum, 1);
}

TEST_F(JobSetGroup, AChangedTopologyOfTheJobSetRegroupsThePodsOfItsJobs) {
  Given({.jobs = {{.name = "workers"}}, .annotations = "cadre.dev/gang: none"});
  GivenJobs({ChildOf("workers", 0)});
  const Affected affected =
      Apply(JobSetOf({.version = 2,
                      .jobs = {{.name = "workers"}},
                      .annotations = "cadre.dev/gang: none, cadre.dev/required-topology: rack"}));
  EXPECT_EQ(affected.makers, std::vector<std::string>{"uid-train-workers-0"});
}

TEST_F(JobSetGroup, IsMarkedWhenTheJobSetIsFinished) {
  Given({.jobs = {{.name = "workers"}}, .status = R"(conditions: [{type: Completed, status: "True"}])"});
  GivenJobs({ChildOf("workers", 0)});
  EXPECT_TRUE(DescribeGroupOf({PodOfChild("workers", 0, 0)}).owners.front().finished);
}

// --- minimum and topology at each level

TEST_F(JobSetGroup, AMinimumOnTheJobSetCountsItsJobs) {
  Given({.jobs = {{.name = "workers", .replicas = 3}}, .annotations = R"(cadre.dev/min-available: "2")"});
  GivenJobs({ChildOf("workers", 0)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("workers", 0, 0)});
  EXPECT_EQ(spec.minimum_units, 2);
  EXPECT_EQ(spec.units.front().minimum, model::UnitSpec::kAll);
}

TEST_F(JobSetGroup, AMinimumOnAReplicatedJobCountsThePodsOfEachJob) {
  Given(
      {.jobs = {
           {.name = "workers", .replicas = 2, .pods = 4, .annotations = R"(cadre.dev/min-available: "3")"}}});
  GivenJobs({ChildOf("workers", 0, 4), ChildOf("workers", 1, 4)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("workers", 0, 0)});
  EXPECT_EQ(UnitsOf(spec), "train-workers-0 (4, minimum 3), train-workers-1 (4, minimum 3)");
  EXPECT_EQ(spec.minimum_units, model::UnitSpec::kAll);
}

TEST_F(JobSetGroup, WithoutAMinimumAllJobsAreNeeded) {
  Given({.jobs = {{.name = "workers"}}});
  GivenJobs({ChildOf("workers", 0)});
  EXPECT_EQ(DescribeGroupOf({PodOfChild("workers", 0, 0)}).minimum_units, model::UnitSpec::kAll);
}

TEST_F(JobSetGroup, ATopologyOnTheJobSetIsForAllOfIt) {
  Given({.jobs = {{.name = "workers"}}, .annotations = "cadre.dev/required-topology: zone"});
  GivenJobs({ChildOf("workers", 0)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("workers", 0, 0)});
  EXPECT_EQ(spec.topology.required, "zone");
  EXPECT_EQ(spec.units.front().topology.required, "");
}

TEST_F(JobSetGroup, ATopologyOnAReplicatedJobIsForEachOfItsJobs) {
  Given({.jobs = {{.name = "workers", .annotations = "cadre.dev/required-topology: rack"}}});
  GivenJobs({ChildOf("workers", 0)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("workers", 0, 0)});
  EXPECT_EQ(spec.topology.required, "");
  EXPECT_EQ(spec.units.front().topology.required, "rack");
}

// --- stages

TEST_F(JobSetGroup, InOrderIsPlannedWholeAndComesStageByStage) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers", .replicas = 2}},
         .spec = "startupPolicy: {startupPolicyOrder: InOrder}"});
  GivenJobs({ChildOf("driver", 0, 1)});
  EXPECT_EQ(Where(PodOfChild("driver", 0, 0)), "JobSet default/train unit train-driver-0 index 0");
  EXPECT_EQ(UnitsFor(PodOfChild("driver", 0, 0)),
            "train-driver-0 (1), train-workers-0 (2, no Job, later), train-workers-1 (2, no Job, later)");
}

TEST_F(JobSetGroup, ALaterUnitBringsTheTemplateOfItsPods) {
  Given({.jobs = {{.name = "driver"}, {.name = "workers", .pod_annotations = "marked: yes-it-is"}},
         .spec = "startupPolicy: {startupPolicyOrder: InOrder}"});
  GivenJobs({ChildOf("driver", 0)});
  const model::GroupSpec spec = DescribeGroupOf({PodOfChild("driver", 0, 0)});
  ASSERT_NE(spec.units[1].later_template, nullptr);
  EXPECT_EQ(spec.units[1].later_template->annotations.at("marked"), "yes-it-is");
}

TEST_F(JobSetGroup, WhatWaitsForReadyIsPlannedTogether) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers", .depends_on = "driver Ready"}}});
  GivenJobs({ChildOf("driver", 0, 1)});
  EXPECT_EQ(UnitsFor(PodOfChild("driver", 0, 0)), "train-driver-0 (1), train-workers-0 (2, no Job, later)");
}

TEST_F(JobSetGroup, WhatWaitsForCompleteIsAGroupOfItsOwn) {
  Given({.jobs = {{.name = "data", .pods = 1}, {.name = "workers", .depends_on = "data Complete"}}});
  GivenJobs({ChildOf("data", 0, 1), ChildOf("workers", 0)});
  EXPECT_EQ(Where(PodOfChild("data", 0, 0)), "JobSet default/train [stage 1] unit train-data-0 index 0");
  EXPECT_EQ(Where(PodOfChild("workers", 0, 0)),
            "JobSet default/train [stage 2] unit train-workers-0 index 0");
  EXPECT_EQ(UnitsFor(PodOfChild("data", 0, 0)), "train-data-0 (1)");
  EXPECT_EQ(UnitsFor(PodOfChild("workers", 0, 0)), "train-workers-0 (2)");
}

TEST_F(JobSetGroup, ReadyAfterCompleteBelongsToTheLaterStage) {
  Given({.jobs = {{.name = "data", .pods = 1},
                  {.name = "driver", .pods = 1, .depends_on = "data Complete"},
                  {.name = "workers", .depends_on = "driver Ready"}}});
  GivenJobs({ChildOf("data", 0, 1), ChildOf("driver", 0, 1)});
  EXPECT_EQ(UnitsFor(PodOfChild("data", 0, 0)), "train-data-0 (1)");
  EXPECT_EQ(UnitsFor(PodOfChild("driver", 0, 0)), "train-driver-0 (1), train-workers-0 (2, no Job, later)");
}

TEST_F(JobSetGroup, WhatWaitsForBothBelongsToTheStageAfterTheOneThatCompletes) {
  Given({.jobs = {{.name = "data", .pods = 1},
                  {.name = "driver", .pods = 1},
                  {.name = "workers", .depends_on = "driver Ready, data Complete"}}});
  GivenJobs({ChildOf("data", 0, 1), ChildOf("driver", 0, 1), ChildOf("workers", 0)});
  EXPECT_EQ(UnitsFor(PodOfChild("data", 0, 0)), "train-data-0 (1), train-driver-0 (1)");
  EXPECT_EQ(Where(PodOfChild("workers", 0, 0)),
            "JobSet default/train [stage 2] unit train-workers-0 index 0");
  // The driver is in another group: for its own group this is the first.
  EXPECT_EQ(UnitsFor(PodOfChild("workers", 0, 0)), "train-workers-0 (2)");
}

TEST_F(JobSetGroup, StagesAreCountedAlongTheChain) {
  Given({.jobs = {{.name = "a", .pods = 1},
                  {.name = "b", .pods = 1, .depends_on = "a Complete"},
                  {.name = "c", .pods = 1, .depends_on = "b Complete"}}});
  GivenJobs({ChildOf("c", 0, 1)});
  EXPECT_EQ(Where(PodOfChild("c", 0, 0)), "JobSet default/train [stage 3] unit train-c-0 index 0");
}

TEST_F(JobSetGroup, WhatWaitsThroughAJobOfItsOwnIsLaterAllTheSame) {
  Given({.jobs = {{.name = "a", .pods = 1},
                  {.name = "b", .pods = 1, .depends_on = "a Ready", .pod_annotations = "cadre.dev/gang: job"},
                  {.name = "c", .pods = 1, .depends_on = "b Ready"}}});
  GivenJobs({ChildOf("a", 0, 1)});
  EXPECT_EQ(UnitsFor(PodOfChild("a", 0, 0)), "train-a-0 (1), train-c-0 (1, no Job, later)");
}

// --- cadre.dev/gang

TEST_F(JobSetGroup, GangReplicatedJobMakesAGroupOfEachReplicatedJob) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers", .replicas = 2}},
         .annotations = "cadre.dev/gang: replicatedjob"});
  GivenJobs({ChildOf("driver", 0, 1), ChildOf("workers", 0), ChildOf("workers", 1)});
  EXPECT_EQ(Where(PodOfChild("driver", 0, 0)), "JobSet default/train [driver] unit train-driver-0 index 0");
  EXPECT_EQ(UnitsFor(PodOfChild("workers", 1, 0)), "train-workers-0 (2), train-workers-1 (2)");
}

// Nothing of that group is there before its own pods: it starts like any gang, when all of them are there.
TEST_F(JobSetGroup, GangReplicatedJobHasNoLaterUnits) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers"}},
         .annotations = "cadre.dev/gang: replicatedjob",
         .spec = "startupPolicy: {startupPolicyOrder: InOrder}"});
  GivenJobs({ChildOf("driver", 0, 1), ChildOf("workers", 0)});
  EXPECT_EQ(UnitsFor(PodOfChild("workers", 0, 0)), "train-workers-0 (2)");
}

TEST_F(JobSetGroup, GangJobMakesAGroupOfEachJob) {
  Given({.jobs = {{.name = "workers", .replicas = 2}}, .annotations = "cadre.dev/gang: job"});
  GivenJobs({ChildOf("workers", 0), ChildOf("workers", 1)});
  EXPECT_EQ(Where(PodOfChild("workers", 1, 0)), "Job default/train-workers-1 unit train-workers-1 index 0");
}

TEST_F(JobSetGroup, GangNoneMakesGroupsOfOne) {
  Given({.jobs = {{.name = "workers"}}, .annotations = "cadre.dev/gang: none"});
  GivenJobs({ChildOf("workers", 0)});
  EXPECT_EQ(Where(PodOfChild("workers", 0, 1)),
            "Pod default/train-workers-0-1 unit train-workers-0-1 index -1");
}

TEST_F(JobSetGroup, GangJobSetIsTheDefaultSpeltOut) {
  Given({.jobs = {{.name = "driver", .pods = 1}, {.name = "workers"}},
         .annotations = "cadre.dev/gang: jobset"});
  GivenJobs({ChildOf("driver", 0, 1), ChildOf("workers", 0)});
  EXPECT_EQ(UnitsFor(PodOfChild("driver", 0, 0)), "train-driver-0 (1), train-workers-0 (2)");
}

TEST_F(JobSetGroup, AReplicatedJobCanBeLeftOutThroughItsPodTemplate) {
  Given({.jobs = {{.name = "logger", .pods = 1, .pod_annotations = "cadre.dev/gang: none"},
                  {.name = "workers"}}});
  GivenJobs({ChildOf("logger", 0, 1), ChildOf("workers", 0)});
  EXPECT_EQ(UnitsFor(PodOfChild("workers", 0, 0)), "train-workers-0 (2)");
  const kube::Object logger = PodOf({.name = "logger-pod",
                                     .owner = "Job train-logger-0 uid-train-logger-0",
                                     .annotations = "cadre.dev/gang: none"});
  EXPECT_EQ(Where(logger), "Pod default/logger-pod unit logger-pod index -1");
}

}  // namespace
}  // namespace cadre::groups
