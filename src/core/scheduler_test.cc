// How a group gets its place: when it is bound, in what order, and what is written on the way.
#include "core/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using kube::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class SchedulerTest : public testing::Test {
 protected:
  // The annotations of the binds that wait to be sent.
  std::vector<const drive::Bind*> BindsInOutbox() const {
    std::vector<const drive::Bind*> binds;
    for (const drive::Effect& effect : world_.outbox()) {
      if (const auto* bind = std::get_if<drive::Bind>(&effect.what)) binds.push_back(bind);
    }
    return binds;
  }

  SchedulerWorld world_;
};

// --- all or nothing

TEST_F(SchedulerTest, AGangIsBoundWhenAllItsPodsAreThereAndFit) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  EXPECT_EQ(world_.CountBound("work"), 4);
  EXPECT_EQ(world_.StateOf("work"), GroupState::kStarted);
}

TEST_F(SchedulerTest, AGangWaitsForItsLastPod) {
  world_.AddNodes(2, 2);
  world_.AddJob("work", 4);
  world_.AddPods("work", 3);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_EQ(world_.ReasonOf("work"), "waits for pods of work: 3 of 4 are there");
  world_.AddPod("work", 3);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 4);
}

TEST_F(SchedulerTest, AGangThatDoesNotFitIsNotBoundAtAll) {
  world_.AddNodes(1, 3);
  world_.AddGang("work", 4);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_EQ(world_.StateOf("work"), GroupState::kWaiting);
  EXPECT_NE(world_.ReasonOf("work"), "");
}

TEST_F(SchedulerTest, AGangThatDidNotFitIsBoundWhenRoomComes) {
  world_.AddNodes(1, 3);
  world_.AddGang("work", 4);
  world_.Run();
  world_.AddNode("n9", 1);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 4);
}

TEST_F(SchedulerTest, AGangWaitsForPodsHeldByGatesAndSaysSo) {
  world_.AddNodes(2, 2);
  world_.AddJob("work", 2);
  world_.AddPod("work", 0);
  world_.AddPod("work", 1, 1, "schedulingGates: [{name: example.com/wait}], ");
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_EQ(world_.ReasonOf("work"), "waits for pods of work: 1 of 2 are there, 1 held by scheduling gates");
  world_.Change(Kind::kPod, "work-1", R"({"spec":{"schedulingGates":null}})");
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 2);
}

TEST_F(SchedulerTest, ASmallGroupPassesABlockedOne) {
  world_.AddNodes(1, 10);
  world_.AddGang("big", 3, 4);
  world_.PassSeconds(1);
  world_.AddLonePod("small", 3);
  world_.Run();
  EXPECT_EQ(world_.CountBound("big"), 0);
  EXPECT_EQ(world_.NodeOf("small"), "n1");
}

TEST_F(SchedulerTest, AJobSetWaitsForAllItsJobs) {
  world_.AddNodes(2, 4);
  world_.Create(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: w
    replicas: 2
    template: {spec: {completionMode: Indexed, completions: 2, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}
)");
  world_.AddChildJob("train", "w", 0, 2);
  world_.AddPods("train-w-0", 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_EQ(world_.ReasonOf("train"), "waits for Job train-w-1 to be created");
  world_.AddChildJob("train", "w", 1, 2);
  world_.AddPods("train-w-1", 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 4);
}

TEST_F(SchedulerTest, AGroupWithAMinimumStartsWithWhatFitsAndCompletesLater) {
  world_.AddNodes(1, 4);
  world_.AddJob("work", 5, R"(cadre.dev/min-available: "3")");
  world_.AddPods("work", 5);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.StateOf("work"), GroupState::kStarted);
  world_.AddNode("n2", 1);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 5);
}

TEST_F(SchedulerTest, AGroupBelowItsMinimumDoesNotStart) {
  world_.AddNodes(1, 2);
  world_.AddJob("work", 5, R"(cadre.dev/min-available: "3")");
  world_.AddPods("work", 5);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
}

TEST_F(SchedulerTest, ThePodsOfAPodGroupStartTogether) {
  world_.AddNodes(2, 1);
  world_.Create(
      "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: ring}\nspec: {minMember: "
      "2}\n");
  world_.AddLonePod("a", 1, "schedulerName: cadre, ", "labels: {scheduling.x-k8s.io/pod-group: ring}");
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  world_.AddLonePod("b", 1, "schedulerName: cadre, ", "labels: {scheduling.x-k8s.io/pod-group: ring}");
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 2);
}

// --- what is written

