#include "report/html_escape.h"

#include <gtest/gtest.h>

namespace cadre::report {
namespace {

TEST(HtmlEscape, LeavesNothingThatOpensATagOrEndsAnAttribute) {
  EXPECT_EQ(Escape(R"(<script a="1" b='2'>&amp;)"), "&lt;script a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;");
}

TEST(HtmlEscape, KeepsTextOfAnyLanguage) {
  EXPECT_EQ(Escape("Zürich – 東京 🚀"), "Zürich – 東京 🚀");
}

TEST(HtmlEscape, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(Escape("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(Escape("cut \xE6\x9D"), "cut \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(HtmlEscape, ReplacesOverlongFormsOfForbiddenCharacters) {
  EXPECT_EQ(Escape("\xC0\xBC"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // would be < to a careless decoder
}

TEST(HtmlEscape, ReplacesControlCharactersButKeepsLineEnds) {
  EXPECT_EQ(Escape(std::string_view("a\0b\x1B\n", 5)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\n");
}

TEST(HtmlEscapeCut, EndsBeforeAReferenceThatDoesNotFit) {
  EXPECT_EQ(EscapeCut("a<b", 4), "a…");
}

TEST(HtmlEscapeCut, KeepsWhatFitsExactly) {
  EXPECT_EQ(EscapeCut("a<", 5), "a&lt;");
}

TEST(HtmlCutText, KeepsWhatFits) {
  EXPECT_EQ(CutText("rack", 4), "rack");
}

TEST(HtmlCutText, CutsBetweenCharacters) {
  EXPECT_EQ(CutText("aüb", 2), "a…");
}

}  // namespace
}  // namespace cadre::report
