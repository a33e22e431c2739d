// Which group a pod belongs to, what a change touches, and which pods are of the present run.
#include "groups/catalog.h"

#include <gtest/gtest.h>

#include "groups/groups_testing.h"

namespace cadre::groups {
namespace {

class Sources : public CatalogTest {};

TEST_F(Sources, APodOfAGangJobBelongsToTheJobUnderItsIndex) {
  Apply(JobOf({}));
  EXPECT_EQ(Where(PodOfJob(3)), "Job default/work unit work index 3");
}

TEST_F(Sources, APodOfAJobThatIsNoGangIsAGroupOfOne) {
  Apply(JobOf({.spec = "completions: 4, parallelism: 4"}));
  EXPECT_EQ(Where(PodOf({.name = "work-x", .owner = "Job work job-1"})),
            "Pod default/work-x unit work-x index -1");
}

TEST_F(Sources, TheAnnotationOfAPodTemplateCountsWhereTheJobHasNone) {
  Apply(JobOf({.pod_annotations = "cadre.dev/gang: none"}));
  EXPECT_EQ(Where(PodOfJob(0, "cadre.dev/gang: none")), "Pod default/work-0 unit work-0 index -1");
}

TEST_F(Sources, TheNativeGroupWinsOverTheLabel) {
  EXPECT_EQ(Where(PodOf({.labels = "scheduling.x-k8s.io/pod-group: other",
                         .spec = "schedulingGroup: {podGroupName: ring}"})),
            "PodGroup default/ring unit ring index -1");
}

TEST_F(Sources, TheLabelOfAPodGroupWinsOverFluences) {
  EXPECT_EQ(Where(PodOf({.labels = R"(scheduling.x-k8s.io/pod-group: ring, fluence.group-size: "4")"})),
            "PodGroup.scheduling.x-k8s.io default/ring unit ring index -1");
}

TEST_F(Sources, FluencesLabelWinsOverTheJob) {
  Apply(JobOf({}));
  const kube::Object pod = PodOf(
      {.name = "work-0", .index = 0, .owner = "Job work job-1", .labels = R"(fluence.group-size: "8")"});
  EXPECT_EQ(Where(pod), "FluenceGroup default/work unit work index 0");
}

TEST_F(Sources, AGroupNameOnThePodsWinsOverTheJobSet) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  Apply(JobOf(ChildOf("workers", 0)));
  const kube::Object pod = PodOf(
      {.owner = "Job train-workers-0 uid-train-workers-0", .spec = "schedulingGroup: {podGroupName: ring}"});
  EXPECT_EQ(Where(pod), "PodGroup default/ring unit ring index -1");
}

TEST_F(Sources, TwoJobsOfOneNameOneAfterTheOtherAreTwoGroups) {
  Apply(JobOf({.uid = "job-1"}));
  Apply(JobOf({.uid = "job-2"}));
  const kube::Object first = PodOf({.name = "a", .index = 0, .owner = "Job work job-1"});
  const kube::Object second = PodOf({.name = "b", .index = 0, .owner = "Job work job-2"});
  EXPECT_NE(MembershipOf(first).group, MembershipOf(second).group);
}

// --- objects that are seen in another order than they were made

class Late : public CatalogTest {};

TEST_F(Late, PodsWaitForTheirJobUnderItsName) {
  EXPECT_EQ(Where(PodOfJob(0)), "Job default/work unit work index 0");
  EXPECT_NE(DescribeGroupOf({PodOfJob(0)}).problem, "");
}

TEST_F(Late, AJobSeenAfterItsPodsAsksForThemAgain) {
  EXPECT_EQ(Apply(JobOf({})).makers, std::vector<std::string>{"job-1"});
}

// A JobSet's Jobs look like gangs of their own; placed one by one, the JobSet might never be whole.
TEST_F(Late, PodsOfAJobWhoseJobSetIsNotSeenWaitForIt) {
  Apply(JobOf(ChildOf("workers", 0)));
  EXPECT_EQ(Where(PodOfChild("workers", 0, 0)), "JobSet default/train unit train-workers-0 index 0");
  EXPECT_EQ(DescribeGroupOf({PodOfChild("workers", 0, 0)}).problem,
            "JobSet default/train has not been seen yet, or is gone");
}

TEST_F(Late, AJobSetSeenAfterItsJobsAsksForTheirPodsAgain) {
  Apply(JobOf(ChildOf("workers", 0)));
  Apply(JobOf(ChildOf("workers", 1)));
  const Affected affected = Apply(JobSetOf({.jobs = {{.name = "workers", .replicas = 2}}}));
  EXPECT_EQ(affected.makers, (std::vector<std::string>{"uid-train-workers-0", "uid-train-workers-1"}));
  EXPECT_EQ(DescribeGroupOf({PodOfChild("workers", 0, 0)}).problem, "");
}

TEST_F(Late, AChildJobTouchesTheGroupOfItsJobSet) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  const Affected affected = Apply(JobOf(ChildOf("workers", 0)));
  const model::GroupKey group = MembershipOf(PodOfChild("workers", 0, 0)).group;
  EXPECT_EQ(std::count(affected.groups.begin(), affected.groups.end(), group), 1);
}

