#include "base/check.h"

#include <string>

#include <gtest/gtest.h>

namespace cadre {
namespace {

TEST(CheckDeathTest, AFailureNamesTheFileTheConditionAndTheMessage) {
  const int pods = 3;
  EXPECT_DEATH(CADRE_ASSERT(pods == 4, "the gang has four"),
               "base/check_test\\.cc:[0-9]+: assertion `pods == 4` failed: the gang has four");
}

TEST(Check, TheMessageIsNotBuiltWhenTheConditionHolds) {
  int built = 0;
  const auto message = [&] {
    ++built;
    return std::string("unused");
  };
  CADRE_ASSERT(true, message());
  EXPECT_EQ(built, 0);
}

}  // namespace
}  // namespace cadre
