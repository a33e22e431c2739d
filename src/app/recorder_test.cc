#include "app/recorder.h"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "kube/decode.h"
#include "kube/leaderworkerset.h"

namespace cadre::app {
namespace {

using std::chrono::seconds;
using testing::Gang;
using testing::LonePod;
using testing::Nodes;
using testing::OneObject;
using testing::Row;
using testing::SecondsOf;

class Recording : public ::testing::Test {
 protected:
  void Submit(const kube::Object& object, int after_s = 0) { simulation_.SubmitAt(seconds(after_s), object); }
  void Run(const std::vector<kube::Object>& cluster) {
    simulation_.Load(cluster);
    simulation_.RunToEnd();
    EXPECT_THAT(simulation_.checker().violations(), ::testing::IsEmpty());
    EXPECT_TRUE(simulation_.refusals().empty());
  }
  const GroupRecord& RowOf(std::string_view name) const { return Row(simulation_, name); }

  Simulation simulation_{SimulationOptions{}};
};

kube::Object TwoRoles() {
  return OneObject(R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
    - name: driver
      template: &job
        spec:
          parallelism: 1
          completions: 1
          template:
            spec:
              restartPolicy: Never
              containers: [{name: c, image: x, command: [sleep, "30"], resources: {requests: {cpu: "1"}}}]
    - name: workers
      replicas: 2
      template: *job
)");
}

TEST_F(Recording, AGangStartsWhenItsMinimumIsPlacedAndEndsWithItsJob) {
  Submit(Gang("g", 3, "1", "20"), 5);
  Run(Nodes(1, "4"));
  EXPECT_EQ(SecondsOf(RowOf("g").submit), 5);
  EXPECT_EQ(SecondsOf(*RowOf("g").start), 5);
  EXPECT_EQ(SecondsOf(*RowOf("g").end), 25);
}

TEST_F(Recording, AGangThatWaitsStartsLater) {
  Submit(Gang("first", 2, "2", "20"));
  Submit(Gang("second", 2, "2", "20"), 1);
  Run(Nodes(2, "2"));
  EXPECT_EQ(SecondsOf(*RowOf("second").start), 20);
}

TEST_F(Recording, AJobSetIsOneRow) {
  Submit(TwoRoles());
  Run(Nodes(1, "4"));
  ASSERT_EQ(simulation_.recorder().Groups().size(), 1U);
  EXPECT_EQ(RowOf("train").key.kind, "JobSet");
  EXPECT_EQ(RowOf("train").members, 3);
}

TEST_F(Recording, PodsOfAJobThatIsNoGangShareTheRowOfTheJob) {
  Submit(OneObject(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: many}
spec:
  parallelism: 2
  completions: 5
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, command: [sleep, "10"], resources: {requests: {cpu: "1"}}}]
)"));
  Run(Nodes(1, "4"));
  ASSERT_EQ(simulation_.recorder().Groups().size(), 1U);
  EXPECT_EQ(RowOf("many").members, 2);
  EXPECT_EQ(RowOf("many").holds.size(), 5U);
  EXPECT_EQ(SecondsOf(*RowOf("many").end), 30);
}

TEST_F(Recording, PodsOfAPodGroupAreOneRowThatEndsWithTheLast) {
  Submit(
      OneObject("{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: pg}, spec: "
                "{minMember: 2}}"));
  for (const auto& [name, sleep] : {std::pair("a", "10"), std::pair("b", "30")}) {
    const kube::Object pod = LonePod(name, "1", sleep);
    json::value body = *pod.raw;
    body.as_object()["metadata"].as_object()["labels"] =
        json::object{{kube::kSchedulerPluginsPodGroupLabel, "pg"}};
    Submit(*kube::Decode(kube::Kind::kPod, std::move(body)));
  }
  Run(Nodes(1, "4"));
  ASSERT_EQ(simulation_.recorder().Groups().size(), 1U);
  EXPECT_EQ(RowOf("pg").members, 2);
  EXPECT_EQ(SecondsOf(*RowOf("pg").end), 30);
}

