#include "report/gantt.h"

#include <gtest/gtest.h>

namespace cadre::report {
namespace {

using std::chrono::seconds;

GroupRow Row(std::string name, Duration submit, Duration from, std::optional<Duration> to) {
  GroupRow row;
  row.name = std::move(name);
  row.submit = submit;
  row.start = from;
  row.end = to;
  row.state = to ? GroupState::kFinished : GroupState::kRunning;
  if (to) row.outcome = "succeeded";
  row.runs = {{from, to}};
  return row;
}

RunReport Report(std::vector<GroupRow> rows, Duration end) {
  RunReport report;
  report.groups = std::move(rows);
  report.end = end;
  return report;
}

// The lines below the axis. With a width of 23 and names of one character there are 20 columns.
std::string Lines(const RunReport& report) {
  const std::string chart = Gantt(report, {.width = 23});
  return chart.substr(chart.find('\n') + 1);
}

TEST(RoundUpToNice, GivesTheNextRoundLength) {
  EXPECT_EQ(RoundUpToNice(seconds(11)), seconds(15));
}

TEST(RoundUpToNice, GoesOnInWholeWeeks) {
  EXPECT_EQ(RoundUpToNice(std::chrono::hours(24 * 15)), std::chrono::hours(24 * 21));
}

TEST(Gantt, DrawsNothingForARunWithoutLength) {
  EXPECT_EQ(Gantt(Report({Row("a", seconds(0), seconds(0), seconds(0))}, seconds(0)), {}), "");
}

TEST(Gantt, DrawsWaitingThenRunning) {
  EXPECT_EQ(Lines(Report({Row("a", seconds(5), seconds(10), seconds(15))}, seconds(20))),
            "a       ·····█████\n");
}

TEST(Gantt, DrawsWhatStillRunsToTheEnd) {
  EXPECT_EQ(Lines(Report({Row("a", seconds(18), seconds(18), std::nullopt)}, seconds(20))),
            "a                    ██\n");
}

TEST(Gantt, ShowsAnEndInsideOfAColumnAsAPartialBlock) {
  EXPECT_EQ(Lines(Report({Row("a", seconds(0), seconds(0), Duration(1'500))}, seconds(20))), "a  █▌\n");
}

TEST(Gantt, NeverHidesARunThatIsShorterThanAColumn) {
  EXPECT_EQ(Lines(Report({Row("a", seconds(0), seconds(0), Duration(10))}, seconds(20))), "a  ▏\n");
}

TEST(Gantt, MarksWhereAGroupFailed) {
  GroupRow row = Row("a", seconds(0), seconds(0), seconds(3));
  row.outcome = "failed";
  EXPECT_EQ(Lines(Report({row}, seconds(20))), "a  ██✗\n");
}

TEST(Gantt, ShowsTheGapOfARestart) {
  GroupRow row = Row("a", seconds(0), seconds(0), seconds(6));
  row.runs = {{seconds(0), seconds(2)}, {seconds(4), seconds(6)}};
  EXPECT_EQ(Lines(Report({row}, seconds(20))), "a  ██··██\n");
}

TEST(Gantt, CountsTheRowsThatItDoesNotDraw) {
  std::vector<GroupRow> rows(7, Row("a", seconds(0), seconds(0), seconds(20)));
  const std::string chart = Gantt(Report(rows, seconds(20)), {.width = 23, .max_rows = 2});
  EXPECT_NE(chart.find("… and 5 more groups"), std::string::npos) << chart;
}

TEST(Gantt, LabelsTheAxisInRoundTimes) {
  const std::string chart =
      Gantt(Report({Row("a", seconds(0), seconds(0), seconds(60))}, seconds(60)), {.width = 63});
  EXPECT_EQ(chart.substr(0, chart.find('\n')), "   |0             |15 s          |30 s          |45 s");
}

}  // namespace
}  // namespace cadre::report
