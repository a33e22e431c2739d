#include "jobset/ttl.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::At;
using testing::JobSetWith;
using testing::Typed;

constexpr const char* kDone =
    R"("conditions":[{"type":"Completed","status":"True","reason":"r","message":"m","lastTransitionTime":"2026-01-01T00:00:30Z"}])";

TEST(TimeToLive, CountsFromTheTerminalCondition) {
  EXPECT_EQ(ExpiresAt(Typed(JobSetWith({.spec = R"("ttlSecondsAfterFinished":60,)", .status = kDone}))),
            At(90));
  EXPECT_EQ(ExpiresAt(Typed(JobSetWith({.spec = R"("ttlSecondsAfterFinished":0,)", .status = kDone}))),
            At(30));
}

TEST(TimeToLive, IsEndlessWithoutALimit) {
  EXPECT_FALSE(ExpiresAt(Typed(JobSetWith({.status = kDone}))));
}

TEST(TimeToLive, HasNotBegunWhileTheJobSetRuns) {
  EXPECT_FALSE(ExpiresAt(Typed(JobSetWith({.spec = R"("ttlSecondsAfterFinished":60,)"}))));
}

}  // namespace
}  // namespace cadre::jobset
