// Binds that fail, answers that are lost, groups that cannot be made whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan.h"
#include "core/scheduler.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using drive::Outcome;
using kube::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BindFailure : public testing::Test {
 protected:
  // Gang work of four 1-CPU pods on two nodes with room for it.
  void GivenAGang() {
    world_.AddNodes(2, 4);
    world_.AddGang("work", 4);
  }
  // The seconds at which writes with this text are sent, over the time given.
  std::vector<std::int64_t> TimesOf(std::string_view text, int seconds) {
    std::vector<std::int64_t> times;
    int seen = 0;
    for (int second = 0; second <= seconds; ++second) {
      world_.Run();
      for (; seen < world_.CountWrites(text); ++seen)
        times.push_back(second);
      world_.PassSeconds(1);
    }
    return times;
  }

  SchedulerWorld world_;
};

TEST_F(BindFailure, AConflictOnTheFirstBindKeepsTheOthersFromBeingSent) {
  GivenAGang();
  world_.Refuse("bind default/work-", Outcome::kConflict, 1);
  world_.Run();
  EXPECT_EQ(world_.log().size(), 1U);
  EXPECT_EQ(world_.CountBound(), 0);
}

TEST_F(BindFailure, AGroupWhoseFirstBindFailedIsTriedAgainAfterASecond) {
  GivenAGang();
  world_.Refuse("bind default/work-", Outcome::kConflict, 1);
  world_.Run();
  EXPECT_EQ(world_.wake(), world_.now() + Duration(1'000));
  world_.PassSeconds(1);
  EXPECT_EQ(world_.CountBound(), 4);
}

TEST_F(BindFailure, AFirstBindThatFailsAgainAndAgainIsTriedLessAndLess) {
  GivenAGang();
  world_.Refuse("bind default/work-", Outcome::kRejected);
  EXPECT_THAT(TimesOf("bind ", 64), ElementsAre(0, 1, 3, 7, 15, 31, 63));
}

TEST_F(BindFailure, TheRoomOfAFailedFirstBindIsFreeMeanwhile) {
  world_.AddNodes(1, 4);
  world_.AddGang("work", 4);
  world_.Refuse("bind default/work-", Outcome::kConflict, 1);
  world_.Run();
  world_.AddLonePod("other", 4);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("other"), "n1");
}

TEST_F(BindFailure, IsSaidInTheApiServersWords) {
  GivenAGang();
  world_.Refuse("bind default/work-", Outcome::kRejected, 1);
  world_.Run();
  EXPECT_EQ(
      world_.CountNotes(
          "warning Job default/work FailedScheduling: a member could not be bound: refused by the test"),
      1);
}

TEST_F(BindFailure, AMemberThatSomebodyElseBoundIsKeptWhereItIs) {
  GivenAGang();
  world_.Step();
  world_.HoldWatch(true);
  world_.BindByOther("work-2", "n2");
  world_.Run();
  world_.HoldWatch(false);
  world_.PassSeconds(10);
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.NodeOf("work-2"), "n2");
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
}

TEST_F(BindFailure, ARefusedMemberIsPlannedAgainAroundTheBoundOnes) {
  GivenAGang();
  world_.Refuse("bind default/work-2", Outcome::kConflict, 1);
  world_.PassSeconds(5);
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.CountWrites("bind "), 5);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
}

// The watch is slower than the API server's answers: three refusals of a pod that is gone are over in no
// time.
TEST_F(BindFailure, AMemberThatIsGoneDoesNotCostTheGroupItsPlacesBeforeTheWatchShowsIt) {
  GivenAGang();
  world_.Step();
  world_.HoldWatch(true);
  world_.Delete(Kind::kPod, "work-2");
  world_.Run();
  world_.HoldWatch(false);
  world_.AddPod("work", 2);
  world_.PassSeconds(10);
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
}

TEST_F(BindFailure, AGroupWhosePodsVanishWhileItIsBoundIsForgotten) {
  GivenAGang();
  world_.Step();
  world_.DeletePodsOf("work");
  world_.Step();  // their end is seen before the binds are answered
  world_.Run();
  EXPECT_THAT(world_.scheduler().Groups(), IsEmpty());
  EXPECT_EQ(world_.CountBound(), 0);
  world_.AddLonePod("all-of-n1", 4);
  world_.AddLonePod("all-of-n2", 4);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 2);
}

// --- roll back

