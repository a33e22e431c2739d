#include "match/match.h"

#include <gtest/gtest.h>

#include "match/testing.h"

namespace cadre::match {
namespace {

using testing::MakeNode;
using testing::MakeSpec;
using ::testing::Test;
using testing::World;

TEST(Match, FillsOneNodeBeforeTheNext) {
  World world;
  world.Add(MakeNode("a", 4));
  world.Add(MakeNode("b", 4));
  EXPECT_EQ(world.Place({world.Role(5, MakeSpec(1))}), (std::vector<std::string>{"a", "a", "a", "a", "b"}));
}

}  // namespace
}  // namespace cadre::match