TEST_F(Late, AChildJobTouchesEveryStageOfItsJobSet) {
  Apply(JobSetOf({.jobs = {{.name = "data"}, {.name = "workers", .depends_on = "data Complete"}}}));
  Apply(JobOf(ChildOf("workers", 0)));
  const Affected affected = Apply(JobOf(ChildOf("data", 0)));
  const model::GroupKey second = MembershipOf(PodOfChild("workers", 0, 0)).group;
  EXPECT_EQ(std::count(affected.groups.begin(), affected.groups.end(), second), 1);
}

// --- changes that move pods to another group

class Regrouping : public CatalogTest {
 protected:
  // Are the pods of job-1 asked for again when its Job changes from one to the other?
  bool Moves(JobWords from, JobWords to) {
    Apply(JobOf(from));
    to.version = from.version + 1;
    return !Apply(JobOf(to)).makers.empty();
  }
};

TEST_F(Regrouping, AChangeOfStatusMovesNothing) {
  EXPECT_FALSE(Moves({}, {.status = "succeeded: 1"}));
}

TEST_F(Regrouping, OurOwnMarkOnAJobMovesNothing) {
  EXPECT_FALSE(Moves({}, {.annotations = "cadre.dev/started: abc"}));
}

TEST_F(Regrouping, AJobThatIsResizedMovesItsPods) {
  EXPECT_TRUE(Moves({.spec = "completionMode: Indexed, completions: 4, parallelism: 1"}, {}));
}

TEST_F(Regrouping, AGangAnnotationMovesThePods) {
  EXPECT_TRUE(Moves({}, {.annotations = "cadre.dev/gang: none"}));
}

TEST_F(Regrouping, AJobThatIsBeingDeletedMovesItsPods) {
  EXPECT_TRUE(Moves({}, {.deleting = true}));
}

TEST_F(Regrouping, AJobThatIsGoneMovesItsPods) {
  Apply(JobOf({}));
  EXPECT_EQ(Apply(JobOf({.version = 2}), true).makers, std::vector<std::string>{"job-1"});
}

TEST_F(Regrouping, AJobThatItsJobSetLetsGoMovesItsPods) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  Apply(JobOf(ChildOf("workers", 0)));
  JobWords alone = ChildOf("workers", 0);
  alone.jobset.clear();  // kubectl delete jobset --cascade=orphan
  alone.version = 2;
  EXPECT_EQ(Apply(JobOf(alone)).makers, std::vector<std::string>{"uid-train-workers-0"});
  EXPECT_EQ(Where(PodOfChild("workers", 0, 0)), "Job default/train-workers-0 unit train-workers-0 index 0");
}

TEST_F(Regrouping, ARestartOfAJobSetMovesThePods) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  Apply(JobOf(ChildOf("workers", 0)));
  EXPECT_FALSE(
      Apply(JobSetOf({.version = 2, .jobs = {{.name = "workers"}}, .status = "restarts: 1"})).makers.empty());
}

TEST_F(Regrouping, AChangeOfAJobSetsStatusMovesNothing) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  Apply(JobOf(ChildOf("workers", 0)));
  EXPECT_TRUE(
      Apply(JobSetOf({.version = 2, .jobs = {{.name = "workers"}}, .status = "terminalState: Completed"}))
          .makers.empty());
}