TEST_F(SchedulerTest, TheFirstBindGoesBeforeTheOthers) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 3);
  world_.Step();
  std::vector<const drive::Effect*> binds;
  for (const drive::Effect& effect : world_.outbox()) {
    if (std::holds_alternative<drive::Bind>(effect.what)) binds.push_back(&effect);
  }
  ASSERT_EQ(binds.size(), 3U);
  EXPECT_FALSE(binds[0]->after.has_value());
  EXPECT_EQ(binds[1]->after, binds[0]->id);
  EXPECT_EQ(binds[2]->after, binds[0]->id);
}

TEST_F(SchedulerTest, ABindIsForOnePodAndNotForItsSuccessor) {
  world_.AddNodes(1, 2);
  world_.AddLonePod("alone", 1);
  world_.Step();
  ASSERT_FALSE(world_.outbox().empty());
  EXPECT_EQ(world_.outbox().front().uid, world_.UidOf(Kind::kPod, "alone"));
  EXPECT_EQ(world_.outbox().front().lane, drive::Lane::kBind);
}

TEST_F(SchedulerTest, EveryBindOfASmallGroupCarriesThePlan) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 3);
  world_.Run();
  for (const std::string pod : {"work-0", "work-1", "work-2"}) {
    const auto plan = Plan::Decode(world_.AnnotationOf(Kind::kPod, pod, kPlanAnnotation));
    ASSERT_TRUE(plan.has_value()) << pod;
    for (int index = 0; index < 3; ++index) {
      EXPECT_EQ(plan->NodeOf("work", index), world_.NodeOf(fmt::format("work-{}", index)));
    }
    EXPECT_EQ(world_.AnnotationOf(Kind::kPod, pod, kPlanIdAnnotation),
              world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation));
  }
}

TEST_F(SchedulerTest, ALongPlanTravelsInTheFirstBindAlone) {
  constexpr int kPods = 40;
  for (int i = 0; i < kPods; ++i)
    world_.AddNode(fmt::format("a-node-with-a-long-name-{}", i), 1);
  world_.AddGang("work", kPods);
  world_.Step();
  const auto binds = BindsInOutbox();
  ASSERT_EQ(binds.size(), static_cast<std::size_t>(kPods));
  ASSERT_TRUE(binds[0]->annotations.contains(kPlanAnnotation));
  EXPECT_GT(binds[0]->annotations.at(std::string(kPlanAnnotation)).size(), kShortPlan);
  for (std::size_t i = 1; i < binds.size(); ++i) {
    EXPECT_FALSE(binds[i]->annotations.contains(kPlanAnnotation)) << i;
    EXPECT_TRUE(binds[i]->annotations.contains(kPlanIdAnnotation)) << i;
  }
}

// The annotations of a pod must stay far below 256 KiB.
TEST_F(SchedulerTest, APlanBeyondTheLimitIsLeftOut) {
  constexpr int kPods = 300;
  const std::string long_name(60, 'x');
  for (int i = 0; i < kPods; ++i)
    world_.AddNode(fmt::format("{}-{}", long_name, i), 1);
  world_.AddGang("work", kPods);
  world_.Step();
  const auto binds = BindsInOutbox();
  ASSERT_EQ(binds.size(), static_cast<std::size_t>(kPods));
  for (const drive::Bind* bind : binds)
    EXPECT_FALSE(bind->annotations.contains(kPlanAnnotation));
}

TEST_F(SchedulerTest, AMemberThatComesAgainCarriesALongPlanOnce) {
  constexpr int kPods = 40;
  for (int i = 0; i < kPods; ++i)
    world_.AddNode(fmt::format("a-node-with-a-long-name-{}", i), 1);
  world_.AddGang("work", kPods);
  world_.Run();
  for (const int index : {3, 4, 5})
    world_.Delete(Kind::kPod, fmt::format("work-{}", index));
  for (const int index : {3, 4, 5})
    world_.AddPod("work", index);
  world_.Step();
  int carried = 0;
  for (const drive::Bind* bind : BindsInOutbox())
    carried += bind->annotations.contains(kPlanAnnotation) ? 1 : 0;
  EXPECT_EQ(BindsInOutbox().size(), 3U);
  EXPECT_EQ(carried, 1);
}

TEST_F(SchedulerTest, ThePlanNamesTheEpochItWasMadeUnder) {
  SchedulerWorld world({.scheduler_names = {"cadre"}, .limits = {}, .epoch = 17});
  world.AddNodes(1, 2);
  world.AddGang("work", 2);
  world.Run();
  EXPECT_THAT(world.AnnotationOf(Kind::kPod, "work-0", kPlanAnnotation), HasSubstr(R"("epoch":17)"));
}

