#include "app/object_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "sim/memory_api.h"
#include "sim/virtual_clock.h"

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::LonePod;

class ObjectStatesTest : public ::testing::Test {
 protected:
  ObjectStatesTest() { states_.LookOn(api_); }

  void Create(const kube::Object& object) {
    const drive::WriteResult made = api_.CreateNow("user", object.kind, object.raw->as_object(), "default");
    ASSERT_EQ(made.outcome, drive::Outcome::kDone) << made.message;
  }
  void Do(drive::What what) {
    drive::Effect effect;
    effect.what = std::move(what);
    const drive::WriteResult done = api_.WriteNow("user", effect);
    ASSERT_EQ(done.outcome, drive::Outcome::kDone) << done.message;
  }

  sim::VirtualClock clock_{Time{}};
  sim::MemoryApi api_{clock_};
  ObjectStates states_;
};

const drive::Target kPod{kube::Kind::kPod, "default", "a"};

TEST_F(ObjectStatesTest, TellsThePhasesOfAPodAndLeavesRepetitionsOut) {
  Create(LonePod("a", "1"));
  Do(drive::Bind{kPod, "n-1", {}});
  Do(drive::PatchStatus{kPod, {{"status", {{"phase", "Running"}}}}});
  Do(drive::PatchStatus{kPod, {{"status", {{"phase", "Running"}, {"podIP", "10.0.0.1"}}}}});
  Do(drive::PatchStatus{kPod, {{"status", {{"phase", "Succeeded"}}}}});
  EXPECT_THAT(states_.Lines(), ElementsAre("Pod default/a: waits > bound > Running > Succeeded"));
}

TEST_F(ObjectStatesTest, APodThatGoesAtOnceWasMarkedBefore) {
  Create(LonePod("a", "1"));
  Do(drive::Delete{
      .target = kPod, .propagation = drive::Propagation::kBackground, .grace_period_seconds = {}});
  EXPECT_THAT(states_.Lines(), ElementsAre("Pod default/a: waits > waits deleting > gone"));
}

TEST(DifferencesOf, NamesWhatOnlyOneSideHas) {
  EXPECT_THAT(DifferencesOf({"a", "b", "b"}, {"a", "b", "c"}),
              ElementsAre("only simulated: b", "only real: c"));
  EXPECT_THAT(DifferencesOf({"a"}, {"a"}), IsEmpty());
}

}  // namespace
}  // namespace cadre::app
