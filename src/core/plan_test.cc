#include "core/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/random.h"

namespace cadre::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PlanText, WritesRunsOfMembersThatGoToOneNode) {
  Plan plan;
  for (int index = 0; index < 4; ++index)
    plan.Put("work", index, index < 3 ? "n1" : "n2");
  EXPECT_EQ(plan.Encode(7), R"({"v":1,"epoch":7,"units":{"work":[[0,3,"n1"],[3,1,"n2"]]}})");
}

TEST(PlanText, AGapEndsARun) {
  Plan plan;
  plan.Put("work", 0, "n1");
  plan.Put("work", 2, "n1");
  EXPECT_EQ(plan.Encode(0), R"({"v":1,"epoch":0,"units":{"work":[[0,1,"n1"],[2,1,"n1"]]}})");
}

TEST(PlanText, MembersWithoutAnIndexAreCountedPerNode) {
  Plan plan;
  for (const char* node : {"n2", "n1", "n2"})
    plan.Put("ring", -1, node);
  EXPECT_EQ(plan.Encode(0), R"({"v":1,"epoch":0,"units":{"ring":[[-1,1,"n1"],[-1,2,"n2"]]}})");
}

TEST(PlanText, AnEmptyPlanHasNoUnits) {
  EXPECT_EQ(Plan{}.Encode(0), R"({"v":1,"epoch":0,"units":{}})");
  EXPECT_TRUE(Plan::Decode(Plan{}.Encode(0))->empty());
}

TEST(PlanMembers, AreFoundByUnitAndIndex) {
  Plan plan;
  plan.Put("work", 3, "n1");
  EXPECT_EQ(plan.NodeOf("work", 3), "n1");
  EXPECT_EQ(plan.NodeOf("work", 4), "");
  EXPECT_EQ(plan.NodeOf("other", 3), "");
}

TEST(PlanMembers, ThatArePutAgainMove) {
  Plan plan;
  plan.Put("work", 3, "n1");
  plan.Put("work", 3, "n2");
  EXPECT_EQ(plan.NodeOf("work", 3), "n2");
}

TEST(PlanMembers, WithoutAnIndexAreForgottenTogether) {
  Plan plan;
  plan.Put("ring", -1, "n1");
  plan.Put("other", -1, "n2");
  plan.ForgetUnindexed("ring");
  EXPECT_THAT(plan.NodesOf("ring"), IsEmpty());
  EXPECT_THAT(plan.NodesOf("other"), ElementsAre("n2"));
}

TEST(PlanMerge, AddsWhatWasNotKnownAndKeepsWhatWas) {
  Plan mine;
  mine.Put("work", 0, "n1");
  mine.Put("ring", -1, "n1");
  Plan other;
  other.Put("work", 0, "n9");
  other.Put("work", 1, "n2");
  other.Put("ring", -1, "n9");
  other.Put("late", -1, "n3");
  mine.Merge(other);
  EXPECT_EQ(mine.NodeOf("work", 0), "n1");
  EXPECT_EQ(mine.NodeOf("work", 1), "n2");
  EXPECT_THAT(mine.NodesOf("ring"), ElementsAre("n1"));
  EXPECT_THAT(mine.NodesOf("late"), ElementsAre("n3"));
}

// --- what a user may have made of it

class EditedPlan : public testing::TestWithParam<const char*> {};

TEST_P(EditedPlan, IsRefused) {
  EXPECT_FALSE(Plan::Decode(GetParam()).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Texts, EditedPlan,
    testing::Values("", "no json", "null", "[]", "{}", R"({"v":1})", R"({"units":{}})",
                    R"({"v":2,"units":{}})", R"({"v":"1","units":{}})", R"({"v":1,"units":[]})",
                    R"({"v":1,"units":{"a":7}})", R"({"v":1,"units":{"a":[7]}})",
                    R"({"v":1,"units":{"a":[[0,1]]}})", R"({"v":1,"units":{"a":[[0,1,"n",2]]}})",
                    R"({"v":1,"units":{"a":[["0",1,"n"]]}})", R"({"v":1,"units":{"a":[[0,1.5,"n"]]}})",
                    R"({"v":1,"units":{"a":[[0,1,7]]}})", R"({"v":1,"units":{"a":[[-2,1,"n"]]}})",
                    R"({"v":1,"units":{"a":[[0,-1,"n"]]}})", R"({"v":1,"units":{"a":[[9000000000,1,"n"]]}})",
                    R"({"v":1,"units":{"a":[[0,9000000000,"n"]]}})",
                    R"({"v":1,"units":{"a":[[18446744073709551615,1,"n"]]}})"));

// Runs are short to write and long to hold: a few bytes must not become gigabytes.
TEST(HostilePlan, IsRefusedWhenItNamesMoreMembersThanAnyJobHas) {
  std::string runs;
  for (int i = 0; i < 1'000; ++i)
    runs += fmt::format("{}[-1,100000,\"n\"]", i == 0 ? "" : ",");
  EXPECT_FALSE(Plan::Decode(fmt::format(R"({{"v":1,"units":{{"a":[{}]}}}})", runs)).has_value());
}

// --- property

Plan RandomPlan(Random& random) {
  Plan plan;
  const auto units = static_cast<int>(random.Uniform(4));
  for (int unit = 0; unit < units; ++unit) {
    const std::string name = fmt::format("unit \"{}\"\\", random.Uniform(5));
    const auto members = static_cast<int>(random.Uniform(20));
    for (int i = 0; i < members; ++i) {
      const auto index = static_cast<std::int32_t>(random.Between(-1, 30));
      plan.Put(name, index, fmt::format("node-{}", random.Uniform(4)));
    }
  }
  return plan;
}

TEST(PlanProperty, WhatIsWrittenIsReadBack) {
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    Random random(seed);
    const std::string text = RandomPlan(random).Encode(seed);
    const auto read = Plan::Decode(text);
    ASSERT_TRUE(read.has_value()) << "seed " << seed << ": " << text;
    ASSERT_EQ(read->Encode(seed), text) << "seed " << seed;
  }
}

// Whatever is done to the text, reading it ends, and what was read can be written.
TEST(PlanProperty, AnyDamagedTextIsReadOrRefused) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    Random random(seed);
    std::string text = RandomPlan(random).Encode(seed);
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random.Uniform(text.size());
      if (random.Chance(0.5)) {
        text.erase(at, 1);
      } else {
        text[at] = static_cast<char>(random.Between(32, 126));
      }
    }
    const auto read = Plan::Decode(text);
    refused += read ? 0 : 1;
    if (read) {
      ASSERT_TRUE(Plan::Decode(read->Encode(0)).has_value()) << "seed " << seed << ": " << text;
    }
  }
  EXPECT_GT(refused, 1'000);
}

}  // namespace
}  // namespace cadre::core
