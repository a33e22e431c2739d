// The checker sees what is wrong: each test does one wrong thing to an API that nobody guards.
#include "app/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "kube/decode.h"
#include "sim/virtual_clock.h"

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using testing::Gang;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LonePod;
using testing::Nodes;
using testing::OneObject;

constexpr const char* kScheduler = "cadre-scheduler";

class Checking : public ::testing::Test {
 protected:
  Checking() : clock_(SimulationOptions().start), api_(clock_), checker_({.start = clock_.Now()}, api_) {
    api_.AddWriteObserver([this](const sim::WriteRecord& record) {
      tracker_.OnWrite(record.before, record.after);
      checker_.OnWrite(record);
    });
  }

  void Load(const std::vector<kube::Object>& objects) {
    EXPECT_THAT(api_.Load(objects), IsEmpty());
    for (const kube::Object& object : objects) {
      const kube::Object* loaded = api_.Find(object.kind, object.Meta().namespace_, object.Meta().name);
      tracker_.OnLoaded(*loaded);
      checker_.OnLoaded(*loaded);
    }
  }

  void Create(const kube::Object& object) {
    const drive::WriteResult made = api_.CreateNow("user", object.kind, object.raw->as_object(), "default");
    ASSERT_EQ(made.outcome, drive::Outcome::kDone) << made.message;
  }

  void Bind(std::string_view pod, std::string_view node, std::string_view user = kScheduler) {
    drive::Effect effect;
    effect.what = drive::Bind{{kube::Kind::kPod, "default", std::string(pod)}, std::string(node), {}};
    const drive::WriteResult bound = api_.WriteNow(user, effect);
    ASSERT_EQ(bound.outcome, drive::Outcome::kDone) << bound.message;
  }

  void Patch(kube::Kind kind, std::string_view name, std::string_view merge) {
    drive::Effect effect;
    const std::string ns = kube::Info(kind).namespaced ? "default" : "";
    effect.what = drive::Patch{{kind, ns, std::string(name)}, json::parse(merge).as_object()};
    ASSERT_EQ(api_.WriteNow("user", effect).outcome, drive::Outcome::kDone);
  }

  void PatchStatus(std::string_view pod, std::string_view merge) {
    drive::Effect effect;
    effect.what =
        drive::PatchStatus{{kube::Kind::kPod, "default", std::string(pod)}, json::parse(merge).as_object()};
    ASSERT_EQ(api_.WriteNow("kubelet", effect).outcome, drive::Outcome::kDone);
  }

  // A Job and its pods NAME-0, NAME-1, … as the Job controller makes them.
  void CreateGang(std::string_view name, int pods) {
    Create(Gang(name, pods, "1"));
    const std::string uid = api_.Find(kube::Kind::kJob, "default", name)->Meta().uid;
    for (int index = 0; index < pods; ++index)
      Create(MemberOf(name, uid, index, fmt::format("{}-{}", name, index)));
  }

  static kube::Object MemberOf(std::string_view job, std::string_view uid, int index, std::string_view name) {
    const kube::Object pod = LonePod(name, "1");
    json::value body = *pod.raw;
    json::object& metadata = body.as_object()["metadata"].as_object();
    metadata["annotations"] = json::object{{kube::kCompletionIndexAnnotation, std::to_string(index)}};
    metadata["ownerReferences"] = json::array{json::object{
        {"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", job}, {"uid", uid}, {"controller", true}}};
    return *kube::Decode(kube::Kind::kPod, std::move(body));
  }

  void LetTimePass(Duration by = std::chrono::seconds(1)) {
    checker_.OnSettled(clock_.Now(), clock_.Now() + by, tracker_.Settle());
    clock_.Run(clock_.Now() + by);
  }

  const std::vector<std::string>& violations() const { return checker_.violations(); }

  sim::VirtualClock clock_;
  sim::MemoryApi api_;
  GroupTracker tracker_;
  Checker checker_;
};

TEST_F(Checking, FindsNothingWrongWithABindThatFits) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "2"));
  Bind("a", "n0");
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Checking, SeesAnOverCommittedNode) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "2"));
  Create(LonePod("b", "1"));
  Bind("a", "n0");
  Bind("b", "n0");
  EXPECT_THAT(
      violations(),
      ElementsAre(HasSubstr("node n0 is over-committed by Pod default/b: 1 CPU requested, 2 CPU of 2 CPU")));
}

