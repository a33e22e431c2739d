#include "report/html_holders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing_html::CountOf;
using testing_html::kRack;
using testing_html::Ran;
using testing_html::Small;

TEST(HtmlHolders, CountTheMembersOfAGroupInADomain) {
  const RunReport report = Small({Ran("a", 0, 10, 60, {"n1", "n2", "n3"})});
  const auto holdings = HoldingsOf(report, DivideByDomain(report, 10));
  ASSERT_EQ(holdings[0].size(), 1U);
  EXPECT_EQ(holdings[0][0].members, 2U);
  EXPECT_EQ(holdings[1][0].members, 1U);
}

TEST(HtmlHolders, CountAMemberAndItsSuccessorAsOne) {
  GroupRow row = Ran("a", 0, 0, 50, {"n1"});
  row.placements.push_back({"a/0", "n2", {seconds(50), seconds(80)}, 0});
  const RunReport report = Small({row});
  const auto holdings = HoldingsOf(report, DivideByDomain(report, 10));
  ASSERT_EQ(holdings[0].size(), 1U);
  EXPECT_EQ(holdings[0][0].members, 1U);
  EXPECT_EQ(holdings[0][0].span.to, seconds(80));
}

TEST(HtmlHolders, EndWhereTheGroupLeftTheDomainForAWhile) {
  GroupRow row = Ran("a", 0, 0, 20, {"n1"});
  row.placements.push_back({"a/0", "n1", {seconds(50), std::nullopt}, 0});
  const RunReport report = Small({row});
  EXPECT_EQ(HoldingsOf(report, DivideByDomain(report, 10))[0].size(), 2U);
}

TEST(HtmlHolders, StandInLanesWhereTheyOverlap) {
  const RunReport report =
      Small({Ran("a", 0, 0, 50, {"n1"}), Ran("b", 0, 20, 60, {"n1"}), Ran("c", 0, 50, 90, {"n1"})});
  const std::vector<Holding> holdings = HoldingsOf(report, DivideByNode(report, 10))[0];
  EXPECT_EQ(holdings[0].lane, 0U);
  EXPECT_EQ(holdings[1].lane, 1U);
  EXPECT_EQ(holdings[2].lane, 0U);
}

TEST(HtmlHolders, ShowClaimsOnTheDomainThatTheyAreOn) {
  RunReport report = Small({Ran("a", 0, 0, 50, {"n1"})});
  report.claims = {{kRack, {"b", "1"}, "JobSet default/train", {seconds(10), seconds(60)}}};
  EXPECT_EQ(CountOf("claimed by JobSet default/train", HoldersHtml(report, {.holder_rows = 2})), 1U);
}

TEST(HtmlHolders, RowsThatWouldBeTooFullShowTheirLoad) {
  std::vector<GroupRow> groups;
  for (int i = 0; i < 30; ++i)
    groups.push_back(Ran(fmt::format("g{}", i), 0, 0, 100, {"n1"}));
  EXPECT_THAT(HoldersHtml(Small(groups), {}), HasSubstr("they show the load instead"));
}

TEST(HtmlHolders, SayWhenThereAreTooManyNodes) {
  EXPECT_THAT(HoldersHtml(Small({Ran("a", 0, 0, 50, {"n1"})}), {.holder_rows = 3}),
              HasSubstr("4 nodes are more than the 3 that get a row of their own"));
}

}  // namespace
}  // namespace cadre::report
