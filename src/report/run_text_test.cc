#include "report/run_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::report {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

GroupRow Finished(std::string name) {
  GroupRow row;
  row.namespace_ = "default";
  row.name = std::move(name);
  row.kind = "Job";
  row.members = 4;
  row.state = GroupState::kFinished;
  row.outcome = "succeeded";
  row.submit = seconds(2);
  row.start = seconds(5);
  row.end = seconds(65);
  row.nodes = {"n1", "n2"};
  row.runs = {{seconds(5), seconds(65)}};
  return row;
}

GroupRow Never(std::string name, std::string reason) {
  GroupRow row;
  row.namespace_ = "default";
  row.name = std::move(name);
  row.kind = "Pod";
  row.members = 1;
  row.state = GroupState::kNever;
  row.reason = std::move(reason);
  return row;
}

RunReport Report(std::vector<GroupRow> rows) {
  RunReport report;
  report.groups = std::move(rows);
  report.end = seconds(65);
  report.cluster = {4, {{"topology.kubernetes.io/rack", 2}}};
  return report;
}

TEST(RunText, SaysWhatWasSimulated) {
  EXPECT_THAT(ToText(Report({Finished("a")}), {}),
              HasSubstr("1 group of 4 pods on 4 nodes (2 racks), 1m 5s of cluster time"));
}

TEST(RunText, ShowsSubmitWaitStartAndEndOfAGroup) {
  EXPECT_THAT(ToText(Report({Finished("a")}), {}),
              HasSubstr("a      Job      4  finished     2 s   3 s    5 s  1m 5s  n1, n2\n"));
}

TEST(RunText, NamesTheDomainsOfAGroup) {
  GroupRow row = Finished("a");
  row.nodes = {"n1", "n2", "n3", "n4"};
  row.domains = {{"topology.kubernetes.io/rack", {"r1", "r2"}}, {"topology.kubernetes.io/zone", {"z"}}};
  EXPECT_THAT(ToText(Report({row}), {}), HasSubstr("4 nodes in r1, r2"));
}

TEST(RunText, NamesNamespacesWhereTheyDiffer) {
  GroupRow row = Finished("a");
  row.namespace_ = "ml";
  EXPECT_THAT(ToText(Report({row, Finished("b")}), {}), HasSubstr("default/b"));
}

TEST(RunText, SaysWhyAGroupNeverRuns) {
  EXPECT_THAT(ToText(Report({Never("big", "needs 8 nvidia.com/gpu; the largest node, n1, has 4")}), {}),
              HasSubstr("Pod default/big, never: needs 8 nvidia.com/gpu; the largest node, n1, has 4"));
}

TEST(RunText, CallsAFailedGroupFailed) {
  GroupRow row = Finished("a");
  row.outcome = "failed";
  row.reason = "BackoffLimitExceeded: Job has reached the specified backoff limit";
  EXPECT_THAT(ToText(Report({row}), {}), HasSubstr("Job default/a, failed: BackoffLimitExceeded"));
}

TEST(RunText, EndsWithTheTotals) {
  const std::string text = ToText(Report({Finished("a"), Never("big", "why")}), {});
  EXPECT_EQ(
      text.substr(text.rfind('\n', text.size() - 2) + 1),
      "1 finished, 0 running, 0 pending, 1 never; makespan 1m 5s, mean wait 3 s, mean submit to end 1m 3s\n");
}

TEST(RunText, LeavesTheTimelineOutWhenAsked) {
  EXPECT_THAT(ToText(Report({Finished("a")}), {.gantt = false}), Not(HasSubstr("Timeline")));
}

TEST(RunText, CountsAndNamesUnknownKinds) {
  RunReport report = Report({Finished("a")});
  report.unknown_kinds = {{"kubeflow.org/v2beta1", "MPIJob", 3, "jobs.yaml: document 2, line 9"}};
  EXPECT_THAT(ToText(report, {}),
              HasSubstr("3 × MPIJob (kubeflow.org/v2beta1), first in jobs.yaml: document 2, line 9"));
}

TEST(RunText, ShowsUtilisationInPercent) {
  RunReport report = Report({Finished("a")});
  report.utilisation = {{"cpu", 32'000, 0.5, 0.75, {0.75, 0.25}}};
  EXPECT_THAT(ToText(report, {}), HasSubstr("cpu        32 CPU  50 %  75 %  ▆▂"));
}

TEST(RunText, ListsEveryPodOnlyWhenAsked) {
  GroupRow row = Finished("a");
  row.placements = {{"a/0", "n1", {seconds(5), seconds(65)}}};
  EXPECT_THAT(ToText(Report({row}), {}), Not(HasSubstr("a/0")));
  EXPECT_THAT(ToText(Report({row}), {.placements = true}), HasSubstr("a/0  n1"));
}

TEST(RunText, HasNoColoursUnlessAsked) {
  EXPECT_THAT(ToText(Report({Finished("a"), Never("b", "why")}), {}), Not(HasSubstr("\x1b")));
}

TEST(Totals, CountMakespanFromTheFirstSubmitToTheLastEnd) {
  GroupRow early = Finished("a");
  GroupRow late = Finished("b");
  late.submit = seconds(30);
  late.end = seconds(100);
  EXPECT_EQ(TotalsOf(Report({early, late})).makespan, seconds(98));
}

}  // namespace
}  // namespace cadre::report
