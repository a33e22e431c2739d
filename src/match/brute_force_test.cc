// The search against every placement there is, over thousands of random cases with fixed seeds.
#include <gtest/gtest.h>

#include "match/match.h"
#include "match/oracle.h"
#include "match/random_case.h"

namespace cadre::match {
namespace {

using testing::CaseMaker;
using testing::CaseStyle;
using testing::Oracle;
using testing::RandomCase;
using testing::World;

struct Tally {
  int feasible = 0;
  int infeasible = 0;
  int undecided = 0;  // the oracle had too much to try
};

void ExpectSameAnswer(std::uint64_t seed, CaseStyle style, Tally& tally) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  const RandomCase made = CaseMaker(seed, style).Make();
  World world;
  const Request request = made.Build(world);
  const auto placement = Match(world.cluster(), request);
  Oracle oracle(world.cluster(), request);
  if (placement) {
    ++tally.feasible;
    EXPECT_TRUE(oracle.Valid(*placement))
        << fmt::format("{}\n{}", fmt::join(world.Names(*placement), " "), made.Describe());
    return;
  }
  EXPECT_NE(placement.error().kind, No::kGaveUp) << placement.error().message;
  const std::optional<bool> feasible = oracle.Feasible();
  if (!feasible) {
    ++tally.undecided;
    return;
  }
  ++tally.infeasible;
  EXPECT_FALSE(*feasible) << placement.error().message << '\n' << made.Describe();
}

void ExpectSameAnswers(std::uint64_t first_seed, int count, CaseStyle style) {
  Tally tally;
  for (int i = 0; i < count; ++i)
    ExpectSameAnswer(first_seed + static_cast<std::uint64_t>(i), style, tally);
  // Cases of one kind only would prove little.
  EXPECT_GT(tally.feasible, count / 10);
  EXPECT_GT(tally.infeasible, count / 10);
  EXPECT_LT(tally.undecided, count / 100);
  ::testing::Test::RecordProperty("feasible", tally.feasible);
  ::testing::Test::RecordProperty("infeasible", tally.infeasible);
}

TEST(BruteForce, AgreesOnResourcesAndMinimums) {
  ExpectSameAnswers(1'000'000, 1500,
                    {.terms = false, .topology = false, .fixed = false, .node_rules = false});
}

TEST(BruteForce, AgreesOnTopologies) {
  ExpectSameAnswers(2'000'000, 1500, {.terms = false, .fixed = false});
}

TEST(BruteForce, AgreesOnTerms) {
  ExpectSameAnswers(3'000'000, 1500, {.topology = false, .fixed = false});
}

TEST(BruteForce, AgreesOnExclusiveDomains) {
  ExpectSameAnswers(
      6'000'000, 2500,
      {.terms = false, .minimums = false, .fixed = false, .node_rules = false, .exclusive = true});
}

TEST(BruteForce, AgreesOnExclusiveDomainsOfGroupsThatRunInPart) {
  ExpectSameAnswers(6'100'000, 2500, {.terms = false, .node_rules = false, .exclusive = true});
}

TEST(BruteForce, AgreesOnExclusiveDomainsAndTerms) {
  ExpectSameAnswers(6'200'000, 1500, {.exclusive = true});
}

TEST(BruteForce, AgreesOnEverythingTogether) {
  ExpectSameAnswers(4'000'000, 3000, {});
}

struct PreferenceTally {
  int compared = 0;
  int with_cost = 0;  // even the best goes down some ladder
  int undecided = 0;
};

void ExpectLeastCost(std::uint64_t seed, CaseStyle style, PreferenceTally& tally) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  const RandomCase made = CaseMaker(seed, style).Make();
  World world;
  const Request request = made.Build(world);
  Oracle oracle(world.cluster(), request, 200'000);
  if (oracle.PreferringUnits() == 0) return;
  const auto placement = Match(world.cluster(), request);
  if (!placement) {
    EXPECT_NE(oracle.Feasible(), std::optional(true)) << placement.error().message << '\n' << made.Describe();
    return;
  }
  const std::optional<std::int64_t> cost = oracle.CostOf(*placement);
  ASSERT_TRUE(cost) << fmt::format("{}\n{}", fmt::join(world.Names(*placement), " "), made.Describe());
  const std::optional<std::int64_t> least = oracle.LeastCost();
  if (!least) {
    ++tally.undecided;
    return;
  }
  ++tally.compared;
  tally.with_cost += *least > 0 ? 1 : 0;
  EXPECT_EQ(*cost, *least) << fmt::format("{}\n{}", fmt::join(world.Names(*placement), " "), made.Describe());
}

void ExpectLeastCosts(std::uint64_t first_seed, int count, CaseStyle style) {
  PreferenceTally tally;
  for (int i = 0; i < count; ++i)
    ExpectLeastCost(first_seed + static_cast<std::uint64_t>(i), style, tally);
  EXPECT_GT(tally.compared, count / 6);
  EXPECT_GT(tally.with_cost, count / 40);
  EXPECT_LT(tally.undecided, count / 50);
  ::testing::Test::RecordProperty("compared", tally.compared);
  ::testing::Test::RecordProperty("with_cost", tally.with_cost);
}

TEST(BruteForce, PreferencesCostTheLeastThatIsPossible) {
  ExpectLeastCosts(7'000'000, 2000,
                   {.terms = false, .fixed = false, .node_rules = false, .preferred = true, .small = true});
}

TEST(BruteForce, PreferencesCostTheLeastBesideExclusiveDomainsAndMinimums) {
  ExpectLeastCosts(7'100'000, 2500, {.terms = false, .exclusive = true, .preferred = true, .small = true});
}

}  // namespace
}  // namespace cadre::match
