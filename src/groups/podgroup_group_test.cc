// Groups that pods name themselves.
#include <gtest/gtest.h>

#include "groups/groups_testing.h"

namespace cadre::groups {
namespace {

kube::Object NativeMember(int number, std::string annotations = {}) {
  return PodOf({.name = fmt::format("ring-{}", number),
                .annotations = std::move(annotations),
                .spec = "schedulingGroup: {podGroupName: ring}"});
}

kube::Object PluginsMember(int number) {
  return PodOf({.name = fmt::format("ring-{}", number), .labels = "scheduling.x-k8s.io/pod-group: ring"});
}

class NativePodGroups : public CatalogTest {};

TEST_F(NativePodGroups, APodNamesItsGroupInItsSpec) {
  EXPECT_EQ(Where(NativeMember(0)), "PodGroup default/ring unit ring index -1");
}

TEST_F(NativePodGroups, MinCountIsTheMinimum) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 3}}"));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({NativeMember(0)})), "ring (3, minimum 3)");
}

TEST_F(NativePodGroups, MorePodsThanTheMinimumAreExpectedToo) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({NativeMember(0), NativeMember(1), NativeMember(2)})),
            "ring (3, minimum 2)");
}

TEST_F(NativePodGroups, PolicyBasicStartsPodByPod) {
  Apply(NativePodGroup("schedulingPolicy: {basic: {}}"));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({NativeMember(0), NativeMember(1)})), "ring (2, minimum 1)");
}

TEST_F(NativePodGroups, TheTopologyConstraintOfTheSpecCounts) {
  Apply(NativePodGroup(
      "schedulingPolicy: {gang: {minCount: 2}}, schedulingConstraints: {topology: [{key: rack}]}"));
  EXPECT_EQ(DescribeGroupOf({NativeMember(0)}).units.front().topology.required, "rack");
}

TEST_F(NativePodGroups, OurAnnotationsOnTheObjectCount) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}",
                       R"(cadre.dev/min-available: "4", cadre.dev/required-topology: zone)"));
  const model::GroupSpec spec = DescribeGroupOf({NativeMember(0)});
  EXPECT_EQ(UnitsOf(spec), "ring (4, minimum 4)");
  EXPECT_EQ(spec.units.front().topology.required, "zone");
}

TEST_F(NativePodGroups, TheTopologyAnnotationOfThePodsCountsToo) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  EXPECT_EQ(
      DescribeGroupOf({NativeMember(0, "cadre.dev/required-topology: rack")}).units.front().topology.required,
      "rack");
}

TEST_F(NativePodGroups, AGroupWithoutItsObjectDoesNotStart) {
  EXPECT_EQ(DescribeGroupOf({NativeMember(0)}).problem,
            "PodGroup default/ring does not exist; create it, or take the group name off the pods");
}

TEST_F(NativePodGroups, AnObjectCreatedLaterIsSeen) {
  const Affected affected = Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  EXPECT_EQ(affected.groups, std::vector<model::GroupKey>{MembershipOf(NativeMember(0)).group});
  EXPECT_EQ(DescribeGroupOf({NativeMember(0)}).problem, "");
}

TEST_F(NativePodGroups, AMinimumThatChangesIsSeen) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 5}}", "", 2));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({NativeMember(0)})), "ring (5, minimum 5)");
}

TEST_F(NativePodGroups, AnOlderVersionOfTheObjectIsIgnored) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 5}}", "", 7));
  EXPECT_TRUE(Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}", "", 6)).groups.empty());
  EXPECT_EQ(UnitsOf(DescribeGroupOf({NativeMember(0)})), "ring (5, minimum 5)");
}

TEST_F(NativePodGroups, AnObjectThatIsDeletedLeavesAGroupThatDoesNotStart) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"), true);
  EXPECT_NE(DescribeGroupOf({NativeMember(0)}).problem, "");
}

TEST_F(NativePodGroups, TheObjectCarriesTheAnnotationsAndSaysTheAge) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  const model::GroupSpec spec = DescribeGroupOf({NativeMember(0)});
  ASSERT_TRUE(spec.record.has_value());
  EXPECT_EQ(spec.record->uid, "ring-1");
  EXPECT_EQ(spec.record->kind, kube::Kind::kPodGroup);
  EXPECT_EQ(spec.created, At(1));
}

TEST_F(NativePodGroups, PlainPodsHaveNoOwnerToRollBackThrough) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  EXPECT_TRUE(DescribeGroupOf({NativeMember(0)}).owners.empty());
}

TEST_F(NativePodGroups, PodsOfJobsAreRolledBackThroughTheirJobs) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  Apply(JobOf({.name = "a", .uid = "uid-a"}));
  Apply(JobOf({.name = "b", .uid = "uid-b"}));
  const auto member = [](const std::string& job, int number) {
    return PodOf({.name = fmt::format("{}-{}", job, number),
                  .owner = fmt::format("Job {0} uid-{0}", job),
                  .spec = "schedulingGroup: {podGroupName: ring}"});
  };
  const model::GroupSpec spec = DescribeGroupOf({member("a", 0), member("a", 1), member("b", 0)});
  ASSERT_EQ(spec.owners.size(), 2U);
  EXPECT_EQ(spec.owners[0].name, "a");
  EXPECT_EQ(spec.owners[1].name, "b");
}

