// Nodes that the scheduler keeps to (Options::node_selector).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using testing::HasSubstr;

class NodeSelectorTest : public testing::Test {
 protected:
  static Options KeepsToThePool() {
    Options options;
    options.node_selector = {{"pool", "gangs"}};
    return options;
  }
  SchedulerWorld world_{KeepsToThePool()};
};

TEST_F(NodeSelectorTest, AGangRunsOnNodesOfItsSchedulerOnly) {
  world_.AddNode("n1", 8);
  world_.AddNode("n2", 8, "pool: web");
  world_.AddNode("n3", 2, "pool: gangs");
  world_.AddGang("work", 2);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("work-0"), "n3");
  EXPECT_EQ(world_.NodeOf("work-1"), "n3");
}

TEST_F(NodeSelectorTest, APodThatToleratesEverythingKeepsToThemToo) {
  world_.AddNode("n1", 8);
  world_.AddLonePod("any", 1, "schedulerName: cadre, tolerations: [{operator: Exists}], ");
  world_.Run();
  EXPECT_EQ(world_.NodeOf("any"), "");
}

TEST_F(NodeSelectorTest, WhyAGroupHasNoPlaceNamesTheNodesThatAreLeftOut) {
  world_.AddNode("n1", 8);
  world_.AddNode("n3", 2, "pool: gangs");
  world_.AddGang("work", 3);
  world_.Run();
  EXPECT_THAT(world_.ReasonOf("work"), HasSubstr("1 is outside the scheduler's nodes (pool=gangs)"));
}

TEST_F(NodeSelectorTest, ANodeThatGetsTheLabelIsUsed) {
  world_.AddNode("n1", 8);
  world_.AddGang("work", 2);
  world_.Run();
  ASSERT_EQ(world_.CountBound(), 0);
  world_.Change(kube::Kind::kNode, "n1", R"({"metadata":{"labels":{"pool":"gangs"}}})");
  world_.Run();
  EXPECT_EQ(world_.CountBound(), 2);
}

TEST_F(NodeSelectorTest, PodsThatRunOnANodeThatLosesTheLabelStayMembers) {
  world_.AddNode("n1", 2, "pool: gangs");
  world_.AddGang("work", 2);
  world_.Run();
  world_.Change(kube::Kind::kNode, "n1", R"({"metadata":{"labels":{"pool":null}}})");
  world_.Run();
  EXPECT_EQ(world_.StateOf("work"), GroupState::kStarted);
  EXPECT_EQ(world_.CountBound(), 2);
}

}  // namespace
}  // namespace cadre::core