TEST_F(Recording, EachGroupOfALeaderWorkerSetIsARowCalledAsItsLeader) {
  for (const auto& [name, group, worker] : {std::tuple("serve-0", "0", "0"), std::tuple("serve-1", "1", "0"),
                                            std::tuple("serve-1-1", "1", "1")}) {
    const kube::Object pod = LonePod(name, "1", "10");
    json::value body = *pod.raw;
    json::object& metadata = body.as_object()["metadata"].as_object();
    metadata["labels"] = json::object{{kube::kLwsNameLabel, "serve"},
                                      {kube::kLwsGroupIndexLabel, group},
                                      {kube::kLwsWorkerIndexLabel, worker}};
    metadata["annotations"] = json::object{{kube::kLwsSizeAnnotation, "2"}};
    Submit(*kube::Decode(kube::Kind::kPod, std::move(body)));
  }
  Run(Nodes(1, "4"));
  // Of the first group the worker never comes, and the second does not wait for that.
  ASSERT_EQ(simulation_.recorder().Groups().size(), 2U);
  EXPECT_EQ(RowOf("serve-0").holds.size(), 0U);
  EXPECT_EQ(RowOf("serve-1").holds.size(), 2U);
}

TEST_F(Recording, AJobThatFailsIsARowThatFailed) {
  Submit(Gang("g", 2, "1", "infinity", "\n  activeDeadlineSeconds: 15"));
  Run(Nodes(1, "4"));
  EXPECT_TRUE(RowOf("g").failed);
  EXPECT_THAT(RowOf("g").failure, ::testing::HasSubstr("DeadlineExceeded"));
  EXPECT_EQ(SecondsOf(*RowOf("g").end), 15);
}

TEST_F(Recording, RemembersNodesAndDomains) {
  std::vector<kube::Object> nodes;
  for (const char* name : {"n0", "n1"})
    nodes.push_back(
        OneObject(fmt::format("{{apiVersion: v1, kind: Node, metadata: {{name: {0}, labels: "
                              "{{topology.kubernetes.io/rack: r-{0}}}}}, "
                              "status: {{allocatable: {{cpu: '2', pods: '9'}}}}}}",
                              name)));
  Submit(Gang("g", 2, "2"));
  Run(nodes);
  EXPECT_THAT(RowOf("g").nodes, ::testing::ElementsAre("n0", "n1"));
  EXPECT_THAT(RowOf("g").domains.at("topology.kubernetes.io/rack"), ::testing::ElementsAre("r-n0", "r-n1"));
}

TEST_F(Recording, NamesTheDomainsOfTheGivenLevelsOnly) {
  SimulationOptions options;
  options.levels = topology::Levels::Given({"example.com/row", "kubernetes.io/hostname"});
  Simulation simulation(options);
  simulation.Load(
      {OneObject("{apiVersion: v1, kind: Node, metadata: {name: n7, labels: {example.com/row: r1, "
                 "kubernetes.io/hostname: h, "
                 "topology.kubernetes.io/rack: x}}, status: {allocatable: {cpu: '2', pods: '9'}}}")});
  simulation.SubmitAt(seconds(0), Gang("g", 2, "1"));
  simulation.RunToEnd();
  const std::map<std::string, std::set<std::string>> expected = {{"example.com/row", {"r1"}},
                                                                 {"kubernetes.io/hostname", {"h"}}};
  EXPECT_EQ(Row(simulation, "g").domains, expected);
}

