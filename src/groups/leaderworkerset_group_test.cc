#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "groups/groups_testing.h"

namespace cadre::groups {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LeaderWorkerSetGroup : public CatalogTest {
 protected:
  void Given(LwsWords words) { Apply(LwsOf(words)); }
};

TEST_F(LeaderWorkerSetGroup, IsALeaderAndItsWorkersByTheirLabels) {
  Given({});
  EXPECT_EQ(Where(LwsPod(1, 0)), "LeaderWorkerSet default/serve [group 1] unit leader index 0");
  EXPECT_EQ(Where(LwsPod(1, 3)), "LeaderWorkerSet default/serve [group 1] unit workers index 2");
}

TEST_F(LeaderWorkerSetGroup, EachGroupOfASetIsOneOfItsOwn) {
  Given({});
  EXPECT_NE(MembershipOf(LwsPod(0, 0)).group, MembershipOf(LwsPod(1, 0)).group);
}

TEST_F(LeaderWorkerSetGroup, IsPlannedWholeWhileOnlyItsLeaderIsThere) {
  Given({.size = 4});
  EXPECT_EQ(UnitsOf(DescribeGroupOf({LwsPod(0, 0)})), "leader (1), workers (3, no Job, later)");
}

TEST_F(LeaderWorkerSetGroup, ItsWorkersAreThereWhenAllOfThemAre) {
  Given({.size = 3});
  EXPECT_EQ(UnitsOf(DescribeGroupOf({LwsPod(0, 0, 3), LwsPod(0, 1, 3)})),
            "leader (1), workers (2, no Job, later)");
  EXPECT_EQ(UnitsOf(DescribeGroupOf({LwsPod(0, 0, 3), LwsPod(0, 1, 3), LwsPod(0, 2, 3)})),
            "leader (1), workers (2, later)");
}

TEST_F(LeaderWorkerSetGroup, WorkersToComeHaveTheLabelsThatOthersSelectBy) {
  Given({.worker_labels = "app: llm"});
  const model::GroupSpec spec = DescribeGroupOf({LwsPod(1, 0)});
  ASSERT_NE(spec.units[1].later_template, nullptr);
  const kube::StringMap& labels = spec.units[1].later_template->labels;
  EXPECT_EQ(labels.at("app"), "llm");
  EXPECT_EQ(ValueOf(labels, kube::kLwsNameLabel), "serve");
  EXPECT_EQ(ValueOf(labels, kube::kLwsGroupIndexLabel), "1");
  EXPECT_EQ(ValueOf(labels, kube::kLwsGroupKeyLabel), "key-1");
}

// While a new size is rolled out one group after the other, the set says what those will be that are made
// anew.
TEST_F(LeaderWorkerSetGroup, IsAsLargeAsItsOwnPodsSay) {
  Given({.size = 8});
  EXPECT_EQ(UnitsOf(DescribeGroupOf({LwsPod(0, 0, 4)})), "leader (1), workers (3, no Job, later)");
}

TEST_F(LeaderWorkerSetGroup, IsAsOldAsItsSetWhichCarriesItsRecord) {
  Given({});
  const model::GroupSpec spec = DescribeGroupOf({LwsPod(0, 0)});
  EXPECT_EQ(spec.created, At(3));
  ASSERT_TRUE(spec.record.has_value());
  EXPECT_EQ(spec.record->kind, kube::Kind::kLeaderWorkerSet);
  EXPECT_EQ(spec.record->uid, "set-1");
}

TEST_F(LeaderWorkerSetGroup, HasNothingToSuspendAndItsPodsAreMadeAgain) {
  Given({});
  const model::GroupSpec spec = DescribeGroupOf({LwsPod(0, 0)});
  EXPECT_THAT(spec.owners, IsEmpty());
  EXPECT_TRUE(spec.pods_come_again);
}

TEST_F(LeaderWorkerSetGroup, RunsNoLongerThanItsSetSays) {
  Given({.annotations = "cadre.dev/max-duration: 90m"});
  EXPECT_EQ(DescribeGroupOf({LwsPod(0, 0)}).max_duration, Duration(std::chrono::minutes(90)));
}

// --- topology

TEST_F(LeaderWorkerSetGroup, ItsOwnAnnotationGivesEachGroupADomain) {
  Given({.annotations = "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"});
  const model::GroupSpec spec = DescribeGroupOf({LwsPod(0, 0)});
  EXPECT_EQ(spec.topology.exclusive, "rack");
  EXPECT_TRUE(spec.units[0].topology.Empty());
  EXPECT_TRUE(spec.units[1].topology.Empty());
}

TEST_F(LeaderWorkerSetGroup, OurAnnotationWinsOverItsOwn) {
  Given({.annotations = "leaderworkerset.sigs.k8s.io/exclusive-topology: rack, "
                        "cadre.dev/exclusive-topology: block"});
  EXPECT_EQ(DescribeGroupOf({LwsPod(0, 0)}).topology.exclusive, "block");
}

TEST_F(LeaderWorkerSetGroup, TopologyMayStandOnTheWorkersTemplate) {
  Given({.worker_annotations = "cadre.dev/required-topology: rack"});
  EXPECT_EQ(DescribeGroupOf({LwsPod(0, 0)}).topology.required, "rack");
}

TEST_F(LeaderWorkerSetGroup, ItsAnnotationMeansNothingOnAJob) {
  Apply(JobOf({.annotations = "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"}));
  EXPECT_EQ(DescribeGroupOf({PodOfJob(0)}).units.front().topology.exclusive, "");
}

// --- groups of one

TEST_F(LeaderWorkerSetGroup, GangNoneOnTheSetMakesGroupsOfOne) {
  Given({.annotations = "cadre.dev/gang: none"});
  EXPECT_EQ(Where(LwsPod(0, 1)), "Pod default/serve-0-1 unit serve-0-1 index -1");
}

TEST_F(LeaderWorkerSetGroup, GangNoneOnThePodLeavesThatPodOut) {
  Given({});
  EXPECT_EQ(Where(LwsPod(0, 0, 4, "cadre.dev/gang: none")), "Pod default/serve-0 unit serve-0 index -1");
}

TEST_F(LeaderWorkerSetGroup, ALeaderWithoutWorkersIsOnItsOwn) {
  Given({.size = 1});
  EXPECT_EQ(Where(LwsPod(0, 0, 1)), "Pod default/serve-0 unit serve-0 index -1");
}

TEST_F(LeaderWorkerSetGroup, ALeaderWithADomainOfItsOwnIsAGroup) {
  Given({.size = 1, .annotations = "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"});
  EXPECT_EQ(UnitsOf(DescribeGroupOf({LwsPod(0, 0, 1)})), "leader (1)");
}

TEST_F(LeaderWorkerSetGroup, ANameAloneIsNoPlaceInAGroup) {
  Given({});
  const kube::Object pod = PodOf({.name = "x", .labels = fmt::format("{}: serve", kube::kLwsNameLabel)});
  EXPECT_EQ(Where(pod), "Pod default/x unit x index -1");
}

TEST_F(LeaderWorkerSetGroup, AnIndexThatIsNoNumberIsNone) {
  const kube::Object pod =
      PodOf({.name = "x",
             .labels = fmt::format("{}: serve, {}: \"-1\", {}: \"0\"", kube::kLwsNameLabel,
                                   kube::kLwsGroupIndexLabel, kube::kLwsWorkerIndexLabel)});
  EXPECT_EQ(Where(pod), "Pod default/x unit x index -1");
}

TEST_F(LeaderWorkerSetGroup, APodGroupNamedByThePodsComesFirst) {
  Given({});
  const kube::Object pod = PodOf(
      {.name = "x",
       .labels = fmt::format("scheduling.x-k8s.io/pod-group: ring, {}: serve, "
                             "{}: \"0\", {}: \"0\"",
                             kube::kLwsNameLabel, kube::kLwsGroupIndexLabel, kube::kLwsWorkerIndexLabel)});
  EXPECT_EQ(MembershipOf(pod).group.kind, kPluginsPodGroupGroup);
}

// --- without the set

TEST_F(LeaderWorkerSetGroup, WithoutItsSetItIsAGangOfTheSizeThatItsPodsSay) {
  const model::GroupSpec spec = DescribeGroupOf({LwsPod(0, 0)});
  EXPECT_EQ(UnitsOf(spec), "leader (1), workers (3)");
  EXPECT_EQ(spec.problem, "");
  EXPECT_FALSE(spec.record.has_value());
}

TEST_F(LeaderWorkerSetGroup, WithoutItsSetNothingWouldCarryAClaim) {
  const model::GroupSpec spec =
      DescribeGroupOf({LwsPod(0, 0, 4, "leaderworkerset.sigs.k8s.io/exclusive-topology: rack")});
  EXPECT_EQ(spec.topology.exclusive, "rack");
  EXPECT_THAT(spec.problem, HasSubstr("LeaderWorkerSet default/serve has not been seen yet"));
}

TEST_F(LeaderWorkerSetGroup, OfMorePodsThanAnythingHoldsIsNotPlanned) {
  Given({.size = 2'000'000'000});
  const model::GroupSpec spec = DescribeGroupOf({LwsPod(0, 0, 2'000'000'000)});
  EXPECT_THAT(spec.problem, HasSubstr("asks for 2000000000 pods in a group"));
  EXPECT_LE(spec.units[1].expected, 100'000);
}

// --- changes

TEST_F(LeaderWorkerSetGroup, AChangeOfItsSetTouchesAllOfItsGroups) {
  const std::map<model::GroupKey, int> known = {{MembershipOf(LwsPod(0, 0)).group, 0},
                                                {MembershipOf(LwsPod(7, 0)).group, 0},
                                                {MembershipOf(PodOfJob(0)).group, 0}};
  const Affected affected = Apply(LwsOf({.replicas = 1}));
  EXPECT_THAT(TouchedGroups(affected, known),
              ElementsAre(MembershipOf(LwsPod(0, 0)).group, MembershipOf(LwsPod(7, 0)).group));
}

TEST_F(LeaderWorkerSetGroup, AGroupWithAClaimIsTouchedWithoutPods) {
  const Affected affected = Apply(LwsOf({.annotations = R"(cadre.dev/claims-group-12: "{}")"}));
  EXPECT_THAT(TouchedGroups(affected, std::map<model::GroupKey, int>{}),
              ElementsAre(MembershipOf(LwsPod(12, 0)).group));
}

TEST_F(LeaderWorkerSetGroup, AClaimThatIsTakenOffTouchesItsGroup) {
  Given({.annotations = R"(cadre.dev/claims-group-12: "{}")"});
  const Affected affected = Apply(LwsOf({.version = 2}));
  EXPECT_THAT(affected.groups, ElementsAre(MembershipOf(LwsPod(12, 0)).group));
}

TEST_F(LeaderWorkerSetGroup, ItsPodsAreAskedAgainWhenItComesAndWhenItsModeChanges) {
  const std::string maker = Catalog::MakerOf(LwsPod(0, 0).As<kube::Pod>());
  EXPECT_EQ(maker, "LeaderWorkerSet default/serve");
  EXPECT_THAT(Apply(LwsOf({})).makers, ElementsAre(maker));
  EXPECT_THAT(Apply(LwsOf({.version = 2, .replicas = 5})).makers, IsEmpty());
  EXPECT_THAT(Apply(LwsOf({.version = 3, .annotations = "cadre.dev/gang: none"})).makers, ElementsAre(maker));
  EXPECT_THAT(Apply(LwsOf({.version = 4}), true).makers, ElementsAre(maker));
}

TEST_F(LeaderWorkerSetGroup, PodsOfASetThatIsBeingDeletedAreNotCurrent) {
  Given({});
  EXPECT_TRUE(IsCurrent(LwsPod(0, 0)));
  Given({.version = 2, .deleting = true});
  EXPECT_FALSE(IsCurrent(LwsPod(0, 0)));
}

TEST_F(LeaderWorkerSetGroup, AnOlderVersionOfTheSetIsIgnored) {
  Given({.version = 5, .annotations = "cadre.dev/required-topology: rack"});
  Given({.version = 4});
  EXPECT_EQ(DescribeGroupOf({LwsPod(0, 0)}).topology.required, "rack");
}

}  // namespace
}  // namespace cadre::groups
