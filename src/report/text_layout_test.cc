#include "report/text_layout.h"

#include <gtest/gtest.h>

namespace cadre::report {
namespace {

TEST(DisplayWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(DisplayWidth("4 × 2"), 5U);
}

TEST(Shorten, LeavesTextThatFitsAlone) {
  EXPECT_EQ(Shorten("rack-1", 6), "rack-1");
}

TEST(Shorten, PutsAnEllipsisWithinTheWidth) {
  EXPECT_EQ(Shorten("rack-17", 6), "rack-…");
}

TEST(Shorten, CutsBetweenCharactersOfSeveralBytes) {
  EXPECT_EQ(Shorten("××××", 3), "××…");
}

TEST(Paint, DoesNothingWhenColoursAreOff) {
  EXPECT_EQ(Paint("never", Colour::kRed, false), "never");
}

TEST(Paint, EndsWhatItBegins) {
  EXPECT_EQ(Paint("never", Colour::kRed, true), "\x1b[31mnever\x1b[0m");
}

TEST(Wrap, BreaksBetweenWordsAndIndentsWhatFollows) {
  EXPECT_EQ(Wrap("needs 8 GPUs per pod", 12, 2), "needs 8 GPUs\n  per pod");
}

TEST(Wrap, KeepsTheMarginOfTheFirstLine) {
  EXPECT_EQ(Wrap("  Pod a, never: why", 80, 6), "  Pod a, never: why");
}

TEST(Wrap, LeavesALongWordWhole) {
  EXPECT_EQ(Wrap("a topology.kubernetes.io/zone b", 8, 0), "a\ntopology.kubernetes.io/zone\nb");
}

TEST(Table, AlignsColumnsByTheirWidestCell) {
  Table table({{"NAME"}, {"PODS", Align::kRight}, {"WHERE"}});
  table.AddRow({{"train"}, {"128"}, {"rack-1"}});
  table.AddRow({{"a"}, {"2"}, {""}});
  EXPECT_EQ(table.Render(80, false),
            "NAME   PODS  WHERE\n"
            "train   128  rack-1\n"
            "a         2\n");
}

TEST(Table, ShortensTheLastColumnToTheWidth) {
  Table table({{"NAME"}, {"WHERE"}});
  table.AddRow({{"train"}, {"node-1, node-2, node-3"}});
  EXPECT_EQ(table.Render(20, false),
            "NAME   WHERE\n"
            "train  node-1, node…\n");
}

TEST(Table, KeepsColumnsAlignedUnderColours) {
  Table table({{"STATE"}, {"N", Align::kRight}});
  table.AddRow({{"never", Colour::kRed}, {"1"}});
  const std::string text = table.Render(80, true);
  EXPECT_NE(text.find("\x1b[31mnever\x1b[0m  1"), std::string::npos) << text;
}

}  // namespace
}  // namespace cadre::report