TEST_F(SchedulerTest, AGroupOfOneIsBoundWithOneWriteAndNoAnnotations) {
  world_.AddNodes(1, 2);
  world_.AddLonePod("alone", 1);
  world_.Run();
  EXPECT_THAT(world_.log(), ElementsAre(StartsWith("bind default/alone -> n1")));
  EXPECT_EQ(world_.AnnotationOf(Kind::kPod, "alone", kPlanIdAnnotation), "");
}

TEST_F(SchedulerTest, AGangCostsOneWritePerPodAndOneMark) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  world_.PassSeconds(60);
  EXPECT_EQ(world_.CountWrites("bind "), 4);
  EXPECT_EQ(world_.log().size(), 5U);
}

TEST_F(SchedulerTest, AStartedGangIsMarkedOnceOnItsJob) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  world_.SetPhase("work-0", "Running");
  world_.SetPhase("work-1", "Running");
  world_.PassSeconds(60);
  EXPECT_EQ(world_.CountWrites("patch Job default/work"), 1);
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kStartedAnnotation),
            world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation));
}

TEST_F(SchedulerTest, TheMarkIsWrittenOnceEvenIfTheWatchIsSlow) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Step();
  world_.HoldWatch(true);
  world_.Run();
  world_.AddLonePod("other", 1);
  world_.Run();
  world_.HoldWatch(false);
  world_.Run();
  EXPECT_EQ(world_.CountWrites("patch Job default/work"), 1);
}

TEST_F(SchedulerTest, AGangOfPlainPodsIsMarkedOnItsPodGroup) {
  world_.AddNodes(2, 1);
  world_.Create(
      "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: ring}\nspec: {minMember: "
      "2}\n");
  for (const char* name : {"a", "b"}) {
    world_.AddLonePod(name, 1, "schedulerName: cadre, ", "labels: {scheduling.x-k8s.io/pod-group: ring}");
  }
  world_.Run();
  EXPECT_NE(world_.AnnotationOf(Kind::kSchedulerPluginsPodGroup, "ring", kStartedAnnotation), "");
}

TEST_F(SchedulerTest, AGangThatNoObjectStandsForIsMarkedOnItsPods) {
  world_.AddNodes(2, 1);
  world_.AddJob("lammps", 2);
  for (int i = 0; i < 2; ++i)
    world_.AddPod("lammps", i);
  for (int i = 0; i < 2; ++i) {
    world_.Change(Kind::kPod, fmt::format("lammps-{}", i),
                  R"({"metadata":{"labels":{"fluence.group-size":"2"}}})");
  }
  world_.Run();
  EXPECT_NE(world_.AnnotationOf(Kind::kPod, "lammps-0", kStartedAnnotation), "");
  EXPECT_NE(world_.AnnotationOf(Kind::kPod, "lammps-1", kStartedAnnotation), "");
}

// Two groups of one JobSet share the object that carries their marks.
TEST_F(SchedulerTest, EachPartOfAJobSetHasAMarkOfItsOwn) {
  world_.AddNodes(2, 4);
  world_.Create(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, annotations: {cadre.dev/gang: replicatedjob}}
spec:
  replicatedJobs:
  - name: a
    template: {spec: {completionMode: Indexed, completions: 2, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}
  - name: b
    template: {spec: {completionMode: Indexed, completions: 2, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}
)");
  for (const char* role : {"a", "b"}) {
    world_.AddChildJob("train", role, 0, 2);
    world_.AddPods(fmt::format("train-{}-0", role), 2);
  }
  world_.Run();
  EXPECT_EQ(world_.AnnotationOf(Kind::kJobSet, "train", StartedAnnotationOf("a")),
            world_.AnnotationOf(Kind::kPod, "train-a-0-0", kPlanIdAnnotation));
  EXPECT_EQ(world_.AnnotationOf(Kind::kJobSet, "train", StartedAnnotationOf("b")),
            world_.AnnotationOf(Kind::kPod, "train-b-0-0", kPlanIdAnnotation));
}

TEST_F(SchedulerTest, WhyItWaitsIsSaidInOneEventPerGroup) {
  world_.AddNodes(1, 3);
  world_.AddGang("work", 4);
  world_.Run();
  world_.AddLonePod("passes-by", 1);
  world_.Run();
  world_.SetPhase("passes-by", "Succeeded");
  world_.PassSeconds(600);
  EXPECT_EQ(world_.CountNotes("Job default/work FailedScheduling"), 1);
  EXPECT_EQ(world_.notes().size(), 2U);  // and "Scheduled" of the other
}

TEST_F(SchedulerTest, APlacementIsSaidInNumbers) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  EXPECT_THAT(world_.notes(),
              ElementsAre("note normal Job default/work Scheduled: placed 4 members on 2 nodes"));
}

