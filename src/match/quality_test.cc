// How good placements are, against the best there is: the fewest nodes that can hold the request.
#include <bit>
#include <cstdint>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "match/match.h"
#include "match/random_case.h"
#include "match/testing.h"

namespace cadre::match {
namespace {

using testing::CaseMaker;
using testing::CaseStyle;
using testing::RandomCase;
using testing::World;

constexpr CaseStyle kResourcesOnly = {.terms = false, .topology = false, .fixed = false, .node_rules = false};

std::size_t NodesUsed(const Placement& placement) {
  std::set<model::NodeId> nodes;
  for (const model::NodeId node : placement.nodes) {
    if (node.Valid()) nodes.insert(node);
  }
  return nodes.size();
}

// All members at once: minimums would let a placement use fewer nodes by placing fewer members.
void WantAll(testing::RandomUnit& unit) {
  unit.minimum = Unit::kAll;
  for (testing::RandomUnit& inner : unit.units)
    WantAll(inner);
}

// The smallest number of the case's nodes on which Match still places it; whether it does is exact
// (brute_force_test).
std::size_t FewestNodes(const RandomCase& made) {
  std::size_t fewest = made.nodes.size();
  for (std::uint32_t subset = 1; subset < (1U << made.nodes.size()); ++subset) {
    const auto size = static_cast<std::size_t>(std::popcount(subset));
    if (size >= fewest) continue;
    RandomCase part = made;
    part.nodes.clear();
    for (std::size_t i = 0; i < made.nodes.size(); ++i) {
      if ((subset >> i & 1U) != 0) part.nodes.push_back(made.nodes[i]);
    }
    World world;
    const Request request = part.Build(world);
    if (Match(world.cluster(), request)) fewest = size;
  }
  return fewest;
}

// docs/placement.md states this bound.
TEST(Quality, AtMostOneNodeMoreThanTheFewest) {
  int compared = 0;
  int optimal = 0;
  for (std::uint64_t seed = 5'000'000; seed < 5'000'600; ++seed) {
    RandomCase made = CaseMaker(seed, kResourcesOnly).Make();
    if (made.nodes.size() > 6) continue;
    WantAll(made.root);
    World world;
    const Request request = made.Build(world);
    const auto placement = Match(world.cluster(), request);
    if (!placement || NodesUsed(*placement) == 0) continue;
    const std::size_t fewest = FewestNodes(made);
    ++compared;
    optimal += NodesUsed(*placement) == fewest ? 1 : 0;
    ASSERT_LE(NodesUsed(*placement), fewest + 1) << "seed " << seed << "\n" << made.Describe();
  }
  EXPECT_GT(compared, 150);
  EXPECT_GE(optimal * 100, compared * 90) << optimal << " of " << compared << " used the fewest nodes";
}

TEST(Quality, AGangOfOneShapeUsesTheFewestNodes) {
  World world;
  for (int i = 0; i < 5; ++i)
    world.Add(testing::MakeNode(fmt::format("n{}", i), i + 1));
  const model::ShapeId shape = world.cluster().InternShape(testing::MakeSpec(1), "default");
  Request request;
  request.root.name = "gang";
  for (int i = 0; i < 9; ++i)
    request.root.members.push_back({.shape = shape, .labels = {}, .fixed = {}, .hint = {}});
  const auto placement = Match(world.cluster(), request);
  ASSERT_TRUE(placement);
  EXPECT_EQ(NodesUsed(*placement), 2U);  // 5 + 4
}

}  // namespace
}  // namespace cadre::match
