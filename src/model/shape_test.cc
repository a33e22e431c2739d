#include "model/shape.h"

#include <gtest/gtest.h>

namespace cadre::model {
namespace {

TEST(ResourceNames, TheFirstFourAreFixed) {
  const ResourceNames names;
  EXPECT_EQ(names.Name(ResourceNames::kCpu), "cpu");
  EXPECT_EQ(names.Name(ResourceNames::kMemory), "memory");
  EXPECT_EQ(names.Name(ResourceNames::kEphemeralStorage), "ephemeral-storage");
  EXPECT_EQ(names.Name(ResourceNames::kPods), "pods");
  EXPECT_EQ(names.size(), 4U);
}

TEST(ResourceNames, ANameKeepsItsId) {
  ResourceNames names;
  const ResourceId gpu = names.Intern("nvidia.com/gpu");
  names.Intern("amd.com/gpu");
  EXPECT_EQ(names.Intern("nvidia.com/gpu"), gpu);
  EXPECT_EQ(names.Name(gpu), "nvidia.com/gpu");
}

TEST(HostPorts, CollideOnTheSamePortProtocolAndAddress) {
  EXPECT_TRUE(Collide({80, "TCP", "10.0.0.1"}, {80, "TCP", "10.0.0.1"}));
}

TEST(HostPorts, DoNotCollideOnDifferentAddresses) {
  EXPECT_FALSE(Collide({80, "TCP", "10.0.0.1"}, {80, "TCP", "10.0.0.2"}));
}

TEST(HostPorts, CollideWhenOneIsOnAllAddresses) {
  EXPECT_TRUE(Collide({80, "TCP", "10.0.0.1"}, {80, "TCP", "0.0.0.0"}));
  EXPECT_TRUE(Collide({80, "TCP", "0.0.0.0"}, {80, "TCP", "10.0.0.1"}));
}

TEST(HostPorts, DoNotCollideOnDifferentProtocols) {
  EXPECT_FALSE(Collide({53, "TCP", "0.0.0.0"}, {53, "UDP", "0.0.0.0"}));
}

TEST(HostPorts, DoNotCollideOnDifferentPorts) {
  EXPECT_FALSE(Collide({80, "TCP", "0.0.0.0"}, {81, "TCP", "0.0.0.0"}));
}

// Lists of lists run together if only their elements are written.
TEST(CanonicalText, TellsApartWhatLooksTheSameWhenJoined) {
  Shape one;
  one.missing_claims = {"a", "b"};
  Shape other;
  other.missing_claims = {"a;b"};
  EXPECT_NE(CanonicalText(one), CanonicalText(other));

  Shape selector;
  selector.node_selector = {{"a", "b"}, {"c", "d"}};
  Shape joined;
  joined.node_selector = {{"a", "b1:c;1:d;"}};
  EXPECT_NE(CanonicalText(selector), CanonicalText(joined));
}

TEST(CanonicalText, TellsAffinityFromAntiAffinity) {
  kube::PodAffinityTerm term;
  term.topology_key = "zone";
  Shape attracted;
  attracted.affinity = {term};
  Shape repelled;
  repelled.anti_affinity = {term};
  EXPECT_NE(CanonicalText(attracted), CanonicalText(repelled));
}

TEST(CanonicalText, TellsASelectorThatMatchesEverythingFromNone) {
  kube::PodAffinityTerm nothing;
  nothing.topology_key = "zone";
  kube::PodAffinityTerm everything = nothing;
  everything.label_selector = kube::LabelSelector{};
  Shape one;
  one.affinity = {nothing};
  Shape other;
  other.affinity = {everything};
  EXPECT_NE(CanonicalText(one), CanonicalText(other));
}

TEST(ShapeTerms, SpreadAloneIsATerm) {
  Shape plain;
  EXPECT_FALSE(plain.HasTerms());
  plain.spread.emplace_back();
  EXPECT_TRUE(plain.HasTerms());
}

}  // namespace
}  // namespace cadre::model
