#include "sim/identity.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::sim {
namespace {

using ::testing::MatchesRegex;
using ::testing::SizeIs;

TEST(Identities, AreUuidsInForm) {
  Identities identities;
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_THAT(identities.NextUid(),
                MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
}

TEST(Identities, NeverRepeatAUid) {
  Identities identities;
  std::set<std::string> uids;
  for (int i = 0; i < 100'000; ++i)
    uids.insert(identities.NextUid());
  EXPECT_THAT(uids, SizeIs(100'000));
}

TEST(Identities, GiveNoOrderAway) {
  Identities identities;
  int ascending = 0;
  std::string last = identities.NextUid();
  for (int i = 0; i < 1'000; ++i) {
    std::string next = identities.NextUid();
    ascending += next > last ? 1 : 0;
    last = std::move(next);
  }
  EXPECT_NEAR(ascending, 500, 80);
}

TEST(Identities, AreTheSameInEveryRun) {
  Identities one;
  Identities two;
  EXPECT_EQ(one.NextUid(), two.NextUid());
  EXPECT_EQ(one.NextName("a-"), two.NextName("a-"));
}

}  // namespace
}  // namespace cadre::sim
