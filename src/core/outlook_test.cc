// Who may pass whom, until when the head waits, and what is said about it.
#include "core/outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view kRackLabel = "topology.kubernetes.io/rack";

class OutlookTest : public testing::Test {
 protected:
  void Use(Options options) { world_ = std::make_unique<SchedulerWorld>(std::move(options)); }
  static Options With(queue::Policy policy) {
    Options options;
    options.queue = policy;
    return options;
  }

  // A gang that is named <name>; `lasts` as in cadre.dev/max-duration, empty: it does not say.
  void Submit(const std::string& name, int pods, const std::string& lasts = "",
              const std::string& more = "") {
    std::string annotations = lasts.empty() ? "" : "cadre.dev/max-duration: " + lasts;
    if (!more.empty()) annotations += (annotations.empty() ? "" : ", ") + more;
    world().AddJob(name, pods, annotations);
    world().AddPods(name, pods);
    world().Run();
    Report(name);
  }
  // One pod that must be in this rack.
  void SubmitIn(const std::string& rack, const std::string& name, const std::string& lasts) {
    world().AddJob(name, 1, "cadre.dev/max-duration: " + lasts);
    world().AddPod(name, 0, 1, fmt::format("nodeSelector: {{{}: {}}}, ", kRackLabel, rack));
    world().Run();
    Report(name);
  }
  // The kubelets say when its pods started.
  void Report(const std::string& name) {
    for (const std::string& pod : world().PodNames()) {
      if (!pod.starts_with(name + "-") || world().NodeOf(pod).empty()) continue;
      world().Change(kube::Kind::kPod, pod,
                     fmt::format(R"({{"status":{{"startTime":"{}"}}}})", FormatRfc3339(world().now())));
    }
    world().Run();
  }
  void End(const std::string& name) {
    world().DeletePodsOf(name + "-");
    world().Run();
  }
  bool Runs(const std::string& name) { return world().CountBound(name + "-") > 0; }
  std::optional<int> ExpectedStart(const std::string& name) {
    const auto view = world().ViewOf(name);
    if (!view || !view->expected_start) return std::nullopt;
    return static_cast<int>(
        std::chrono::duration_cast<std::chrono::seconds>(*view->expected_start - kStart).count());
  }
  void AddRacks(int racks, int nodes, int cpus) {
    for (int rack = 0; rack < racks; ++rack) {
      for (int node = 0; node < nodes; ++node)
        world().AddNode(fmt::format("r{}n{}", rack, node), cpus, fmt::format("{}: r{}", kRackLabel, rack));
    }
  }
  SchedulerWorld& world() { return *world_; }

 private:
  std::unique_ptr<SchedulerWorld> world_ = std::make_unique<SchedulerWorld>();
};

// --- with known durations

TEST_F(OutlookTest, WhoEndsBeforeTheHeadStartsMayPass) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("short", 1, "90s");
  EXPECT_TRUE(Runs("short"));
}

TEST_F(OutlookTest, WhoWouldDelayTheHeadMayNot) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("long", 1, "101s");
  EXPECT_FALSE(Runs("long"));
}

TEST_F(OutlookTest, WhoLeavesTheHeadEnoughMayPassHoweverLong) {
  world().AddNodes(5, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("endless", 1);
  EXPECT_TRUE(Runs("endless"));
}

TEST_F(OutlookTest, TwoThatEachLeaveEnoughMayNotBothPass) {
  world().AddNodes(6, 1);
  Submit("running", 4, "100s");
  Submit("big", 5);
  Submit("first", 1);
  Submit("second", 1);
  EXPECT_TRUE(Runs("first"));
  EXPECT_FALSE(Runs("second"));
}

TEST_F(OutlookTest, WhoPassesIsSentToNodesThatTheHeadDoesNotNeed) {
  world().AddNode("n1", 2);
  Submit("running", 1, "100s");
  world().AddNode("n2", 1);
  world().AddJob("big", 1, "cadre.dev/gang: job");
  world().AddPod("big", 0, 2);  // only the first node will ever have two CPUs
  world().Run();
  ASSERT_EQ(ExpectedStart("big"), 100);
  Submit("endless", 1);
  EXPECT_EQ(world().NodeOf("endless-0"), "n2");
}

TEST_F(OutlookTest, TheHeadStartsWhenItWasPromised) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("long", 1, "10h");
  EXPECT_EQ(ExpectedStart("big"), 100);
  world().PassSeconds(100);
  End("running");
  EXPECT_TRUE(Runs("big"));
  EXPECT_FALSE(Runs("long"));
}

