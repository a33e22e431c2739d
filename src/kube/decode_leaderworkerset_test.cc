#include <gtest/gtest.h>

#include "kube/leaderworkerset.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

LeaderWorkerSet SetWith(std::string_view spec) {
  return FromYaml(fmt::format(R"(apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: serve}}
spec: {{{}}}
)",
                              spec))
      .As<LeaderWorkerSet>();
}

TEST(DecodeLeaderWorkerSet, ReadsItsGroupsTheirSizeAndBothTemplates) {
  const LeaderWorkerSet set = SetWith(
      "replicas: 3, leaderWorkerTemplate: {size: 4, "
      "leaderTemplate: {metadata: {labels: {role: leader}}, spec: {containers: [{name: a, image: a}]}}, "
      "workerTemplate: {metadata: {labels: {role: worker}}, spec: {schedulerName: cadre, containers: []}}}");
  EXPECT_EQ(set.spec.replicas, 3);
  EXPECT_EQ(set.spec.size, 4);
  ASSERT_TRUE(set.spec.leader_template.has_value());
  EXPECT_EQ(set.spec.leader_template->labels.at("role"), "leader");
  EXPECT_EQ(set.spec.leader_template->spec.containers.size(), 1U);
  EXPECT_EQ(set.spec.worker_template.labels.at("role"), "worker");
  EXPECT_EQ(set.spec.worker_template.spec.scheduler_name, "cadre");
}

TEST(DecodeLeaderWorkerSet, WithoutALeaderTemplateThereIsNone) {
  const LeaderWorkerSet set =
      SetWith("leaderWorkerTemplate: {size: 2, workerTemplate: {spec: {containers: []}}}");
  EXPECT_FALSE(set.spec.leader_template.has_value());
}

TEST(DecodeLeaderWorkerSet, IsOneGroupOfOnePodWhereItSaysNothing) {
  const LeaderWorkerSet set = SetWith("leaderWorkerTemplate: {workerTemplate: {spec: {containers: []}}}");
  EXPECT_EQ(set.spec.replicas, 1);
  EXPECT_EQ(set.spec.size, 1);
}

TEST(DecodeLeaderWorkerSet, ReadsWhetherWorkersWaitForAReadyLeader) {
  EXPECT_TRUE(SetWith("startupPolicy: LeaderReady").spec.leader_ready);
  EXPECT_FALSE(SetWith("startupPolicy: LeaderCreated").spec.leader_ready);
  EXPECT_FALSE(SetWith("replicas: 1").spec.leader_ready);
}

TEST(DecodeLeaderWorkerSet, NamesTheFieldThatIsWrong) {
  const std::string problems = ProblemsOf(R"(apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve}
spec: {leaderWorkerTemplate: {size: four}}
)");
  EXPECT_TRUE(problems.contains("spec.leaderWorkerTemplate.size")) << problems;
  EXPECT_TRUE(problems.contains("four")) << problems;
}

}  // namespace
}  // namespace cadre::kube