class Rollback : public BindFailure {
 protected:
  // Member 2 of gang work is refused for good; the others are bound; until the Job is suspended.
  void GivenAGangThatCannotBeWhole(Outcome outcome = Outcome::kRejected) {
    GivenAGang();
    world_.Refuse("bind default/work-2", outcome);
    world_.PassSeconds(10);
  }
  bool IsSuspended(Kind kind, const std::string& name) {
    const json::value* suspend = Find(world_.Get(kind, name), {"spec", "suspend"});
    return suspend != nullptr && suspend->is_bool() && suspend->get_bool();
  }
};

TEST_F(Rollback, AGroupThatCannotBeMadeWholeIsGivenBackByTheSuspensionOfItsJob) {
  GivenAGangThatCannotBeWhole();
  EXPECT_TRUE(IsSuspended(Kind::kJob, "work"));
  EXPECT_EQ(world_.StateOf("work"), GroupState::kRollingBack);
}

TEST_F(Rollback, ComesAtOnceWhenABindWillNeverBeTaken) {
  GivenAGangThatCannotBeWhole();
  EXPECT_EQ(world_.CountWrites("bind default/work-2"), 1);
  EXPECT_EQ(world_.CountWrites("patch Job default/work"), 1);
}

TEST_F(Rollback, ComesAfterThreeConflicts) {
  GivenAGangThatCannotBeWhole(Outcome::kConflict);
  EXPECT_EQ(world_.CountWrites("bind default/work-2"), 3);
  EXPECT_EQ(world_.CountWrites("patch Job default/work"), 1);
}

TEST_F(Rollback, SaysWhyOnTheJobAndInAnEvent) {
  GivenAGangThatCannotBeWhole();
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kRolledBackAnnotation), "refused by the test");
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kRollbacksAnnotation), "1");
  EXPECT_EQ(world_.CountNotes(
                "RolledBack: gives its places back, because it cannot be made whole: refused by the test"),
            1);
}

TEST_F(Rollback, NeverEvictsAMemberOfAJob) {
  GivenAGangThatCannotBeWhole();
  world_.PassSeconds(600);
  EXPECT_EQ(world_.CountWrites("evict"), 0);
}

TEST_F(Rollback, TheJobIsResumedASecondAfterItsPodsAreGone) {
  GivenAGangThatCannotBeWhole();
  world_.PassSeconds(60);
  EXPECT_TRUE(IsSuspended(Kind::kJob, "work"));  // its pods are still terminating
  world_.DeletePodsOf("work");
  world_.Run();
  EXPECT_TRUE(IsSuspended(Kind::kJob, "work"));
  world_.PassSeconds(1);
  EXPECT_FALSE(IsSuspended(Kind::kJob, "work"));
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kRolledBackAnnotation), "");
}

TEST_F(Rollback, PodsThatAreBeingDeletedAreNotGone) {
  GivenAGangThatCannotBeWhole();
  world_.Delete(Kind::kPod, "work-1");
  world_.Delete(Kind::kPod, "work-2");
  world_.Delete(Kind::kPod, "work-3");
  world_.Change(Kind::kPod, "work-0", R"({"metadata":{"deletionTimestamp":"2026-01-01T00:01:00Z"}})");
  world_.PassSeconds(60);
  EXPECT_TRUE(IsSuspended(Kind::kJob, "work"));
}

TEST_F(Rollback, AfterTheResumptionTheGangStartsWhole) {
  GivenAGangThatCannotBeWhole();
  world_.DeletePodsOf("work");
  world_.PassSeconds(1);
  world_.RefuseNothing();
  world_.AddPods("work", 4);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kStartedAnnotation),
            world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation));
}

TEST_F(Rollback, ASuccessfulStartClearsTheCountOfRollbacks) {
  GivenAGangThatCannotBeWhole();
  world_.DeletePodsOf("work");
  world_.PassSeconds(1);
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kRollbacksAnnotation), "1");
  world_.RefuseNothing();
  world_.AddPods("work", 4);
  world_.Run();
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kRollbacksAnnotation), "");
}

