#include "jobset/jobset_controller.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"
#include "jobset/service.h"

namespace cadre::jobset {
namespace {

using drive::Outcome;
using testing::At;
using testing::ChildOf;
using testing::FailedAt;
using testing::JobSetWith;
using testing::ReadyPods;
using Lines = std::vector<std::string>;

// Feeds the machine by hand; effects are told by their one-line form, without notes.
class Hand {
 public:
  Hand() {
    Feed({drive::Listed{kube::Kind::kJobSet}, drive::Listed{kube::Kind::kJob},
          drive::Listed{kube::Kind::kService}});
  }

  // What came out, the effects kept for Answer.
  Lines Feed(std::vector<drive::Event> events, std::int64_t seconds = 0) {
    drive::StepResult result = controller_.Step(At(seconds), events);
    wake_ = result.wake;
    Lines lines;
    for (drive::Effect& effect : result.effects) {
      if (const auto* note = std::get_if<drive::Note>(&effect.what)) {
        notes_.push_back(note->reason);
        continue;
      }
      lines.push_back(drive::ToString(effect));
      open_.push_back(std::move(effect));
    }
    return lines;
  }

  // Answers everything open, creates with their object.
  Lines AnswerAll(Outcome outcome = Outcome::kDone, std::int64_t seconds = 0) {
    std::vector<drive::Event> answers;
    for (const drive::Effect& effect : std::exchange(open_, {})) {
      answers.push_back(
          drive::Answer{.id = effect.id, .outcome = outcome, .message = "because", .object = {}});
    }
    return Feed(std::move(answers), seconds);
  }

  const std::vector<drive::Effect>& open() const { return open_; }
  const Lines& notes() const { return notes_; }
  std::optional<Time> wake() const { return wake_; }
  JobSetController& controller() { return controller_; }