// --- who is placed

TEST_F(SchedulerTest, PodsOfOtherSchedulersAreLeftAlone) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("theirs", 1, "");
  world_.Run();
  EXPECT_EQ(world_.NodeOf("theirs"), "");
  EXPECT_THAT(world_.scheduler().Groups(), IsEmpty());
}

TEST_F(SchedulerTest, WithoutNamesEveryPodIsPlaced) {
  SchedulerWorld world({.scheduler_names = {}, .limits = {}, .epoch = 0});
  world.AddNodes(1, 4);
  world.AddLonePod("anyone's", 1, "");
  world.Run();
  EXPECT_EQ(world.NodeOf("anyone's"), "n1");
}

TEST_F(SchedulerTest, PodsThatOthersBoundHoldTheirRoom) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("theirs", 3, "nodeName: n1, ");
  world_.AddLonePod("ours", 2);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("ours"), "");
  world_.Delete(Kind::kPod, "theirs");
  world_.Run();
  EXPECT_EQ(world_.NodeOf("ours"), "n1");
}

TEST_F(SchedulerTest, PodsThatOthersNominatedHoldTheirRoom) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("theirs", 3, "");
  world_.Change(Kind::kPod, "theirs", R"({"status":{"nominatedNodeName":"n1"}})");
  world_.AddLonePod("ours", 2);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("ours"), "");
}

TEST_F(SchedulerTest, WhatWasDecidedCountsBeforeTheWatchShowsIt) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("first", 3);
  world_.Step();
  world_.HoldWatch(true);
  world_.Run();
  world_.HoldWatch(false);
  world_.HoldWatch(true);
  world_.AddLonePod("second", 3);
  world_.HoldWatch(false);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 1);
}

TEST_F(SchedulerTest, APodWithAResourceClaimIsRefusedWithTheReason) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("gpu", 1,
                    "schedulerName: cadre, resourceClaims: [{name: one-gpu, resourceClaimName: c}], ");
  world_.Run();
  EXPECT_EQ(world_.NodeOf("gpu"), "");
  EXPECT_EQ(world_.ReasonOf("gpu"),
            "Pod default/gpu asks for resource claim one-gpu, and Cadre does not place pods with resource "
            "claims (DRA); make it with schedulerName: default-scheduler, or without spec.resourceClaims");
  world_.PassSeconds(60);
  EXPECT_EQ(world_.CountWrites("patch status of Pod default/gpu"), 1);
  EXPECT_EQ(world_.CountWrites("\"reason\":\"Unschedulable\""), 1);
  EXPECT_EQ(world_.CountWrites("bind "), 0);
}

TEST_F(SchedulerTest, ASuspendedJobIsNotStarted) {
  world_.AddNodes(2, 2);
  world_.AddJob("work", 2, "", "suspend: true, ");
  world_.AddPods("work", 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_EQ(world_.ReasonOf("work"), "Job default/work is suspended");
}

TEST_F(SchedulerTest, NothingIsDecidedBeforeEveryKindIsListed) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("alone", 1);
  Scheduler scheduler({});
  std::vector<drive::Event> events;
  for (const auto& [kind, name] : {std::pair(Kind::kNode, "n1"), std::pair(Kind::kPod, "alone")}) {
    events.emplace_back(drive::Changed{*kube::Decode(kind, world_.Get(kind, name)), false});
  }
  EXPECT_THAT(scheduler.Step(kStart, events).effects, IsEmpty());
  for (const Kind kind : scheduler.Kinds().first(scheduler.Kinds().size() - 1)) {
    EXPECT_THAT(scheduler.Step(kStart, std::vector<drive::Event>{drive::Listed{kind}}).effects, IsEmpty());
  }
  EXPECT_FALSE(scheduler.Step(kStart, std::vector<drive::Event>{drive::Listed{scheduler.Kinds().back()}})
                   .effects.empty());
}

// --- order

TEST_F(SchedulerTest, ThePriorityDecidesWhoGetsTheLastPlace) {
  world_.AddLonePod("older", 1);
  world_.PassSeconds(10);
  world_.AddLonePod("important", 1, "schedulerName: cadre, priority: 5, ");
  world_.AddNodes(1, 1);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("older"), "");
  EXPECT_EQ(world_.NodeOf("important"), "n1");
}

