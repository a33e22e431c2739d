#include "kube/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/test_support.h"

namespace cadre::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Complaints(std::string_view yaml) {
  return Validate(FromYaml(yaml));
}

// A pod named a with one container, further fields of the container, and further fields of the spec.
std::vector<std::string> OfPod(std::string_view container_fields, std::string_view spec_fields = "") {
  return Complaints(
      fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n"
                  "  - name: main\n{}\n{}\n",
                  container_fields, spec_fields));
}

TEST(ValidatePod, AnOrdinaryOneIsTaken) {
  EXPECT_THAT(OfPod("    resources: {requests: {cpu: 500m}, limits: {cpu: 1, nvidia.com/gpu: 8}}"),
              IsEmpty());
}

TEST(ValidatePod, ItNeedsAContainer) {
  EXPECT_THAT(Complaints("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"),
              ElementsAre("Pod default/a: spec.containers: is empty: a pod needs at least one container"));
}

TEST(ValidatePod, ARequestMustNotExceedItsLimit) {
  EXPECT_THAT(
      OfPod("    resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}"),
      ElementsAre(
          "Pod default/a: spec.containers[0].resources.requests: 2 GiB memory is more than the limit of "
          "1 GiB memory"));
}

TEST(ValidatePod, ExtendedResourcesCannotBeOvercommitted) {
  EXPECT_THAT(
      OfPod("    resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}"),
      ElementsAre(
          "Pod default/a: spec.containers[0].resources.requests: 1 nvidia.com/gpu must equal the limit of "
          "2 nvidia.com/gpu: nvidia.com/gpu cannot be overcommitted"));
}

TEST(ValidatePod, ExtendedResourcesNeedALimit) {
  EXPECT_THAT(
      OfPod("    resources: {requests: {nvidia.com/gpu: 1}}"),
      ElementsAre(
          "Pod default/a: spec.containers[0].resources.limits: nvidia.com/gpu needs a limit equal to its "
          "request of 1"));
}

TEST(ValidatePod, ResourcesThatKubernetesDoesNotKnowNeedTheirFullName) {
  EXPECT_THAT(
      OfPod("    resources: {limits: {gpu: 1}}"),
      ElementsAre(
          "Pod default/a: spec.containers[0].resources.limits: \"gpu\" is no resource of Kubernetes: write "
          "its full name, e.g. nvidia.com/gpu",
          "Pod default/a: spec.containers[0].resources.requests: \"gpu\" is no resource of Kubernetes: "
          "write its full name, e.g. nvidia.com/gpu"));
}

TEST(ValidatePod, AmountsMustNotBeNegative) {
  EXPECT_THAT(OfPod("    resources: {requests: {cpu: -1}}"),
              ElementsAre("Pod default/a: spec.containers[0].resources.requests: -1 CPU is negative"));
}

TEST(ValidatePod, PodLevelRequestsMustCoverItsContainers) {
  EXPECT_THAT(
      OfPod("    resources: {requests: {cpu: 2}}", "  resources: {requests: {cpu: 1}}"),
      ElementsAre("Pod default/a: spec.resources.requests: 1 CPU is less than the 2 CPU that its containers "
                  "request together"));
}

TEST(ValidatePod, ContainerNamesMustDiffer) {
  EXPECT_THAT(
      OfPod("  - name: main"),
      ElementsAre(
          "Pod default/a: spec.containers[1].name: \"main\" is the name of another container of the pod"));
}

TEST(ValidatePod, PortsMustBeInRange) {
  EXPECT_THAT(
      OfPod("    ports: [{containerPort: 0}, {containerPort: 80, hostPort: 70000}]"),
      ElementsAre("Pod default/a: spec.containers[0].ports[0].containerPort: is 0, must be 1 to 65535",
                  "Pod default/a: spec.containers[0].ports[1].hostPort: is 70000, must be 1 to 65535"));
}

TEST(ValidatePod, OnTheHostsNetworkBothPortsAreTheSame) {
  EXPECT_THAT(
      OfPod("    ports: [{containerPort: 80, hostPort: 81}]", "  hostNetwork: true"),
      ElementsAre(
          "Pod default/a: spec.containers[0].ports[0].hostPort: is 81, must equal containerPort (80) with "
          "hostNetwork"));
}

