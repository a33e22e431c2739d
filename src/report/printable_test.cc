#include "report/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run_text.h"

namespace cadre::report {
namespace {

constexpr const char* kHostile = "x\x1b[2J\ny";
constexpr const char* kShown = "x\\x1b[2J\\ny";

// A report in which every text is hostile.
RunReport Hostile() {
  RunReport report;
  GroupRow row;
  row.namespace_ = row.name = row.kind = row.reason = row.outcome = kHostile;
  row.nodes = {kHostile};
  row.domains[kHostile] = {kHostile};
  row.start = row.end = std::chrono::seconds(1);
  row.placements = {{.member = kHostile, .node = kHostile, .span = {}}};
  report.groups = {row};
  report.end = std::chrono::seconds(10);
  report.cluster = {.nodes = 1, .domains = {{kHostile, 1}}};
  report.utilisation = {{.resource = kHostile, .over_time = {1}}};
  report.levels = {kHostile};
  report.nodes = {{.name = kHostile, .path = {kHostile}, .allocatable = {{kHostile, 1}}}};
  report.background = row.placements;
  report.claims = {{.key = kHostile, .path = {kHostile}, .group = kHostile, .span = {}}};
  report.unknown_kinds = {
      {.api_version = kHostile, .kind = kHostile, .count = 1, .first = kHostile, .instead = kHostile}};
  report.violations = report.problems = report.notes = {kHostile};
  return report;
}

TEST(PrintableReport, WritesOutControlCharactersOfKeysAndValues) {
  const RunReport report = PrintableReport(Hostile());
  EXPECT_EQ(report.groups[0].domains, (std::map<std::string, std::vector<std::string>>{{kShown, {kShown}}}));
  EXPECT_EQ(report.nodes[0].path[0], kShown);
  EXPECT_EQ(report.claims[0].group, kShown);
  EXPECT_EQ(report.background[0].member, kShown);
}

TEST(ToText, HasNoControlCharactersButItsOwnLineEnds) {
  const std::string text =
      ToText(Hostile(), {.width = 300, .colours = false, .gantt = true, .placements = true});
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("\x1b")));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("\ny")));
}

}  // namespace
}  // namespace cadre::report
