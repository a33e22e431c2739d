#include "drive/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drive/fakes.h"

namespace cadre::drive {
namespace {

using kube::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// --- Events in

class DriverEvents : public testing::Test {
 protected:
  void Start() {
    driver_ = std::make_unique<Driver>(std::vector<Machine*>{&machine_}, api_, clock_, Limits{});
  }
  void StartListed(std::vector<kube::Object> nodes, std::uint64_t version) {
    Start();
    api_.AnswerList(Kind::kNode, ListResult{std::move(nodes), version});
    clock_.Settle();
    machine_.steps.clear();
  }
  void Send(WatchEvent event) { api_.LastWatch(Kind::kNode).send(std::move(event)); }
  void SendChange(kube::Object object, bool deleted = false) {
    Send(WatchChange{std::move(object), deleted});
  }

  FakeClock clock_;
  FakeApi api_;
  RecordingMachine machine_{{Kind::kNode}};
  std::unique_ptr<Driver> driver_;
};

TEST(Driver, ListsAllKindsWithoutWaitingForOneAnother) {
  FakeClock clock;
  FakeApi api;
  RecordingMachine machine({Kind::kPod, Kind::kNode});
  const Driver driver({&machine}, api, clock, {});
  EXPECT_THAT(api.lists, SizeIs(2));
}

TEST(Driver, TellsOfEachKindWhenItsListIsComplete) {
  FakeClock clock;
  FakeApi api;
  RecordingMachine machine({Kind::kPod, Kind::kNode});
  const Driver driver({&machine}, api, clock, {});
  api.AnswerList(Kind::kPod, ListResult{{}, 5});
  clock.Settle();
  EXPECT_THAT(machine.steps, ElementsAre(ElementsAre("listed Pod")));
}

TEST_F(DriverEvents, OfAListArriveSortedByKeyBeforeListed) {
  Start();
  api_.AnswerList(Kind::kNode, ListResult{{FakeNode("b", "u2", 2), FakeNode("a", "u1", 3)}, 7});
  clock_.Settle();
  EXPECT_THAT(machine_.steps, ElementsAre(ElementsAre("+a/u1@3", "+b/u2@2", "listed Node")));
}

TEST_F(DriverEvents, OfAWatchStartWhereTheListEnded) {
  StartListed({}, 7);
  EXPECT_EQ(api_.LastWatch(Kind::kNode).from, 7U);
}

TEST_F(DriverEvents, OfOneInstantGoIntoOneStep) {
  StartListed({}, 7);
  SendChange(FakeNode("a", "u1", 8));
  SendChange(FakeNode("b", "u2", 9));
  clock_.Settle();
  EXPECT_THAT(machine_.steps, ElementsAre(ElementsAre("+a/u1@8", "+b/u2@9")));
}

TEST_F(DriverEvents, NeverArriveFromInsideTheApisCallback) {
  StartListed({}, 7);
  SendChange(FakeNode("a", "u1", 8));
  EXPECT_THAT(machine_.steps, IsEmpty());
}

TEST(Driver, TwoMachinesShareOneWatchAndBothHearOfIt) {
  FakeClock clock;
  FakeApi api;
  RecordingMachine one({Kind::kNode});
  RecordingMachine two({Kind::kNode});
  const Driver driver({&one, &two}, api, clock, {});
  ASSERT_THAT(api.lists, SizeIs(1));
  api.AnswerList(Kind::kNode, ListResult{{FakeNode("a", "u1", 3)}, 7});
  clock.Settle();
  EXPECT_THAT(one.steps, ElementsAre(ElementsAre("+a/u1@3", "listed Node")));
  EXPECT_EQ(one.steps, two.steps);
}

TEST_F(DriverEvents, OlderThanWhatIsKnownOfTheObjectAreIgnored) {
  StartListed({FakeNode("a", "u1", 6)}, 7);
  SendChange(FakeNode("a", "u1", 5));
  clock_.Settle();
  EXPECT_THAT(machine_.steps, IsEmpty());
}

TEST_F(DriverEvents, ThatRepeatThemselvesAreIgnored) {
  StartListed({}, 7);
  SendChange(FakeNode("a", "u1", 8));
  SendChange(FakeNode("a", "u1", 8));
  clock_.Settle();
  EXPECT_THAT(machine_.steps, ElementsAre(ElementsAre("+a/u1@8")));
}

TEST_F(DriverEvents, OfAnObjectThatIsGoneDoNotBringItBack) {
  StartListed({FakeNode("a", "u1", 6)}, 7);
  SendChange(FakeNode("a", "u1", 9), true);
  SendChange(FakeNode("a", "u1", 8));
  SendChange(FakeNode("a", "u1", 9), true);
  clock_.Settle();
  EXPECT_THAT(machine_.steps, ElementsAre(ElementsAre("-a/u1@9")));
}

TEST_F(DriverEvents, ResumeFromTheLastVersionWhenAStreamEnds) {
  StartListed({}, 7);
  SendChange(FakeNode("a", "u1", 8));
  Send(WatchEnd{false, "timeout"});
  clock_.Settle();
  EXPECT_EQ(api_.LastWatch(Kind::kNode).from, 8U);
}

TEST_F(DriverEvents, ResumeFromABookmark) {
  StartListed({}, 7);
  Send(WatchBookmark{50});
  Send(WatchEnd{false, "timeout"});
  clock_.Settle();
  EXPECT_EQ(api_.LastWatch(Kind::kNode).from, 50U);
}

TEST_F(DriverEvents, OfAStreamThatWasReplacedAreIgnored) {
  StartListed({}, 7);
  const auto old_stream = api_.LastWatch(Kind::kNode).send;
  SendChange(FakeNode("a", "u1", 8));
  Send(WatchEnd{false, "timeout"});
  clock_.Settle();
  machine_.steps.clear();
  old_stream(WatchChange{FakeNode("b", "u2", 9), false});
  clock_.Settle();
  EXPECT_THAT(machine_.steps, IsEmpty());
}

TEST_F(DriverEvents, AfterARelistAreOnlyTheDifference) {
  StartListed({FakeNode("a", "u1", 1), FakeNode("b", "u2", 2), FakeNode("c", "u3", 3)}, 7);
  SendChange(FakeNode("a", "u1", 8));
  Send(WatchEnd{true, "too old"});
  clock_.Settle();
  machine_.steps.clear();
  api_.AnswerList(Kind::kNode,
                  ListResult{{FakeNode("a", "u1", 8), FakeNode("c", "u3", 12), FakeNode("d", "u4", 11)}, 20});
  clock_.Settle();
  EXPECT_THAT(machine_.steps, ElementsAre(ElementsAre("-b/u2@2", "+c/u3@12", "+d/u4@11")));
  EXPECT_EQ(driver_->counters().relists, 1U);
}

TEST_F(DriverEvents, TellADeletionAndARecreationUnderOneNameApartAfterARelist) {
  StartListed({FakeNode("a", "u1", 1)}, 7);
  Send(WatchEnd{true, "too old"});
  clock_.Pass(Limits{}.relist_backoff);
  api_.AnswerList(Kind::kNode, ListResult{{FakeNode("a", "u9", 15)}, 20});
  clock_.Settle();
  EXPECT_THAT(machine_.steps, ElementsAre(ElementsAre("-a/u1@1", "+a/u9@15")));
}

TEST_F(DriverEvents, OfAFailedListAreAskedForAgainAfterDoublingWaits) {
  Start();
  std::vector<Duration> waits;
  for (int i = 0; i < 8; ++i) {
    api_.AnswerList(Kind::kNode, Err("overloaded"));
    Duration waited{0};
    while (api_.lists.empty()) {
      clock_.Pass(Duration{100});
      waited += Duration{100};
    }
    waits.push_back(waited);
  }
  EXPECT_THAT(waits, ElementsAre(Duration{500}, Duration{1'000}, Duration{2'000}, Duration{4'000},
                                 Duration{8'000}, Duration{16'000}, Duration{30'000}, Duration{30'000}));
}

TEST_F(DriverEvents, DoNotComeFromReopeningAnEmptyStreamInALoop) {
  StartListed({}, 7);
  Send(WatchEnd{false, "refused"});
  clock_.Pass(Duration{499});
  ASSERT_THAT(api_.watches, SizeIs(1));
  clock_.Pass(Duration{1});
  EXPECT_THAT(api_.watches, SizeIs(2));
}

TEST_F(DriverEvents, DoNotComeFromListingInALoopWhenEveryListExpiresAtOnce) {
  StartListed({}, 7);
  Send(WatchEnd{true, "too old"});
  clock_.Pass(Duration{500});
  api_.AnswerList(Kind::kNode, ListResult{{}, 9});
  clock_.Settle();
  Send(WatchEnd{true, "too old"});
  clock_.Pass(Duration{999});
  ASSERT_THAT(api_.lists, IsEmpty());
  clock_.Pass(Duration{1});
  EXPECT_THAT(api_.lists, SizeIs(1));
}

TEST_F(DriverEvents, DoNotReachADestroyedDriver) {
  StartListed({}, 7);
  const auto send = api_.LastWatch(Kind::kNode).send;
  driver_.reset();
  EXPECT_FALSE(*api_.LastWatch(Kind::kNode).open);
  send(WatchChange{FakeNode("a", "u1", 8), false});
  clock_.Settle();
  EXPECT_THAT(machine_.steps, IsEmpty());
}

TEST_F(DriverEvents, AreShownToTheObserverWithWhatCameOut) {
  StartListed({}, 7);
  std::vector<std::size_t> seen;
  driver_->SetStepObserver([&](const Machine&, Time, std::span<const Event> events, const StepResult&) {
    seen.push_back(events.size());
  });
  SendChange(FakeNode("a", "u1", 8));
  clock_.Settle();
  EXPECT_THAT(seen, ElementsAre(1U));
}

// --- Waking

TEST_F(DriverEvents, AreNotNeededWhenAMachineAskedToBeWoken) {
  Start();
  machine_.next.wake = clock_.Now() + Duration{5'000};
  api_.AnswerList(Kind::kNode, ListResult{{}, 7});
  clock_.Settle();
  machine_.steps.clear();
  clock_.Pass(Duration{4'999});
  ASSERT_THAT(machine_.steps, IsEmpty());
  clock_.Pass(Duration{1});
  EXPECT_THAT(machine_.steps, ElementsAre(IsEmpty()));
}

TEST_F(DriverEvents, ReplaceAnEarlierWishToBeWoken) {
  Start();
  machine_.next.wake = clock_.Now() + Duration{5'000};
  api_.AnswerList(Kind::kNode, ListResult{{}, 7});
  clock_.Settle();
  SendChange(FakeNode("a", "u1", 8));
  clock_.Settle();
  EXPECT_EQ(clock_.timers(), 0U) << "the last Step asked for nothing";
}

// --- Effects out

class DriverEffects : public testing::Test {
 protected:
  void Start(Limits limits = {}) {
    driver_ = std::make_unique<Driver>(std::vector<Machine*>{&machine_}, api_, clock_, limits);
    api_.AnswerList(Kind::kNode, ListResult{{}, version_});
    clock_.Settle();
    machine_.steps.clear();
  }
  static Effect Make(std::uint64_t id, Lane lane = Lane::kWrite, std::optional<std::uint64_t> after = {}) {
    Effect effect;
    effect.id = EffectId{id};
    effect.lane = lane;
    if (after) effect.after = EffectId{*after};
    effect.what = Delete{{Kind::kPod, "ns", std::to_string(id)}, Propagation::kBackground, {}};
    return effect;
  }
  // Has the machine return these effects from a Step.
  void Submit(std::vector<Effect> effects) {
    machine_.next.effects = std::move(effects);
    ++version_;
    api_.LastWatch(Kind::kNode).send(WatchChange{FakeNode("tick", "tick", version_), false});
    clock_.Settle();
    machine_.steps.clear();
  }
  std::vector<std::uint64_t> Sent() const {
    std::vector<std::uint64_t> ids;
    for (const FakeApi::WriteCall& write : api_.writes)
      ids.push_back(static_cast<std::uint64_t>(write.effect.id));
    return ids;
  }
  void Answer(std::size_t write, Outcome outcome, Duration retry_after = Duration{0}) {
    api_.writes.at(write).Answer(outcome, retry_after);
    clock_.Settle();
  }
  std::vector<std::string> Heard() const {
    std::vector<std::string> all;
    for (const auto& step : machine_.steps)
      all.insert(all.end(), step.begin(), step.end());
    return all;
  }

  FakeClock clock_;
  FakeApi api_;
  RecordingMachine machine_{{Kind::kNode}, "tester"};
  std::unique_ptr<Driver> driver_;
  std::uint64_t version_ = 10;
};

TEST_F(DriverEffects, AreWrittenUnderTheMachinesName) {
  Start();
  Submit({Make(1)});
  EXPECT_EQ(api_.writes.at(0).user, "tester");
}

TEST_F(DriverEffects, EachEndInOneAnswer) {
  Start();
  Submit({Make(1), Make(2)});
  Answer(0, Outcome::kDone);
  Answer(1, Outcome::kConflict);
  EXPECT_THAT(Heard(), ElementsAre("answer 1 done", "answer 2 conflict"));
}

TEST_F(DriverEffects, OfLowerLanesGoFirst) {
  Start({.in_flight = 1});
  Submit({Make(1, Lane::kNote), Make(2, Lane::kCondition), Make(3, Lane::kWrite), Make(4, Lane::kBind)});
  for (std::size_t i = 0; i < 4; ++i)
    Answer(i, Outcome::kDone);
  EXPECT_THAT(Sent(), ElementsAre(4, 3, 2, 1));
}

TEST_F(DriverEffects, OfOneLaneGoInTheOrderTheyCame) {
  Start({.in_flight = 1});
  Submit({Make(1), Make(2)});
  Submit({Make(3)});
  for (std::size_t i = 0; i < 3; ++i)
    Answer(i, Outcome::kDone);
  EXPECT_THAT(Sent(), ElementsAre(1, 2, 3));
}

TEST_F(DriverEffects, InFlightNeverExceedTheirBound) {
  Start({.in_flight = 2});
  Submit({Make(1), Make(2), Make(3)});
  EXPECT_THAT(Sent(), ElementsAre(1, 2));
  Answer(1, Outcome::kDone);
  EXPECT_THAT(Sent(), ElementsAre(1, 2, 3));
}

TEST_F(DriverEffects, GoNoFasterThanTheirRate) {
  Start({.writes_per_second = 10, .burst = 2});
  Submit({Make(1), Make(2), Make(3), Make(4)});
  EXPECT_THAT(Sent(), ElementsAre(1, 2));
  clock_.Pass(Duration(99));
  EXPECT_THAT(Sent(), ElementsAre(1, 2));
  clock_.Pass(Duration(2));
  EXPECT_THAT(Sent(), ElementsAre(1, 2, 3));
  clock_.Pass(Duration(1'000));
  EXPECT_THAT(Sent(), ElementsAre(1, 2, 3, 4));
}

TEST_F(DriverEffects, OfLowerLanesGoFirstWhenTheRateAllowsTheNext) {
  Start({.writes_per_second = 10, .burst = 1});
  Submit({Make(1, Lane::kNote), Make(2, Lane::kNote)});
  Submit({Make(3, Lane::kBind)});
  clock_.Pass(Duration(101));
  EXPECT_THAT(Sent(), ElementsAre(1, 3));
}

TEST_F(DriverEffects, OfLowLanesLeaveHalfOfTheSlotsToBinds) {
  Start({.in_flight = 4});
  Submit({Make(1, Lane::kNote), Make(2, Lane::kNote), Make(3, Lane::kNote)});
  EXPECT_THAT(Sent(), ElementsAre(1, 2));
  Submit({Make(4, Lane::kBind), Make(5, Lane::kBind)});
  EXPECT_THAT(Sent(), ElementsAre(1, 2, 4, 5));
}

TEST_F(DriverEffects, WaitForWhatTheyAreToFollow) {
  Start();
  Submit({Make(1), Make(2, Lane::kBind, 1)});
  EXPECT_THAT(Sent(), ElementsAre(1));
  Answer(0, Outcome::kDone);
  EXPECT_THAT(Sent(), ElementsAre(1, 2));
}

TEST_F(DriverEffects, ThatFollowSomethingLongDoneGoAtOnce) {
  Start();
  Submit({Make(1)});
  Answer(0, Outcome::kDone);
  Submit({Make(2, Lane::kWrite, 1)});
  EXPECT_THAT(Sent(), ElementsAre(1, 2));
}

TEST_F(DriverEffects, ThatFollowAFailureAreNotSentNorIsWhatFollowsThem) {
  Start();
  Submit({Make(1), Make(2, Lane::kWrite, 1), Make(3, Lane::kWrite, 2)});
  Answer(0, Outcome::kGone);
  EXPECT_THAT(Sent(), ElementsAre(1));
  EXPECT_THAT(Heard(), ElementsAre("answer 1 gone", "answer 2 not sent", "answer 3 not sent"));
}

TEST_F(DriverEffects, ThatFollowAnEarlierFailureAreNotSent) {
  Start();
  Submit({Make(1)});
  Answer(0, Outcome::kRejected);
  machine_.steps.clear();
  machine_.next.effects = {Make(2, Lane::kWrite, 1)};
  api_.LastWatch(Kind::kNode).send(WatchChange{FakeNode("tick", "tick", 99), false});
  clock_.Settle();
  EXPECT_THAT(Sent(), ElementsAre(1));
  EXPECT_THAT(Heard(), ElementsAre("+tick/tick@99", "answer 2 not sent"));
}

TEST_F(DriverEffects, ThatMayBeRetriedAreRetriedAfterDoublingWaitsUpToTheBound) {
  Start({.attempts = 4, .first_retry = Duration{100}, .max_retry = Duration{300}});
  Submit({Make(1)});
  const std::vector<Duration> waits = {Duration{100}, Duration{200}, Duration{300}};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    Answer(i, Outcome::kRetryable);
    clock_.Pass(waits[i] - Duration{1});
    ASSERT_THAT(api_.writes, SizeIs(i + 1)) << "too early";
    clock_.Pass(Duration{1});
    ASSERT_THAT(api_.writes, SizeIs(i + 2)) << "too late";
  }
  ASSERT_THAT(Heard(), IsEmpty());
  Answer(3, Outcome::kRetryable);
  EXPECT_THAT(Heard(), ElementsAre("answer 1 retryable"));
  EXPECT_EQ(driver_->counters().retries, 3U);
}

TEST_F(DriverEffects, AreRetriedWhenTheServerSaysSo) {
  Start();
  Submit({Make(1)});
  Answer(0, Outcome::kRetryable, Duration{7'000});
  clock_.Pass(Duration{6'999});
  ASSERT_THAT(api_.writes, SizeIs(1));
  clock_.Pass(Duration{1});
  EXPECT_THAT(api_.writes, SizeIs(2));
}

TEST_F(DriverEffects, WhoseAnswerWasLostAreNotRepeated) {
  Start();
  Submit({Make(1)});
  Answer(0, Outcome::kUnknown);
  clock_.Pass(Duration{60'000});
  EXPECT_THAT(Sent(), ElementsAre(1));
  EXPECT_THAT(Heard(), ElementsAre("answer 1 unknown"));
}

TEST_F(DriverEffects, OfTheNoteLaneAreDroppedOldestFirstBeyondTheirBound) {
  Start({.in_flight = 1, .waiting_notes = 2});
  Submit({Make(1)});
  machine_.next.effects = {Make(2, Lane::kNote), Make(3, Lane::kNote), Make(4, Lane::kNote)};
  api_.LastWatch(Kind::kNode).send(WatchChange{FakeNode("tick", "tick", 99), false});
  clock_.Settle();
  EXPECT_THAT(Heard(), ElementsAre("+tick/tick@99", "answer 2 not sent"));
  EXPECT_EQ(driver_->counters().dropped, 1U);
}

TEST_F(DriverEffects, OfTheWriteLaneAreNeverDropped) {
  Start({.in_flight = 1, .waiting_notes = 0, .waiting_conditions = 0});
  Submit({Make(1), Make(2), Make(3)});
  for (std::size_t i = 0; i < 3; ++i)
    Answer(i, Outcome::kDone);
  EXPECT_THAT(Sent(), ElementsAre(1, 2, 3));
}

using DriverEffectsDeathTest = DriverEffects;

class DriverFinish : public DriverEffects {
 protected:
  void Finish() {
    driver_->Finish([this] { ++finished_; });
    clock_.Settle();
  }
  int finished_ = 0;
};

TEST_F(DriverFinish, WaitsForWhatHasLeftAndSendsNothingMore) {
  Start({.in_flight = 2});
  Submit({Make(1), Make(2), Make(3)});
  Finish();
  EXPECT_EQ(finished_, 0);
  Answer(0, Outcome::kDone);
  EXPECT_EQ(finished_, 0);
  Answer(1, Outcome::kRetryable);
  EXPECT_EQ(finished_, 1);
  clock_.Pass(Duration(60'000));
  EXPECT_THAT(Sent(), ElementsAre(1, 2));
  EXPECT_THAT(Heard(), IsEmpty());
}

TEST_F(DriverFinish, IsThereAtOnceWhereNothingIsUnderWay) {
  Start();
  Finish();
  EXPECT_EQ(finished_, 1);
  EXPECT_EQ(clock_.timers(), 0U);
}

TEST_F(DriverFinish, AllowsTheOwnerToDestroyTheDriverWhenItIsTold) {
  Start();
  driver_->Finish([this] { driver_.reset(); });
  clock_.Settle();
  EXPECT_EQ(driver_, nullptr);
}

TEST_F(DriverEffectsDeathTest, WithAnIdThatIsStillInUseAreAProgrammersError) {
  Start();
  Submit({Make(1)});
  EXPECT_DEATH(Submit({Make(1)}), "not been answered yet");
}

// --- Crashes

class DriverCrash : public DriverEffects {
 protected:
  // Dies at the write numbered `at`.
  void StartToDie(std::uint64_t at, CrashPoint point) {
    Start();
    driver_->SetCrashHook([=](std::uint64_t n, const Effect&) { return n == at ? point : CrashPoint::kNone; },
                          [this] { ++deaths_; });
  }
  int deaths_ = 0;
};

TEST_F(DriverCrash, BeforeAWriteSendsNeitherItNorWhatFollows) {
  StartToDie(2, CrashPoint::kBefore);
  Submit({Make(1), Make(2), Make(3)});
  EXPECT_THAT(Sent(), ElementsAre(1));
  EXPECT_EQ(deaths_, 1);
}

TEST_F(DriverCrash, AfterAWriteLetsTheMachineHearOfItAndSendsNothingMore) {
  StartToDie(1, CrashPoint::kAfter);
  Submit({Make(1)});
  ASSERT_EQ(deaths_, 0);
  machine_.next.effects = {Make(2)};
  Answer(0, Outcome::kDone);
  EXPECT_THAT(Heard(), ElementsAre("answer 1 done"));
  EXPECT_THAT(Sent(), ElementsAre(1));
  EXPECT_EQ(deaths_, 1);
}

TEST_F(DriverCrash, AfterAnUnansweredWriteSendsItAndHearsNothing) {
  StartToDie(1, CrashPoint::kAfterUnanswered);
  Submit({Make(1), Make(2)});
  EXPECT_THAT(Sent(), ElementsAre(1));
  EXPECT_EQ(deaths_, 1);
  Answer(0, Outcome::kDone);
  EXPECT_THAT(Heard(), IsEmpty());
}

TEST_F(DriverCrash, StopsWatchingAndSetsNoTimers) {
  StartToDie(1, CrashPoint::kBefore);
  Submit({Make(1)});
  EXPECT_FALSE(*api_.LastWatch(Kind::kNode).open);
  EXPECT_EQ(clock_.timers(), 0U);
}

TEST_F(DriverCrash, AllowsTheOwnerToDestroyTheDriverWhenItIsTold) {
  Start();
  driver_->SetCrashHook([](std::uint64_t, const Effect&) { return CrashPoint::kBefore; },
                        [this] { driver_.reset(); });
  Submit({Make(1)});
  EXPECT_EQ(driver_, nullptr);
}

TEST_F(DriverCrash, IsAskedAboutEveryAttempt) {
  Start();
  std::vector<std::uint64_t> asked;
  driver_->SetCrashHook(
      [&](std::uint64_t n, const Effect&) {
        asked.push_back(n);
        return CrashPoint::kNone;
      },
      [] {});
  Submit({Make(1)});
  Answer(0, Outcome::kRetryable);
  clock_.Pass(Duration{100});
  EXPECT_THAT(asked, ElementsAre(1, 2));
}

}  // namespace
}  // namespace cadre::drive
