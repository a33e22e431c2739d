#include "topology/hostlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Names(std::string_view text) {
  const Result<std::vector<std::string>> names = ExpandHosts(text);
  EXPECT_TRUE(names) << names.error().message;
  return names.value_or(std::vector<std::string>{});
}

std::string ErrorOf(std::string_view text) {
  const Result<std::vector<std::string>> names = ExpandHosts(text);
  return names ? "" : names.error().message;
}

TEST(HostList, IsNamesWithCommasBetween) {
  EXPECT_THAT(Names("a, b,c"), ElementsAre("a", "b", "c"));
}

TEST(HostList, OfNothingIsEmpty) {
  EXPECT_THAT(Names("  "), IsEmpty());
}

TEST(HostList, CountsARange) {
  EXPECT_THAT(Names("n[9-11]"), ElementsAre("n9", "n10", "n11"));
}

TEST(HostList, KeepsTheWidthOfTheLowerBound) {
  EXPECT_THAT(Names("n[008-010]"), ElementsAre("n008", "n009", "n010"));
}

TEST(HostList, GrowsBeyondTheWidth) {
  EXPECT_THAT(Names("n[98-101]"), ElementsAre("n98", "n99", "n100", "n101"));
}

TEST(HostList, TakesNumbersAndRangesInOneBracket) {
  EXPECT_THAT(Names("n[1-2,7]x"), ElementsAre("n1x", "n2x", "n7x"));
}

TEST(HostList, CountsTheLastOfSeveralBracketsFastest) {
  EXPECT_THAT(Names("r[0-1]n[1-2]"), ElementsAre("r0n1", "r0n2", "r1n1", "r1n2"));
}

TEST(HostList, GivesAsManyNamesAsAreAllowed) {
  EXPECT_EQ(Names("n[1-200000]").size(), kMostHosts);
}

struct Bad {
  const char* text;
  const char* why;
};

class BadHostList : public ::testing::TestWithParam<Bad> {};

TEST_P(BadHostList, IsRefusedWithTheReason) {
  EXPECT_THAT(ErrorOf(GetParam().text), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(All, BadHostList,
                         ::testing::Values(Bad{"n[5-3]", "the range 5-3 is reversed"},
                                           Bad{"n[a-b]", "[a-b] is no range of numbers"},
                                           Bad{"n[]", "[] is no range of numbers"},
                                           Bad{"n[1-]", "[1-] is no range"}, Bad{"n[-1]", "[-1] is no range"},
                                           Bad{"n[1-2", "does not close its bracket"},
                                           Bad{"n1]", "closes a bracket that is not open"},
                                           Bad{"n[1[2]]", "a bracket in a bracket"},
                                           Bad{"a,,b", "an empty item"}, Bad{"a b", "is no host name"},
                                           Bad{"n[1-200001]", "more than 200000 hosts"},
                                           Bad{"n[1-200000],m", "more than 200000 hosts"},
                                           Bad{"a[1-1000]b[1-1000]", "more than 200000 hosts"},
                                           Bad{"n[0-999999999999999999]", "more than 200000 hosts"},
                                           Bad{"n[1-9999999999999999999999]", "is no range of numbers"}));

}  // namespace
}  // namespace cadre::topology
