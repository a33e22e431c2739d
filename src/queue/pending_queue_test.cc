#include "queue/pending_queue.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

model::GroupKey Key(std::string name) {
  return {.namespace_ = "default", .name = std::move(name), .kind = "Job", .uid = {}, .part = {}};
}

Time At(std::int64_t seconds) {
  return Time{std::chrono::seconds(1'800'000'000 + seconds)};
}

struct Words {
  std::string name;
  bool urgent = false;
  std::int32_t priority = 0;
  std::int64_t created = 0;
};

class Queue : public testing::Test {
 protected:
  void Put(const Words& words) {
    queue_.Put({.urgent = words.urgent,
                .priority = words.priority,
                .created = At(words.created),
                .key = Key(words.name)});
  }
  std::vector<std::string> Order() const { return Names(queue_.InOrder()); }
  // Due at this second, when the room's version is `version`.
  std::vector<std::string> Due(std::int64_t second, std::uint64_t version, bool only_fresh = false) const {
    return Names(queue_.Due(At(second), only_fresh, [&](const model::GroupKey&) { return version; }));
  }
  // How many seconds after `now` it is due again.
  std::int64_t SecondsUntilDue(std::int64_t now) const {
    const auto wake = queue_.NextWake(At(now));
    return wake ? std::chrono::duration_cast<std::chrono::seconds>(*wake - At(now)).count() : -1;
  }

  std::string Head() const { return queue_.Head() == nullptr ? "none" : queue_.Head()->name; }

  PendingQueue queue_;

 private:
  static std::vector<std::string> Names(const std::vector<model::GroupKey>& keys) {
    std::vector<std::string> names;
    for (const model::GroupKey& key : keys)
      names.push_back(key.name);
    return names;
  }
};

// --- order

TEST_F(Queue, TheHigherPriorityComesFirst) {
  Put({.name = "low", .priority = -1, .created = 0});
  Put({.name = "high", .priority = 100, .created = 9});
  EXPECT_THAT(Order(), ElementsAre("high", "low"));
}

TEST_F(Queue, AmongEqualPrioritiesTheOlderComesFirst) {
  Put({.name = "young", .created = 2});
  Put({.name = "old", .created = 1});
  EXPECT_THAT(Order(), ElementsAre("old", "young"));
}

TEST_F(Queue, AmongEquallyOldTheNameDecides) {
  Put({.name = "b"});
  Put({.name = "a"});
  EXPECT_THAT(Order(), ElementsAre("a", "b"));
}

TEST_F(Queue, WhatHoldsResourcesAlreadyComesBeforeEveryPriority) {
  Put({.name = "important", .priority = 1'000'000});
  Put({.name = "half-placed", .urgent = true, .priority = -1'000'000, .created = 9});
  EXPECT_THAT(Order(), ElementsAre("half-placed", "important"));
}

TEST_F(Queue, TheExtremesOfPriorityAreOrderedToo) {
  Put({.name = "least", .priority = std::numeric_limits<std::int32_t>::min()});
  Put({.name = "most", .priority = std::numeric_limits<std::int32_t>::max()});
  EXPECT_THAT(Order(), ElementsAre("most", "least"));
}

TEST_F(Queue, APriorityThatChangesMovesTheGroup) {
  Put({.name = "a", .priority = 2});
  Put({.name = "b", .priority = 1});
  Put({.name = "b", .priority = 3});
  EXPECT_THAT(Order(), ElementsAre("b", "a"));
}

TEST_F(Queue, AGroupThatIsRemovedWaitsNoMore) {
  Put({.name = "a"});
  queue_.Remove(Key("a"));
  EXPECT_FALSE(queue_.Contains(Key("a")));
  EXPECT_THAT(Order(), IsEmpty());
  EXPECT_THAT(Due(0, 1), IsEmpty());
}

TEST_F(Queue, RemovingWhatDoesNotWaitDoesNothing) {
  Put({.name = "a"});
  queue_.Remove(Key("b"));
  EXPECT_THAT(Order(), ElementsAre("a"));
}

// --- what is worth a try

TEST_F(Queue, ANewGroupIsDue) {
  Put({.name = "a"});
  EXPECT_THAT(Due(0, 7), ElementsAre("a"));
}

TEST_F(Queue, AGroupTriedInVainIsNotDueWhileNothingChanged) {
  Put({.name = "a"});
  queue_.Tried(Key("a"), 7);
  EXPECT_THAT(Due(0, 7), IsEmpty());
}

TEST_F(Queue, AGroupTriedInVainIsDueWhenRoomWasFreed) {
  Put({.name = "a"});
  queue_.Tried(Key("a"), 7);
  EXPECT_THAT(Due(0, 8), ElementsAre("a"));
}

TEST_F(Queue, AGroupThatChangedIsDueWithoutNewRoom) {
  Put({.name = "a"});
  queue_.Tried(Key("a"), 7);
  queue_.Touch(Key("a"));
  EXPECT_THAT(Due(0, 7), ElementsAre("a"));
}

TEST_F(Queue, MovingAGroupDoesNotMakeItDue) {
  Put({.name = "a"});
  queue_.Tried(Key("a"), 7);
  Put({.name = "a", .priority = 5});
  EXPECT_THAT(Due(0, 7), IsEmpty());
}

TEST_F(Queue, WhatIsDueComesInOrder) {
  Put({.name = "c", .created = 3});
  Put({.name = "a", .created = 1});
  Put({.name = "b", .created = 2});
  queue_.Tried(Key("a"), 7);
  EXPECT_THAT(Due(0, 7), ElementsAre("b", "c"));
}

TEST_F(Queue, EachGroupIsHeldToItsOwnVersion) {
  Put({.name = "a"});
  Put({.name = "b"});
  queue_.Tried(Key("a"), 7);
  queue_.Tried(Key("b"), 7);
  const auto due =
      queue_.Due(At(0), false, [](const model::GroupKey& key) { return key.name == "b" ? 8U : 7U; });
  EXPECT_THAT(due, ElementsAre(Key("b")));
}

// `only_fresh` is a promise of the caller that no version moved: then the rest of the queue is not looked at.
TEST_F(Queue, OnlyFreshLooksAtWhatIsNewOrTouched) {
  Put({.name = "tried"});
  Put({.name = "touched"});
  queue_.Tried(Key("tried"), 7);
  queue_.Tried(Key("touched"), 7);
  queue_.Touch(Key("touched"));
  Put({.name = "new"});
  EXPECT_THAT(Due(0, 8, true), ElementsAre("new", "touched"));
}

TEST_F(Queue, AFreshGroupThatMovesStaysFresh) {
  Put({.name = "a"});
  Put({.name = "a", .priority = 5});
  EXPECT_THAT(Due(0, 7, true), ElementsAre("a"));
}

TEST_F(Queue, AGroupThatIsRemovedIsNotFreshAnyMore) {
  Put({.name = "a"});
  queue_.Remove(Key("a"));
  EXPECT_THAT(Due(0, 7, true), IsEmpty());
}

TEST_F(Queue, AGroupThatComesAgainIsNew) {
  Put({.name = "a"});
  queue_.Tried(Key("a"), 7);
  queue_.Remove(Key("a"));
  Put({.name = "a"});
  EXPECT_THAT(Due(0, 7), ElementsAre("a"));
}

// --- back-off

TEST_F(Queue, AGroupInBackOffIsNotDueBeforeItsEnd) {
  Put({.name = "a"});
  queue_.BackOff(Key("a"), At(0));
  EXPECT_THAT(Due(0, 7), IsEmpty());
  EXPECT_THAT(Due(1, 7), ElementsAre("a"));
}

TEST_F(Queue, TheEndOfABackOffMakesItDueWithoutNewRoom) {
  Put({.name = "a"});
  queue_.Tried(Key("a"), 7);
  queue_.BackOff(Key("a"), At(0));
  EXPECT_THAT(Due(1, 7, true), ElementsAre("a"));
}

TEST_F(Queue, TouchingAGroupDoesNotEndItsBackOff) {
  Put({.name = "a"});
  queue_.BackOff(Key("a"), At(0));
  queue_.Touch(Key("a"));
  EXPECT_THAT(Due(0, 7), IsEmpty());
}

TEST_F(Queue, BackOffDoublesFromOneSecondToFiveMinutes) {
  Put({.name = "a"});
  std::vector<std::int64_t> waits;
  std::int64_t now = 0;
  for (int failure = 0; failure < 12; ++failure) {
    queue_.BackOff(Key("a"), At(now));
    waits.push_back(SecondsUntilDue(now));
    now += waits.back();
  }
  EXPECT_THAT(waits, ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300));
}

// A group leaves the queue each time its binds are sent; when they are refused again, it waits longer.
TEST_F(Queue, FailuresAreRememberedWhileTheGroupIsNotWaiting) {
  Put({.name = "a"});
  queue_.BackOff(Key("a"), At(0));
  queue_.Remove(Key("a"));
  Put({.name = "a"});
  EXPECT_THAT(Due(0, 7), IsEmpty());
  queue_.BackOff(Key("a"), At(10));
  EXPECT_EQ(SecondsUntilDue(10), 2);
}

TEST_F(Queue, AGroupCanBackOffBeforeItWaitsAgain) {
  queue_.BackOff(Key("a"), At(0));
  Put({.name = "a"});
  EXPECT_THAT(Due(0, 7), IsEmpty());
  EXPECT_THAT(Due(1, 7), ElementsAre("a"));
}

TEST_F(Queue, SuccessStartsBackOffAnew) {
  Put({.name = "a"});
  queue_.BackOff(Key("a"), At(0));
  queue_.BackOff(Key("a"), At(1));
  queue_.Succeeded(Key("a"));
  EXPECT_THAT(Due(1, 7), ElementsAre("a"));
  queue_.BackOff(Key("a"), At(10));
  EXPECT_EQ(SecondsUntilDue(10), 1);
}

TEST_F(Queue, AGroupThatIsGoneIsForgottenWithItsFailures) {
  Put({.name = "a"});
  queue_.BackOff(Key("a"), At(0));
  queue_.Forget(Key("a"));
  EXPECT_FALSE(queue_.Contains(Key("a")));
  Put({.name = "a"});
  EXPECT_THAT(Due(0, 7), ElementsAre("a"));
}

TEST_F(Queue, TheNextWakeIsTheFirstEndOfABackOff) {
  Put({.name = "a"});
  Put({.name = "b"});
  queue_.BackOff(Key("a"), At(5));
  queue_.BackOff(Key("b"), At(2));
  EXPECT_EQ(queue_.NextWake(At(2)), At(3));
  EXPECT_EQ(queue_.NextWake(At(3)), At(6));
  EXPECT_EQ(queue_.NextWake(At(6)), std::nullopt);
}

TEST_F(Queue, NobodyIsWokenForAGroupThatDoesNotWait) {
  Put({.name = "a"});
  queue_.BackOff(Key("a"), At(0));
  queue_.Remove(Key("a"));
  EXPECT_EQ(queue_.NextWake(At(0)), std::nullopt);
}

// --- the head

TEST_F(Queue, WhoeverWaitsForRoomFirstInOrderIsTheHead) {
  Put({.name = "young", .created = 2});
  Put({.name = "old", .created = 1});
  queue_.Block(Key("young"));
  queue_.Block(Key("old"));
  EXPECT_EQ(Head(), "old");
}

TEST_F(Queue, WhoDoesNotWaitForRoomIsNoHead) {
  Put({.name = "old", .created = 1});
  Put({.name = "young", .created = 2});
  queue_.Block(Key("young"));
  EXPECT_EQ(Head(), "young");
}

TEST_F(Queue, WhoComesAfterTheHeadInOrderIsBehindIt) {
  Put({.name = "first", .created = 1});
  Put({.name = "head", .created = 2});
  Put({.name = "last", .created = 3});
  queue_.Block(Key("head"));
  EXPECT_FALSE(queue_.IsBehindHead(Key("first")));
  EXPECT_FALSE(queue_.IsBehindHead(Key("head")));
  EXPECT_TRUE(queue_.IsBehindHead(Key("last")));
}

TEST_F(Queue, NobodyIsBehindWithoutAHead) {
  Put({.name = "a"});
  EXPECT_FALSE(queue_.IsBehindHead(Key("a")));
}

TEST_F(Queue, TheHeadThatLeavesIsNoHead) {
  Put({.name = "head"});
  queue_.Block(Key("head"));
  queue_.Remove(Key("head"));
  EXPECT_EQ(Head(), "none");
}

TEST_F(Queue, WhoBacksOffIsNoHead) {
  Put({.name = "head"});
  queue_.Block(Key("head"));
  queue_.BackOff(Key("head"), At(0));
  EXPECT_EQ(Head(), "none");
}

TEST_F(Queue, AHeadThatMovesInTheOrderStillWaitsForRoom) {
  Put({.name = "a", .created = 1});
  Put({.name = "b", .created = 2});
  queue_.Block(Key("a"));
  queue_.Block(Key("b"));
  Put({.name = "b", .priority = 5, .created = 2});
  EXPECT_EQ(Head(), "b");
}

}  // namespace
}  // namespace cadre::queue
