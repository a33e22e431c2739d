// The one domain that the stages of a JobSet share: who chooses it, who follows, who remembers.
#include "core/home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scheduler.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using kube::Kind;
using ::testing::HasSubstr;

// JobSet train, a rack asked for: a driver of one pod, and when that is complete workers of three. Racks a
// and b of one node each.
class Home : public ::testing::Test {
 protected:
  void GivenRacks(int cpus_in_a, int cpus_in_b) {
    world_.AddNode("a", cpus_in_a, "topology.kubernetes.io/rack: a");
    world_.AddNode("b", cpus_in_b, "topology.kubernetes.io/rack: b");
  }
  void GivenJobSet(std::string_view asks, const std::string& name = "train", int workers = 3) {
    world_.Create(fmt::format(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: {1}, annotations: {{cadre.dev/{0}-topology: topology.kubernetes.io/rack}}}}
spec:
  replicatedJobs:
  - name: driver
    template: {{spec: {{completionMode: Indexed, completions: 1, parallelism: 1, template: {{spec: {{schedulerName: cadre, restartPolicy: Never, containers: [{{name: main, image: a, resources: {{requests: {{cpu: "1"}}}}}}]}}}}}}}}
  - name: workers
    dependsOn: [{{name: driver, status: Complete}}]
    template: {{spec: {{completionMode: Indexed, completions: {2}, parallelism: {2}, template: {{spec: {{schedulerName: cadre, restartPolicy: Never, containers: [{{name: main, image: a, resources: {{requests: {{cpu: "1"}}}}}}]}}}}}}}}
)",
                              asks, name, workers));
    world_.AddChildJob(name, "driver", 0, 1);
    world_.AddPods(name + "-driver-0", 1);
    world_.Run();
  }
  void DriverEndsAndWorkersCome() {
    world_.SetPhase("train-driver-0-0", "Succeeded");
    world_.Change(Kind::kJob, "train-driver-0",
                  R"({"status":{"succeeded":1,"conditions":[{"type":"Complete","status":"True"}]}})");
    world_.AddChildJob("train", "workers", 0, 3);
    world_.AddPods("train-workers-0", 3);
    world_.Run();
  }

  SchedulerWorld world_;
};

TEST_F(Home, TheFirstStagePassesByWhatTheSecondCouldNeverFitIn) {
  GivenRacks(2, 4);
  GivenJobSet("required");
  EXPECT_EQ(world_.NodeOf("train-driver-0-0"), "b");
}

TEST_F(Home, NothingStartsWhereNoDomainCouldHoldEveryStage) {
  GivenRacks(2, 2);
  GivenJobSet("required");
  EXPECT_EQ(world_.CountBound(), 0);
  EXPECT_THAT(world_.ReasonOf("train"), HasSubstr("none could hold its stage 2"));
}

TEST_F(Home, AJobSetThatFitsIsNotTakenForOneWhoseLaterStageNeverFits) {
  GivenRacks(2, 2);
  GivenJobSet("required");
  GivenJobSet("required", "small", 1);
  EXPECT_EQ(world_.CountBound("train"), 0);
  EXPECT_EQ(world_.CountBound("small"), 1);
}

TEST_F(Home, TheSecondStageWaitsThereWhateverIsFreeElsewhere) {
  GivenRacks(4, 4);
  GivenJobSet("required");
  ASSERT_EQ(world_.NodeOf("train-driver-0-0"), "a");
  world_.AddLonePod("guest", 3, R"(schedulerName: cadre, nodeSelector: {topology.kubernetes.io/rack: a}, )");
  world_.Run();
  ASSERT_EQ(world_.NodeOf("guest"), "a");
  DriverEndsAndWorkersCome();
  EXPECT_EQ(world_.CountBound("train-workers"), 0);
  world_.Delete(Kind::kPod, "guest");
  world_.Run();
  EXPECT_EQ(world_.NodeOf("train-workers-0-2"), "a");
}

TEST_F(Home, ANewProcessKnowsIt) {
  GivenRacks(4, 4);
  GivenJobSet("required");
  world_.AddLonePod("guest", 3, R"(schedulerName: cadre, nodeSelector: {topology.kubernetes.io/rack: a}, )");
  world_.Run();
  world_.Restart();
  DriverEndsAndWorkersCome();
  EXPECT_EQ(world_.CountBound("train-workers"), 0);
}

TEST_F(Home, ThatIsOnlyRequiredIsClosedToNobody) {
  GivenRacks(4, 4);
  GivenJobSet("required");
  world_.AddGang("gang", 7);
  world_.Run();
  EXPECT_EQ(world_.CountBound("gang"), 7);
}

TEST_F(Home, ThatIsExclusiveStaysClosedBetweenTheStages) {
  GivenRacks(4, 4);
  GivenJobSet("exclusive");
  ASSERT_EQ(world_.NodeOf("train-driver-0-0"), "a");
  world_.SetPhase("train-driver-0-0", "Succeeded");
  world_.AddGang("gang", 5);
  world_.Run();
  EXPECT_EQ(world_.CountBound("gang"), 0);
  DriverEndsAndWorkersCome();
  EXPECT_EQ(world_.NodeOf("train-workers-0-0"), "a");
}

TEST_F(Home, WhenNothingOfTheJobSetRunsAnyMoreTheFirstStageHasTheChoiceAgain) {
  GivenRacks(4, 4);
  GivenJobSet("required");
  ASSERT_EQ(world_.NodeOf("train-driver-0-0"), "a");
  world_.DeletePodsOf("train");
  world_.Delete(Kind::kNode, "a");
  world_.AddPods("train-driver-0", 1);
  world_.Run();
  EXPECT_EQ(world_.NodeOf("train-driver-0-0"), "b");
}

TEST(WithinDomains, CombinesEveryTermOfThePodWithEveryDomain) {
  kube::PodSpec spec;
  spec.affinity.required_node.emplace();
  for (const char* key : {"gpu", "fast"})
    spec.affinity.required_node->terms.push_back(
        {.match_expressions = {{key, kube::SelectorOperator::kExists, {}}}, .match_fields = {}});
  const kube::PodSpec within =
      Within(spec, {{{"zone", "z1"}, {"rack", "r1"}}, {{"zone", ""}, {"rack", "r1"}}});
  const auto& terms = within.affinity.required_node->terms;
  ASSERT_EQ(terms.size(), 4U);
  for (const kube::NodeSelectorTerm& term : terms)
    EXPECT_EQ(term.match_expressions.size(), 3U);
}

TEST(WithinDomains, WhereALabelIsMissingItMustBeMissing) {
  const kube::PodSpec within = Within({}, {{{"zone", ""}, {"rack", "r1"}}});
  EXPECT_TRUE(kube::MatchesNodeConstraints({}, within.affinity.required_node, {{"rack", "r1"}}, "n"));
  EXPECT_FALSE(
      kube::MatchesNodeConstraints({}, within.affinity.required_node, {{"rack", "r1"}, {"zone", "z"}}, "n"));
}

}  // namespace
}  // namespace cadre::core