TEST_F(Recording, KnowsEveryWellKnownLevelButTheHost) {
  Submit(Gang("g", 2, "1"));
  Run(
      {OneObject("{apiVersion: v1, kind: Node, metadata: {name: n7, labels: {cadre.dev/switch-2: s, "
                 "kubernetes.io/hostname: h, "
                 "agentpool: p, example.com/row: r1}}, status: {allocatable: {cpu: '2', pods: '9'}}}")});
  const std::map<std::string, std::set<std::string>> expected = {{"cadre.dev/switch-2", {"s"}},
                                                                 {"agentpool", {"p"}}};
  EXPECT_EQ(RowOf("g").domains, expected);
}

TEST_F(Recording, NamesAMemberByUnitAndIndex) {
  Submit(TwoRoles());
  Run(Nodes(1, "4"));
  std::set<std::string> members;
  for (const Hold& hold : RowOf("train").holds)
    members.insert(hold.member);
  EXPECT_THAT(members, ::testing::ElementsAre("train-driver-0/0", "train-workers-0/0", "train-workers-1/0"));
}

TEST_F(Recording, CountsARecreatedPod) {
  Submit(Gang("g", 2, "1", "30"));
  simulation_.At(seconds(5), [](Simulation& simulation) {
    drive::Effect effect;
    const std::string name = simulation.api().All(kube::Kind::kPod).front().Meta().name;
    effect.what = drive::Delete{{kube::Kind::kPod, "default", name}, drive::Propagation::kBackground, {}};
    ASSERT_EQ(simulation.api().WriteNow("user", effect).outcome, drive::Outcome::kDone);
  });
  Run(Nodes(1, "4"));
  EXPECT_EQ(RowOf("g").recreated_pods, 1);
}

TEST_F(Recording, APodThatIsDeletedBeforeItEndsWasDeleted) {
  Submit(LonePod("a", "1", "100"));
  simulation_.At(seconds(5), [](Simulation& simulation) {
    drive::Effect effect;
    effect.what = drive::Delete{{kube::Kind::kPod, "default", "a"}, drive::Propagation::kBackground, {}};
    ASSERT_EQ(simulation.api().WriteNow("user", effect).outcome, drive::Outcome::kDone);
  });
  Run(Nodes(1, "4"));
  EXPECT_TRUE(RowOf("a").deleted);
}

TEST_F(Recording, PodsThatWereThereHaveNoRow) {
  std::vector<kube::Object> cluster = Nodes(1, "4");
  cluster.push_back(LonePod("agent", "1", "infinity", "\n  nodeName: n0"));
  Run(cluster);
  EXPECT_TRUE(simulation_.recorder().Groups().empty());
  EXPECT_EQ(simulation_.recorder().background_pods(), 1U);
}

TEST_F(Recording, APodOnANodeThatIsNotThereUsesNothingOfTheOthers) {
  std::vector<kube::Object> cluster = Nodes(1, "4");
  cluster.push_back(LonePod("astray", "2", "infinity", "\n  nodeName: gone"));
  Submit(Gang("g", 1, "1", "20"));
  Run(cluster);
  EXPECT_EQ(simulation_.recorder().background_pods(), 0U);
  EXPECT_DOUBLE_EQ(simulation_.recorder().use().Read(simulation_.clock().Now(), 1).at(0).peak_fraction, 0.25);
}

TEST(Simulation, ThatNeverStopsRestartingEndsWithARefusal) {
  SimulationOptions options;
  options.most_pods = 100;
  Simulation simulation(options);
  simulation.Load(Nodes(1, "4"));
  simulation.SubmitAt(seconds(0), OneObject(R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: endless}
spec:
  failurePolicy: {maxRestarts: 1000000000}
  replicatedJobs:
    - name: r
      template:
        spec:
          backoffLimit: 0
          template:
            metadata: {annotations: {cadre.dev/sim-duration: 1s, cadre.dev/sim-exit-code: "1"}}
            spec: {restartPolicy: Never, containers: [{name: c, image: x}]}
)"));
  simulation.RunToEnd();
  EXPECT_TRUE(simulation.clock().NextAt().has_value());
  ASSERT_EQ(simulation.refusals().size(), 1U);
  EXPECT_THAT(simulation.refusals()[0].message, ::testing::HasSubstr("more than 100 pods had been made"));
}

