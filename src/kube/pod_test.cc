#include "kube/pod.h"

#include <gtest/gtest.h>

namespace cadre::kube {
namespace {

Pod InPhase(PodPhase phase) {
  Pod pod;
  pod.status.phase = phase;
  return pod;
}

TEST(IsTerminal, SucceededAndFailedPodsNeverRunAgain) {
  EXPECT_TRUE(IsTerminal(InPhase(PodPhase::kSucceeded)));
  EXPECT_TRUE(IsTerminal(InPhase(PodPhase::kFailed)));
}

// A node that cannot be reached: its pods may still run, so they still hold their resources.
TEST(IsTerminal, APodOfUnknownPhaseMayStillRun) {
  EXPECT_FALSE(IsTerminal(InPhase(PodPhase::kUnknown)));
}
TEST(IsTerminal, PendingAndRunningPodsAreNot) {
  EXPECT_FALSE(IsTerminal(InPhase(PodPhase::kPending)));
  EXPECT_FALSE(IsTerminal(InPhase(PodPhase::kRunning)));
}

}  // namespace
}  // namespace cadre::kube
