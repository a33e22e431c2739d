#include "report/html_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_html::CountOf;
using testing_html::Ran;
using testing_html::Small;
using testing_html::Waiting;

TEST(HtmlTable, HasARowPerGroup) {
  EXPECT_EQ(CountOf("<tr id=", TableHtml(Small({Ran("a", 0, 0, 5, {"n1"}), Ran("b", 0, 0, 5, {"n1"})}), {})),
            2U);
}

TEST(HtmlTable, CarriesTimesForSortingInMilliseconds) {
  EXPECT_THAT(TableHtml(Small({Ran("a", 10, 40, 90, {"n1"})}), {}),
              HasSubstr(R"(<td data-v="30000">30 s</td>)"));
}

TEST(HtmlTable, SaysWhy) {
  EXPECT_THAT(TableHtml(Small({Waiting("x", 0, GroupState::kNever, "needs 8 < 9 GPUs")}), {}),
              HasSubstr("<td>needs 8 &lt; 9 GPUs</td>"));
}

TEST(HtmlTable, NamesDomainsCoarseToFine) {
  GroupRow row = Ran("a", 0, 0, 5, {"n1"});
  row.domains = {{testing_html::kRack, {"r1"}}, {testing_html::kZone, {"z"}}};
  EXPECT_THAT(TableHtml(Small({row}), {}),
              HasSubstr("<small>zone</small> <bdi>z</bdi><br><small>rack</small> <bdi>r1</bdi>"));
}

TEST(HtmlTable, CountsNodesWhereThereAreMany) {
  EXPECT_THAT(TableHtml(Small({Ran("a", 0, 0, 5, {"n1", "n2", "n3", "n4"})}), {}),
              HasSubstr(">4 nodes</td>"));
}

TEST(HtmlTable, BeyondItsBoundListsWhatDidNotEndWellFirst) {
  const RunReport report = Small(
      {Ran("a", 0, 0, 5, {"n1"}), Ran("b", 1, 1, 5, {"n1"}), Waiting("x", 2, GroupState::kPending, "full")});
  EXPECT_THAT(ListedGroups(report, 2), ElementsAre(0, 2));
  EXPECT_THAT(TableHtml(report, {.table_rows = 2}), HasSubstr("2 of 3 groups are listed"));
}

}  // namespace
}  // namespace cadre::report
