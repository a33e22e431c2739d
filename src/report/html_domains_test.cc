#include "report/html_domains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using ::testing::ElementsAre;
using testing_html::kRack;
using testing_html::Node;
using testing_html::Small;

std::vector<std::string> NamesOf(const DomainTree& tree, const std::vector<std::size_t>& units) {
  std::vector<std::string> names;
  for (const std::size_t unit : units)
    names.push_back(tree.all[unit].name);
  return names;
}

RunReport Flat(std::size_t nodes) {
  RunReport report;
  report.end = std::chrono::seconds(1);
  for (std::size_t i = 0; i < nodes; ++i)
    report.nodes.push_back(Node(fmt::format("n{}", i), {}));
  return report;
}

TEST(NaturalLess, ComparesNumbersAsNumbers) {
  EXPECT_TRUE(NaturalLess("rack-2", "rack-10"));
  EXPECT_FALSE(NaturalLess("rack-10", "rack-2"));
}

TEST(NaturalLess, TellsLeadingZerosApart) {
  EXPECT_TRUE(NaturalLess("n01", "n1") != NaturalLess("n1", "n01"));
}

TEST(HtmlDomains, RacksOfOneNameInTwoZonesAreTwo) {
  const DomainTree tree = TreeOf(Small({}), 100);
  ASSERT_THAT(NamesOf(tree, tree.all[0].children), ElementsAre("a", "b"));
  const std::size_t rack_of_a = tree.all[tree.all[0].children[0]].children[0];
  EXPECT_EQ(tree.all[rack_of_a].level, kRack);
  EXPECT_THAT(NamesOf(tree, tree.all[rack_of_a].children), ElementsAre("n1", "n2"));
}

TEST(HtmlDomains, ANodeWithoutALabelStandsInTheDomainAbove) {
  RunReport report = Small({});
  report.nodes[3].path = {"b", ""};
  const DomainTree tree = TreeOf(report, 100);
  EXPECT_THAT(NamesOf(tree, tree.all[tree.all[0].children[1]].children), ElementsAre("1", "n4"));
}

TEST(HtmlDomains, TooManyNodesAreShownAsTheirDomains) {
  const DomainTree tree = TreeOf(Small({}), 3);
  EXPECT_FALSE(tree.shows_nodes);
  EXPECT_EQ(tree.all[tree.unit_of_node[2]].level, kRack);
  EXPECT_EQ(tree.all[tree.unit_of_node[2]].nodes, 2U);
}

TEST(HtmlDomains, TooManyNodesWithoutLabelsAreShownAsRuns) {
  const DomainTree tree = TreeOf(Flat(10), 4);
  EXPECT_THAT(NamesOf(tree, tree.all[0].children), ElementsAre("n0 … n2", "n3 … n5", "n6 … n8", "n9 … n9"));
}

TEST(HtmlDomains, ParentsComeBeforeTheirChildren) {
  const std::vector<std::size_t> parents = TreeOf(Small({}), 100).Parents();
  for (std::size_t i = 1; i < parents.size(); ++i)
    EXPECT_LT(parents[i], i);
}

TEST(HtmlDivision, TakesTheFinestLevelThatFits) {
  EXPECT_EQ(DivideByDomain(Small({}), 10).title, "rack");
}

TEST(HtmlDivision, DoesNotTakeALevelWithOneDomainOnly) {
  RunReport report = Small({});
  for (NodeRow& node : report.nodes)
    node.path = {"a", "1"};
  EXPECT_TRUE(DivideByDomain(report, 10).parts.empty());
}

TEST(HtmlDivision, ByNodeEndsWhereThereAreTooMany) {
  EXPECT_EQ(DivideByNode(Flat(4), 4).parts.size(), 4U);
  EXPECT_TRUE(DivideByNode(Flat(5), 4).parts.empty());
}

}  // namespace
}  // namespace cadre::report
