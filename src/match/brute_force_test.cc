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

TEST(BruteForce, AgreesOnEverythingTogether) {
  ExpectSameAnswers(4'000'000, 3000, {});
}

}  // namespace
}  // namespace cadre::match
