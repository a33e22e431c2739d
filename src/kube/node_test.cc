#include "kube/node.h"

#include <gtest/gtest.h>

namespace cadre::kube {
namespace {

using Op = SelectorOperator;

const Taint kGpuTaint{.key = "gpu", .value = "yes", .effect = "NoSchedule"};

Toleration Equal(std::string key, std::string value, std::string effect = "") {
  Toleration toleration;
  toleration.key = std::move(key);
  toleration.value = std::move(value);
  toleration.effect = std::move(effect);
  return toleration;
}
Toleration Exists(std::string key, std::string effect = "") {
  Toleration toleration = Equal(std::move(key), "", std::move(effect));
  toleration.exists = true;
  return toleration;
}

TEST(Tolerates, EqualNeedsKeyAndValue) {
  EXPECT_TRUE(Tolerates(Equal("gpu", "yes"), kGpuTaint));
  EXPECT_FALSE(Tolerates(Equal("gpu", "no"), kGpuTaint));
  EXPECT_FALSE(Tolerates(Equal("tpu", "yes"), kGpuTaint));
}
TEST(Tolerates, ExistsTakesAnyValue) {
  EXPECT_TRUE(Tolerates(Exists("gpu"), kGpuTaint));
}
TEST(Tolerates, ExistsWithoutKeyTakesEverything) {
  EXPECT_TRUE(Tolerates(Exists(""), kGpuTaint));
}
TEST(Tolerates, AnEffectMustBeTheTaints) {
  EXPECT_TRUE(Tolerates(Exists("gpu", "NoSchedule"), kGpuTaint));
  EXPECT_FALSE(Tolerates(Exists("gpu", "NoExecute"), kGpuTaint));
}

Toleration Number(std::string value, TaintComparison comparison) {
  Toleration toleration = Equal("sla", std::move(value));
  toleration.comparison = comparison;
  return toleration;
}

TEST(Tolerates, GtTakesTaintsWithAGreaterNumber) {
  EXPECT_TRUE(Tolerates(Number("950", TaintComparison::kGt), {"sla", "999", "NoSchedule"}));
  EXPECT_FALSE(Tolerates(Number("950", TaintComparison::kGt), {"sla", "950", "NoSchedule"}));
}
TEST(Tolerates, LtTakesTaintsWithALesserNumber) {
  EXPECT_TRUE(Tolerates(Number("950", TaintComparison::kLt), {"sla", "9", "NoSchedule"}));
  EXPECT_FALSE(Tolerates(Number("950", TaintComparison::kLt), {"sla", "999", "NoSchedule"}));
}
TEST(Tolerates, AComparisonWithSomethingThatIsNoNumberDoesNotHold) {
  EXPECT_FALSE(Tolerates(Number("950", TaintComparison::kLt), {"sla", "low", "NoSchedule"}));
}

TEST(UntoleratedTaint, IsTheFirstThatNothingCovers) {
  Node node;
  node.spec.taints = {kGpuTaint, {.key = "spot", .value = "", .effect = "NoExecute"}};
  const std::vector<Toleration> tolerations = {Exists("gpu")};
  ASSERT_NE(UntoleratedTaint(node, tolerations), nullptr);
  EXPECT_EQ(UntoleratedTaint(node, tolerations)->key, "spot");
}
TEST(UntoleratedTaint, APreferenceForbidsNothing) {
  Node node;
  node.spec.taints = {{.key = "slow", .value = "", .effect = "PreferNoSchedule"}};
  EXPECT_EQ(UntoleratedTaint(node, {}), nullptr);
}
TEST(UntoleratedTaint, ACordonedNodeCountsAsTainted) {
  Node node;
  node.spec.unschedulable = true;
  ASSERT_NE(UntoleratedTaint(node, {}), nullptr);
  EXPECT_EQ(ToString(*UntoleratedTaint(node, {})), "node.kubernetes.io/unschedulable:NoSchedule");
}
TEST(UntoleratedTaint, ACordonCanBeTolerated) {
  Node node;
  node.spec.unschedulable = true;
  EXPECT_EQ(UntoleratedTaint(node, {Exists("node.kubernetes.io/unschedulable")}), nullptr);
}

const StringMap kLabels = {{"disk", "ssd"}, {"zone", "a"}};

NodeSelector OneTerm(NodeSelectorTerm term) {
  NodeSelector selector;
  selector.terms.push_back(std::move(term));
  return selector;
}

TEST(MatchesNodeConstraints, WithoutConstraintsEveryNodeMatches) {
  EXPECT_TRUE(MatchesNodeConstraints({}, std::nullopt, kLabels, "n1"));
}
TEST(MatchesNodeConstraints, EveryLabelOfTheNodeSelectorMustBeThere) {
  EXPECT_TRUE(MatchesNodeConstraints({{"disk", "ssd"}}, std::nullopt, kLabels, "n1"));
  EXPECT_FALSE(MatchesNodeConstraints({{"disk", "ssd"}, {"zone", "b"}}, std::nullopt, kLabels, "n1"));
  EXPECT_FALSE(MatchesNodeConstraints({{"rack", "1"}}, std::nullopt, kLabels, "n1"));
}
TEST(MatchesNodeConstraints, TermsAreAlternatives) {
  NodeSelector selector = OneTerm({.match_expressions = {{"zone", Op::kIn, {"b"}}}, .match_fields = {}});
  selector.terms.push_back({.match_expressions = {{"zone", Op::kIn, {"a"}}}, .match_fields = {}});
  EXPECT_TRUE(MatchesNodeConstraints({}, selector, kLabels, "n1"));
}
TEST(MatchesNodeConstraints, AllExpressionsOfATermMustMatch) {
  const NodeSelector selector = OneTerm(
      {.match_expressions = {{"zone", Op::kIn, {"a"}}, {"disk", Op::kIn, {"hdd"}}}, .match_fields = {}});
  EXPECT_FALSE(MatchesNodeConstraints({}, selector, kLabels, "n1"));
}
TEST(MatchesNodeConstraints, SelectorAndAffinityBothMustMatch) {
  const NodeSelector selector =
      OneTerm({.match_expressions = {{"zone", Op::kIn, {"a"}}}, .match_fields = {}});
  EXPECT_FALSE(MatchesNodeConstraints({{"disk", "hdd"}}, selector, kLabels, "n1"));
}
TEST(MatchesNodeConstraints, AnEmptyTermMatchesNothing) {
  EXPECT_FALSE(MatchesNodeConstraints({}, OneTerm({}), kLabels, "n1"));
}
TEST(MatchesNodeConstraints, AffinityWithoutTermsMatchesNothing) {
  EXPECT_FALSE(MatchesNodeConstraints({}, NodeSelector{}, kLabels, "n1"));
}
TEST(MatchesNodeConstraints, TheFieldMetadataNameIsTheNodesName) {
  const NodeSelector selector =
      OneTerm({.match_expressions = {}, .match_fields = {{"metadata.name", Op::kIn, {"n1"}}}});
  EXPECT_TRUE(MatchesNodeConstraints({}, selector, kLabels, "n1"));
  EXPECT_FALSE(MatchesNodeConstraints({}, selector, kLabels, "n2"));
}
TEST(MatchesNodeConstraints, AFieldCanExcludeANode) {
  const NodeSelector selector =
      OneTerm({.match_expressions = {}, .match_fields = {{"metadata.name", Op::kNotIn, {"n1"}}}});
  EXPECT_FALSE(MatchesNodeConstraints({}, selector, kLabels, "n1"));
  EXPECT_TRUE(MatchesNodeConstraints({}, selector, kLabels, "n2"));
}
TEST(MatchesNodeConstraints, NoOtherFieldOfANodeMatches) {
  const NodeSelector selector =
      OneTerm({.match_expressions = {}, .match_fields = {{"metadata.namespace", Op::kNotIn, {"n1"}}}});
  EXPECT_FALSE(MatchesNodeConstraints({}, selector, kLabels, "n1"));
}

TEST(ToString, ATaintIsWrittenAsForKubectlTaint) {
  EXPECT_EQ(ToString(kGpuTaint), "gpu=yes:NoSchedule");
}

}  // namespace
}  // namespace cadre::kube
