#include "sim/job_status.h"

#include <gtest/gtest.h>

#include "sim/job_testing.h"

namespace cadre::sim {
namespace {

using testing::At;
using testing::JobWith;

TEST(StatusPatch, IsNoneWhenNothingChanged) {
  const TrackedStatus status =
      ReadStatus(JobWith("", R"("active":2,"ready":0,"startTime":"2026-01-01T00:00:10Z")"));
  EXPECT_FALSE(StatusPatch(status, status));
}

TEST(StatusPatch, NamesOnlyWhatChangedAndDeletesWhatIsGone) {
  const TrackedStatus before =
      ReadStatus(JobWith("", R"("active":2,"succeeded":1,"startTime":"2026-01-01T00:00:10Z")"));
  TrackedStatus after = before;
  after.active = 0;
  after.succeeded = 3;
  after.start_time.reset();
  EXPECT_EQ(json::value(*StatusPatch(before, after)),
            json::parse(R"({"status":{"active":null,"succeeded":3,"startTime":null}})"));
}

TEST(StatusPatch, EmptiesAnUncountedListByDeletingIt) {
  const TrackedStatus before =
      ReadStatus(JobWith("", R"("uncountedTerminatedPods":{"failed":["a"],"succeeded":["b"]})"));
  TrackedStatus after = before;
  after.uncounted_failed.clear();
  after.uncounted_succeeded.push_back("c");
  EXPECT_EQ(json::value(*StatusPatch(before, after)),
            json::parse(R"({"status":{"uncountedTerminatedPods":{"failed":null,"succeeded":["b","c"]}}})"));
}

TEST(StatusPatch, KeepsConditionsOfOthersAsTheyAre) {
  const auto job = JobWith("", R"("conditions":[{"type":"Theirs","status":"Unknown","extra":7}])");
  TrackedStatus after = ReadStatus(job);
  ASSERT_TRUE(SetCondition(after, {"Suspended", "JobSuspended", "m"}, true, At(5)));
  const json::value patch = *StatusPatch(ReadStatus(job), after);
  const json::array& conditions = ArrayIn(patch, {"status", "conditions"});
  ASSERT_EQ(conditions.size(), 2U);
  EXPECT_EQ(conditions[0], json::parse(R"({"type":"Theirs","status":"Unknown","extra":7})"));
  EXPECT_EQ(FindString(conditions[1], {"lastTransitionTime"}), "2026-01-01T00:00:05Z");
}

TEST(SetCondition, DoesNotAddAConditionThatIsFalse) {
  TrackedStatus status;
  EXPECT_FALSE(SetCondition(status, {"Suspended", "JobResumed", "m"}, false, At(0)));
  EXPECT_TRUE(status.conditions.empty());
}

TEST(SetCondition, TurnsAnExistingOneFalse) {
  TrackedStatus status;
  SetCondition(status, {"Suspended", "JobSuspended", "m"}, true, At(0));
  EXPECT_TRUE(SetCondition(status, {"Suspended", "JobResumed", "m"}, false, At(1)));
  EXPECT_FALSE(FindTrueCondition(status, "Suspended"));
}

}  // namespace
}  // namespace cadre::sim
