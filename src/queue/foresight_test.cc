#include "queue/foresight.h"

#include <algorithm>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "match/testing.h"

namespace cadre::queue {
namespace {

using match::testing::kRack;
using match::testing::MakeNode;
using match::testing::MakeSpec;
using match::testing::Whole;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

Time At(int seconds) {
  return Time(std::chrono::seconds(1'800'000'000 + seconds));
}

class ForesightTest : public testing::Test {
 protected:
  // A pod of so many CPUs that leaves then.
  void Runs(const std::string& name, const std::string& node, int cpus, int until) {
    Departure departure;
    departure.at = At(until);
    departure.who = name;
    departure.pods = {world_.Run(name, node, MakeSpec(cpus))};
    departures_.push_back(std::move(departure));
    Sort(departures_);
  }
  std::optional<Foresight> Ask(const match::Request& request) {
    match::Finder finder(world_.cluster());
    return Foresee(world_.cluster(), request, departures_, finder, searches_);
  }
  // "at 30 on n1 n2"
  std::string When(const match::Request& request) {
    const auto foresight = Ask(request);
    if (!foresight) return "unknown";
    return fmt::format("at {} on {}",
                       std::chrono::duration_cast<std::chrono::seconds>(foresight->at - At(0)).count(),
                       fmt::join(world_.Names(foresight->placement), " "));
  }
  std::vector<std::string> NearestTo(const match::Request& request) {
    match::Finder finder(world_.cluster());
    const auto nearest = FindNearest(world_.cluster(), request, finder, searches_);
    return nearest ? world_.Names(nearest->placement) : std::vector<std::string>{"none"};
  }
  void AddRacks(int racks, int nodes, int cpus) {
    for (int rack = 0; rack < racks; ++rack) {
      for (int node = 0; node < nodes; ++node)
        world_.Add(MakeNode(fmt::format("r{}n{}", rack, node), cpus,
                            {{std::string(kRack), fmt::format("r{}", rack)}}));
    }
  }
  match::Request InOneRack(std::size_t count, int cpus) {
    match::Unit unit = world_.Role(count, MakeSpec(cpus));
    unit.topology.required = std::string(kRack);
    return Whole(std::move(unit));
  }

  match::testing::World world_;
  std::vector<Departure> departures_;
  std::uint64_t searches_ = 0;
};

TEST_F(ForesightTest, ItStartsWhenEnoughHaveLeft) {
  world_.Add(MakeNode("n1", 4));
  Runs("a", "n1", 2, 10);
  Runs("b", "n1", 2, 20);
  EXPECT_EQ(When(Whole(world_.Role(1, MakeSpec(2)))), "at 10 on n1");
  EXPECT_EQ(When(Whole(world_.Role(1, MakeSpec(3)))), "at 20 on n1");
}

TEST_F(ForesightTest, WhoRunsForEverIsNotWaitedFor) {
  world_.Add(MakeNode("n1", 4));
  world_.Run("service", "n1", MakeSpec(2));
  Runs("a", "n1", 2, 10);
  EXPECT_EQ(When(Whole(world_.Role(1, MakeSpec(3)))), "unknown");
}

// The sums would allow it at 10, the racks only at 30.
TEST_F(ForesightTest, AGroupInOneRackWaitsForARackAndNotForASum) {
  AddRacks(2, 2, 2);
  Runs("a", "r0n0", 2, 10);
  Runs("b", "r1n0", 2, 10);
  Runs("c", "r0n1", 2, 30);
  Runs("d", "r1n1", 2, 40);
  EXPECT_EQ(When(InOneRack(2, 2)), "at 30 on r0n0 r0n1");
}

TEST_F(ForesightTest, ClaimsOfThoseWhoLeaveEnd) {
  AddRacks(1, 2, 2);
  Runs("a", "r0n0", 1, 10);
  departures_.front().tenants = "other";
  world_.cluster().SetClaim(
      {.holder = {"other", ""}, .key = std::string(kRack), .path = {"", "", "r0"}, .text = "other"});
  match::Request request = Whole(world_.Role(2, MakeSpec(2)));
  request.group = "mine";
  EXPECT_EQ(When(request), "at 10 on r0n0 r0n1");
}

TEST_F(ForesightTest, TheClusterIsAsBefore) {
  world_.Add(MakeNode("n1", 4));
  Runs("a", "n1", 4, 10);
  const std::string before = world_.cluster().Fingerprint();
  Ask(Whole(world_.Role(1, MakeSpec(3))));
  EXPECT_EQ(world_.cluster().Fingerprint(), before);
}

TEST_F(ForesightTest, NothingIsSearchedBeforeTheSumsAllowAStart) {
  world_.Add(MakeNode("n1", 100));
  for (int i = 0; i < 100; ++i)
    Runs(fmt::format("p{}", i), "n1", 1, 10 + i);
  EXPECT_EQ(When(Whole(world_.Role(1, MakeSpec(90)))), "at 99 on n1");
  EXPECT_EQ(searches_, 1U);
}

TEST_F(ForesightTest, TheSearchesGrowWithTheLogarithmOfTheInstants) {
  AddRacks(64, 2, 1);
  // Each rack keeps one node busy for longer than any other rack keeps its first.
  for (int rack = 0; rack < 64; ++rack) {
    Runs(fmt::format("a{}", rack), fmt::format("r{}n0", rack), 1, 10 + rack);
    Runs(fmt::format("b{}", rack), fmt::format("r{}n1", rack), 1, 200 + rack);
  }
  EXPECT_EQ(When(InOneRack(2, 1)), "at 200 on r0n0 r0n1");
  EXPECT_LE(searches_, 2 * 7 + 1U);
}

// Against looking at every instant, one after the other.
TEST_F(ForesightTest, IsTheFirstInstantInRandomClusters) {
  int later_than_first = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    world_ = {};
    departures_.clear();
    AddRacks(3, 2, 3);
    for (int i = 0; i < 10; ++i) {
      const std::string node = fmt::format("r{}n{}", random.Uniform(3), random.Uniform(2));
      const int cpus = static_cast<int>(random.Between(1, 2));
      if (world_.cluster().node(world_.Id(node)).Free(model::ResourceNames::kCpu) < 1000 * cpus) continue;
      Runs(fmt::format("p{}", i), node, cpus, static_cast<int>(random.Between(1, 8)));
    }
    const match::Request request =
        random.Chance(0.5) ? InOneRack(static_cast<std::size_t>(random.Between(1, 4)), 2)
                           : Whole(world_.Role(static_cast<std::size_t>(random.Between(1, 6)), MakeSpec(2)));
    std::string expected = "unknown";
    for (std::size_t left = 1; left <= departures_.size() && expected == "unknown"; ++left) {
      if (left < departures_.size() && departures_[left].at == departures_[left - 1].at) continue;
      model::Hypothesis then(world_.cluster());
      Leave(then, std::span(departures_).first(left));
      if (match::Place(then.cluster(), request)) expected = FormatRfc3339(departures_[left - 1].at);
      later_than_first += left > 1 && expected != "unknown" ? 1 : 0;
    }
    const auto foresight = Ask(request);
    ASSERT_EQ(foresight ? FormatRfc3339(foresight->at) : "unknown", expected) << "seed " << seed;
  }
  EXPECT_GT(later_than_first, 50);  // or nothing was tested
}

// --- where nobody knows when

TEST_F(ForesightTest, TheNearestNodesAreThoseWithTheMostRoom) {
  for (const char* name : {"n1", "n2", "n3"})
    world_.Add(MakeNode(name, 1));
  world_.Run("a", "n1", MakeSpec(1));
  world_.Run("b", "n2", MakeSpec(1));
  EXPECT_THAT(NearestTo(Whole(world_.Role(2, MakeSpec(1)))), UnorderedElementsAre("n1", "n3"));
}

TEST_F(ForesightTest, TheNearestRackIsTheOneWithTheMostRoom) {
  AddRacks(2, 2, 1);
  world_.Run("a", "r0n0", MakeSpec(1));
  world_.Run("b", "r0n1", MakeSpec(1));
  world_.Run("c", "r1n0", MakeSpec(1));
  EXPECT_THAT(NearestTo(InOneRack(2, 1)), ElementsAre("r1n0", "r1n1"));
}

TEST_F(ForesightTest, PodsOfDaemonSetsDoNotLeave) {
  world_.Add(MakeNode("n1", 2));
  world_.Add(MakeNode("n2", 2));
  world_.RunDaemon("agent", "n1", MakeSpec(1));
  world_.Run("a", "n2", MakeSpec(2));
  EXPECT_THAT(NearestTo(Whole(world_.Role(1, MakeSpec(2)))), ElementsAre("n2"));
}

TEST_F(ForesightTest, WhatNoNodeCouldHoldIsNearNothing) {
  world_.Add(MakeNode("n1", 2));
  EXPECT_THAT(NearestTo(Whole(world_.Role(1, MakeSpec(3)))), ElementsAre("none"));
}

TEST_F(ForesightTest, MembersWithoutRoomAreCounted) {
  world_.Add(MakeNode("n1", 3));
  world_.Run("a", "n1", MakeSpec(2));
  const match::Request request = Whole(world_.Role(3, MakeSpec(1)));
  EXPECT_EQ(CountLacking(world_.cluster(), request, {{world_.Id("n1"), world_.Id("n1"), world_.Id("n1")}}),
            2);
}

}  // namespace
}  // namespace cadre::queue