TEST_F(SchedulerTest, TheAgeOfTheGroupDecidesAmongEquals) {
  world_.AddJob("older", 2);
  world_.PassSeconds(10);
  world_.AddGang("younger", 2);
  world_.PassSeconds(10);
  world_.AddPods("older", 2);  // its pods are the youngest, the Job is not
  world_.AddNodes(1, 2);
  world_.Run();
  EXPECT_EQ(world_.CountBound("older"), 2);
  EXPECT_EQ(world_.CountBound("younger"), 0);
}

TEST_F(SchedulerTest, ViewsOfWhatWaitsComeInTheOrderOfTheQueue) {
  world_.AddLonePod("b", 1);
  world_.PassSeconds(1);
  world_.AddLonePod("a", 1);
  world_.AddLonePod("c", 1, "schedulerName: cadre, priority: 5, ");
  world_.Run();
  std::vector<std::string> names;
  for (const GroupView& view : world_.scheduler().Groups())
    names.push_back(view.key.name);
  EXPECT_THAT(names, ElementsAre("c", "b", "a"));
}

TEST_F(SchedulerTest, GroupsThatAskForTheSameAreRefusedForTheSameReason) {
  world_.AddNodes(1, 3);
  world_.AddGang("first", 4);
  world_.AddGang("second", 4);
  world_.Run();
  EXPECT_EQ(world_.ReasonOf("first"), world_.ReasonOf("second"));
  EXPECT_THAT(world_.ReasonOf("second"), testing::Not(HasSubstr("first")));
}

// --- members that come again

TEST_F(SchedulerTest, AMemberThatComesAgainTakesItsPlaceAgain) {
  world_.AddNodes(3, 2);
  world_.AddGang("work", 4, 1);
  world_.Run();
  const std::string before = world_.NodeOf("work-2");
  world_.SetPhase("work-2", "Failed");
  world_.Delete(Kind::kPod, "work-2");
  world_.AddPod("work", 2);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("work-2"), before);
  EXPECT_EQ(world_.CountWrites("bind "), 5);
}

TEST_F(SchedulerTest, AMemberThatComesAgainBelongsToTheSameStart) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  world_.Delete(Kind::kPod, "work-2");
  world_.AddPod("work", 2);
  world_.Run();
  EXPECT_EQ(world_.AnnotationOf(Kind::kPod, "work-2", kPlanIdAnnotation),
            world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation));
  EXPECT_EQ(world_.CountWrites("patch Job"), 1);
}

TEST_F(SchedulerTest, AMemberThatComesAgainAndDoesNotFitWaitsAloneWithTheReason) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  world_.Delete(Kind::kPod, "work-2");
  world_.AddLonePod("intruder", 1, "nodeName: n1, ");
  world_.AddLonePod("another", 1, "nodeName: n2, ");
  world_.AddPod("work", 2);
  world_.PassSeconds(3'600);
  EXPECT_EQ(world_.CountBound("work"), 3);
  EXPECT_EQ(world_.StateOf("work"), GroupState::kStarted);
  EXPECT_THAT(world_.ReasonOf("work"), HasSubstr("1 CPU"));
  EXPECT_EQ(world_.ViewOf("work")->no, match::No::kNotNow);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
}

TEST_F(SchedulerTest, AGangWhosePodsAreAllGoneStartsWholeAgain) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  const std::string first = world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation);
  world_.DeletePodsOf("work");
  world_.AddPods("work", 3);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 0);
  world_.AddPod("work", 3);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_NE(world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation), first);
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kStartedAnnotation),
            world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation));
}

TEST_F(SchedulerTest, AGroupWhosePodsAreGoneIsForgotten) {
  world_.AddGang("work", 4);
  world_.Run();
  EXPECT_EQ(world_.scheduler().Groups().size(), 1U);
  world_.DeletePodsOf("work");
  world_.Run();
  EXPECT_THAT(world_.scheduler().Groups(), IsEmpty());
}

TEST_F(SchedulerTest, TheLastPodOfAJobWithMoreCompletionsThanParallelismRuns) {
  world_.AddNodes(2, 2);
  world_.AddJob("work", 5, "cadre.dev/gang: job");
  world_.Change(Kind::kJob, "work", R"({"spec":{"parallelism":4}})");
  world_.AddPods("work", 4);
  world_.Run();
  ASSERT_EQ(world_.CountBound(), 4);
  for (int i = 0; i < 4; ++i)
    world_.SetPhase(fmt::format("work-{}", i), "Succeeded");
  world_.Change(Kind::kJob, "work", R"({"status":{"succeeded":4}})");
  world_.AddPod("work", 4);
  world_.Run();
  EXPECT_NE(world_.NodeOf("work-4"), "");
}

}  // namespace
}  // namespace cadre::core
