// The Job controller against time: batches, lagging watches, lost answers, restarts.
#include <gtest/gtest.h>

#include "sim/job_controller.h"
#include "sim/job_world.h"

namespace cadre::sim {
namespace {

using testing::At;
using testing::JobWorld;
using Indexes = std::vector<int>;

std::string Indexed(int size, std::string_view more = "") {
  return fmt::format(R"("completionMode":"Indexed","completions":{0},"parallelism":{0}{1})", size, more);
}

TEST(JobController, BatchesPodEventsForTheBatchPeriod) {
  JobWorld world(testing::Batching(Duration(1000)));
  world.Submit(R"("completions":4,"parallelism":2)");
  world.Run();
  EXPECT_EQ(world.Alive().size(), 2U);  // a new Job does not wait
  world.Run(5);
  world.EndAll();
  world.clock.Run(At(6) - Duration{1});
  EXPECT_TRUE(world.Alive().empty());
  world.clock.Run(At(6));
  EXPECT_EQ(world.Alive().size(), 2U);
}

TEST(JobController, DoesNotDoublePodsWhenTheWatchLags) {
  JobWorld world({}, testing::LaggingWatch(Duration(4'000)));
  world.Run(5);
  world.Submit(Indexed(3));
  world.Run(1);
  world.PatchJob(R"({"spec":{"completions":5,"parallelism":5}})");
  world.Run(30);
  EXPECT_EQ(world.Pods().size(), 5U);
  EXPECT_EQ(world.Status().active, 5);
}

TEST(JobController, DoesNotDoubleAPodWhoseCreateWasNotAnswered) {
  bool lost = false;
  JobWorld world({}, testing::LaggingWatch(Duration(3'000)));
  world.api.SetAdmission(
      [&](std::string_view, const drive::Effect& effect) -> std::optional<drive::WriteResult> {
        if (lost || !std::holds_alternative<drive::Create>(effect.what)) {
          return std::nullopt;
        }
        lost = true;
        EXPECT_EQ(world.api.WriteNow("job-controller", effect).outcome, drive::Outcome::kDone);
        return drive::WriteResult{
            .outcome = drive::Outcome::kUnknown, .message = "cut", .retry_after = Duration{0}, .object = {}};
      });
  world.Run(5);
  world.Submit(Indexed(2));
  world.Run(30);
  EXPECT_TRUE(lost);
  EXPECT_EQ(world.Pods().size(), 2U);
}

// Events straight into Step, for orders that the API in memory does not produce.
class BareController {
 public:
  BareController() { Feed({drive::Listed{kube::Kind::kJob}, drive::Listed{kube::Kind::kPod}}, 0); }
  // The creates that come out. Status writes are refused, which ends the pass; it is repeated a second later.
  std::vector<drive::Effect> Feed(std::vector<drive::Event> events, std::int64_t seconds) {
    std::vector<drive::Effect> creates;
    while (!events.empty()) {
      std::vector<drive::Event> refusals;
      for (drive::Effect& effect : controller_.Step(At(seconds), events).effects) {
        if (std::holds_alternative<drive::Create>(effect.what)) {
          creates.push_back(std::move(effect));
        } else if (std::holds_alternative<drive::PatchStatus>(effect.what)) {
          refusals.push_back(drive::Answer{
              .id = effect.id, .outcome = drive::Outcome::kConflict, .message = "", .object = {}});
        }
      }
      events = std::move(refusals);
    }
    return creates;
  }
  static std::string NameIn(const drive::Effect& create) {
    return std::string(FindString(std::get<drive::Create>(create.what).body, {"metadata", "name"}));
  }
  static kube::Object Job(int size, int generation) {
    const kube::Object job = testing::JobWith(Indexed(size));
    json::value raw = *job.raw;
    raw.at("metadata").as_object()["generation"] = generation;
    return testing::DecodeOrDie(kube::Kind::kJob, std::move(raw));
  }

 private:
  JobController controller_;
};

TEST(JobController, RepeatsALostCreateUnderItsNameAlthoughTheJobHasChangedMeanwhile) {
  BareController controller;
  const auto first = controller.Feed({drive::Changed{BareController::Job(1, 1)}}, 0);
  ASSERT_EQ(first.size(), 1U);
  controller.Feed(
      {drive::Answer{.id = first[0].id, .outcome = drive::Outcome::kUnknown, .message = "cut", .object = {}}},
      0);
  const auto second = controller.Feed({drive::Changed{BareController::Job(2, 2)}}, 1);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(BareController::NameIn(second[0]), BareController::NameIn(first[0]));
}

TEST(JobController, DoesNotWaitForAPodThatCameAndWentBeforeItsCreateWasAnswered) {
  BareController controller;
  const auto first = controller.Feed({drive::Changed{BareController::Job(1, 1)}}, 0);
  ASSERT_EQ(first.size(), 1U);
  json::value raw = std::get<drive::Create>(first[0].what).body;
  raw.at("metadata").as_object()["uid"] = "pod-uid";
  const kube::Object pod = testing::DecodeOrDie(kube::Kind::kPod, std::move(raw));
  const drive::Answer answer{
      .id = first[0].id, .outcome = drive::Outcome::kDone, .message = {}, .object = pod};
  EXPECT_EQ(controller.Feed({drive::Changed{pod}, drive::Changed{pod, true}, answer}, 0).size(), 1U);
}

TEST(JobController, DecidesNothingBeforeBothKindsAreListed) {
  JobController controller;
  const std::vector<drive::Event> events = {drive::Changed{BareController::Job(1, 1)},
                                            drive::Listed{kube::Kind::kJob}};
  EXPECT_TRUE(controller.Step(At(0), events).effects.empty());
  const std::vector<drive::Event> listed = {drive::Listed{kube::Kind::kPod}};
  EXPECT_EQ(controller.Step(At(0), listed).effects.size(), 1U);
}

TEST(JobController, GoesOnAfterARestartFromTheApiAlone) {
  JobWorld world;
  world.Submit(Indexed(4));
  world.Run();
  world.End(world.AliveName(0));
  world.Run();
  world.End(world.AliveName(1));
  world.Start();
  world.End(world.AliveName(2));
  world.Run();
  EXPECT_EQ(world.Status().completed_indexes, "0-2");
  EXPECT_EQ(world.AliveIndexes(), Indexes{3});
}

TEST(JobController, GivesTheSameEffectsForTheSameInput) {
  const auto trace = [] {
    std::string text;
    JobWorld world;
    world.driver->SetStepObserver([&](const drive::Machine&, Time, auto, const drive::StepResult& result) {
      for (const drive::Effect& effect : result.effects) {
        text += drive::ToString(effect) + "\n";
      }
    });
    for (const std::string_view name : {"a", "b", "c"}) {
      world.Submit(Indexed(4), "Never", name);
    }
    world.Run(1);
    world.EndAll(1);
    world.Run(20);
    world.EndAll();
    world.Run(20);
    return text;
  };
  EXPECT_EQ(trace(), trace());
}

}  // namespace
}  // namespace cadre::sim
