#include "match/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "match/testing.h"

namespace cadre::match {
namespace {

using ::testing::ElementsAre;
using testing::kRack;
using testing::kZone;
using testing::MakeNode;
using testing::MakeSpec;
using testing::World;

class NeighboursTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, const std::string& zone, const std::string& rack, std::int64_t cpus = 1) {
    world_.Add(MakeNode(name, cpus, {{std::string(kZone), zone}, {std::string(kRack), rack}}));
  }
  double Distance(const std::vector<std::string>& names) const {
    std::vector<model::NodeId> nodes;
    for (const std::string& name : names)
      nodes.push_back(world_.Id(name));
    return NeighbourDistance(world_.cluster(), nodes);
  }

  World world_;
};

TEST_F(NeighboursTest, OneRackIsFilledBeforeTheNextWhateverTheNodesAreCalled) {
  Add("a", "z1", "r1");
  Add("b", "z2", "r3");
  Add("c", "z1", "r2");
  Add("d", "z1", "r1");
  Add("e", "z2", "r3");
  Add("f", "z1", "r2");
  EXPECT_THAT(world_.Place({world_.Role(6, MakeSpec(1))}), ElementsAre("a", "d", "c", "f", "b", "e"));
}

TEST_F(NeighboursTest, MembersOfOneNodeStayTogether) {
  Add("a", "z1", "r1", 2);
  Add("b", "z1", "r2", 2);
  Add("c", "z1", "r1", 2);
  EXPECT_THAT(world_.Place({world_.Role(6, MakeSpec(1))}), ElementsAre("a", "a", "c", "c", "b", "b"));
}

TEST_F(NeighboursTest, TheDistanceIsTheLevelsBetweenConsecutiveMembers) {
  Add("a", "z1", "r1");
  Add("b", "z1", "r1");
  Add("c", "z1", "r2");
  Add("d", "z2", "r1");
  EXPECT_EQ(Distance({"a", "a"}), 0);
  EXPECT_EQ(Distance({"a", "b"}), 1);
  EXPECT_EQ(Distance({"a", "c"}), 2);
  EXPECT_EQ(Distance({"a", "d"}), 3);  // a rack of the same name in another zone
  EXPECT_EQ(Distance({"a", "b", "c"}), 1.5);
  EXPECT_EQ(Distance({"a"}), 0);
}

TEST_F(NeighboursTest, NodesWithoutPlacesAreOneNodeApart) {
  world_.Add(MakeNode("x", 1));
  world_.Add(MakeNode("y", 1));
  EXPECT_EQ(Distance({"x", "y"}), 1);
  EXPECT_THAT(world_.Place({world_.Role(2, MakeSpec(1))}), ElementsAre("x", "y"));
}

}  // namespace
}  // namespace cadre::match
