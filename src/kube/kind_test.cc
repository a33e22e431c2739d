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

TEST(Kind, NodesAndVolumesHaveNoNamespace) {
  EXPECT_FALSE(Info(Kind::kNode).namespaced);
  EXPECT_FALSE(Info(Kind::kPersistentVolume).namespaced);
  EXPECT_TRUE(Info(Kind::kPersistentVolumeClaim).namespaced);
}

}  // namespace
}  // namespace cadre::kube
