#include "topology/levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kR = "topology.kubernetes.io/region";
const std::string kZ = "topology.kubernetes.io/zone";
const std::string kBlock = "cloud.google.com/gce-topology-block";
const std::string kSubblock = "cloud.google.com/gce-topology-subblock";
const std::string kGceHost = "cloud.google.com/gce-topology-host";
const std::string kHost = "kubernetes.io/hostname";

std::string ErrorOf(std::string_view flag) {
  const Result<Levels> levels = Levels::Parse(flag);
  return levels ? "" : levels.error().message;
}

TEST(WellKnownPath, OfARegionIsTheRegion) {
  EXPECT_THAT(Levels().PathOf(kR), ElementsAre(kR));
}

TEST(WellKnownPath, OfAZoneIsInItsRegion) {
  EXPECT_THAT(Levels().PathOf(kZ), ElementsAre(kR, kZ));
}

TEST(WellKnownPath, OfARackIsInItsZone) {
  EXPECT_THAT(Levels().PathOf(kRack), ElementsAre(kR, kZ, "topology.kubernetes.io/rack"));
}

TEST(WellKnownPath, FollowsTheFamilyOfTheKey) {
  EXPECT_THAT(Levels().PathOf(kGceHost), ElementsAre(kR, kZ, kBlock, kSubblock, kGceHost));
}

TEST(WellKnownPath, OfAHostIsItsNameAlone) {
  EXPECT_THAT(Levels().PathOf(kHost), ElementsAre(kHost));
}

TEST(WellKnownPath, OfANodePoolIsItsNameAloneForItMaySpanZones) {
  EXPECT_THAT(Levels().PathOf("karpenter.sh/nodepool"), ElementsAre("karpenter.sh/nodepool"));
}

TEST(WellKnownPath, OfAKeyThatNobodyKnowsIsInTheZone) {
  EXPECT_THAT(Levels().PathOf("example.com/row"), ElementsAre(kR, kZ, "example.com/row"));
}

TEST(WellKnownCoarser, GoesUpTheFamilyNearestFirst) {
  EXPECT_THAT(Levels().Coarser(kSubblock), ElementsAre(kBlock, kZ, kR));
}

TEST(WellKnownCoarser, OfAHostIsItsZoneAndRegion) {
  EXPECT_THAT(Levels().Coarser(kHost), ElementsAre(kZ, kR));
}

TEST(WellKnownCoarser, OfARegionIsNothing) {
  EXPECT_THAT(Levels().Coarser(kR), IsEmpty());
}

TEST(WellKnownFiner, GoesDownTheFamilyToTheHost) {
  EXPECT_THAT(Levels().Finer(kBlock), ElementsAre(kSubblock, kGceHost, kHost));
}

TEST(WellKnownFiner, OfARegionBeginsWithTheZone) {
  EXPECT_EQ(Levels().Finer(kR).front(), kZ);
}

TEST(WellKnownFiner, OfAHostIsNothing) {
  EXPECT_THAT(Levels().Finer(kHost), IsEmpty());
}

TEST(ParseLevels, ReadsShortNames) {
  const Result<Levels> levels = Levels::Parse("zone,rack,host");
  ASSERT_TRUE(levels) << levels.error().message;
  EXPECT_THAT(levels->Keys(), ElementsAre(kZ, "topology.kubernetes.io/rack", kHost));
}

TEST(ParseLevels, ReadsFullKeysAndBlanks) {
  const Result<Levels> levels = Levels::Parse(" example.com/hall , example.com/row");
  ASSERT_TRUE(levels) << levels.error().message;
  EXPECT_THAT(levels->Keys(), ElementsAre("example.com/hall", "example.com/row"));
}

TEST(ParseLevels, ReadsAKeyWithoutASlashWhenMarked) {
  const Result<Levels> levels = Levels::Parse("label:row");
  ASSERT_TRUE(levels) << levels.error().message;
  EXPECT_THAT(levels->Keys(), ElementsAre("row"));
}

TEST(ParseLevels, EveryShortNameReadsBack) {
  for (const std::string& key : Levels().Keys()) {
    const Result<Levels> levels = Levels::Parse(ShortName(key));
    ASSERT_TRUE(levels) << ShortName(key) << ": " << levels.error().message;
    EXPECT_THAT(levels->Keys(), ElementsAre(key));
  }
}

TEST(ParseLevels, AnErrorNamesTheFlagTheItemAndWhatIsNear) {
  EXPECT_THAT(ErrorOf("zone,rak"), StartsWith("--topology: \"rak\" is no level, did you mean rack?"));
}

TEST(ParseLevels, AShortNameOfSeveralKeysListsThem) {
  EXPECT_THAT(ErrorOf("block"), HasSubstr("may be cloud.google.com/gce-topology-block or "
                                          "network.topology.nvidia.com/block or cadre.dev/block"));
}

TEST(ParseLevels, RefusesAnEmptyItem) {
  EXPECT_THAT(ErrorOf("zone,,rack"), HasSubstr("an item is empty"));
}

TEST(ParseLevels, RefusesALevelTwice) {
  EXPECT_THAT(ErrorOf("zone,topology.kubernetes.io/zone"), HasSubstr("is listed twice"));
}

TEST(ParseLevels, RefusesFineBeforeCoarse) {
  EXPECT_THAT(ErrorOf("rack,zone"), HasSubstr("topology.kubernetes.io/zone is listed after "
                                              "topology.kubernetes.io/rack, which is finer"));
}

TEST(ParseLevels, RefusesAnythingBelowTheHost) {
  EXPECT_THAT(ErrorOf("host,example.com/socket"), HasSubstr("after kubernetes.io/hostname, which is finer"));
}

TEST(ParseLevels, RefusesWhatIsNoLabelKey) {
  EXPECT_THAT(ErrorOf("example.com/a b"), HasSubstr("\"example.com/a b\" is not a label key"));
}

TEST(ParseLevels, RefusesMoreLevelsThanAnyoneHas) {
  std::string flag = "a.b/k0";
  for (std::size_t i = 1; i <= kMostLevels; ++i)
    flag += ",a.b/k" + std::to_string(i);
  EXPECT_THAT(ErrorOf(flag), HasSubstr("more than 16 levels"));
}

class GivenLevels : public ::testing::Test {
 protected:
  Levels levels_ = Levels::Given({"x/hall", "x/row", std::string(kHostname)});
};

TEST_F(GivenLevels, PathIsThePrefix) {
  EXPECT_THAT(levels_.PathOf("x/row"), ElementsAre("x/hall", "x/row"));
}

TEST_F(GivenLevels, PathOfAHostInTheListIsThePrefixToo) {
  EXPECT_THAT(levels_.PathOf(kHost), ElementsAre("x/hall", "x/row", kHost));
}

TEST_F(GivenLevels, PathOfAKeyOutsideTheListIsTheWellKnownOne) {
  EXPECT_THAT(levels_.PathOf(kSubblock), ElementsAre(kR, kZ, kBlock, kSubblock));
}

TEST_F(GivenLevels, CoarserIsNearestFirst) {
  EXPECT_THAT(levels_.Coarser(kHost), ElementsAre("x/row", "x/hall"));
}

TEST_F(GivenLevels, FinerIsNearestFirst) {
  EXPECT_THAT(levels_.Finer("x/hall"), ElementsAre("x/row", kHost));
}

TEST_F(GivenLevels, AKeyOutsideTheListHasNoCoarserLevels) {
  EXPECT_THAT(levels_.Coarser(kZ), IsEmpty());
}

}  // namespace
}  // namespace cadre::topology