 private:
  JobSetController controller_;
  std::vector<drive::Effect> open_;
  Lines notes_;
  std::optional<Time> wake_;
};

kube::Object ServiceOf(const kube::Object& jobset) {
  json::value body = MakeService(testing::Typed(jobset));
  body.at("metadata").as_object()["uid"] = "service-uid";
  return testing::DecodeOrDie(kube::Kind::kService, std::move(body));
}

// The JobSet with what a plan would write into its status, at a later version.
kube::Object Settled(const kube::Object& jobset, const std::vector<kube::Object>& jobs) {
  json::value raw = *jobset.raw;
  if (const auto patch = testing::PlanAt(jobset, jobs).status_patch) {
    MergePatch(raw, *patch);
  }
  raw.at("metadata").as_object()["resourceVersion"] = "20";
  return testing::DecodeOrDie(kube::Kind::kJobSet, std::move(raw));
}

kube::Object ForeignJob(std::string_view name) {
  return testing::DecodeOrDie(kube::Kind::kJob,
                              json::parse(fmt::format(
                                  R"({{"metadata":{{"name":"{}","namespace":"default","uid":"theirs"}},
           "spec":{{"template":{{"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
                                  name)));
}

std::size_t CountOf(const Lines& lines, std::string_view start) {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [&](const std::string& line) { return line.starts_with(start); }));
}

TEST(JobSetController, DecidesNothingBeforeAllKindsAreListed) {
  JobSetController controller;
  const std::vector<drive::Event> events = {
      drive::Changed{JobSetWith({})}, drive::Listed{kube::Kind::kJobSet}, drive::Listed{kube::Kind::kJob}};
  EXPECT_TRUE(controller.Step(At(0), events).effects.empty());
  const std::vector<drive::Event> last = {drive::Listed{kube::Kind::kService}};
  EXPECT_EQ(controller.Step(At(0), last).effects.size(), 3U);
}

TEST(JobSetController, MakesEverythingOnceHoweverLateAnswersAndWatchAre) {
  Hand hand;
  const auto jobset = JobSetWith({.jobs = {{.replicas = 2}}});
  EXPECT_EQ(hand.Feed({drive::Changed{jobset}}).size(), 4U);  // Service, two Jobs, status
  EXPECT_TRUE(hand.Feed({drive::Changed{jobset}}).empty());   // nothing is answered yet
  EXPECT_TRUE(hand.AnswerAll().empty());
  EXPECT_TRUE(hand.Feed({drive::Changed{jobset}}).empty());  // answered, but not seen yet
  const std::vector<kube::Object> jobs = {ChildOf(jobset, {.index = 0}), ChildOf(jobset, {.index = 1})};
  EXPECT_TRUE(hand.Feed({drive::Changed{ServiceOf(jobset)}, drive::Changed{jobs[0]}}).empty());
  EXPECT_TRUE(hand.Feed({drive::Changed{Settled(jobset, jobs)}, drive::Changed{jobs[1]}}).empty());
}

TEST(JobSetController, NeedsNoSecondLookWhenTheWatchIsFasterThanTheAnswers) {
  Hand hand;
  const auto jobset = JobSetWith({});
  hand.Feed({drive::Changed{jobset}});
  const std::vector<kube::Object> jobs = {ChildOf(jobset, {})};
  hand.Feed(
      {drive::Changed{ServiceOf(jobset)}, drive::Changed{jobs[0]}, drive::Changed{Settled(jobset, jobs)}});
  EXPECT_TRUE(hand.AnswerAll().empty());
  EXPECT_FALSE(hand.wake());
}

TEST(JobSetController, WritesTheStatusOfTheVersionItSaw) {
  Hand hand;
  hand.Feed({drive::Changed{JobSetWith({})}});
  const drive::Effect& status = hand.open().back();
  ASSERT_TRUE(std::holds_alternative<drive::PatchStatus>(status.what));
  EXPECT_EQ(status.resource_version, 10U);
  EXPECT_EQ(status.uid, "set-uid");
}

TEST(JobSetController, TellsOfAChangeOnlyOnceItsStatusIsWritten) {
  JobSetController controller;
  const auto jobset = JobSetWith({});
  const std::vector<drive::Event> events = {
      drive::Changed{jobset}, drive::Changed{ChildOf(jobset, {.status = FailedAt(1)})},
      drive::Listed{kube::Kind::kJobSet}, drive::Listed{kube::Kind::kJob},
      drive::Listed{kube::Kind::kService}};
  const drive::StepResult result = controller.Step(At(2), events);
  ASSERT_EQ(result.effects.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<drive::PatchStatus>(result.effects[0].what));
  EXPECT_EQ(std::get<drive::Note>(result.effects[1].what).reason, "FailedJobs");
  EXPECT_EQ(result.effects[1].after, result.effects[0].id);
}

TEST(JobSetController, RepeatsRefusedCreatesAfterOneTwoAndFourSeconds) {
  Hand hand;
  hand.Feed({drive::Changed{ServiceOf(JobSetWith({}))}, drive::Changed{JobSetWith({})}});
  std::int64_t now = 0;
  for (const int wait : {1, 2, 4}) {
    EXPECT_TRUE(hand.AnswerAll(Outcome::kRejected, now).empty());
    EXPECT_EQ(hand.wake(), At(now + wait));
    now += wait;
    EXPECT_EQ(CountOf(hand.Feed({}, now), "create"), 1U) << wait;
  }
  EXPECT_EQ(CountOf(hand.notes(), "JobCreationFailed"), 3U);
}

TEST(JobSetController, CountsARestartOnceEvenIfTheStatusWriteIsAnsweredByAConflict) {
  Hand hand;
  const auto jobset = JobSetWith({.spec = R"("failurePolicy":{"maxRestarts":3},)"});
  EXPECT_EQ(
      hand.Feed({drive::Changed{jobset}, drive::Changed{ChildOf(jobset, {.status = FailedAt(1)})}}).size(),
      1U);
  hand.AnswerAll(Outcome::kConflict);  // it was our own write whose answer got lost
  const auto restarted =
      JobSetWith({.spec = R"("failurePolicy":{"maxRestarts":3},)", .status = R"("restarts":1)"});
  const Lines lines = hand.Feed({drive::Changed{restarted}}, 1);
  EXPECT_EQ(CountOf(lines, "delete"), 1U);  // the failed Job belongs to the earlier attempt now
  for (const drive::Effect& effect : hand.open()) {
    if (const auto* patch = std::get_if<drive::PatchStatus>(&effect.what)) {
      EXPECT_EQ(Find(json::value(patch->merge), {"status", "restarts"}), nullptr);
    }
  }
}

TEST(JobSetController, DeletesJobsOfAnEarlierAttemptInTheForeground) {
  Hand hand;
  const auto jobset =
      JobSetWith({.spec = R"("failurePolicy":{"maxRestarts":3},)", .status = R"("restarts":1)"});
  hand.Feed({drive::Changed{ServiceOf(jobset)}, drive::Changed{jobset},
             drive::Changed{ChildOf(jobset, {.attempt = 0, .status = FailedAt(1)})}});
  const auto* removal = std::get_if<drive::Delete>(&hand.open().at(0).what);
  ASSERT_NE(removal, nullptr);
  EXPECT_EQ(removal->propagation, drive::Propagation::kForeground);
  EXPECT_EQ(hand.open().at(0).uid, "uid-train-workers-0-0");
}

TEST(JobSetController, SendsNoCreateForANameThatIsTakenAndMakesTheJobWhenItIsFree) {
  Hand hand;
  const auto jobset = JobSetWith({});
  const auto foreign = ForeignJob("train-workers-0");
  EXPECT_EQ(
      CountOf(hand.Feed({drive::Changed{foreign}, drive::Changed{ServiceOf(jobset)}, drive::Changed{jobset}}),
              "create"),
      0U);
  hand.AnswerAll();
  const auto settled = Settled(jobset, {});
  EXPECT_EQ(CountOf(hand.Feed({drive::Changed{settled}}), "create"), 0U);
  EXPECT_EQ(CountOf(hand.notes(), "JobCreationFailed"), 1U);  // said once
  EXPECT_EQ(CountOf(hand.Feed({drive::Changed{foreign, true}}), "create"), 1U);
}

TEST(JobSetController, MakesADeletedServiceAgain) {
  Hand hand;
  const auto jobset = JobSetWith({});
  const auto child = ChildOf(jobset, {.status = ReadyPods(2)});
  EXPECT_TRUE(hand.Feed({drive::Changed{ServiceOf(jobset)}, drive::Changed{child},
                         drive::Changed{Settled(jobset, {child})}})
                  .empty());
  EXPECT_EQ(hand.Feed({drive::Changed{ServiceOf(jobset), true}}), Lines{"create Service default/train"});
}

TEST(JobSetController, MakesADeletedChildAgainOnlyWhenItIsGone) {
  Hand hand;
  const auto jobset = JobSetWith({});
  const auto child = ChildOf(jobset, {.deleting = true});
  EXPECT_TRUE(hand.Feed({drive::Changed{ServiceOf(jobset)}, drive::Changed{child},
                         drive::Changed{Settled(jobset, {child})}})
                  .empty());
  EXPECT_EQ(CountOf(hand.Feed({drive::Changed{child, true}}), "create Job"), 1U);
}

TEST(JobSetController, ClearsTheStartTimeBeforeItChangesAJob) {
  Hand hand;
  const auto jobset = JobSetWith({});
  const auto child = ChildOf(
      jobset,
      {.status = R"("startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"Suspended","status":"True"}])",
       .suspended = true,
       .template_patch = R"({"spec":{"nodeSelector":{"zone":"z1"}}})"});
  hand.Feed(
      {drive::Changed{ServiceOf(jobset)}, drive::Changed{child}, drive::Changed{Settled(jobset, {child})}});
  ASSERT_EQ(hand.open().size(), 2U);
  EXPECT_TRUE(std::holds_alternative<drive::PatchStatus>(hand.open()[0].what));
  EXPECT_EQ(hand.open()[1].after, hand.open()[0].id);
}

TEST(JobSetController, WakesWhenAFinishedJobSetExpires) {
  Hand hand;
  const auto jobset =
      JobSetWith({.spec = R"("ttlSecondsAfterFinished":20,)",
                  .status = R"("restarts":0,"terminalState":"Completed","conditions":[{"type":"Completed",
      "status":"True","reason":"r","message":"m","lastTransitionTime":"2026-01-01T00:00:10Z"}])"});
  hand.Feed({drive::Changed{Settled(jobset, {})}}, 11);
  EXPECT_EQ(hand.wake(), At(30));
  EXPECT_EQ(hand.Feed({}, 30), Lines{"delete JobSet default/train foreground if uid set-uid"});
}

TEST(JobSetController, ForgetsADeletedJobSet) {
  Hand hand;
  const auto jobset = JobSetWith({});
  hand.Feed({drive::Changed{jobset}});
  EXPECT_TRUE(hand.Feed({drive::Changed{jobset, true}}).empty());
  EXPECT_TRUE(hand.AnswerAll(Outcome::kRejected).empty());
  EXPECT_FALSE(hand.wake());
}

TEST(JobSetController, SaysPlainlyThatVolumeClaimPoliciesAreNotCarriedOut) {
  Hand hand;
  const auto jobset = JobSetWith({.spec = R"("volumeClaimPolicies":[{"templates":[]}],)"});
  hand.Feed({drive::Changed{jobset}});
  hand.AnswerAll();
  hand.Feed({drive::Changed{jobset}});
  EXPECT_EQ(CountOf(hand.notes(), "VolumeClaimPoliciesNotSupported"), 1U);
}

}  // namespace
}  // namespace cadre::jobset
