// Why a group waits, as Groups() tells it: true of the instant at which somebody asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using testing::HasSubstr;

class ReasonTest : public testing::Test {
 protected:
  std::optional<match::No> NoOf(std::string_view name) {
    for (const GroupView& view : world_.scheduler().Groups()) {
      if (view.key.name == name) return view.no;
    }
    return std::nullopt;
  }

  SchedulerWorld world_;
};

TEST_F(ReasonTest, CountsWhatFitsNowAndNotWhatFittedAtTheTry) {
  world_.AddNodes(2, 2);
  world_.AddLonePod("first", 1);
  world_.Run();
  world_.AddGang("work", 4);
  world_.Run();
  EXPECT_THAT(world_.ReasonOf("work"), HasSubstr("3 fit now"));
  world_.AddLonePod("second", 1);
  world_.Run();
  EXPECT_THAT(world_.ReasonOf("work"), HasSubstr("2 fit now"));
}

TEST_F(ReasonTest, AskingForItChangesNothing) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 5);
  world_.Run();
  const std::string before = world_.scheduler().Fingerprint();
  EXPECT_EQ(NoOf("work"), match::No::kNever);
  EXPECT_EQ(world_.scheduler().Fingerprint(), before);
}

TEST_F(ReasonTest, WhatCouldNeverRunBecomesWhatWaitsWhenANodeComes) {
  world_.AddNodes(1, 2);
  world_.AddGang("work", 4);
  world_.Run();
  EXPECT_EQ(NoOf("work"), match::No::kNever);
  world_.AddLonePod("other", 1);
  world_.Run();
  world_.AddNode("n9", 2);
  world_.Run();
  EXPECT_EQ(NoOf("work"), match::No::kNotNow);
}

}  // namespace
}  // namespace cadre::core
