#include "app/manifest_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "kube/manifest.h"

namespace cadre::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> NotesOn(std::string_view yaml) {
  kube::Manifests manifests;
  kube::LoadText(yaml, "input.yaml", manifests);
  return ManifestNotes(SortInput(manifests));
}

std::string JobWith(std::string_view spec) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: work}}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template: {{spec: {{restartPolicy: Never, {}containers: [{{name: main, image: a}}]}}}}
)",
                     spec);
}

std::string PodWith(std::string_view spec) {
  return fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: alone}}
spec: {{{}containers: [{{name: main, image: a}}]}}
)",
                     spec);
}

constexpr std::string_view kTaintedNode = R"(---
apiVersion: v1
kind: Node
metadata: {name: n1}
spec: {taints: [{key: repair, effect: NoExecute}]}
status: {allocatable: {cpu: "1", pods: "9"}}
)";

std::string WithTaintedNode(std::string_view workload) {
  return std::string(workload) + std::string(kTaintedNode);
}

TEST(ManifestNotes, SayNothingOfWhatIsSimulatedAsItIs) {
  EXPECT_THAT(NotesOn(JobWith("")), IsEmpty());
}

TEST(ManifestNotes, NameTheTemplateThatHasANode) {
  EXPECT_THAT(NotesOn(JobWith("nodeName: n1, ")),
              ElementsAre(AllOf(HasSubstr("spec.nodeName"), HasSubstr("Job default/work on n1"))));
}

TEST(ManifestNotes, NameWhoWouldBeEvictedAfterAWhile) {
  EXPECT_THAT(
      NotesOn(WithTaintedNode(PodWith(
          "tolerations: [{key: repair, operator: Exists, effect: NoExecute, tolerationSeconds: 30}], "))),
      ElementsAre(HasSubstr("Pod default/alone from node n1")));
}

TEST(ManifestNotes, NameWhoIsOnANodeWhoseTaintItDoesNotTolerate) {
  EXPECT_THAT(NotesOn(WithTaintedNode(PodWith("nodeName: n1, "))),
              ElementsAre(HasSubstr("Pod default/alone from node n1")));
}

TEST(ManifestNotes, SayNothingOfPodsThatTolerateTheTaintForEverOrNeverGoThere) {
  EXPECT_THAT(NotesOn(WithTaintedNode(PodWith("nodeName: n1, tolerations: [{operator: Exists}], "))),
              IsEmpty());
  EXPECT_THAT(NotesOn(WithTaintedNode(PodWith(""))), IsEmpty());
}

TEST(ManifestNotes, NameAClaimForOnePodThatSeveralAskFor) {
  constexpr std::string_view kClaim = R"(---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec: {accessModes: [ReadWriteOncePod]}
)";
  constexpr std::string_view kVolume = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], ";
  EXPECT_THAT(NotesOn(JobWith(kVolume) + std::string(kClaim)), ElementsAre(HasSubstr("c for 2 pods")));
  EXPECT_THAT(NotesOn(PodWith(kVolume) + std::string(kClaim)), IsEmpty());
}

TEST(ManifestNotes, NameTheRuleWhosePatternIsNotRead) {
  constexpr std::string_view kJobSet = R"yaml(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  failurePolicy: {rules: [{name: memory, action: FailJobSet, onJobFailureMessagePatterns: ["(?=oom)", "oom"]}]}
  replicatedJobs: [{name: w, template: {spec: {template: {spec: {containers: [{name: main, image: a}]}}}}}]
)yaml";
  EXPECT_THAT(NotesOn(kJobSet), ElementsAre(AllOf(HasSubstr("rule memory"), HasSubstr("(?=oom)"))));
}

}  // namespace
}  // namespace cadre::app
