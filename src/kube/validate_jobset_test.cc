#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/test_support.h"
#include "kube/validate.h"

namespace cadre::kube {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

// A replicatedJob with a template that is fine, at the indentation of the list.
std::string Job(std::string_view name, std::string_view fields = "", std::string_view job_fields = "") {
  return fmt::format(
      "  - name: {}\n    template: {{spec: {{{}template: {{spec: {{containers: [{{name: main}}]}}}}}}}}\n{}",
      name, job_fields, fields);
}

std::vector<std::string> OfJobSet(std::string_view replicated_jobs, std::string_view spec_fields = "",
                                  std::string_view name = "js") {
  return Validate(
      FromYaml(fmt::format("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: {}}}\n"
                           "spec:\n  replicatedJobs:\n{}{}\n",
                           name, replicated_jobs, spec_fields)));
}

const std::string kTwo = Job("a") + Job("b", "    replicas: 3\n");

TEST(ValidateJobSet, AnOrdinaryOneIsTaken) {
  EXPECT_THAT(OfJobSet(kTwo), IsEmpty());
}

TEST(ValidateJobSet, OneWithoutReplicatedJobsIsTaken) {
  EXPECT_THAT(
      Validate(FromYaml("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: js}\n")),
      IsEmpty());
}

TEST(ValidateJobSet, NamesOfReplicatedJobsMustDiffer) {
  EXPECT_THAT(
      OfJobSet(Job("a") + Job("a")),
      ElementsAre(
          "JobSet default/js: spec.replicatedJobs[1].name: \"a\" is the name of an earlier replicatedJob"));
}

TEST(ValidateJobSet, ReplicasMustNotBeNegative) {
  EXPECT_THAT(OfJobSet(Job("a", "    replicas: -1\n")),
              ElementsAre("JobSet default/js: spec.replicatedJobs[0].replicas: is -1, must not be negative"));
}

TEST(ValidateJobSet, AllItsPodsCanBeCounted) {
  EXPECT_THAT(
      OfJobSet(Job("a", "    replicas: 100000\n", "parallelism: 100000, completions: 1, ")),
      ElementsAre(
          "JobSet default/js: spec.replicatedJobs[0].replicas: times parallelism is 10000000000 pods, at "
          "most 2147483647 are allowed"));
}

TEST(ValidateJobSet, GroupNamesAreDnsLabels) {
  EXPECT_THAT(
      OfJobSet(Job("a", "    groupName: 1st\n")),
      ElementsAre("JobSet default/js: spec.replicatedJobs[0].groupName: \"1st\" is not a DNS-1035 label: use "
                  "lower-case letters, digits and '-', starting with a letter, not ending in '-'"));
}

TEST(ValidateJobSet, TheNamesOfItsJobsFit) {
  // 58 + "-a-0" is 62, "-a-999" is 64.
  EXPECT_THAT(OfJobSet(Job("a", "", "completionMode: NonIndexed, "), "", std::string(58, 'j')), IsEmpty());
  EXPECT_THAT(
      OfJobSet(Job("a", "    replicas: 1000\n"), "", std::string(58, 'j')),
      ElementsAre(EndsWith("-a-999\", which is 64 characters long, at most 63 are allowed: shorten it")));
}

TEST(ValidateJobSet, TheNamesOfItsPodsFit) {
  // 52 + "-a-0" + "-0-abcde" is 64.
  EXPECT_THAT(OfJobSet(Job("a"), "", std::string(51, 'j')), IsEmpty());
  EXPECT_THAT(OfJobSet(Job("a"), "", std::string(52, 'j')),
              ElementsAre(EndsWith(
                  "-a-0-0-abcde\", which is 64 characters long, at most 63 are allowed: shorten it")));
}

TEST(ValidateJobSet, DependsOnNamesAnEarlierOne) {
  EXPECT_THAT(OfJobSet(Job("a") + Job("b", "    dependsOn: [{name: a, status: Ready}]\n")), IsEmpty());
  EXPECT_THAT(
      OfJobSet(Job("a", "    dependsOn: [{name: b, status: Ready}]\n") + Job("b")),
      ElementsAre(
          "JobSet default/js: spec.replicatedJobs[0].dependsOn[0].name: \"b\" must be a replicatedJob that "
          "stands before \"a\" in the list"));
}

TEST(ValidateJobSet, DependsOnAndInOrderExcludeEachOther) {
  EXPECT_THAT(
      OfJobSet(Job("a") + Job("b", "    dependsOn: [{name: a, status: Ready}]\n"),
               "  startupPolicy: {startupPolicyOrder: InOrder}"),
      ElementsAre(
          "JobSet default/js: spec.replicatedJobs[1].dependsOn: and startupPolicy InOrder exclude each "
          "other: remove one"));
}

TEST(ValidateJobSet, ItsJobTemplatesAreCheckedAsJobs) {
  EXPECT_THAT(
      OfJobSet(Job("a", "", "parallelism: -2, completions: 1, ")),
      ElementsAre("JobSet default/js: spec.replicatedJobs[0].template.spec.parallelism: is -2, must not be "
                  "negative"));
}

TEST(ValidateJobSet, AnIndexedJobNeedsCompletionsAlsoWhereIndexedIsTheDefault) {
  EXPECT_THAT(
      OfJobSet(Job("a", "", "parallelism: 2, ")),
      ElementsAre(
          "JobSet default/js: spec.replicatedJobs[0].template.spec.completions: is missing: completionMode "
          "Indexed needs the number of indexes"));
}

struct Wrong {
  std::string name;
  std::string spec_fields;
  std::string complaint;  // after "JobSet default/js: spec."
};
class WrongPolicies : public testing::TestWithParam<Wrong> {};

TEST_P(WrongPolicies, AreRefused) {
  EXPECT_THAT(OfJobSet(kTwo, GetParam().spec_fields),
              ElementsAre("JobSet default/js: spec." + GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongPolicies,
    testing::Values(
        Wrong{"Subdomain", "  network: {subdomain: A}",
              "network.subdomain: \"A\" is not a DNS-1035 label: use lower-case letters, digits and '-', "
              "starting with a "
              "letter, not ending in '-'"},
        Wrong{"SuccessTarget", "  successPolicy: {operator: All, targetReplicatedJobs: [x]}",
              "successPolicy.targetReplicatedJobs: \"x\" is none of the replicatedJobs (a, b)"},
        Wrong{"FailureTarget",
              "  failurePolicy: {rules: [{name: r, action: FailJobSet, targetReplicatedJobs: [x]}]}",
              "failurePolicy.rules[0].targetReplicatedJobs: \"x\" is none of the replicatedJobs (a, b)"},
        Wrong{"FailureAction", "  failurePolicy: {rules: [{name: r, action: Panic}]}",
              "failurePolicy.rules[0].action: is \"Panic\", must be one of FailJobSet, RestartJobSet, "
              "RestartJobSetAndIgnoreMaxRestarts"},
        Wrong{"GatedAction", "  failurePolicy: {rules: [{name: r, action: RestartJob}]}",
              "failurePolicy.rules[0].action: is RestartJob, which needs JobSet's feature gate RestartJob; "
              "it is off"},
        Wrong{"GatedStrategy", "  failurePolicy: {restartStrategy: InPlaceRestart}",
              "failurePolicy.restartStrategy: is InPlaceRestart, which needs JobSet's feature gate "
              "InPlaceRestart; it is "
              "off"},
        Wrong{"FailureReason",
              "  failurePolicy: {rules: [{name: r, action: FailJobSet, onJobFailureReasons: [Bad]}]}",
              "failurePolicy.rules[0].onJobFailureReasons: is \"Bad\", must be one of BackoffLimitExceeded, "
              "DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded, PodFailurePolicy"},
        Wrong{"RuleNames",
              "  failurePolicy: {rules: [{name: r, action: FailJobSet}, {name: r, action: FailJobSet}]}",
              "failurePolicy.rules[1].name: \"r\" is the name of an earlier rule"},
        Wrong{"RuleName", "  failurePolicy: {rules: [{name: 1st, action: FailJobSet}]}",
              "failurePolicy.rules[0].name: \"1st\" must be up to 128 letters, digits, '_', ',' or ':', "
              "starting with a "
              "letter and ending in a letter, digit or '_'"},
        Wrong{"CoordinatorJob", "  coordinator: {replicatedJob: x}",
              "coordinator.replicatedJob: \"x\" is none of the replicatedJobs (a, b)"},
        Wrong{"CoordinatorJobIndex", "  coordinator: {replicatedJob: b, jobIndex: 3}",
              "coordinator.jobIndex: is 3, must be below the 3 replicas of b"},
        Wrong{"CoordinatorPodIndex", "  coordinator: {replicatedJob: b, podIndex: 1}",
              "coordinator.podIndex: is 1, must be below the 1 completions of b"},
        Wrong{"ManagedBy", "  managedBy: me",
              "managedBy: \"me\" must be a domain and a path, e.g. example.com/controller"},
        Wrong{"Ttl", "  ttlSecondsAfterFinished: -1",
              "ttlSecondsAfterFinished: is -1, must not be negative"}),
    [](const auto& row) { return row.param.name; });

TEST(ValidateJobSet, ARuleWithoutANameGetsOneFromTheWebhook) {
  EXPECT_THAT(OfJobSet(kTwo, "  failurePolicy: {rules: [{action: FailJobSet}, {action: RestartJobSet}]}"),
              IsEmpty());
}

}  // namespace
}  // namespace cadre::kube
