#include "report/html_gantt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using testing_html::CountOf;
using testing_html::Ran;
using testing_html::Small;
using testing_html::Waiting;

TEST(HtmlGantt, ShowsWhenAGroupWaitsAndRuns) {
  const std::string html = GanttHtml(Small({Ran("a", 10, 40, 90, {"n1"})}), {});
  EXPECT_THAT(html, HasSubstr(R"(<i class="w" style="left:10%;width:30%")"));
  EXPECT_THAT(html, HasSubstr(R"(<i class="r" style="left:40%;width:50%")"));
}

TEST(HtmlGantt, ShowsARestartAsASecondBar) {
  GroupRow row = Ran("a", 0, 0, 30, {"n1"});
  row.runs.push_back({seconds(50), seconds(90)});
  row.end = seconds(90);
  row.restarts = 1;
  const std::string html = GanttHtml(Small({row}), {});
  EXPECT_THAT(html, HasSubstr(R"(style="left:50%;width:40%" title="runs again)"));
  EXPECT_THAT(html, HasSubstr("↻1"));
}

TEST(HtmlGantt, TellsWhatCanNeverRunFromWhatWaits) {
  EXPECT_THAT(GanttHtml(Small({Waiting("x", 50, GroupState::kNever, "")}), {}), HasSubstr(R"(<i class="n")"));
}

TEST(HtmlGantt, TellsInWordsWhatARowShows) {
  EXPECT_THAT(GanttHtml(Small({Ran("a", 10, 40, 90, {"n1"})}), {}),
              HasSubstr(R"(aria-label="waited 30 s, ran 40 s – 1m 30s, finished")"));
}

TEST(HtmlGantt, EscapesNames) {
  EXPECT_THAT(GanttHtml(Small({Ran("<b>", 0, 0, 90, {"n1"})}), {}), Not(HasSubstr("<b>")));
}

TEST(HtmlGantt, DrawsFewBarsForAGroupThatCameAndWentOften) {
  GroupRow row = Ran("a", 0, 0, 100, {"n1"});
  row.runs.clear();
  for (int i = 0; i < 10'000; ++i)
    row.runs.push_back({Duration(i * 10), Duration(i * 10 + 5)});
  EXPECT_LE(CountOf("<i class=", GanttHtml(Small({row}), {})), 90U);
}

TEST(HtmlGantt, FoldsVeryManyGroupsAndSaysSo) {
  std::vector<GroupRow> groups;
  for (int i = 0; i < 50; ++i)
    groups.push_back(Ran(fmt::format("g{}", i), i, i, i + 20, {"n1"}));
  const HtmlLimits limits{.gantt_rows = 40, .longest_waits = 3, .folded_rows = 10};
  const std::string html = GanttHtml(Small(groups), limits);
  EXPECT_THAT(html, HasSubstr("All 50 groups, 5 in a row"));
  EXPECT_EQ(CountOf(R"(<div class="row">)", html), 13U);
}

}  // namespace
}  // namespace cadre::report
