#include "groups/annotations.h"

#include <gtest/gtest.h>

#include "groups/catalog.h"

namespace cadre::groups {
namespace {

kube::StringMap With(std::string_view key, std::string value) {
  return {{std::string(key), std::move(value)}};
}

TEST(GangMode, IsUnsetWithoutTheAnnotation) {
  EXPECT_EQ(ReadGangMode({}, {}), GangMode::kUnset);
}

TEST(GangMode, ReadsItsFourValues) {
  EXPECT_EQ(ReadGangMode(With(kGangAnnotation, "job"), {}), GangMode::kJob);
  EXPECT_EQ(ReadGangMode(With(kGangAnnotation, "replicatedjob"), {}), GangMode::kReplicatedJob);
  EXPECT_EQ(ReadGangMode(With(kGangAnnotation, "jobset"), {}), GangMode::kJobSet);
  EXPECT_EQ(ReadGangMode(With(kGangAnnotation, "none"), {}), GangMode::kNone);
}

TEST(GangMode, IsReadFromThePodTemplateToo) {
  EXPECT_EQ(ReadGangMode({}, With(kGangAnnotation, "job")), GangMode::kJob);
}

TEST(GangMode, OfTheOwnerWins) {
  EXPECT_EQ(ReadGangMode(With(kGangAnnotation, "none"), With(kGangAnnotation, "job")), GangMode::kNone);
}

TEST(GangMode, AValueItDoesNotKnowIsAsIfItWereNotThere) {
  EXPECT_EQ(ReadGangMode(With(kGangAnnotation, "Job"), With(kGangAnnotation, "none")), GangMode::kNone);
}

TEST(MinAvailable, IsAWholeNumberAboveZero) {
  EXPECT_EQ(ReadMinAvailable(With(kMinAvailableAnnotation, "3"), {}), 3);
}

TEST(MinAvailable, AnythingElseIsAsIfItWereNotThere) {
  for (const char* text : {"", "0", "-1", "3.5", "3x", " 3", "99999999999", "all"}) {
    EXPECT_EQ(ReadMinAvailable(With(kMinAvailableAnnotation, text), {}), std::nullopt) << '"' << text << '"';
  }
}

TEST(MinAvailable, OfTheOwnerWins) {
  EXPECT_EQ(ReadMinAvailable(With(kMinAvailableAnnotation, "3"), With(kMinAvailableAnnotation, "5")), 3);
}

TEST(RequiredTopology, IsTheOwnersElseTheTemplates) {
  EXPECT_EQ(ReadTopology(With(kRequiredTopologyAnnotation, "rack"), With(kRequiredTopologyAnnotation, "zone"))
                .required,
            "rack");
  EXPECT_EQ(ReadTopology({}, With(kRequiredTopologyAnnotation, "zone")).required, "zone");
  EXPECT_EQ(ReadTopology({}, {}).required, "");
}

}  // namespace
}  // namespace cadre::groups