TEST_F(Rollback, TheNextOneInARowWaitsTwiceAsLong) {
  GivenAGangThatCannotBeWhole();
  std::vector<std::int64_t> waits;
  for (int rollback = 1; rollback <= 4; ++rollback) {
    ASSERT_TRUE(IsSuspended(Kind::kJob, "work")) << rollback;
    world_.DeletePodsOf("work");
    const Time gone = world_.now();
    while (IsSuspended(Kind::kJob, "work") && world_.now() < gone + Duration(60'000))
      world_.PassSeconds(1);
    waits.push_back((world_.now() - gone).count() / 1000);
    world_.AddPods("work", 4);
    world_.PassSeconds(10);
  }
  EXPECT_THAT(waits, ElementsAre(1, 2, 4, 8));
}

TEST_F(Rollback, AJobThatItsUserResumesIsLeftAlone) {
  GivenAGangThatCannotBeWhole();
  world_.Change(Kind::kJob, "work", R"({"spec":{"suspend":false}})");
  world_.DeletePodsOf("work");
  world_.ClearLog();
  world_.PassSeconds(60);
  EXPECT_THAT(world_.log(), IsEmpty());
}

// The reason of an old rollback must not make a later suspension look like one of ours.
TEST_F(Rollback, AJobThatItsUserSuspendsLaterIsNotResumed) {
  GivenAGangThatCannotBeWhole();
  world_.Change(Kind::kJob, "work", R"({"spec":{"suspend":false}})");
  world_.DeletePodsOf("work");
  world_.RefuseNothing();
  world_.AddPods("work", 4);
  world_.PassSeconds(10);
  ASSERT_EQ(world_.CountBound(), 4);
  world_.Change(Kind::kJob, "work", R"({"spec":{"suspend":true}})");
  world_.DeletePodsOf("work");
  world_.PassSeconds(60);
  EXPECT_TRUE(IsSuspended(Kind::kJob, "work"));
}

TEST_F(Rollback, AJobSetIsSuspendedAsAWhole) {
  world_.AddNodes(2, 4);
  world_.Create(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: w
    replicas: 2
    template: {spec: {completionMode: Indexed, completions: 1, parallelism: 1, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}
)");
  for (int job = 0; job < 2; ++job) {
    world_.AddChildJob("train", "w", job, 1);
    world_.AddPods(fmt::format("train-w-{}", job), 1);
  }
  world_.Refuse("bind default/train-w-1", Outcome::kRejected);
  world_.PassSeconds(10);
  EXPECT_TRUE(IsSuspended(Kind::kJobSet, "train"));
  EXPECT_FALSE(IsSuspended(Kind::kJob, "train-w-0"));
}

TEST_F(Rollback, PodsWithoutAnOwnerAreEvicted) {
  world_.AddNodes(2, 4);
  world_.Create(
      "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: ring}\nspec: {minMember: "
      "2}\n");
  for (const char* name : {"a", "b"}) {
    world_.AddLonePod(name, 1, "schedulerName: cadre, ", "labels: {scheduling.x-k8s.io/pod-group: ring}");
  }
  world_.Refuse("bind default/b", Outcome::kRejected);
  world_.PassSeconds(10);
  EXPECT_EQ(world_.CountWrites("evict default/a"), 1);
  EXPECT_EQ(world_.CountBound(), 0);
}

TEST_F(Rollback, ARefusedSuspensionIsTriedAgainButNotAtOnce) {
  GivenAGang();
  world_.SetFate([](const drive::Effect& effect) -> Fate {
    const std::string text = drive::ToString(effect);
    const bool refused =
        text.find("suspend") != std::string::npos || text.find("bind default/work-2") != std::string::npos;
    return refused ? Fate{Outcome::kRejected, false, "forbidden"} : Fate{};
  });
  world_.PassSeconds(120);
  EXPECT_GE(world_.CountWrites("suspend"), 2);
  EXPECT_LE(world_.CountWrites("suspend"), 10);
}

TEST_F(Rollback, HappensWhenTheRestDoesNotFitAnyMore) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Step();
  world_.HoldWatch(true);
  world_.AddLonePod("intruder", 2, "nodeName: n2, ");
  world_.Refuse("-> n2", Outcome::kRejected);
  world_.Run();
  world_.HoldWatch(false);
  world_.PassSeconds(2);
  EXPECT_TRUE(IsSuspended(Kind::kJob, "work"));
}

TEST_F(Rollback, HappensWhenAMissingMemberDoesNotComeForThirtySeconds) {
  GivenAGang();
  world_.Refuse("bind default/work-2", Outcome::kConflict, 1);
  world_.Run();
  world_.Delete(Kind::kPod, "work-2");
  world_.PassSeconds(28);
  EXPECT_FALSE(IsSuspended(Kind::kJob, "work"));
  world_.PassSeconds(4);
  EXPECT_TRUE(IsSuspended(Kind::kJob, "work"));
}

TEST_F(Rollback, DoesNotHappenWhenTheMissingMemberComesInTime) {
  GivenAGang();
  world_.Refuse("bind default/work-2", Outcome::kConflict, 1);
  world_.Run();
  world_.Delete(Kind::kPod, "work-2");
  world_.PassSeconds(20);
  world_.AddPod("work", 2);
  world_.PassSeconds(60);
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
}

// What others placed is not ours to give back, before and after a restart.
TEST_F(Rollback, NeverTakesBackWhatSomebodyElseHalfPlaced) {
  world_.AddNodes(1, 2);
  world_.AddJob("work", 4);
  world_.AddPod("work", 0, 1, "nodeName: n1, ");
  for (int i = 1; i < 4; ++i)
    world_.AddPod("work", i);
  world_.PassSeconds(3'600);
  EXPECT_EQ(world_.CountBound(), 2);
  world_.Restart();
  world_.PassSeconds(3'600);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
  EXPECT_EQ(world_.CountBound(), 2);
}

// --- lost answers

class LostAnswer : public BindFailure {
 protected:
  // The first bind with this text is answered as unknown.
  void Lose(std::string contains, bool happens) {
    world_.SetFate(
        [contains = std::move(contains), happens, lost = false](const drive::Effect& effect) mutable -> Fate {
          if (lost || drive::ToString(effect).find(contains) == std::string::npos) return {};
          lost = true;
          return {Outcome::kUnknown, happens, "connection lost"};
        });
  }
};

TEST_F(LostAnswer, OfABindThatHappenedChangesNothing) {
  GivenAGang();
  Lose("bind default/work-2", true);
  world_.PassSeconds(60);
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.CountWrites("bind default/work-2"), 1);
  EXPECT_EQ(world_.CountWrites("patch Job default/work"), 1);
}

TEST_F(LostAnswer, OfABindThatDidNotHappenIsFoundOutAfterThirtySeconds) {
  GivenAGang();
  Lose("bind default/work-2", false);
  world_.PassSeconds(29);
  EXPECT_EQ(world_.CountBound(), 3);
  EXPECT_EQ(world_.CountWrites("bind default/work-2"), 1);
  world_.PassSeconds(1);
  EXPECT_EQ(world_.CountBound(), 4);
}

TEST_F(LostAnswer, ABindThatMayHaveHappenedHoldsItsRoom) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("first", 3);
  Lose("bind default/first", false);
  world_.Run();
  world_.AddLonePod("second", 3);
  world_.PassSeconds(20);
  EXPECT_EQ(world_.CountBound(), 0);
  world_.PassSeconds(20);
  EXPECT_EQ(world_.NodeOf("first"), "n1");
}

TEST_F(LostAnswer, OfTheFirstBindIsFollowedByTheOthersAtOnce) {
  GivenAGang();
  Lose("bind default/work-0", true);
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 4);
  EXPECT_EQ(world_.CountWrites("bind "), 4);
}

TEST_F(LostAnswer, OfASuspensionIsAskedAgainWithTheSameCount) {
  GivenAGang();
  world_.SetFate([lost = false](const drive::Effect& effect) mutable -> Fate {
    const std::string text = drive::ToString(effect);
    if (text.find("bind default/work-2") != std::string::npos)
      return {Outcome::kRejected, false, "forbidden"};
    if (lost || text.find("suspend") == std::string::npos) return {};
    lost = true;
    return {Outcome::kUnknown, false, "connection lost"};
  });
  world_.PassSeconds(60);
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kRollbacksAnnotation), "1");
  EXPECT_EQ(world_.StateOf("work"), GroupState::kRollingBack);
}

TEST_F(LostAnswer, OfTheMarkIsAskedAgain) {
  GivenAGang();
  Lose("patch Job default/work", false);
  world_.PassSeconds(60);
  EXPECT_NE(world_.AnnotationOf(Kind::kJob, "work", kStartedAnnotation), "");
}

TEST_F(LostAnswer, AMarkThatIsAlwaysRefusedIsGivenUp) {
  GivenAGang();
  world_.Refuse("patch Job default/work", Outcome::kRejected);
  world_.PassSeconds(3'600);
  EXPECT_LE(world_.CountWrites("patch Job default/work"), 5);
  EXPECT_EQ(world_.CountBound(), 4);
}

}  // namespace
}  // namespace cadre::core