TEST_F(Checking, CountsPodsBeyondWhatANodeAllows) {
  Load({OneObject(
      R"({apiVersion: v1, kind: Node, metadata: {name: n0}, status: {allocatable: {cpu: "9", pods: "1"}}})")});
  Create(LonePod("a", "1"));
  Create(LonePod("b", "1"));
  Bind("a", "n0");
  Bind("b", "n0");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("1 pods requested")));
}

TEST_F(Checking, AFinishedPodHoldsNothing) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "2"));
  Create(LonePod("b", "2"));
  Bind("a", "n0");
  PatchStatus("a", R"({"status": {"phase": "Succeeded"}})");
  Bind("b", "n0");
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Checking, DoesNotBlameAnyoneForWhatWasOverCommittedBefore) {
  std::vector<kube::Object> objects = Nodes(1, "2");
  objects.push_back(LonePod("old", "3", "10", "\n  nodeName: n0"));
  Load(objects);
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Checking, BlamesWhoMakesItWorse) {
  std::vector<kube::Object> objects = Nodes(1, "2");
  objects.push_back(LonePod("old", "3", "10", "\n  nodeName: n0"));
  Load(objects);
  Create(LonePod("a", "1"));
  Bind("a", "n0");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("over-committed")));
}

TEST_F(Checking, RoomThatWasOverCommittedAndIsFreeAgainIsNoExcuse) {
  std::vector<kube::Object> objects = Nodes(1, "2");
  objects.push_back(LonePod("old", "3", "10", "\n  nodeName: n0"));
  Load(objects);
  PatchStatus("old", R"({"status": {"phase": "Succeeded"}})");
  Create(LonePod("a", "3"));
  Bind("a", "n0");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("over-committed")));
}

TEST_F(Checking, DoesNotBlameTheSchedulerForARaceInOneInstant) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "2"));
  Create(LonePod("b", "2"));
  Bind("a", "n0", "another-scheduler");
  Bind("b", "n0");
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Checking, BlamesTheSchedulerWhenItCouldHaveSeenTheOther) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "2"));
  Create(LonePod("b", "2"));
  Bind("a", "n0", "another-scheduler");
  LetTimePass();
  Bind("b", "n0");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("over-committed")));
}

TEST_F(Checking, SeesABindToACordonedNode) {
  Load(
      {OneObject("{apiVersion: v1, kind: Node, metadata: {name: n0}, spec: {unschedulable: true}, "
                 "status: {allocatable: {cpu: '4', pods: '9'}}}")});
  Create(LonePod("a", "1"));
  Bind("a", "n0");
  EXPECT_THAT(violations(),
              ElementsAre(HasSubstr("whose taint node.kubernetes.io/unschedulable:NoSchedule")));
}

TEST_F(Checking, SeesABindToATaintThatIsNotTolerated) {
  Load({OneObject(
      "{apiVersion: v1, kind: Node, metadata: {name: n0}, "
      "spec: {taints: [{key: gpu, effect: NoSchedule}]}, status: {allocatable: {cpu: '4', pods: '9'}}}")});
  Create(LonePod("a", "1"));
  Bind("a", "n0");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("whose taint gpu:NoSchedule it does not tolerate")));
}

TEST_F(Checking, SeesABindThatTheNodeSelectorExcludes) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "1", "10", "\n  nodeSelector: {pool: gpu}"));
  Bind("a", "n0");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("node selector or affinity excludes")));
}

TEST_F(Checking, SeesABindToANodeThatDoesNotExist) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "1"));
  Bind("a", "elsewhere");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("elsewhere, which does not exist")));
}

TEST_F(Checking, SeesAHostPortTakenTwice) {
  Load(Nodes(1, "4"));
  for (const char* name : {"a", "b"}) {
    Create(
        OneObject(fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}}}, spec: {{containers: "
                              "[{{name: c, image: x, ports: [{{containerPort: 80, hostPort: 8080}}]}}]}}}}",
                              name)));
    Bind(name, "n0");
  }
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("host port 8080 is taken")));
}

TEST_F(Checking, SeesABindWhereTheVolumeCannotBe) {
  std::vector<kube::Object> objects = Nodes(2, "4");
  objects.push_back(OneObject(
      "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {nodeAffinity: {required: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: "
      "[n1]}]}]}}}}"));
  objects.push_back(OneObject(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {volumeName: pv}}"));
  Load(objects);
  Create(LonePod("a", "1", "10", "\n  volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]"));
  Bind("a", "n0");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("where its volume pv cannot be")));
}