TEST_F(OutlookTest, TheHeadSaysWhenItStartsAndWhoEndsThen) {
  world().AddNodes(4, 1);
  Submit("running", 3, "10m");
  Submit("big", 4);
  EXPECT_THAT(world().ReasonOf("big"),
              EndsWith("; starts at the latest 00:10 UTC when Job default/running ends"));
}

TEST_F(OutlookTest, WhoIsHeldBackSaysForWhomAndWhatWouldHelp) {
  world().AddNodes(4, 1);
  Submit("running", 3, "10m");
  Submit("big", 4);
  Submit("endless", 1);
  EXPECT_EQ(world().ReasonOf("endless-0"),
            "would fit now, but would delay Job default/big, which is ahead of it and starts at the latest "
            "00:10 UTC; "
            "nothing says how long it runs (activeDeadlineSeconds or cadre.dev/max-duration)");
}

TEST_F(OutlookTest, NothingIsPromisedToThoseBehind) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("next", 4);
  EXPECT_EQ(ExpectedStart("next"), std::nullopt);
}

TEST_F(OutlookTest, ABoundThatIsSetWhileItWaitsLetsAGroupPass) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("short", 1, "", "cadre.dev/gang: job");
  ASSERT_FALSE(Runs("short"));
  world().Change(kube::Kind::kJob, "short",
                 R"({"metadata":{"annotations":{"cadre.dev/max-duration":"60s"}}})");
  world().Run();
  EXPECT_TRUE(Runs("short"));
}

TEST_F(OutlookTest, ABoundThatIsSetOnTheJobOfALonePodIsSeenToo) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("short", 1);
  ASSERT_FALSE(Runs("short"));
  world().Change(kube::Kind::kJob, "short", R"({"spec":{"activeDeadlineSeconds":60}})");
  world().Run();
  EXPECT_TRUE(Runs("short"));
}

TEST_F(OutlookTest, WhoIsHeldBackGoesOnWhenTheHeadIsDeleted) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("endless", 1);
  ASSERT_FALSE(Runs("endless"));
  End("big");
  EXPECT_TRUE(Runs("endless"));
}

TEST_F(OutlookTest, AHigherPriorityIsNotHeldBack) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  world().AddLonePod("urgent", 1, "schedulerName: cadre, priority: 10, ");
  world().Run();
  EXPECT_NE(world().NodeOf("urgent"), "");
}

TEST_F(OutlookTest, WhoOverstaysForAMinuteIsTakenToStayForEver) {
  Use(With({.idle_share = -1}));
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("endless", 1);
  world().PassSeconds(159);
  EXPECT_FALSE(Runs("endless"));
  world().PassSeconds(1);
  EXPECT_TRUE(Runs("endless"));
}

TEST_F(OutlookTest, PodsThatAreBeingDeletedLeaveWhenTheirGraceEnds) {
  world().AddNodes(4, 1);
  Submit("running", 3);
  for (int i = 0; i < 3; ++i) {
    world().Change(kube::Kind::kPod, fmt::format("running-{}", i),
                   R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:30Z"}})");
  }
  Submit("big", 4);
  EXPECT_EQ(ExpectedStart("big"), 30);
}

TEST_F(OutlookTest, AfterACrashTheSameIsKnown) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("long", 1, "10h");
  world().PassSeconds(50);
  world().Restart();
  world().Run();
  EXPECT_EQ(ExpectedStart("big"), 100);
  EXPECT_FALSE(Runs("long"));
}

TEST_F(OutlookTest, AGroupThatNoNodeCouldHoldKeepsNobodyOff) {
  world().AddNodes(4, 1);
  world().AddJob("huge", 2);
  world().AddPods("huge", 2, 8);
  Submit("small", 1);
  EXPECT_TRUE(Runs("small"));
}

// Its claim is bound by nobody: room does not help it.
TEST_F(OutlookTest, AGroupThatRoomDoesNotHelpKeepsNobodyOff) {
  world().AddNodes(2, 1);
  world().AddJob("disk", 2);
  for (int i = 0; i < 2; ++i)
    world().AddPod("disk", i, 1, "volumes: [{name: d, persistentVolumeClaim: {claimName: absent}}], ");
  world().Run();
  Submit("small", 1);
  EXPECT_TRUE(Runs("small"));
}

TEST_F(OutlookTest, FifoDoesNotWaitForAGroupWhoseVolumeIsNotBound) {
  Use(With({.backfill = queue::Backfill::kFifo}));
  world().AddNodes(2, 1);
  world().AddJob("disk", 1);
  world().AddPod("disk", 0, 1, "volumes: [{name: d, persistentVolumeClaim: {claimName: absent}}], ");
  world().Run();
  Submit("small", 1);
  EXPECT_TRUE(Runs("small"));
}

// --- domains

