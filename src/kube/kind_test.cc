#include "kube/kind.h"

#include <set>

#include <gtest/gtest.h>

namespace cadre::kube {
namespace {

TEST(Kind, EachIsFoundAgainByItsApiVersionAndName) {
  for (const KindInfo& info : AllKinds()) {
    EXPECT_EQ(KindOf(ApiVersion(info.kind), info.name), info.kind) << info.name;
  }
}

TEST(Kind, NoTwoShareApiVersionAndName) {
  std::set<std::string> names;
  for (const KindInfo& info : AllKinds())
    names.insert(ApiVersion(info.kind) + " " + std::string(info.name));
  EXPECT_EQ(names.size(), AllKinds().size());
}

TEST(Kind, ApiVersionOfTheCoreGroupHasNoSlash) {
  EXPECT_EQ(ApiVersion(Kind::kPod), "v1");
}
TEST(Kind, ApiVersionOfOtherGroupsIsGroupSlashVersion) {
  EXPECT_EQ(ApiVersion(Kind::kJob), "batch/v1");
}

TEST(Kind, TheSameNameInAnotherGroupIsAnotherKind) {
  EXPECT_EQ(KindOf("scheduling.k8s.io/v1beta1", "PodGroup"), Kind::kPodGroup);
  EXPECT_EQ(KindOf("scheduling.x-k8s.io/v1alpha1", "PodGroup"), Kind::kSchedulerPluginsPodGroup);
}

TEST(Kind, OlderVersionsOfTheNativePodGroupAreReadToo) {
  EXPECT_EQ(KindOf("scheduling.k8s.io/v1alpha2", "PodGroup"), Kind::kPodGroup);
  EXPECT_EQ(KindOf("scheduling.k8s.io/v1alpha3", "PodGroup"), Kind::kPodGroup);
}

TEST(Kind, AnUnknownVersionIsNotTaken) {
  EXPECT_EQ(KindOf("jobset.x-k8s.io/v1alpha1", "JobSet"), std::nullopt);
  EXPECT_EQ(KindOf("batch/v1beta1", "Job"), std::nullopt);
}

TEST(Kind, AnUnknownGroupIsNotTaken) {
  EXPECT_EQ(KindOf("batch.volcano.sh/v1", "Job"), std::nullopt);
}

TEST(ReadInstead, NamesTheVersionOfAKnownKindThatIsRead) {
  EXPECT_EQ(ReadInstead("batch/v1beta1", "Job"), "batch/v1 Job");
  EXPECT_EQ(ReadInstead("jobset.x-k8s.io/v1alpha1", "JobSet"), "jobset.x-k8s.io/v1alpha2 JobSet");
}

TEST(ReadInstead, NamesEveryVersionThatIsRead) {
  EXPECT_EQ(ReadInstead("scheduling.k8s.io/v1", "PodGroup"),
            "scheduling.k8s.io/v1beta1 PodGroup (v1alpha3 and v1alpha2 too)");
}

TEST(ReadInstead, FindsTheGroupThatWasLeftOut) {
  EXPECT_EQ(ReadInstead("v1", "Job"), "batch/v1 Job");
  EXPECT_EQ(ReadInstead("batch", "Job"), "batch/v1 Job");
}

TEST(ReadInstead, DoesNotGuessBetweenTwoGroups) {
  EXPECT_EQ(ReadInstead("v1", "PodGroup"), "");
}

TEST(ReadInstead, FindsAKindInTheWrongCase) {
  EXPECT_EQ(ReadInstead("batch/v1", "job"), "batch/v1 Job");
}

TEST(ReadInstead, SaysNothingOfKindsOfOtherGroups) {
  EXPECT_EQ(ReadInstead("batch.volcano.sh/v1alpha1", "Job"), "");
  EXPECT_EQ(ReadInstead("serving.knative.dev/v1", "Service"), "");
  EXPECT_EQ(ReadInstead("apps/v1", "Deployment"), "");
}

TEST(Kind, NodesAndVolumesHaveNoNamespace) {
  EXPECT_FALSE(Info(Kind::kNode).namespaced);
  EXPECT_FALSE(Info(Kind::kPersistentVolume).namespaced);
  EXPECT_TRUE(Info(Kind::kPersistentVolumeClaim).namespaced);
}

}  // namespace
}  // namespace cadre::kube