TEST_F(NativePodGroups, PodsOfAJobSetAreRolledBackThroughTheJobSet) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 2}}"));
  Apply(JobSetOf({.jobs = {{.name = "workers"}}}));
  Apply(JobOf(ChildOf("workers", 0)));
  const model::GroupSpec spec = DescribeGroupOf({PodOf({.name = "w",
                                                        .owner = "Job train-workers-0 uid-train-workers-0",
                                                        .spec = "schedulingGroup: {podGroupName: ring}"})});
  ASSERT_EQ(spec.owners.size(), 1U);
  EXPECT_EQ(spec.owners.front().kind, kube::Kind::kJobSet);
}

class PluginsPodGroups : public CatalogTest {};

TEST_F(PluginsPodGroups, APodNamesItsGroupInALabel) {
  EXPECT_EQ(Where(PluginsMember(0)), "PodGroup.scheduling.x-k8s.io default/ring unit ring index -1");
}

TEST_F(PluginsPodGroups, MinMemberIsTheMinimum) {
  Apply(PluginsPodGroup("minMember: 3"));
  EXPECT_EQ(UnitsOf(DescribeGroupOf({PluginsMember(0)})), "ring (3, minimum 3)");
}

TEST_F(PluginsPodGroups, TheNativeObjectOfTheSameNameIsAnother) {
  Apply(NativePodGroup("schedulingPolicy: {gang: {minCount: 3}}"));
  EXPECT_NE(DescribeGroupOf({PluginsMember(0)}).problem, "");
}

TEST_F(PluginsPodGroups, TheObjectCarriesTheAnnotations) {
  Apply(PluginsPodGroup("minMember: 3"));
  EXPECT_EQ(DescribeGroupOf({PluginsMember(0)}).record->kind, kube::Kind::kSchedulerPluginsPodGroup);
}

class FluenceGroups : public CatalogTest {
 protected:
  static kube::Object Member(int number, std::string size = R"("4")") {
    return PodOf({.name = fmt::format("lammps-{}", number),
                  .index = number,
                  .owner = "Job lammps uid-lammps",
                  .labels = "fluence.group-size: " + size,
                  .created = 20 + number});
  }
};

TEST_F(FluenceGroups, ThePodsOfOneOwnerAreAGroupOfTheLabelsSize) {
  EXPECT_EQ(Where(Member(2)), "FluenceGroup default/lammps unit lammps index 2");
  EXPECT_EQ(UnitsOf(DescribeGroupOf({Member(0), Member(1)})), "lammps (4, minimum 4)");
}

TEST_F(FluenceGroups, NeedNoPodGroup) {
  EXPECT_EQ(DescribeGroupOf({Member(0)}).problem, "");
}

TEST_F(FluenceGroups, AreAsOldAsTheirOldestPod) {
  EXPECT_EQ(DescribeGroupOf({Member(3), Member(1), Member(2)}).created, At(21));
}

TEST_F(FluenceGroups, TheLargestSizeThatAMemberNamesCounts) {
  EXPECT_EQ(UnitsOf(DescribeGroupOf({Member(0, R"("2")"), Member(1, R"("3")")})), "lammps (3, minimum 3)");
}

TEST_F(FluenceGroups, ASizeThatIsNoNumberIsNoGroup) {
  EXPECT_EQ(Where(PodOf({.name = "alone", .labels = "fluence.group-size: many"})),
            "Pod default/alone unit alone index -1");
}

TEST_F(FluenceGroups, NothingCarriesTheirAnnotationsButThePods) {
  EXPECT_FALSE(DescribeGroupOf({Member(0)}).record.has_value());
}

TEST_F(FluenceGroups, AreRolledBackThroughTheirJob) {
  Apply(JobOf({.name = "lammps", .uid = "uid-lammps"}));
  EXPECT_EQ(DescribeGroupOf({Member(0)}).owners.front().name, "lammps");
}

class GroupsOfOne : public CatalogTest {};

TEST_F(GroupsOfOne, APodOfItsOwnIsAGroup) {
  const kube::Object pod = PodOf({.name = "alone"});
  EXPECT_EQ(Where(pod), "Pod default/alone unit alone index -1");
  EXPECT_EQ(UnitsOf(DescribeGroupOf({pod})), "alone (1)");
}

TEST_F(GroupsOfOne, IsAsOldAsThePod) {
  EXPECT_EQ(DescribeGroupOf({PodOf({.created = 42})}).created, At(42));
}

TEST_F(GroupsOfOne, TheTopologyAnnotationOfThePodCounts) {
  EXPECT_EQ(DescribeGroupOf({PodOf({.annotations = "cadre.dev/required-topology: rack"})})
                .units.front()
                .topology.required,
            "rack");
}

TEST_F(GroupsOfOne, PodsOfADeploymentAreGroupsOfOne) {
  EXPECT_EQ(Where(PodOf({.name = "web-1", .owner = "ReplicaSet web uid-web"})),
            "Pod default/web-1 unit web-1 index -1");
}

}  // namespace
}  // namespace cadre::groups