TEST_F(OutlookTest, AHeadThatNeedsOneRackReservesARackAndNotASum) {
  AddRacks(2, 2, 1);
  SubmitIn("r0", "a", "50s");
  SubmitIn("r0", "b", "100s");
  SubmitIn("r1", "c", "200s");
  Submit("pair", 2, "", fmt::format("cadre.dev/required-topology: {}", kRackLabel));
  EXPECT_EQ(ExpectedStart("pair"), 100);  // two nodes are free at 50, one in each rack
  EXPECT_THAT(world().ReasonOf("pair"), EndsWith(", in rack r0"));
}

TEST_F(OutlookTest, TheFreeNodeOfAReservedRackIsKept) {
  AddRacks(2, 2, 1);
  SubmitIn("r0", "a", "100s");
  SubmitIn("r1", "b", "200s");
  SubmitIn("r1", "c", "300s");
  Submit("pair", 2, "", fmt::format("cadre.dev/required-topology: {}", kRackLabel));
  ASSERT_EQ(ExpectedStart("pair"), 100);
  Submit("unknown", 1);
  EXPECT_FALSE(Runs("unknown"));
}

TEST_F(OutlookTest, WhoPassesAHeadThatReservedARackGoesToAnother) {
  AddRacks(2, 2, 1);
  const std::string in_rack = fmt::format("cadre.dev/required-topology: {}", kRackLabel);
  Submit("left", 2, "1h", in_rack);
  Submit("half", 1, "100s");  // the other rack has one node left
  Submit("pair", 2, "", in_rack);
  ASSERT_EQ(ExpectedStart("pair"), 100);
  Submit("unknown", 1);  // of the same age, and behind it by name
  EXPECT_FALSE(Runs("unknown"));
  world().AddNode("r0n9", 1, fmt::format("{}: r0", kRackLabel));
  world().Run();
  // Whichever rack the pair waits for, the new node is one that it can do without.
  EXPECT_TRUE(Runs("unknown"));
  EXPECT_EQ(ExpectedStart("pair"), 100);
}

TEST_F(OutlookTest, AHeadThatWantsARackOfItsOwnKeepsOtherGangsOutOfIt) {
  AddRacks(1, 4, 1);
  Submit("a", 2, "100s");
  Submit("big", 2, "", fmt::format("cadre.dev/exclusive-topology: {}", kRackLabel));
  ASSERT_EQ(ExpectedStart("big"), 100);
  // There would be nodes for it beside the two, but not in a rack of their own.
  Submit("gang", 2, "10h");
  EXPECT_FALSE(Runs("gang"));
}

// --- where nobody knows

TEST_F(OutlookTest, UpToAQuarterOfTheClusterIsKeptFromTheStart) {
  world().AddNodes(8, 1);
  Submit("running", 6);
  Submit("big", 4);
  Submit("small", 1);
  EXPECT_FALSE(Runs("small"));
}

TEST_F(OutlookTest, MoreIsNotKeptBeforeTheHeadHasWaitedForLong) {
  world().AddNodes(8, 1);
  Submit("running", 5);
  Submit("big", 4);
  Submit("small", 1);
  EXPECT_TRUE(Runs("small"));
}

TEST_F(OutlookTest, AfterTenMinutesWhatItCanUseIsKeptForTheHead) {
  world().AddNodes(16, 1);
  Submit("running", 8);
  Submit("big", 16);
  world().PassSeconds(599);
  Submit("early", 1);
  EXPECT_TRUE(Runs("early"));
  world().PassSeconds(1);
  Submit("late", 1);
  EXPECT_FALSE(Runs("late"));
}

TEST_F(OutlookTest, TheHeadsTimeStartsWhenTheLastGroupBeforeItWasStarted) {
  world().AddNodes(16, 1);
  Submit("running", 9);
  Submit("first", 9);
  world().PassSeconds(1);
  Submit("second", 16);
  world().PassSeconds(300);
  End("running");
  Report("first");
  ASSERT_TRUE(Runs("first"));
  world().PassSeconds(300);  // the second has been there for ten minutes, and is the head for five
  Submit("early", 1);
  EXPECT_TRUE(Runs("early"));
  world().PassSeconds(300);
  Submit("late", 1);
  EXPECT_FALSE(Runs("late"));
}

TEST_F(OutlookTest, ThatIsKnownAfterACrashAlsoOfGroupsThatHaveEnded) {
  world().AddNodes(16, 1);
  Submit("running", 9);
  Submit("first", 9);
  world().PassSeconds(1);
  Submit("second", 16);
  world().PassSeconds(300);
  End("running");
  Report("first");
  Submit("service", 4);
  ASSERT_TRUE(Runs("service"));
  for (int i = 0; i < 9; ++i)
    world().SetPhase(fmt::format("first-{}", i), "Succeeded");
  world().Restart();
  world().PassSeconds(300);
  Submit("early", 1);
  EXPECT_TRUE(Runs("early"));
}