// --- what is current

class Current : public CatalogTest {};

TEST_F(Current, ALivePodIs) {
  EXPECT_TRUE(IsCurrent(PodOf({})));
}

TEST_F(Current, APodThatEndedIsNot) {
  EXPECT_FALSE(IsCurrent(PodOf({.phase = "Succeeded"})));
  EXPECT_FALSE(IsCurrent(PodOf({.phase = "Failed"})));
}

TEST_F(Current, APodBeingDeletedIsNot) {
  EXPECT_FALSE(IsCurrent(PodOf({.deleting = true})));
}

TEST_F(Current, ThePodsOfAJobBeingDeletedAreNot) {
  Apply(JobOf({.deleting = true}));
  EXPECT_FALSE(IsCurrent(PodOfJob(0)));
}

TEST_F(Current, ThePodsOfAJobNotYetSeenAre) {
  EXPECT_TRUE(IsCurrent(PodOfJob(0)));
}

TEST_F(Current, ThePodsOfAnEarlierAttemptAreNot) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}, .status = "restarts: 1"}));
  Apply(JobOf(ChildOf("workers", 0)));
  EXPECT_FALSE(IsCurrent(PodOfChild("workers", 0, 0)));
}

TEST_F(Current, ThePodsOfThePresentAttemptAre) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}, .status = "restarts: 1"}));
  JobWords second = ChildOf("workers", 0);
  second.attempt = 1;
  Apply(JobOf(second));
  EXPECT_TRUE(IsCurrent(PodOfChild("workers", 0, 0)));
}

// The Jobs of the new attempt may be seen before the JobSet's status that counts it.
TEST_F(Current, ThePodsOfAnAttemptThatTheStatusDoesNotCountYetAre) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  JobWords second = ChildOf("workers", 0);
  second.attempt = 1;
  Apply(JobOf(second));
  EXPECT_TRUE(IsCurrent(PodOfChild("workers", 0, 0)));
}

TEST_F(Current, AJobOfAnEarlierAttemptIsNoUnitOfItsGroup) {
  Apply(JobSetOf({.jobs = {{.name = "workers"}}, .status = "restarts: 1"}));
  Apply(JobOf(ChildOf("workers", 0)));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({PodOfChild("workers", 0, 0)})), "train-workers-0 (2, no Job)");
}

// --- the fold

class CatalogFold : public CatalogTest {};

TEST_F(CatalogFold, FindsJobsAndJobSetsByUidUntilTheyAreGone) {
  Apply(JobOf({}));
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  EXPECT_NE(catalog_.FindJob("job-1"), nullptr);
  EXPECT_NE(catalog_.FindJobSet("jobset-1"), nullptr);
  Apply(JobOf({.version = 2}), true);
  Apply(JobSetOf({.version = 2, .jobs = {{.name = "workers"}}}), true);
  EXPECT_EQ(catalog_.FindJob("job-1"), nullptr);
  EXPECT_EQ(catalog_.FindJobSet("jobset-1"), nullptr);
}

TEST_F(CatalogFold, AnOlderVersionOfAJobIsIgnored) {
  Apply(JobOf({.version = 5, .status = "succeeded: 3"}));
  Apply(JobOf({.version = 4}));
  EXPECT_EQ(catalog_.FindJob("job-1")->status.succeeded, 3);
}

TEST_F(CatalogFold, KnowsTheChildrenOfAJobSet) {
  Apply(JobOf(ChildOf("workers", 0)));
  Apply(JobOf(ChildOf("workers", 1)));
  EXPECT_EQ(catalog_.JobsOf("jobset-1").size(), 2U);
  JobWords gone = ChildOf("workers", 0);
  gone.version = 2;
  Apply(JobOf(gone), true);
  ASSERT_EQ(catalog_.JobsOf("jobset-1").size(), 1U);
  EXPECT_EQ(catalog_.JobsOf("jobset-1").front()->metadata.name, "train-workers-1");
}

TEST_F(CatalogFold, KindsThatMakeNoGroupsTouchNothing) {
  const Affected affected =
      Apply(kube::FromYaml("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}"));
  EXPECT_TRUE(affected.groups.empty());
  EXPECT_TRUE(affected.makers.empty());
}

}  // namespace
}  // namespace cadre::groups
