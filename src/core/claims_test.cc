#include "core/claims.h"

#include <gtest/gtest.h>

namespace cadre::core {
namespace {

TEST(ClaimsText, IsReadBackAsItWasWritten) {
  const std::vector<ClaimEntry> entries = {{"", "zone", {"", "z1"}},
                                           {"train-w-0", "rack", {"", "z1", "r\"7\""}}};
  EXPECT_EQ(DecodeClaims(EncodeClaims(entries, 7)), entries);
}

TEST(ClaimsText, SaysUnderWhichLeaseItWasWritten) {
  EXPECT_EQ(EncodeClaims({{"w", "rack", {"r1"}}}, 7),
            R"({"v":1,"epoch":7,"claims":[{"unit":"w","key":"rack","path":["r1"]}]})");
}

TEST(ClaimsText, ThatIsNoneOfOursIsNotRead) {
  for (const char* text : {"", "x", "[]", "{}", R"({"v":2,"claims":[]})", R"({"v":1,"claims":{}})",
                           R"({"v":1,"claims":[1]})", R"({"v":1,"claims":[{"unit":"w","key":"","path":[]}]})",
                           R"({"v":1,"claims":[{"unit":"w","key":"rack","path":[1]}]})"})
    EXPECT_EQ(DecodeClaims(text), std::nullopt) << text;
}

TEST(ClaimsAnnotation, HasTheNameOfThePartInIt) {
  EXPECT_EQ(ClaimsAnnotationOf(""), "cadre.dev/claims");
  EXPECT_EQ(ClaimsAnnotationOf("stage 2"), "cadre.dev/claims-stage-2");
}

}  // namespace
}  // namespace cadre::core
