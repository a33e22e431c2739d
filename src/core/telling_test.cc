#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scheduler_testing.h"
#include "core/wait_class.h"

namespace cadre::core {
namespace {

class Telling : public ::testing::Test {
 protected:
  // The PodScheduled condition, or null.
  json::value ConditionOf(const std::string& pod) const {
    const json::value* all = Find(world_.Get(kube::Kind::kPod, pod), {"status", "conditions"});
    if (all == nullptr) return nullptr;
    for (const json::value& one : all->as_array()) {
      if (one.at("type") == "PodScheduled") return one;
    }
    return nullptr;
  }
  std::string ReasonOn(const std::string& pod) const {
    const json::value condition = ConditionOf(pod);
    return condition.is_null() ? "" : std::string(condition.at("reason").as_string());
  }
  int Conditions() const { return world_.CountWrites("patch status of Pod"); }

  SchedulerWorld world_;
};

TEST_F(Telling, EachPodOfAGangWithoutRoomSaysOnceThatItIsUnschedulable) {
  world_.AddNodes(1, 2);
  world_.AddGang("big", 3);
  world_.PassSeconds(60);
  EXPECT_EQ(Conditions(), 3);
  const json::value condition = ConditionOf("big-2");
  ASSERT_TRUE(condition.is_object());
  EXPECT_EQ(condition.at("status"), "False");
  EXPECT_EQ(condition.at("reason"), "Unschedulable");
  EXPECT_THAT(std::string(condition.at("message").as_string()), testing::StartsWith("Does not fit this"));
  EXPECT_TRUE(condition.as_object().contains("lastTransitionTime"));
}

TEST_F(Telling, APodThatIsPlacedAtOnceIsToldNothing) {
  world_.AddNodes(1, 2);
  world_.AddGang("fits", 2);
  world_.PassSeconds(60);
  EXPECT_EQ(Conditions(), 0);
}

TEST_F(Telling, OtherNumbersAreNotWrittenAgain) {
  world_.AddNodes(1, 2);
  world_.AddGang("big", 6);
  world_.PassSeconds(10);
  world_.AddNode("n2", 1);
  world_.PassSeconds(10);
  world_.AddNode("n3", 1);
  world_.PassSeconds(10);
  EXPECT_EQ(Conditions(), 6);
}

TEST_F(Telling, AnotherClassOfReasonIsWrittenOncePerPod) {
  world_.AddNodes(1, 2);
  world_.AddLonePod("other", 2);
  world_.AddGang("big", 3);
  world_.PassSeconds(10);
  world_.AddNode("n2", 1);  // an empty cluster would hold it now
  world_.PassSeconds(10);
  EXPECT_EQ(Conditions(), 6);
  EXPECT_THAT(std::string(ConditionOf("big-0").at("message").as_string()),
              testing::StartsWith("Waits for room"));
}

TEST_F(Telling, AGroupThatSwaysBetweenTwoClassesIsToldEverMoreRarely) {
  world_.AddNodes(1, 2);
  world_.AddLonePod("other", 2);
  world_.AddGang("big", 3);
  world_.PassSeconds(10);
  const int before = Conditions();
  for (int i = 0; i < 60; ++i) {  // every four seconds an empty cluster would hold it, and then not
    world_.AddNode("n2", 1);
    world_.PassSeconds(4);
    world_.Delete(kube::Kind::kNode, "n2");
    world_.PassSeconds(4);
  }
  // Doubled five times it is once in 32 of these 480 seconds, for three pods.
  EXPECT_LE(Conditions() - before, 3 * (5 + 480 / 32));
  world_.PassSeconds(60);
  EXPECT_THAT(std::string(ConditionOf("big-0").at("message").as_string()),
              testing::StartsWith("Does not fit this cluster"));
}

TEST_F(Telling, AGroupThatIsNotCompleteSaysSoAndNotThatItIsUnschedulable) {
  world_.AddNodes(4, 2);
  world_.AddJob("late", 4);
  world_.AddPods("late", 2);
  world_.PassSeconds(4);
  EXPECT_EQ(Conditions(), 0);
  world_.PassSeconds(4);
  EXPECT_EQ(Conditions(), 2);
  EXPECT_EQ(ReasonOn("late-1"), "WaitingForMembers");
}

TEST_F(Telling, APodWithAGateIsToldNothing) {
  world_.AddNodes(1, 2);
  world_.AddLonePod("gated", 8, "schedulerName: cadre, schedulingGates: [{name: g}], ");
  world_.PassSeconds(60);
  EXPECT_EQ(Conditions(), 0);
}

TEST_F(Telling, AGroupSaysOnceThatItIsNotComplete) {
  world_.AddNodes(4, 2);
  world_.AddJob("late", 4);
  world_.AddPods("late", 2);
  world_.PassSeconds(10);
  world_.AddPod("late", 2);
  world_.PassSeconds(10);
  EXPECT_EQ(world_.CountNotes("warning Job default/late FailedScheduling: waits for"), 1);
  EXPECT_EQ(world_.notes().size(), 1U);
  world_.AddPod("late", 3);
  world_.PassSeconds(10);
  EXPECT_EQ(world_.CountNotes("note normal Job default/late Scheduled: placed 4 members"), 1);
}

TEST_F(Telling, ARestartedSchedulerWritesNothingThatIsThere) {
  world_.AddNodes(1, 2);
  world_.AddGang("big", 3);
  world_.PassSeconds(10);
  world_.Restart();
  world_.PassSeconds(60);
  EXPECT_EQ(Conditions(), 3);
}

TEST_F(Telling, AConditionThatWasDroppedIsWrittenLater) {
  world_.AddNodes(1, 2);
  world_.AddGang("big", 3);
  world_.Refuse("patch status of Pod default/big-1", drive::Outcome::kNotSent, 1);
  world_.PassSeconds(10);
  EXPECT_EQ(ReasonOn("big-1"), "Unschedulable");
  EXPECT_EQ(Conditions(), 4);  // one of them was dropped
}

TEST_F(Telling, AConditionThatIsRefusedForGoodIsSentOnce) {
  world_.AddNodes(1, 2);
  world_.AddGang("big", 3);
  world_.Refuse("patch status of Pod", drive::Outcome::kRejected);
  world_.PassSeconds(60);
  EXPECT_EQ(Conditions(), 3);
}

TEST_F(Telling, APodThatIsBoundMeanwhileIsNotToldThatItWaits) {
  world_.AddNodes(1, 2);
  world_.AddLonePod("big", 3);
  world_.Run();
  world_.HoldWatch(true);
  world_.BindByOther("big", "n1");
  world_.PassSeconds(10);
  EXPECT_EQ(ReasonOn("big"), "");
  world_.HoldWatch(false);
  world_.ClearLog();
  world_.PassSeconds(10);
  EXPECT_EQ(Conditions(), 0);
}

TEST_F(Telling, OtherConditionsOfThePodStay) {
  world_.AddNodes(1, 2);
  world_.AddLonePod("big", 3);
  world_.Change(kube::Kind::kPod, "big", R"({"status":{"conditions":[{"type":"Mine","status":"True"}]}})");
  world_.PassSeconds(10);
  EXPECT_EQ(world_.Get(kube::Kind::kPod, "big").at("status").at("conditions").as_array().size(), 2U);
}

TEST_F(Telling, AConditionThatIsSeenDoesNotMakeTheGroupBeTriedAgain) {
  world_.AddNodes(1, 2);
  world_.AddGang("big", 3);
  world_.Pass(Duration(900));
  const std::uint64_t matches = world_.scheduler().counters().matches;
  world_.PassSeconds(10);
  EXPECT_EQ(Conditions(), 3);
  EXPECT_EQ(world_.scheduler().counters().matches, matches);
}

TEST(TellingRate, NoMoreThanSoManyPerSecondAndAllInTheEnd) {
  Options options;
  options.conditions_per_second = 20;
  SchedulerWorld world(options);
  world.AddNodes(1, 2);
  world.AddGang("big", 50);
  world.PassSeconds(1);
  world.ClearLog();
  world.Pass(Duration(950));  // one window was in the second before
  EXPECT_LE(world.CountWrites("patch status of Pod"), 20);
  EXPECT_GE(world.CountWrites("patch status of Pod"), 16);
  world.ClearLog();
  world.PassSeconds(10);
  EXPECT_GE(world.CountWrites("patch status of Pod"), 28);
  EXPECT_LE(world.CountWrites("patch status of Pod"), 32);
}

// Behind a group that has no place yet, and with no searches left to find out whether it may pass.
TEST(TellingOutOfSearches, AReasonThatIsGoneIsNotToldThoughTheNextTryIsStillToCome) {
  Options options;
  options.queue.most_searches = 0;
  SchedulerWorld world(options);
  world.AddNodes(1, 4);
  world.AddJob("runs", 1, "cadre.dev/max-duration: 100s");
  world.AddPod("runs", 0, 2);
  world.PassSeconds(1);
  world.AddGang("head", 4);
  world.AddJob("stopped", 2, "", "suspend: true, ");
  world.AddPods("stopped", 2);
  world.Pass(Duration(900));
  world.Change(kube::Kind::kJob, "stopped", R"({"spec":{"suspend":false}})");
  world.Pass(Duration(900));
  EXPECT_EQ(world.CountWrites("patch status of Pod default/stopped"), 0);
}

TEST(TellingRate, ZeroWritesNone) {
  Options options;
  options.conditions_per_second = 0;
  SchedulerWorld world(options);
  world.AddNodes(1, 2);
  world.AddGang("big", 3);
  world.PassSeconds(10);
  EXPECT_EQ(world.CountWrites("patch status of Pod"), 0);
}

TEST(WaitClass, MessagesAreCutAtACharacter) {
  std::string words;
  while (words.size() < 2000)
    words += "ä";
  const std::string message = MessageOf(WaitClass::kRoom, words);
  EXPECT_LE(message.size(), kMostOfMessage);
  EXPECT_TRUE(message.ends_with("ä..."));
}

TEST(WaitClass, ConditionsOfOthersAreNotTakenForItsOwn) {
  kube::Pod pod;
  pod.status.conditions.push_back({"PodScheduled", false, "Unschedulable", "0/3 nodes are available", {}});
  EXPECT_EQ(ToldClassOf(pod), WaitClass::kNone);
  pod.status.conditions.front().message = MessageOf(WaitClass::kRoom, "x");
  EXPECT_EQ(ToldClassOf(pod), WaitClass::kRoom);
}

}  // namespace
}  // namespace cadre::core
