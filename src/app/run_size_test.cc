#include "app/run_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"

namespace cadre::app {
namespace {

using ::testing::HasSubstr;
using testing::OneObject;

kube::Object JobOf(std::string_view name, std::string_view spec, std::string_view status = "{}") {
  return OneObject(
      fmt::format("{{apiVersion: batch/v1, kind: Job, metadata: {{name: {}}}, spec: {{{}, template: {{spec: "
                  "{{restartPolicy: "
                  "Never, containers: [{{name: c, image: x}}]}}}}}}, status: {}}}",
                  name, spec, status));
}

kube::Object JobSetOf(std::int64_t replicas, std::int64_t completions) {
  return OneObject(
      fmt::format("{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {{name: s}}, spec: "
                  "{{replicatedJobs: [{{name: "
                  "r, replicas: {}, template: {{spec: {{parallelism: 1, completions: {}, template: {{spec: "
                  "{{restartPolicy: "
                  "Never, containers: [{{name: c, image: x}}]}}}}}}}}}}]}}}}",
                  replicas, completions));
}

TEST(PodsToMake, OfAJobAreItsCompletionsWhateverRunsAtATime) {
  EXPECT_EQ(PodsToMake(JobOf("j", "parallelism: 2, completions: 1000000000")), 1'000'000'000);
}

TEST(PodsToMake, OfAJobWithoutCompletionsAreThoseAtATime) {
  EXPECT_EQ(PodsToMake(JobOf("j", "parallelism: 7")), 7);
}

TEST(PodsToMake, OfAJobUnderWayAreWhatIsLeft) {
  EXPECT_EQ(PodsToMake(JobOf("j", "parallelism: 2, completions: 10", "{succeeded: 4}")), 6);
}

TEST(PodsToMake, OfAJobSetAreThoseOfAllItsJobs) {
  EXPECT_EQ(PodsToMake(JobSetOf(3, 5)), 15);
}

TEST(PodsToMake, OfTheLargestNumbersDoNotOverflow) {
  EXPECT_EQ(PodsToMake(JobSetOf(2147483647, 2147483647)), std::int64_t{2147483647} * 2147483647);
}

TEST(TooManyPods, NamesTheFieldAndTheBound) {
  EXPECT_THAT(TooManyPods(JobOf("big", "parallelism: 2, completions: 250001")).value_or(""),
              HasSubstr("spec.completions: found 250001 pods until Job default/big is complete, a "
                        "simulation makes at most "
                        "250000"));
}

TEST(TooManyPods, TakesAnObjectAtTheBound) {
  EXPECT_EQ(TooManyPods(JobOf("big", "parallelism: 2, completions: 250000")), std::nullopt);
}

TEST(TooManyPods, CountsAllOfTheInputAndNamesTheLargest) {
  SimulationInput input;
  input.cluster = {JobOf("running", "parallelism: 2, completions: 100000")};
  input.submissions.push_back({.object = JobOf("large", "parallelism: 2, completions: 150001"), .after = {}});
  EXPECT_THAT(TooManyPods(input).value_or(""), HasSubstr("250001 pods in all (Job default/large: 150001)"));
}

TEST(TooManyPods, TakesAnInputAtTheBound) {
  SimulationInput input;
  input.cluster = {JobOf("running", "parallelism: 2, completions: 100000")};
  input.submissions.push_back({.object = JobOf("large", "parallelism: 2, completions: 150000"), .after = {}});
  EXPECT_EQ(TooManyPods(input), std::nullopt);
}

TEST(PodsOfAnEndlessRun, GrowWithWhatTheInputAsksFor) {
  SimulationInput input;
  input.submissions.push_back({.object = JobOf("small", "parallelism: 2, completions: 4"), .after = {}});
  EXPECT_EQ(PodsOfAnEndlessRun(input), 10'200U);
}

TEST(PodsOfAnEndlessRun, StayWithinWhatMemoryHolds) {
  SimulationInput input;
  input.submissions.push_back({.object = JobOf("large", "parallelism: 2, completions: 250000"), .after = {}});
  EXPECT_EQ(PodsOfAnEndlessRun(input), 500'000U);
}

}  // namespace
}  // namespace cadre::app
