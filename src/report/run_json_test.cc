#include "report/run_json.h"

#include <gtest/gtest.h>

namespace cadre::report {
namespace {

using std::chrono::seconds;

RunReport Waiting() {
  GroupRow row;
  row.namespace_ = "ml";
  row.name = "train";
  row.kind = "JobSet";
  row.members = 9;
  row.submit = Duration(1'500);
  row.reason = "needs 9 × (4 CPU); 7 fit now";
  RunReport report;
  report.groups = {row};
  return report;
}

const json::object& FirstGroup(const json::object& report) {
  return report.at("groups").as_array().at(0).as_object();
}

TEST(RunJson, HasTheKeysThatTheManualPromises) {
  const json::object report = ToJson(Waiting());
  for (const char* key : {"name", "namespace", "kind", "members", "state", "submit_s", "start_s", "end_s",
                          "reason", "nodes", "domains"})
    EXPECT_TRUE(FirstGroup(report).contains(key)) << key;
  EXPECT_TRUE(report.at("totals").is_object());
  EXPECT_TRUE(report.at("violations").as_array().empty());
}

TEST(RunJson, GivesSecondsAsNumbers) {
  EXPECT_EQ(FirstGroup(ToJson(Waiting())).at("submit_s"), 1.5);
}

TEST(RunJson, GivesNullForWhatHasNotHappened) {
  EXPECT_TRUE(FirstGroup(ToJson(Waiting())).at("start_s").is_null());
}

TEST(RunJson, NamesTheState) {
  EXPECT_EQ(FirstGroup(ToJson(Waiting())).at("state"), "pending");
}

TEST(RunJson, ListsDomainsByLabelKey) {
  RunReport report = Waiting();
  report.groups[0].domains = {{"topology.kubernetes.io/rack", {"r1"}}};
  EXPECT_EQ(FirstGroup(ToJson(report)).at("domains"),
            json::parse(R"({"topology.kubernetes.io/rack": ["r1"]})"));
}

TEST(RunJson, CountsGroupsByState) {
  EXPECT_EQ(ToJson(Waiting()).at("totals").at("pending"), 1);
}

}  // namespace
}  // namespace cadre::report
