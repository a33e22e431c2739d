#include "sim/job_expectations.h"

#include <gtest/gtest.h>

#include "sim/job_testing.h"

namespace cadre::sim {
namespace {

using testing::At;

TEST(JobExpectations, WaitForEachKindOfWriteUntilItIsSeen) {
  JobExpectations expectations;
  expectations.ExpectPod("p", At(1));
  expectations.ExpectDeletion("u1", At(2));
  expectations.ExpectRelease("u2", At(3));
  expectations.ExpectJob(9, At(4));
  EXPECT_EQ(expectations.since(), At(1));
  expectations.SawPod("p", "u3", false, true);
  expectations.SawPod("q", "u1", true, true);
  expectations.SawPod("r", "u2", false, false);
  EXPECT_FALSE(expectations.Fulfilled());
  expectations.SawJob(9);
  EXPECT_TRUE(expectations.Fulfilled());
  EXPECT_FALSE(expectations.since());
}

TEST(JobExpectations, AreNotFulfilledByAnOlderVersion) {
  JobExpectations expectations;
  expectations.ExpectJob(9, At(0));
  expectations.SawJob(8);
  EXPECT_FALSE(expectations.Fulfilled());
}

TEST(JobExpectations, AreNotFulfilledByAPodThatIsNotYetBeingDeleted) {
  JobExpectations expectations;
  expectations.ExpectDeletion("u", At(0));
  expectations.SawPod("p", "u", false, true);
  EXPECT_FALSE(expectations.Fulfilled());
  expectations.SawPodGone("u");
  EXPECT_TRUE(expectations.Fulfilled());
}

TEST(JobExpectations, RememberARemovedFinalizerEvenAfterGivingUp) {
  JobExpectations expectations;
  expectations.ExpectRelease("u", At(0));
  expectations.GiveUp();
  EXPECT_TRUE(expectations.Fulfilled());
  EXPECT_TRUE(expectations.IsReleased("u"));
  expectations.SawPod("p", "u", false, false);
  EXPECT_FALSE(expectations.IsReleased("u"));
}

}  // namespace
}  // namespace cadre::sim
