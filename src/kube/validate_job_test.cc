#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/test_support.h"
#include "kube/validate.h"

namespace cadre::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kTemplate =
    "  template: {spec: {restartPolicy: Never, containers: [{name: main}]}}\n";

std::vector<std::string> OfJob(std::string_view spec_fields, std::string_view name = "j") {
  return Validate(
      FromYaml(fmt::format("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {}}}\nspec:\n{}{}\n", name,
                           kTemplate, spec_fields)));
}

TEST(ValidateJob, OrdinaryOnesAreTaken) {
  EXPECT_THAT(OfJob(""), IsEmpty());
  EXPECT_THAT(OfJob("  parallelism: 3"), IsEmpty());
  EXPECT_THAT(OfJob("  parallelism: 0"), IsEmpty());
}

struct Wrong {
  std::string name;
  std::string spec_fields;
  std::string complaint;  // after "Job default/j: spec."
};
class WrongJobs : public testing::TestWithParam<Wrong> {};

TEST_P(WrongJobs, AreRefused) {
  EXPECT_THAT(OfJob(GetParam().spec_fields), ElementsAre("Job default/j: spec." + GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongJobs,
    testing::Values(
        Wrong{"NegativeParallelism", "  parallelism: -1", "parallelism: is -1, must not be negative"},
        Wrong{"NegativeCompletions", "  completions: -1", "completions: is -1, must not be negative"},
        Wrong{"IndexedWithoutCompletions", "  completionMode: Indexed\n  parallelism: 4",
              "completions: is missing: completionMode Indexed needs the number of indexes"},
        Wrong{"TooManyIndexesAtOnce",
              "  completionMode: Indexed\n  parallelism: 100001\n  completions: 100001",
              "parallelism: is 100001, at most 100000 are allowed with completionMode Indexed"},
        Wrong{"MoreFailuresThanIndexes",
              "  completionMode: Indexed\n  completions: 2\n  backoffLimitPerIndex: 1\n  maxFailedIndexes: 3",
              "maxFailedIndexes: is 3, more than the 2 completions"},
        Wrong{"FailuresPerIndexWithoutIndexes", "  backoffLimitPerIndex: 1",
              "backoffLimitPerIndex: needs completionMode Indexed"},
        Wrong{"SuccessPolicyWithoutIndexes", "  successPolicy: {rules: [{succeededCount: 1}]}",
              "successPolicy: needs completionMode Indexed"},
        Wrong{"SuccessOfMoreThanThereAre",
              "  completionMode: Indexed\n  completions: 2\n  successPolicy: {rules: [{succeededCount: 3}]}",
              "successPolicy.rules[0].succeededCount: is 3, must be 1 to the 2 completions"},
        Wrong{
            "SuccessOfIndexesThatAreNot",
            "  completionMode: Indexed\n  completions: 2\n  successPolicy: {rules: [{succeededIndexes: "
            "5-6}]}",
            "successPolicy.rules[0].succeededIndexes: \"5-6\" names no index below 2: write e.g. \"0,2-4\""},
        Wrong{"FailureRuleForNothing", "  podFailurePolicy: {rules: [{action: FailJob}]}",
              "podFailurePolicy.rules[0]: needs either onExitCodes with values or onPodConditions, not both"},
        Wrong{"FailureRuleForSuccess",
              "  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [0]}}]}",
              "podFailurePolicy.rules[0].onExitCodes.values: must not hold 0 with operator In: 0 is success"},
        Wrong{"FailureRuleForAnotherContainer",
              "  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: x, operator: In, "
              "values: [1]}}]}",
              "podFailurePolicy.rules[0].onExitCodes.containerName: \"x\" is no container of the template"},
        Wrong{"FailIndexWithoutLimit",
              "  podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [1]}}]}",
              "podFailurePolicy.rules[0].action: is FailIndex, which needs backoffLimitPerIndex"},
        Wrong{"ManagedByWithoutDomain", "  managedBy: me",
              "managedBy: \"me\" must be a domain and a path, e.g. example.com/controller"}),
    [](const auto& row) { return row.param.name; });

TEST(ValidateJob, ItsPodsMustEndSomeTime) {
  EXPECT_THAT(
      Validate(FromYaml("apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n"
                        "spec: {template: {spec: {containers: [{name: main}]}}}\n")),
      ElementsAre(
          "Job default/j: spec.template.spec.restartPolicy: is Always (the default), must be Never or "
          "OnFailure for a Job"));
}

TEST(ValidateJob, ItsNameIsALabelOfItsPods) {
  EXPECT_THAT(OfJob("", std::string(64, 'j')),
              ElementsAre(testing::EndsWith("is 64 characters long, at most 63 are allowed: shorten it")));
}

TEST(ValidateJob, TheHostNamesOfItsPodsAreDnsLabels) {
  EXPECT_THAT(OfJob("  completionMode: Indexed\n  completions: 1000", std::string(60, 'j')),
              ElementsAre(testing::EndsWith(
                  "-999\", which is 64 characters long, at most 63 are allowed: shorten it")));
  EXPECT_THAT(OfJob("  completionMode: Indexed\n  completions: 100", std::string(60, 'j')), IsEmpty());
}

TEST(ValidateJob, ItsTemplateIsCheckedAsAPod) {
  EXPECT_THAT(
      Validate(FromYaml("apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n"
                        "spec: {template: {spec: {restartPolicy: Never}}}\n")),
      ElementsAre(
          "Job default/j: spec.template.spec.containers: is empty: a pod needs at least one container"));
}

}  // namespace
}  // namespace cadre::kube