TEST_F(Checking, SeesAKubeletThatRefusesAPod) {
  Load(Nodes(1, "2"));
  Create(LonePod("a", "1"));
  Bind("a", "n0");
  PatchStatus("a", R"({"status": {"phase": "Failed", "reason": "OutOfcpu", "message": "not enough"}})");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("the kubelet of node n0 refused Pod default/a: OutOfcpu")));
}

TEST_F(Checking, SeesAGangThatStaysPlacedInPart) {
  Load(Nodes(1, "8"));
  CreateGang("g", 3);
  Bind("g-0", "n0");
  LetTimePass();
  EXPECT_THAT(violations(),
              ElementsAre(HasSubstr("Job default/g is placed in part: 1 of 3 pods of g are placed")));
}

TEST_F(Checking, IsContentWhenTheGangIsWholeAtTheEndOfTheInstant) {
  Load(Nodes(1, "8"));
  CreateGang("g", 2);
  Bind("g-0", "n0");
  Bind("g-1", "n0");
  LetTimePass();
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Checking, LetsAGangThatHasStartedLoseMembers) {
  Load(Nodes(1, "8"));
  CreateGang("g", 2);
  Bind("g-0", "n0");
  Bind("g-1", "n0");
  LetTimePass();
  PatchStatus("g-1", R"({"status": {"phase": "Failed"}})");
  LetTimePass();
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Checking, LetsAGangThatIsSuspendedLoseItsPodsOneByOne) {
  Load(Nodes(1, "8"));
  CreateGang("g", 2);
  Bind("g-0", "n0");
  Patch(kube::Kind::kJob, "g", R"({"spec": {"suspend": true}})");
  LetTimePass();
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Checking, AsksForTheWholeGangAgainAfterItWasSuspended) {
  Load(Nodes(1, "8"));
  CreateGang("g", 2);
  Bind("g-0", "n0");
  Bind("g-1", "n0");
  LetTimePass();
  Patch(kube::Kind::kJob, "g", R"({"spec": {"suspend": true}})");
  LetTimePass();
  PatchStatus("g-1", R"({"status": {"phase": "Failed"}})");
  Patch(kube::Kind::kJob, "g", R"({"spec": {"suspend": false}})");
  LetTimePass();
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("placed in part")));
}

TEST_F(Checking, SeesOneSlotOfAJobPlacedTwice) {
  Load(Nodes(2, "8"));
  CreateGang("g", 1);
  const std::string uid = api_.Find(kube::Kind::kJob, "default", "g")->Meta().uid;
  Create(MemberOf("g", uid, 0, "g-0-again"));
  Bind("g-0", "n0");
  Bind("g-0-again", "n1");
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("another pod of the same index is on node n0")));
}

TEST_F(Checking, SeesThatTheSchedulerCountsWhatTheApiDoesNot) {
  Load(Nodes(1, "8"));
  Create(LonePod("a", "2"));
  model::Cluster cluster;
  for (const kube::Object& node : api_.All(kube::Kind::kNode))
    cluster.Apply(node, false);
  const kube::Object pod = api_.All(kube::Kind::kPod).front();
  cluster.Apply(pod, false);
  cluster.Assume(cluster.FindPod(pod.Meta().uid), cluster.FindNode("n0"));
  checker_.OnEnd(clock_.Now(), cluster, true);
  EXPECT_THAT(
      violations(),
      ::testing::Contains(HasSubstr("the scheduler counts 2 CPU in use on node n0, the API says 0 CPU")));
}

TEST_F(Checking, IsContentWithASchedulerThatCountsAsTheApiDoes) {
  Load(Nodes(1, "8"));
  Create(LonePod("a", "2"));
  Bind("a", "n0");
  model::Cluster cluster;
  for (const kube::Kind kind : {kube::Kind::kNode, kube::Kind::kPod}) {
    for (const kube::Object& object : api_.All(kind))
      cluster.Apply(object, false);
  }
  checker_.OnEnd(clock_.Now(), cluster, true);
  EXPECT_THAT(violations(), IsEmpty());
}

}  // namespace
}  // namespace cadre::app