TEST(ValidatePod, TheRestartPolicyIsOneOfThree) {
  EXPECT_THAT(
      OfPod("", "  restartPolicy: Sometimes"),
      ElementsAre("Pod default/a: spec.restartPolicy: is \"Sometimes\", must be Always, OnFailure or Never"));
}

TEST(ValidatePod, ADeadlineOfNothingIsRefused) {
  EXPECT_THAT(OfPod("", "  activeDeadlineSeconds: 0"),
              ElementsAre("Pod default/a: spec.activeDeadlineSeconds: is 0, must be at least 1"));
}

TEST(ValidateName, ItIsNeeded) {
  EXPECT_THAT(
      Complaints("apiVersion: v1\nkind: Node\n"),
      ElementsAre(
          "Node (without a name): metadata.name: is missing: give the object a name, or a generateName"));
}
TEST(ValidateName, AGenerateNameIsEnough) {
  EXPECT_THAT(Complaints("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n"), IsEmpty());
}
TEST(ValidateName, ItIsADnsName) {
  EXPECT_THAT(
      Complaints("apiVersion: v1\nkind: Node\nmetadata: {name: My_Node}\n"),
      ElementsAre(
          "Node My_Node: metadata.name: \"My_Node\" is not a DNS name: use lower-case letters, digits, "
          "'-' and '.', a letter or digit at both ends"));
}
TEST(ValidateName, ItMayHaveDots) {
  EXPECT_THAT(Complaints("apiVersion: v1\nkind: Node\nmetadata: {name: ip-10-0-0-1.ec2.internal}\n"),
              IsEmpty());
}
TEST(ValidateName, APlaceholderIsRecognised) {
  EXPECT_THAT(
      Complaints("apiVersion: v1\nkind: Node\nmetadata: {name: \"${NODE}\"}\n"),
      ElementsAre(testing::EndsWith("(this looks like a template with placeholders: render it first)")));
}
TEST(ValidateName, ItHasAtMost253Characters) {
  const std::string name(254, 'a');
  EXPECT_THAT(Complaints("apiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\n"),
              ElementsAre(testing::EndsWith("is 254 characters long, at most 253 are allowed: shorten it")));
}
TEST(ValidateLabels, AValueHasAtMost63Characters) {
  EXPECT_THAT(Complaints("apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {x: " +
                         std::string(64, 'a') + "}}\n"),
              ElementsAre(testing::EndsWith("is 64 characters long, at most 63 are allowed: shorten it")));
}
TEST(ValidateLabels, AKeyMayHaveADomain) {
  EXPECT_THAT(
      Complaints("apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {topology.k8s.io/rack: r1}}\n"),
      IsEmpty());
}
TEST(ValidateLabels, AKeyHasOneSlash) {
  EXPECT_THAT(
      Complaints("apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {a/b/c: r1}}\n"),
      ElementsAre(
          "Node a: metadata.labels: \"a/b/c\" must be letters, digits, '-', '_' or '.', with a letter or "
          "digit at both ends, and at most one '/'"));
}

struct Placement {
  std::string name;
  std::string spec_fields;
  std::string complaint;  // after "Pod default/a: spec."
};
class Placements : public testing::TestWithParam<Placement> {};

TEST_P(Placements, AreRefused) {
  EXPECT_THAT(OfPod("", GetParam().spec_fields), ElementsAre("Pod default/a: spec." + GetParam().complaint));
}

constexpr std::string_view kNodeAffinity =
    "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ";

