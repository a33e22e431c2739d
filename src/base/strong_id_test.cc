#include "base/strong_id.h"

#include <type_traits>
#include <unordered_set>

#include <boost/unordered/unordered_flat_map.hpp>
#include <gtest/gtest.h>

namespace cadre {
namespace {

using NodeId = Id<struct NodeTag>;
using PodId = Id<struct PodTag>;

static_assert(!std::is_convertible_v<NodeId, PodId> && !std::is_convertible_v<std::size_t, NodeId>);
static_assert(sizeof(NodeId) == 4);

TEST(Id, MadeWithoutAnIndexIsNotValid) {
  EXPECT_FALSE(NodeId().Valid());
}

TEST(Id, KeepsItsIndex) {
  EXPECT_EQ(NodeId(7).Index(), 7U);
}

TEST(Id, ZeroIsValid) {
  EXPECT_TRUE(NodeId(0).Valid());
}

TEST(Id, NoneSortsAfterAllOthers) {
  EXPECT_LT(NodeId(4'000'000'000), NodeId());
}

TEST(IdDeathTest, AnIndexThatDoesNotFitIsAMistake) {
  EXPECT_DEATH(NodeId(std::size_t{1} << 32U), "does not fit");
}

TEST(Id, IsAKeyOfStandardHashContainers) {
  const std::unordered_set<NodeId> ids = {NodeId(1), NodeId(1), NodeId(2)};
  EXPECT_EQ(ids.size(), 2U);
}

TEST(Id, IsAKeyOfBoostHashContainers) {
  boost::unordered_flat_map<NodeId, int> counts;
  ++counts[NodeId(1)];
  ++counts[NodeId(1)];
  EXPECT_EQ(counts.at(NodeId(1)), 2);
}

}  // namespace
}  // namespace cadre
