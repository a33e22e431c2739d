#include "report/html_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using testing_html::CountOf;
using testing_html::Ran;
using testing_html::Small;
using testing_html::Waiting;

TEST(HtmlWaits, LastFromSubmitToTheFirstRun) {
  const std::vector<Span> waits = WaitsOf(Ran("a", 10, 40, 90, {"n1"}), seconds(100));
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].from, seconds(10));
  EXPECT_EQ(waits[0].to, seconds(40));
}

TEST(HtmlWaits, AreThereBetweenTwoRuns) {
  GroupRow row = Ran("a", 0, 0, 30, {"n1"});
  row.runs.push_back({seconds(50), seconds(90)});
  row.end = seconds(90);
  const std::vector<Span> waits = WaitsOf(row, seconds(100));
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].from, seconds(30));
}

TEST(HtmlQueue, CountsGroupsAndMembersThatWait) {
  const RunReport report = Small({Ran("a", 0, 50, 100, {"n1", "n2"}), Ran("b", 25, 50, 100, {"n3"})});
  const QueueOverTime queue = QueueOf(report, 4);
  EXPECT_THAT(queue.groups, ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(queue.members, ElementsAre(2, 3, 0, 0));
}

TEST(HtmlQueue, ShowsTheMostWithinASlice) {
  const QueueOverTime queue = QueueOf(Small({Ran("a", 10, 12, 100, {"n1"})}), 2);
  EXPECT_THAT(queue.groups, ElementsAre(1, 0));
}

TEST(HtmlQueue, LeavesOutWhatCanNeverRun) {
  EXPECT_EQ(QueueOf(Small({Waiting("x", 0, GroupState::kNever, "")}), 2).most_groups, 0U);
  EXPECT_EQ(QueueOf(Small({Waiting("x", 0, GroupState::kPending, "")}), 2).most_groups, 1U);
}

TEST(HtmlCharts, HaveAFigurePerResourceAndTwoForTheQueue) {
  EXPECT_EQ(CountOf("<figure", ChartsHtml(Small({Ran("a", 0, 0, 100, {"n1"})}))), 3U);
}

TEST(HtmlCharts, AreLeftOutWhenTheRunTookNoTime) {
  RunReport report = Small({});
  report.end = Duration(0);
  EXPECT_EQ(ChartsHtml(report), "");
}

}  // namespace
}  // namespace cadre::report
