#include "base/text.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre {
namespace {

using testing::ElementsAre;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(Split("a,b,,c", ','), ElementsAre("a", "b", "", "c"));
}

TEST(Split, OfNothingIsOneEmptyPart) {
  EXPECT_THAT(Split("", ','), ElementsAre(""));
}

TEST(Split, ASeparatorAtTheEndIsFollowedByAnEmptyPart) {
  EXPECT_THAT(Split("a,", ','), ElementsAre("a", ""));
}

TEST(Trim, TakesWhiteSpaceOffBothEndsOnly) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
}

TEST(Trim, OfWhiteSpaceIsEmpty) {
  EXPECT_EQ(Trim(" \t "), "");
}

TEST(Quantify, OneIsSingular) {
  EXPECT_EQ(Quantify(1, "node"), "1 node");
}

TEST(Quantify, ManyArePlural) {
  EXPECT_EQ(Quantify(3, "node"), "3 nodes");
}

TEST(Quantify, NoneIsPlural) {
  EXPECT_EQ(Quantify(0, "node"), "0 nodes");
}

TEST(Quantify, TakesAnIrregularPlural) {
  EXPECT_EQ(Quantify(2, "entry", "entries"), "2 entries");
}

TEST(FormatBytes, BelowAKibibyteTheyAreBytes) {
  EXPECT_EQ(FormatBytes(1023), "1023 B");
}

TEST(FormatBytes, TakesTheLargestUnitThatFits) {
  EXPECT_EQ(FormatBytes(std::int64_t{256} << 30U), "256 GiB");
}

TEST(FormatBytes, ShowsAFraction) {
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
}

TEST(FormatBytes, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(FormatBytes((std::int64_t{1} << 20U) - 1), "1 MiB");
}

TEST(FormatBytes, KeepsTheSign) {
  EXPECT_EQ(FormatBytes(-2048), "-2 KiB");
}

TEST(FormatBytes, OfNothing) {
  EXPECT_EQ(FormatBytes(0), "0 B");
}

constexpr std::array<std::string_view, 3> kKinds = {"Job", "JobSet", "PodGroup"};

TEST(ClosestTo, FindsASwappedPairOfLetters) {
  EXPECT_EQ(ClosestTo("PodGorup", kKinds), "PodGroup");
}

TEST(ClosestTo, TakesTheNearestOfSeveral) {
  EXPECT_EQ(ClosestTo("JobSets", kKinds), "JobSet");
}

TEST(ClosestTo, TheFirstWinsBetweenEquals) {
  constexpr std::array<std::string_view, 2> kEquals = {"cat", "bat"};
  EXPECT_EQ(ClosestTo("rat", kEquals), "cat");
}

TEST(ClosestTo, AWordUnlikeAllOthersHasNone) {
  EXPECT_EQ(ClosestTo("Deployment", kKinds), "");
}

TEST(ClosestTo, WithoutCandidatesThereIsNone) {
  EXPECT_EQ(ClosestTo("Job", {}), "");
}

TEST(Lower, MakesAsciiLettersSmallAndLeavesTheRest) {
  EXPECT_EQ(Lower("SwitchName=Ä-9"), "switchname=Ä-9");
}

TEST(SomeOf, ListsAllWhereTheyAreFew) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(SomeOf(names, 2), "a, b");
  EXPECT_EQ(SomeOf({}, 2), "");
}

TEST(SomeOf, SaysThatThereAreOthers) {
  const std::vector<std::string> names = {"a", "b", "c"};
  EXPECT_EQ(SomeOf(names, 2), "a, b, …");
}

TEST(FirstAndMore, ListsAllWhereTheyAreFew) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(FirstAndMore(names, 2), "a, b");
  EXPECT_EQ(FirstAndMore({}, 2), "");
}

TEST(FirstAndMore, CountsTheOthers) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EXPECT_EQ(FirstAndMore(names, 2), "a, b and 2 more");
}

}  // namespace
}  // namespace cadre
