// Binding and eviction. What is expected was measured on Kubernetes 1.36.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using kube::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Binding = MemoryApiFixture;
using Eviction = MemoryApiFixture;

TEST_F(Binding, SetsTheNodeAndTheCondition) {
  CreatedPod("a");
  const auto result = Bind("a", "n1");
  EXPECT_EQ(result.outcome, Outcome::kDone);
  EXPECT_FALSE(result.object) << "the server answers with a Status, not the pod";
  EXPECT_EQ(Pod("a").spec.node_name, "n1");
  ASSERT_THAT(Pod("a").status.conditions, SizeIs(1));
  EXPECT_EQ(Pod("a").status.conditions[0].type, "PodScheduled");
  EXPECT_TRUE(Pod("a").status.conditions[0].status);
}

TEST_F(Binding, ReplacesTheConditionThatSaidNo) {
  CreatedPod("a");
  Write(drive::PatchStatus{
      PodTarget("a"),
      {{"status",
        {{"conditions",
          json::array{{{"type", "PodScheduled"}, {"status", "False"}, {"reason", "Unschedulable"}}}}}}}});
  Bind("a", "n1");
  ASSERT_THAT(Pod("a").status.conditions, SizeIs(1));
  EXPECT_TRUE(Pod("a").status.conditions[0].status);
  EXPECT_EQ(Pod("a").status.conditions[0].reason, "");
}

TEST_F(Binding, IsOneWriteThatKeepsTheGeneration) {
  const kube::Object pod = CreatedPod("a");
  Bind("a", "n1");
  EXPECT_EQ(api_.revision(), pod.Meta().resource_version + 1);
  EXPECT_EQ(Pod("a").metadata.generation, 1);
}

TEST_F(Binding, CopiesItsAnnotationsOntoThePod) {
  CreatedPod("a");
  Write(drive::Patch{PodTarget("a"), {{"metadata", {{"annotations", {{"mine", "1"}, {"plan", "old"}}}}}}});
  Write(drive::Bind{PodTarget("a"), "n1", {{"plan", "n1"}}});
  EXPECT_THAT(Pod("a").metadata.annotations, ElementsAre(std::pair("mine", "1"), std::pair("plan", "n1")));
}

TEST_F(Binding, AsksNothingAboutTheNode) {
  CreatedPod("a");
  EXPECT_EQ(Bind("a", "does-not-exist").outcome, Outcome::kDone);
}

TEST_F(Binding, OfABoundPodIsAConflictEvenToTheSameNode) {
  CreatedPod("a");
  Bind("a", "n1");
  const auto again = Bind("a", "n1");
  EXPECT_EQ(again.outcome, Outcome::kConflict);
  EXPECT_EQ(again.message,
            "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to node \"n1\"");
}

TEST_F(Binding, OfAPodThatIsBeingDeletedIsAConflict) {
  CreatedPod("a");
  Write(drive::Patch{PodTarget("a"), {{"metadata", {{"finalizers", json::array{"x.y/z"}}}}}});
  Write(drive::Delete{PodTarget("a"), drive::Propagation::kBackground, {}});
  const auto result = Bind("a", "n1");
  EXPECT_EQ(result.outcome, Outcome::kConflict);
  EXPECT_THAT(result.message, HasSubstr("is being deleted"));
}

TEST_F(Binding, OfAGatedPodIsAConflict) {
  CreatedPod("a", {{"schedulingGates", json::array{{{"name", "x.y/gate"}}}}});
  const auto result = Bind("a", "n1");
  EXPECT_EQ(result.outcome, Outcome::kConflict);
  EXPECT_THAT(result.message, HasSubstr("non-empty .spec.schedulingGates"));
}

TEST_F(Binding, ChecksTheUidBeforeAnythingElse) {
  CreatedPod("a");
  Bind("a", "n1");
  const auto result = Write(drive::Bind{PodTarget("a"), "n1", {}}, "other");
  EXPECT_EQ(result.outcome, Outcome::kConflict);
  EXPECT_THAT(result.message, HasSubstr("Precondition failed: UID"));
}

TEST_F(Binding, ChecksTheVersion) {
  const kube::Object pod = CreatedPod("a");
  Write(drive::Patch{PodTarget("a"), {{"metadata", {{"labels", {{"x", "1"}}}}}}});
  EXPECT_EQ(Write(drive::Bind{PodTarget("a"), "n1", {}}, "", pod.Meta().resource_version).outcome,
            Outcome::kConflict);
}

TEST_F(Binding, OfWhatIsNotThereIsGone) {
  EXPECT_EQ(Bind("nope", "n1").outcome, Outcome::kGone);
}

TEST_F(Eviction, MarksAPodAsDisruptedAndDeletesIt) {
  CreatedPod("a");
  Bind("a", "n1");
  EXPECT_EQ(Write(drive::Evict{PodTarget("a")}).outcome, Outcome::kDone);
  const kube::Pod& pod = Pod("a");
  EXPECT_TRUE(pod.metadata.deletion_timestamp);
  ASSERT_THAT(pod.status.conditions, SizeIs(2));
  EXPECT_EQ(pod.status.conditions[1].type, "DisruptionTarget");
  EXPECT_EQ(pod.status.conditions[1].reason, "EvictionByEvictionAPI");
}

TEST_F(Eviction, OfAnUnboundPodEndsItAtOnce) {
  CreatedPod("a");
  Write(drive::Evict{PodTarget("a")});
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(Eviction, OfAPodThatIsBeingDeletedChangesNothing) {
  CreatedPod("a");
  Bind("a", "n1");
  Write(drive::Delete{PodTarget("a"), drive::Propagation::kBackground, {}});
  const std::uint64_t before = api_.revision();
  EXPECT_EQ(Write(drive::Evict{PodTarget("a")}).outcome, Outcome::kDone);
  EXPECT_EQ(api_.revision(), before);
}

TEST_F(Eviction, WithAnotherUidIsAConflict) {
  CreatedPod("a");
  EXPECT_EQ(Write(drive::Evict{PodTarget("a")}, "other").outcome, Outcome::kConflict);
  EXPECT_THAT(Pod("a").status.conditions, IsEmpty());
}

}  // namespace
}  // namespace cadre::sim
