#include "model/hypothesis.h"

#include <gtest/gtest.h>

#include "model/model_testing.h"

namespace cadre::model {
namespace {

class HypothesisTest : public testing::Test {
 protected:
  HypothesisTest() {
    cluster_.Apply(NodeOf({.name = "n1"}), false);
    cluster_.Apply(PodOf({.name = "a", .node = "n1", .requests = {{"cpu", 3000}}, .repels_its_like = true}),
                   false);
    cluster_.Apply(PodOf({.name = "b", .node = "gone", .requests = {{"cpu", 1000}}}), false);
  }
  std::int64_t Free() const { return cluster_.node(cluster_.FindNode("n1")).Free(ResourceNames::kCpu); }
  PodId Pod(std::string_view name) const { return cluster_.FindPod("uid-" + std::string(name)); }
  ShapeId TwoCpus() {
    return cluster_.InternShape(PodOf({.requests = {{"cpu", 2000}}}).As<kube::Pod>().spec, "default");
  }

  Cluster cluster_{{"cadre"}};
};

TEST_F(HypothesisTest, WhoLeavesGivesItsRoom) {
  Hypothesis then(cluster_);
  then.Leave(Pod("a"));
  EXPECT_EQ(Free(), 8000);
  EXPECT_TRUE(cluster_.anti_affinity_pods().empty());
}

TEST_F(HypothesisTest, LeavingTwiceIsLeavingOnce) {
  Hypothesis then(cluster_);
  then.Leave(Pod("a"));
  then.Leave(Pod("a"));
  EXPECT_EQ(Free(), 8000);
}

TEST_F(HypothesisTest, WhoComesTakesRoom) {
  const ShapeId shape = TwoCpus();
  Hypothesis then(cluster_);
  then.Come({shape, cluster_.FindNode("n1"), {}});
  EXPECT_EQ(Free(), 3000);
}

TEST_F(HypothesisTest, WhatIsWithheldIsNotThere) {
  Hypothesis then(cluster_);
  then.Withhold(cluster_.FindNode("n1"), ResourceNames::kCpu, 4000);
  EXPECT_EQ(Free(), 1000);
}

TEST_F(HypothesisTest, ItCanGoBackToAMark) {
  const ShapeId shape = TwoCpus();
  Hypothesis then(cluster_);
  then.Leave(Pod("a"));
  const Hypothesis::Mark mark = then.Here();
  then.Come({shape, cluster_.FindNode("n1"), {}});
  then.BackTo(mark);
  EXPECT_EQ(Free(), 8000);
}

TEST_F(HypothesisTest, ClaimsEndWithTheirGroup) {
  cluster_.SetClaim({.holder = {"g", "u"}, .key = "rack", .path = {"r1"}, .text = "g"});
  cluster_.SetClaim({.holder = {"other", ""}, .key = "rack", .path = {"r2"}, .text = "other"});
  Hypothesis then(cluster_);
  then.DropClaims("g");
  ASSERT_EQ(cluster_.domain_claims().size(), 1U);
  EXPECT_EQ(cluster_.domain_claims().begin()->first.group, "other");
}

TEST_F(HypothesisTest, AfterItEverythingIsAsBefore) {
  const ShapeId shape = TwoCpus();
  const NodeId node = cluster_.FindNode("n1");
  cluster_.Reserve("kept", {shape, node, {}});
  const Claim claim{.holder = {"g", ""}, .key = "rack", .path = {"r1"}, .text = "g"};
  cluster_.SetClaim(claim);
  const std::string before = cluster_.Fingerprint();
  const std::uint64_t room = cluster_.room_version();
  const std::uint64_t pods = cluster_.pods_version();
  {
    Hypothesis then(cluster_);
    then.Leave(Pod("a"));
    then.Leave(Pod("b"));  // the last pod of a node that is not there
    then.Release("kept");
    then.Come({shape, node, {}});
    then.DropClaims("g");
    then.SetClaim({.holder = {"h", ""}, .key = "rack", .path = {"r1"}, .text = "h"});
    then.Withhold(node, ResourceNames::kCpu, 500);
  }
  EXPECT_EQ(cluster_.Fingerprint(), before);
  EXPECT_EQ(Free(), 3000);
  EXPECT_EQ(cluster_.reservations().size(), 1U);
  ASSERT_EQ(cluster_.domain_claims().size(), 1U);
  EXPECT_EQ(cluster_.domain_claims().begin()->second, claim);
  EXPECT_EQ(cluster_.room_version(), room);
  EXPECT_EQ(cluster_.pods_version(), pods);
}

}  // namespace
}  // namespace cadre::model
