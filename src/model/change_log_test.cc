#include "model/change_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::model {
namespace {

using testing::ElementsAre;

TEST(ChangeLog, TellsEachFollowerWhatItHasNotRead) {
  ChangeLog<int> log;
  log.Note(1, 8);
  const auto read = log.End();
  log.Note(2, 8);
  log.Note(3, 8);
  EXPECT_THAT(log.Since(read), ElementsAre(2, 3));
  EXPECT_THAT(log.Since(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(log.Since(log.End()), ElementsAre());
}

TEST(ChangeLog, ForgetsTheOlderHalfWhenItIsFull) {
  ChangeLog<int> log;
  for (int i = 0; i < 5; ++i)
    log.Note(i, 4);
  EXPECT_FALSE(log.Remembers(2));
  EXPECT_TRUE(log.Remembers(3));
  EXPECT_THAT(log.Since(3), ElementsAre(3, 4));
  EXPECT_EQ(log.End(), 5U);
}

TEST(ChangeLog, RemembersItsEndAfterItForgotAll) {
  ChangeLog<int> log;
  log.Note(1, 4);
  const auto read = log.End();
  log.Forget();
  EXPECT_TRUE(log.Remembers(read));
  EXPECT_FALSE(log.Remembers(0));
}

}  // namespace
}  // namespace cadre::model
