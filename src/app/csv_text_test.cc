#include "app/csv_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// All records; errors as one field "error: …".
std::vector<std::vector<std::string>> Records(std::string_view text) {
  CsvText csv(text);
  std::vector<std::vector<std::string>> records;
  while (const auto record = csv.Next())
    records.push_back(*record ? (*record)->fields
                              : std::vector<std::string>{"error: " + record->error().message});
  return records;
}

TEST(CsvText, SplitsFieldsAndTrimsThem) {
  EXPECT_THAT(Records("a, b ,c\n1,,3\n"), ElementsAre(ElementsAre("a", "b", "c"), ElementsAre("1", "", "3")));
}

TEST(CsvText, KeepsAnEmptyLastField) {
  EXPECT_THAT(Records("a,b\n1,\n"), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "")));
}

TEST(CsvText, TakesQuotedFieldsAsTheyAre) {
  EXPECT_THAT(Records("\"a,b\",\"say \"\"x\"\"\",\" c \"\n"),
              ElementsAre(ElementsAre("a,b", "say \"x\"", " c ")));
}

TEST(CsvText, CountsLinesWithinQuotes) {
  CsvText csv("\"a\nb\",c\nd,e\n");
  csv.Next();
  EXPECT_EQ((*csv.Next())->line, 3U);
}

TEST(CsvText, PassesOverEmptyLines) {
  EXPECT_THAT(Records("\n\na,b\n \n\nc,d"), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
}

TEST(CsvText, FindsTabsAndSemicolons) {
  EXPECT_THAT(Records("a\tb, c\td\n"), ElementsAre(ElementsAre("a", "b, c", "d")));
  EXPECT_THAT(Records("a;b;c,d\n"), ElementsAre(ElementsAre("a", "b", "c,d")));
}

TEST(CsvText, TakesAByteOrderMarkAndWindowsLineEnds) {
  EXPECT_THAT(Records("\xef\xbb\xbf\"a\",b\r\n1,\"2\"\r\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
}

TEST(CsvText, SaysWhereAQuoteIsNeverClosed) {
  EXPECT_THAT(
      Records("a,b\n1,\"2\n3,4\n"),
      ElementsAre(ElementsAre("a", "b"), ElementsAre(HasSubstr("line 2, column 2: a quote is opened"))));
}

TEST(CsvText, GoesOnAfterALineWithTextBehindAQuote) {
  EXPECT_THAT(Records("\"a\"x,b\nc,d\n"),
              ElementsAre(ElementsAre(HasSubstr("line 1, column 1")), ElementsAre("c", "d")));
}

TEST(CsvText, HasNoRecordsWhenEmpty) {
  EXPECT_THAT(Records(" \n\n"), IsEmpty());
}

}  // namespace
}  // namespace cadre::app
