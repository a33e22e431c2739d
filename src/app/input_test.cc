#include "app/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/submission.h"
#include "kube/manifest.h"

namespace cadre::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SimulationInput Sorted(std::string_view yaml) {
  kube::Manifests manifests;
  // What starts with a brace would be taken for JSON.
  kube::LoadText(fmt::format("---\n{}", yaml), "dump.yaml", manifests);
  return SortInput(manifests);
}

std::vector<std::string> Submitted(const SimulationInput& input) {
  std::vector<std::string> names;
  for (const Submission& submission : input.submissions)
    names.push_back(kube::Describe(submission.object));
  return names;
}

std::vector<std::string> Loaded(const SimulationInput& input) {
  std::vector<std::string> names;
  for (const kube::Object& object : input.cluster)
    names.push_back(kube::Describe(object));
  return names;
}

// A Job as `kubectl get -o yaml` shows it, and a pod of it.
std::string DumpedJob(std::string_view status) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: j, namespace: default, uid: u-j, resourceVersion: "9", labels: {{controller-uid: u-j}}}}
spec:
  completionMode: Indexed
  parallelism: 1
  completions: 1
  selector: {{matchLabels: {{batch.kubernetes.io/controller-uid: u-j}}}}
  template:
    metadata: {{labels: {{batch.kubernetes.io/controller-uid: u-j, job-name: j, app: a}}}}
    spec: {{restartPolicy: Never, containers: [{{name: c, image: x}}]}}
status: {}
)",
                     status);
}

std::string DumpedPod(std::string_view spec, std::string_view phase) {
  return fmt::format(R"(
---
apiVersion: v1
kind: Pod
metadata:
  name: j-0-abcde
  namespace: default
  uid: u-p
  ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: j, uid: u-j, controller: true}}]
spec: {{restartPolicy: Never, {}containers: [{{name: c, image: x}}]}}
status: {{phase: {}}}
)",
                     spec, phase);
}

TEST(Input, SubmitsJobsAtTheStart) {
  const SimulationInput input = Sorted(DumpedJob("{}"));
  EXPECT_THAT(Submitted(input), ElementsAre("Job default/j"));
  EXPECT_EQ(input.submissions[0].after, Duration(0));
}

TEST(Input, SubmitsWhenTheAnnotationSays) {
  const SimulationInput input = Sorted(
      "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {cadre.dev/sim-submit: 1m30s}}, "
      "spec: {containers: [{name: c, image: x}]}}");
  ASSERT_EQ(input.submissions.size(), 1U);
  EXPECT_EQ(input.submissions[0].after, std::chrono::seconds(90));
}

TEST(Input, ComplainsOfAnAnnotationThatIsNoTime) {
  const SimulationInput input = Sorted(
      "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {cadre.dev/sim-submit: later}}, "
      "spec: {containers: [{name: c, image: x}]}}");
  EXPECT_THAT(
      input.problems,
      ElementsAre(HasSubstr("dump.yaml: document 1, line 2: metadata.annotations[cadre.dev/sim-submit]: ")));
}

