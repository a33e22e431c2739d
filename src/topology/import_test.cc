#include "topology/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Imported Of(NodeLabels labels, bool by_instance = false) {
  return {.what = "a test", .keys = {"x/rack"}, .labels = std::move(labels), .by_instance = by_instance};
}

TEST(ImportFlagText, IsASourceAndAFile) {
  const Result<ImportFlag> flag = ParseImportFlag("slurm:dir:1/topology.conf");
  ASSERT_TRUE(flag) << flag.error().message;
  EXPECT_EQ(flag->format, "slurm");
  EXPECT_EQ(flag->file, "dir:1/topology.conf");
}

TEST(ImportFlagText, OfAnUnknownSourceIsRefusedWithTheNearest) {
  EXPECT_THAT(ParseImportFlag("slurn:x").error().message,
              HasSubstr("--import: \"slurn\" is no source of topology, did you mean slurm?"));
}

TEST(ImportFlagText, WithoutAFileIsRefused) {
  EXPECT_THAT(ParseImportFlag("ec2:").error().message, HasSubstr("--import: ec2 of which file?"));
}

TEST(LabelValues, AreLeftAloneWhereTheyAreValid) {
  Imported imported = Of({{"n", {{"x/rack", "r_1.A-b"}}}});
  MakeLabelValues(imported);
  EXPECT_EQ(imported.labels.at("n").at("x/rack"), "r_1.A-b");
  EXPECT_THAT(imported.notes, IsEmpty());
}

TEST(LabelValues, ReplaceWhatIsNotAllowedAndSaySo) {
  Imported imported = Of({{"n", {{"x/rack", "hall 1/rack#2."}}}});
  MakeLabelValues(imported);
  EXPECT_EQ(imported.labels.at("n").at("x/rack"), "hall-1-rack-2");
  EXPECT_THAT(
      imported.notes,
      ElementsAre("1 name of x/rack changed to be label values: \"hall 1/rack#2.\" is hall-1-rack-2"));
}

TEST(LabelValues, OfTwoNamesStayTwo) {
  Imported imported = Of({{"m", {{"x/rack", "a b"}}}, {"n", {{"x/rack", "a-b"}}}});
  MakeLabelValues(imported);
  EXPECT_EQ(imported.labels.at("n").at("x/rack"), "a-b");
  EXPECT_NE(imported.labels.at("m").at("x/rack"), "a-b");
}

TEST(LabelValues, HaveAtMost63CharactersAndDifferWhereOnlyTheEndsDo) {
  Imported imported =
      Of({{"m", {{"x/rack", std::string(80, 'a') + "1"}}}, {"n", {{"x/rack", std::string(80, 'a') + "2"}}}});
  MakeLabelValues(imported);
  EXPECT_LE(imported.labels.at("m").at("x/rack").size(), 63U);
  EXPECT_NE(imported.labels.at("m").at("x/rack"), imported.labels.at("n").at("x/rack"));
}

TEST(RenamedKeys, TakeThePlaceOfTheOthers) {
  Imported imported = Of({{"n", {{"x/rack", "r"}}}});
  ASSERT_TRUE(RenameKeys(imported, {"y/row"}));
  EXPECT_EQ(imported.labels.at("n"), (kube::StringMap{{"y/row", "r"}}));
}

TEST(RenamedKeys, MustBeAsMany) {
  Imported imported = Of({{"n", {{"x/rack", "r"}}}});
  EXPECT_EQ(RenameKeys(imported, {"a", "b"}).error().message,
            "--levels names 2 levels, but a test has 1: x/rack");
}

const kube::StringMap kR1 = {{"x/rack", "r1"}};

TEST(MatchedNodes, AreFoundByName) {
  const std::vector<NodeIdentity> nodes = {{"n1", "", ""}};
  EXPECT_EQ(MatchNodes(Of({{"n1", kR1}}), nodes).labels, (NodeLabels{{"n1", kR1}}));
}

TEST(MatchedNodes, AreFoundByHostname) {
  const std::vector<NodeIdentity> nodes = {{"node-a", "n1", ""}};
  EXPECT_EQ(MatchNodes(Of({{"n1", kR1}}), nodes).labels, (NodeLabels{{"node-a", kR1}}));
}

TEST(MatchedNodes, AreFoundByTheNameUpToTheDot) {
  const std::vector<NodeIdentity> nodes = {{"n1.example.com", "", ""}};
  EXPECT_EQ(MatchNodes(Of({{"n1", kR1}}), nodes).labels, (NodeLabels{{"n1.example.com", kR1}}));
}

TEST(MatchedNodes, AreNoneWhereTheShortNameFitsSeveral) {
  const std::vector<NodeIdentity> nodes = {{"n1.a.com", "", ""}, {"n1.b.com", "", ""}};
  const Matched matched = MatchNodes(Of({{"n1", kR1}}), nodes);
  EXPECT_THAT(matched.labels, IsEmpty());
  EXPECT_THAT(matched.notes, ElementsAre(HasSubstr("may be several nodes each")));
}

TEST(MatchedNodes, AreFoundByTheInstanceInTheirProviderId) {
  const std::vector<NodeIdentity> nodes = {{"ip-10-0-0-1.ec2.internal", "", "aws:///us-east-2b/i-0e6"}};
  EXPECT_EQ(MatchNodes(Of({{"i-0e6", kR1}}, true), nodes).labels,
            (NodeLabels{{"ip-10-0-0-1.ec2.internal", kR1}}));
}

TEST(MatchedNodes, AreFoundByAnInstanceForAName) {
  const std::vector<NodeIdentity> nodes = {{"i-0e6.us-east-2.compute.internal", "", ""}};
  EXPECT_EQ(MatchNodes(Of({{"i-0e6", kR1}}, true), nodes).labels.size(), 1U);
}

TEST(MatchedNodes, TellWhichHostsAndNodesAreLeft) {
  const std::vector<NodeIdentity> nodes = {{"n2", "", ""}, {"n1", "", ""}};
  const Matched matched = MatchNodes(Of({{"n1", kR1}, {"n3", kR1}}), nodes);
  EXPECT_THAT(matched.unmatched, ElementsAre("n3"));
  EXPECT_THAT(matched.unlabelled, ElementsAre("n2"));
}

TEST(MatchedNodes, TakeTheFirstOfTwoHostsThatAreOneNode) {
  const std::vector<NodeIdentity> nodes = {{"n1.example.com", "n1", ""}};
  const Matched matched = MatchNodes(Of({{"n1", kR1}, {"n1.example.com", {{"x/rack", "r2"}}}}), nodes);
  EXPECT_EQ(matched.labels.at("n1.example.com"), kR1);
  EXPECT_THAT(matched.notes,
              ElementsAre("n1 and n1.example.com are both node n1.example.com: the first is taken"));
}

}  // namespace
}  // namespace cadre::topology