INSTANTIATE_TEST_SUITE_P(
    Table, Placements,
    testing::Values(
        Placement{"NodeSelectorValue", "  nodeSelector: {rack: a b}",
                  "nodeSelector[rack]: \"a b\" is not a label value: use letters, digits, '-', '_' and '.', "
                  "with a letter "
                  "or digit at both ends"},
        Placement{"InWithoutValues",
                  std::string(kNodeAffinity) + "[{matchExpressions: [{key: a, operator: In}]}]}}}",
                  "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
                  "matchExpressions[0].values: is empty: In and NotIn need at least one value"},
        Placement{
            "ExistsWithValues",
            std::string(kNodeAffinity) + "[{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]}}}",
            "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
            "matchExpressions[0].values: must be left out with Exists and DoesNotExist"},
        Placement{
            "GtWithAText",
            std::string(kNodeAffinity) + "[{matchExpressions: [{key: a, operator: Gt, values: [b]}]}]}}}",
            "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
            "matchExpressions[0].values: must be one whole number (in quotes) with Gt and Lt"},
        Placement{"NoTerms", std::string(kNodeAffinity) + "[]}}}",
                  "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: "
                  "is empty: it "
                  "needs at least one term, or leave the affinity out"},
        Placement{"FieldOfTwoNodes",
                  std::string(kNodeAffinity) +
                      "[{matchFields: [{key: metadata.name, operator: In, values: [a, b]}]}]}}}",
                  "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
                  "matchFields[0]: must be metadata.name, In or NotIn, with exactly one value"},
        Placement{"AffinityWithoutTopologyKey",
                  "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "[{labelSelector: {}}]}}",
                  "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: is "
                  "missing: name "
                  "the node label whose values are the domains"},
        Placement{
            "TolerationWithoutKey", "  tolerations: [{value: a}]",
            "tolerations[0].operator: must be Exists when key is left out (that tolerates every taint)"},
        Placement{"TolerationWithValue", "  tolerations: [{key: a, operator: Exists, value: b}]",
                  "tolerations[0].value: must be left out with operator Exists"},
        Placement{"TolerationEffect", "  tolerations: [{key: a, operator: Exists, effect: Never}]",
                  "tolerations[0].effect: is \"Never\", must be NoSchedule, PreferNoSchedule or NoExecute"},
        Placement{"TolerationSeconds", "  tolerations: [{key: a, operator: Exists, tolerationSeconds: 5}]",
                  "tolerations[0].tolerationSeconds: is only for effect NoExecute"},
        Placement{
            "SpreadWithoutSkew",
            "  topologySpreadConstraints: [{maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]",
            "topologySpreadConstraints[0].maxSkew: is 0, must be at least 1"},
        Placement{"MinDomainsOfAPreference",
                  "  topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: ScheduleAnyway, "
                  "minDomains: 2}]",
                  "topologySpreadConstraints[0].minDomains: is only for whenUnsatisfiable DoNotSchedule"},
        Placement{"NodeNameWithGates", "  nodeName: n1\n  schedulingGates: [{name: g}]",
                  "nodeName: cannot be set while there are schedulingGates"}),
    [](const auto& row) { return row.param.name; });

TEST(ValidateLeaderWorkerSet, AGroupHasAtLeastItsLeader) {
  EXPECT_THAT(
      Complaints("apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: s}\n"
                 "spec: {replicas: -1, leaderWorkerTemplate: {size: 0}}"),
      ElementsAre("LeaderWorkerSet default/s: spec.replicas: is -1, must not be negative",
                  "LeaderWorkerSet default/s: spec.leaderWorkerTemplate.size: is 0, must be at least "
                  "1: it counts the leader too"));
}

TEST(ValidatePodGroup, AGangHasAtLeastOneMember) {
  EXPECT_THAT(
      Complaints("apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g}\n"
                 "spec: {schedulingPolicy: {gang: {minCount: 0}}}\n"),
      ElementsAre("PodGroup default/g: spec.schedulingPolicy.gang.minCount: is 0, must be at least 1"));
  EXPECT_THAT(Complaints("apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: g}\n"
                         "spec: {minMember: 0}\n"),
              ElementsAre("PodGroup default/g: spec.minMember: is 0, must be at least 1"));
}

TEST(Validate, ComplaintsComeTogether) {
  EXPECT_EQ(OfPod("", "  restartPolicy: x\n  terminationGracePeriodSeconds: -1").size(), 2U);
}

}  // namespace
}  // namespace cadre::kube
