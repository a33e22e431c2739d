#include "report/html_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using ::testing::ElementsAre;
using testing_html::Ran;
using testing_html::Small;

// Each node a unit.
std::vector<UnitLoad> ByNode(const RunReport& report, std::size_t slices) {
  const std::vector<std::size_t> units = {0, 1, 2, 3};
  const std::vector<std::size_t> parents(4, kNoUnit);
  return LoadsOf(report, units, parents, slices);
}

TEST(HtmlLoad, IsRequestedOfAllocatableInEachSlice) {
  const RunReport report = Small({Ran("a", 0, 0, 50, {"n1"})});
  EXPECT_THAT(ByNode(report, 4)[0].slices, ElementsAre(0.5, 0.5, 0, 0));
}

TEST(HtmlLoad, SharesASliceInWhichAPodEnds) {
  EXPECT_DOUBLE_EQ(ByNode(Small({Ran("a", 0, 0, 25, {"n1"})}), 2)[0].slices[0], 0.25);
}

TEST(HtmlLoad, HasItsMeanOverTheWholeRun) {
  EXPECT_DOUBLE_EQ(ByNode(Small({Ran("a", 0, 0, 50, {"n1"})}), 4)[0].mean, 0.25);
}

TEST(HtmlLoad, DoesNotAddUpPodsOfWhichOneComesAsTheOtherGoes) {
  const RunReport report = Small({Ran("a", 0, 0, 50, {"n1"}), Ran("b", 0, 50, 100, {"n1"})});
  EXPECT_DOUBLE_EQ(ByNode(report, 4)[0].peak, 0.5);
}

TEST(HtmlLoad, TakesTheScarcestResource) {
  RunReport report = Small({Ran("a", 0, 0, 100, {"n1"})});
  report.nodes[0].allocatable["nvidia.com/gpu"] = 8;
  report.shapes[0]["nvidia.com/gpu"] = 6;
  EXPECT_DOUBLE_EQ(ByNode(report, 4)[0].mean, 0.75);
}

TEST(HtmlLoad, OfADomainIsThatOfItsNodesTogether) {
  const RunReport report = Small({Ran("a", 0, 0, 100, {"n1"})});
  const std::vector<std::size_t> units = {1, 2, 0, 0};
  const std::vector<std::size_t> parents = {kNoUnit, 0, 0};
  EXPECT_DOUBLE_EQ(LoadsOf(report, units, parents, 2)[0].mean, 0.125);
  EXPECT_DOUBLE_EQ(LoadsOf(report, units, parents, 2)[0].peak, 0.125);
}

TEST(HtmlLoad, CountsPodsThatBelongToNoGroup) {
  RunReport report = Small({});
  report.background = {{"static", "n2", {Duration(0), std::nullopt}, 0}};
  EXPECT_DOUBLE_EQ(ByNode(report, 1)[1].mean, 0.5);
}

TEST(HtmlLoad, LooksPastPodsOnNodesThatItDoesNotKnow) {
  const RunReport report = Small({Ran("a", 0, 0, 100, {"elsewhere"})});
  EXPECT_DOUBLE_EQ(ByNode(report, 1)[0].mean, 0);
}

}  // namespace
}  // namespace cadre::report