kube::Object GangOfGroup(std::string_view name) {
  return OneObject(fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {}}}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {{labels: {{scheduling.x-k8s.io/pod-group: ring}}}}
    spec:
      restartPolicy: Never
      containers: [{{name: c, image: x, command: [sleep, "30"], resources: {{requests: {{cpu: "1"}}}}}}]
)",
                               name));
}

kube::Object Ring(int members) {
  return OneObject(fmt::format(R"(
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {{name: ring}}
spec: {{minMember: {}}}
)",
                               members));
}

TEST_F(Recording, MembersOfAPodGroupOverSeveralJobsAreToldApart) {
  Submit(Ring(4));
  Submit(GangOfGroup("left"));
  Submit(GangOfGroup("right"));
  Run(Nodes(1, "4"));
  std::set<std::string> members;
  for (const Hold& hold : RowOf("ring").holds)
    members.insert(hold.member);
  EXPECT_THAT(members, ::testing::ElementsAre("left/0", "left/1", "right/0", "right/1"));
  EXPECT_EQ(RowOf("ring").recreated_pods, 0);
}

TEST_F(Recording, APodOfAPodGroupThatHasItsNodeFromTheStartIsInTheRowOfTheGroup) {
  std::vector<kube::Object> cluster = Nodes(1, "4");
  cluster.push_back(OneObject(R"(
apiVersion: v1
kind: Pod
metadata: {name: early, labels: {scheduling.x-k8s.io/pod-group: ring}}
spec: {nodeName: n0, restartPolicy: Never, containers: [{name: c, image: x, command: [sleep, "30"]}]}
)"));
  Submit(Ring(3));
  Submit(GangOfGroup("late"));
  Run(cluster);
  std::set<std::string> members;
  for (const Hold& hold : RowOf("ring").holds)
    members.insert(hold.member);
  EXPECT_THAT(members, ::testing::ElementsAre("early", "late/0", "late/1"));
}

TEST(UseMeter, MeansAreIntegralsOverTime) {
  const Time start{};
  UseMeter meter(start);
  meter.Offer(start, {{"cpu", 1000}}, +1);
  meter.Request(start + seconds(10), {{"cpu", 500}}, +1);
  meter.Request(start + seconds(20), {{"cpu", 500}}, -1);
  const UseMeter::Use use = meter.Read(start + seconds(40), 4).at(0);
  EXPECT_DOUBLE_EQ(use.mean_fraction, 0.125);
  EXPECT_DOUBLE_EQ(use.peak_fraction, 0.5);
  EXPECT_THAT(use.slices, ::testing::ElementsAre(0, 0.5, 0, 0));
}

TEST(UseMeter, KeepsTheMeanWhenItsBucketsRunOut) {
  const Time start{};
  UseMeter meter(start);
  meter.Offer(start, {{"cpu", 1000}}, +1);
  for (int i = 0; i < 3000; ++i) {  // a second on, a second off
    meter.Request(start + seconds(2 * i), {{"cpu", 1000}}, +1);
    meter.Request(start + seconds(2 * i + 1), {{"cpu", 1000}}, -1);
  }
  EXPECT_NEAR(meter.Read(start + seconds(6000), 10).at(0).mean_fraction, 0.5, 1e-9);
}

TEST(UseMeter, LeavesOutWhatNobodyAskedFor) {
  const Time start{};
  UseMeter meter(start);
  meter.Offer(start, {{"cpu", 1000}, {"nvidia.com/gpu", 8}, {"pods", 110}}, +1);
  const std::vector<UseMeter::Use> uses = meter.Read(start + seconds(1), 1);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses[0].resource, "cpu");
}

}  // namespace
}  // namespace cadre::app