TEST_F(OutlookTest, ALargeGroupIsNotStarvedByAStreamOfSmallOnes) {
  world().AddNodes(4, 1);
  for (int i = 0; i < 4; ++i)
    Submit(fmt::format("s{}", i), 1);
  Submit("big", 4);
  int next = 4;
  for (int minute = 0; minute < 20 && !Runs("big"); ++minute) {
    world().PassSeconds(60);
    Submit(fmt::format("s{}", next), 1);  // there is always somebody who waits
    End(fmt::format("s{}", next++ - 4));
  }
  EXPECT_TRUE(Runs("big"));
}

TEST_F(OutlookTest, AHeadThatNobodyKnowsATimeForSaysSo) {
  world().AddNodes(8, 1);
  Submit("running", 5);
  Submit("big", 8);
  EXPECT_EQ(ExpectedStart("big"), std::nullopt);
  EXPECT_THAT(world().ReasonOf("big"),
              HasSubstr("; nobody knows when, as what runs does not say for how long; from "
                        "00:10 UTC on, what is free on n1, n2 and 6 more nodes is kept for it"));
}

// --- other rules

TEST_F(OutlookTest, GreedyLetsWhoeverFitsPass) {
  Use(With({.backfill = queue::Backfill::kGreedy}));
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("endless", 1);
  EXPECT_TRUE(Runs("endless"));
}

TEST_F(OutlookTest, FifoLetsNobodyPass) {
  Use(With({.backfill = queue::Backfill::kFifo}));
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  Submit("short", 1, "1s");
  EXPECT_FALSE(Runs("short"));
  EXPECT_EQ(world().ReasonOf("short-0"), "waits behind Job default/big, which has no room");
}

TEST_F(OutlookTest, FifoLetsTheNextStartWhenTheFirstHas) {
  Use(With({.backfill = queue::Backfill::kFifo}));
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 3);
  Submit("small", 1);
  End("running");
  EXPECT_TRUE(Runs("big"));
  EXPECT_TRUE(Runs("small"));
}

// --- work

TEST_F(OutlookTest, WhatConcernsNobodyWhoWaitsCostsNothing) {
  world().AddNodes(4, 1);
  Submit("running", 3, "100s");
  Submit("big", 4);
  for (int i = 0; i < 50; ++i)
    Submit(fmt::format("small{}", i), 1);
  const Counters before = world().scheduler().counters();
  world().Change(kube::Kind::kNode, "n1", R"({"metadata":{"annotations":{"seen":"now"}}})");
  world().Run();
  EXPECT_EQ(world().scheduler().counters().matches, before.matches);
  EXPECT_EQ(world().scheduler().counters().searches, before.searches);
}

TEST_F(OutlookTest, GroupsThatAskForTheSameAreJudgedOnce) {
  world().AddNodes(4, 1);
  Submit("running", 2, "100s");
  Submit("big", 4);
  for (int i = 0; i < 50; ++i)
    Submit(fmt::format("small{}", i), 1);
  const Counters before = world().scheduler().counters();
  world().AddNode("n0", 0);  // room may have come: everybody is looked at
  world().Run();
  // When the head starts, and for the fifty together: does it still fit, and is there another place for them.
  EXPECT_LE(world().scheduler().counters().searches - before.searches, 3U);
}

TEST_F(OutlookTest, AStepThatIsOutOfSearchesLeavesTheRestToTheNext) {
  Use(With({.most_searches = 4}));
  world().AddNodes(4, 100);
  world().AddJob("running", 4, "cadre.dev/max-duration: 100s");
  world().AddPods("running", 4, 50);
  world().Run();  // before the others: all have the same age
  world().AddJob("big", 4);
  world().AddPods("big", 4, 100);
  world().Run();
  ASSERT_TRUE(Runs("running"));
  for (int i = 1; i <= 20; ++i)
    world().AddLonePod(fmt::format("p{:02}", i), i);
  world().AddNode("n9", 20);
  const Counters before = world().scheduler().counters();
  world().Step();
  EXPECT_LE(world().scheduler().counters().searches - before.searches, 4U + 3U);
  world().PassSeconds(1);
  int held_back = 0;
  for (int i = 1; i <= 20; ++i)
    held_back += world().ReasonOf(fmt::format("p{:02}", i)).starts_with("would fit now") ? 1 : 0;
  EXPECT_GT(held_back, 10);  // all had their turn; some fit beside it on the new node
}

}  // namespace
}  // namespace cadre::core