TEST(Input, NodesAndRunningPodsAreThereAtTheStart) {
  const SimulationInput input = Sorted(
      "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: n1}}, "
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: n1, containers: [{name: c, image: "
      "x}]}}]}");
  EXPECT_THAT(Loaded(input), ElementsAre("Node n1", "Pod default/p"));
}

TEST(Input, AJobWithRunningPodsIsUnderWay) {
  const SimulationInput input = Sorted(DumpedJob("{active: 1}") + DumpedPod("nodeName: n1, ", "Running"));
  EXPECT_THAT(Loaded(input), ElementsAre("Job default/j", "Pod default/j-0-abcde"));
  EXPECT_THAT(Submitted(input), IsEmpty());
}

TEST(Input, AJobThatOnlyWaitsIsSubmittedAndMakesItsPodsAgain) {
  const SimulationInput input = Sorted(DumpedJob("{active: 1}") + DumpedPod("", "Pending"));
  EXPECT_THAT(Submitted(input), ElementsAre("Job default/j"));
  EXPECT_THAT(
      input.notes,
      ElementsAre(HasSubstr("made again by their owner, which is submitted as new: Pod default/j-0-abcde")));
}

TEST(Input, NamesWhatHasFinished) {
  const SimulationInput input = Sorted(DumpedJob("{conditions: [{type: Complete, status: 'True'}]}"));
  EXPECT_THAT(Submitted(input), IsEmpty());
  EXPECT_THAT(input.notes, ElementsAre("left out because they had finished already: Job default/j"));
}

TEST(Input, ARunningPodStaysWithoutItsLostJob) {
  const SimulationInput input = Sorted(DumpedPod("nodeName: n1, ", "Running"));
  ASSERT_EQ(input.cluster.size(), 1U);
  EXPECT_THAT(input.cluster[0].Meta().owner_references, IsEmpty());
}

TEST(Input, APendingPodWithoutItsLostJobIsSubmitted) {
  EXPECT_THAT(Submitted(Sorted(DumpedPod("", "Pending"))), ElementsAre("Pod default/j-0-abcde"));
}

TEST(Input, CountsUnknownKindsAndSaysWhereTheFirstIs) {
  const SimulationInput input = Sorted(
      "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: a}}\n---\n"
      "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: b}}");
  ASSERT_EQ(input.unknown_kinds.size(), 1U);
  EXPECT_EQ(input.unknown_kinds[0].count, 2U);
  EXPECT_EQ(input.unknown_kinds[0].first, "dump.yaml: document 1, line 2");
}

constexpr std::string_view kSet =
    "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: serve}, "
    "spec: {leaderWorkerTemplate: {size: 2, workerTemplate: {spec: {containers: [{name: c, image: x}]}}}}}";

TEST(Input, NamesALeaderWorkerSetThatNothingHereMakesPodsOf) {
  const SimulationInput input = Sorted(kSet);
  EXPECT_THAT(Loaded(input), ElementsAre("LeaderWorkerSet default/serve"));
  EXPECT_THAT(input.without_controller, ElementsAre("LeaderWorkerSet default/serve"));
  EXPECT_THAT(input.notes, ElementsAre("the controller of LeaderWorkerSets is not simulated, so that none of "
                                       "their pods are made: LeaderWorkerSet default/serve"));
}

TEST(Input, RunsThePodsOfALeaderWorkerSetAsTheyAreGiven) {
  const SimulationInput input =
      Sorted(std::string(kSet) +
             "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: serve-0, labels: "
             "{leaderworkerset.sigs.k8s.io/name: serve}}, spec: {containers: [{name: c, image: x}]}}");
  EXPECT_THAT(Loaded(input), ElementsAre("LeaderWorkerSet default/serve"));
  EXPECT_THAT(Submitted(input), ElementsAre("Pod default/serve-0"));
  EXPECT_THAT(input.without_controller, IsEmpty());
  EXPECT_THAT(input.notes, ElementsAre(HasSubstr("their pods are run as they are given")));
}

TEST(Input, ChecksLeaderWorkerSetsAsIfTheyWereSubmitted) {
  const SimulationInput input = Sorted(
      "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: serve, annotations: "
      "{cadre.dev/gang: most}}, spec: {leaderWorkerTemplate: {size: 0, workerTemplate: {spec: {containers: "
      "[{name: c, image: x}]}}}}}");
  EXPECT_THAT(Loaded(input), IsEmpty());
  EXPECT_THAT(input.problems, ElementsAre(HasSubstr("spec.leaderWorkerTemplate.size: is 0")));
  EXPECT_THAT(input.misread, ElementsAre(HasSubstr("cadre.dev/gang")));
}

TEST(Input, NamesFieldsThatAKindDoesNotHave) {
  const SimulationInput input = Sorted(
      "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {nodeSelctor: {a: b}, containers: [{name: c, "
      "image: x}]}}");
  EXPECT_THAT(Submitted(input), ElementsAre("Pod default/web"));
  EXPECT_THAT(input.misread, ElementsAre(HasSubstr("Pod default/web: spec.nodeSelctor: PodSpec has no such "
                                                   "field; did you mean nodeSelector?")));
}

TEST(Input, ComplainsOfWhatTheApiServerWouldRefuse) {
  const SimulationInput input =
      Sorted("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}");
  EXPECT_THAT(Submitted(input), IsEmpty());
  EXPECT_THAT(input.problems, ElementsAre(HasSubstr("Pod default/p")));
}

TEST(Submission, LeavesOutTheOldIdentityOfAJob) {
  const SimulationInput input = Sorted(DumpedJob("{active: 1}"));
  const json::object job = AsNewObject(input.submissions.at(0).object);
  EXPECT_FALSE(job.contains("status"));
  EXPECT_FALSE(job.at("metadata").as_object().contains("uid"));
  EXPECT_FALSE(job.at("spec").as_object().contains("selector"));
  EXPECT_EQ(*Find(job, {"spec", "template", "metadata", "labels"}), json::parse(R"({"app": "a"})"));
}

TEST(SortInput, KeepsTheNominationOfAnotherSchedulersPod) {
  const SimulationInput input = Sorted(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {restartPolicy: Never, containers: [{name: c, image: x}]}
status: {phase: Pending, nominatedNodeName: n1}
)");
  EXPECT_THAT(Loaded(input), ElementsAre("Pod default/p"));
  EXPECT_THAT(Submitted(input), IsEmpty());
}

}  // namespace
}  // namespace cadre::app
