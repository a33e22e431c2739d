// The API server is the only memory: whenever the process is killed, the next one goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan.h"
#include "core/scheduler.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using drive::Outcome;
using kube::Kind;

class Restart : public testing::Test {
 protected:
  void GivenAGang() {
    world_.AddNodes(2, 4);
    world_.AddGang("work", 4);
  }
  void ExpectStartedOnce() {
    EXPECT_EQ(world_.CountBound("work"), 4);
    EXPECT_EQ(world_.CountWrites("bind default/work"), 4);
    EXPECT_EQ(world_.CountWrites("patch Job default/work"), 1);
    EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kStartedAnnotation),
              world_.AnnotationOf(Kind::kPod, "work-0", kPlanIdAnnotation));
  }

  SchedulerWorld world_;
};

TEST_F(Restart, BeforeTheFirstBindLosesNothing) {
  GivenAGang();
  world_.Step();
  world_.Restart();
  world_.Run();
  ExpectStartedOnce();
}

TEST_F(Restart, AfterTheFirstBindTheOthersFollow) {
  GivenAGang();
  ASSERT_FALSE(world_.Run(1));
  world_.Restart();
  world_.Run();
  ExpectStartedOnce();
}

TEST_F(Restart, AfterTheFirstBindTheOthersGoWhereThePlanSays) {
  GivenAGang();
  ASSERT_FALSE(world_.Run(1));
  std::string bound;
  for (const std::string& pod : world_.PodNames()) {
    if (!world_.NodeOf(pod).empty()) bound = pod;
  }
  // A node that is a better fit than the plan's must not draw them away.
  world_.AddNode("n0", 3);
  const auto plan = Plan::Decode(world_.AnnotationOf(Kind::kPod, bound, kPlanAnnotation));
  ASSERT_TRUE(plan.has_value());
  world_.Restart();
  world_.Run();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(world_.NodeOf(fmt::format("work-{}", i)), plan->NodeOf("work", i));
}

TEST_F(Restart, APlanThatAUserEditedIsAHintAndNoMore) {
  GivenAGang();
  ASSERT_FALSE(world_.Run(1));
  for (const std::string& pod : world_.PodNames()) {
    if (world_.NodeOf(pod).empty()) continue;
    world_.Change(
        Kind::kPod, pod,
        R"({"metadata":{"annotations":{"cadre.dev/plan":"{\"v\":1,\"units\":{\"work\":[[0,4,\"nowhere\"]]}}"}}})");
  }
  world_.Restart();
  world_.Run();
  ExpectStartedOnce();
}

TEST_F(Restart, APlanThatCannotBeReadIsMadeAgainAroundTheBound) {
  GivenAGang();
  ASSERT_FALSE(world_.Run(1));
  for (const std::string& pod : world_.PodNames()) {
    if (world_.NodeOf(pod).empty()) continue;
    world_.Change(Kind::kPod, pod, R"({"metadata":{"annotations":{"cadre.dev/plan":"garbage"}}})");
  }
  world_.Restart();
  world_.Run();
  ExpectStartedOnce();
}

TEST_F(Restart, AHalfBoundGroupComesBeforeTheOthers) {
  world_.AddNodes(1, 4);
  world_.AddGang("work", 4);
  ASSERT_FALSE(world_.Run(1));
  world_.AddLonePod("important", 1, "schedulerName: cadre, priority: 100, ");
  world_.Restart();
  world_.Run();
  EXPECT_EQ(world_.CountBound("work"), 4);
  EXPECT_EQ(world_.NodeOf("important"), "");
}

TEST_F(Restart, BetweenTheLastBindAndTheMarkTheMarkIsWritten) {
  GivenAGang();
  ASSERT_FALSE(world_.Run(4));
  EXPECT_EQ(world_.CountWrites("patch Job"), 0);
  world_.Restart();
  world_.Run();
  ExpectStartedOnce();
}

TEST_F(Restart, OfAStartedGangWritesNothing) {
  GivenAGang();
  world_.Run();
  world_.ClearLog();
  world_.Restart();
  world_.PassSeconds(600);
  EXPECT_TRUE(world_.log().empty());
  EXPECT_EQ(world_.StateOf("work"), GroupState::kStarted);
}

TEST_F(Restart, OfAGroupOfOneWritesNothing) {
  world_.AddNodes(1, 4);
  world_.AddLonePod("alone", 1);
  world_.Run();
  world_.ClearLog();
  world_.Restart();
  world_.PassSeconds(600);
  EXPECT_TRUE(world_.log().empty());
}

// A started group that lost a member while nobody was looking is not taken for one that never started.
TEST_F(Restart, AStartedGangThatLostAMemberKeepsTheOthers) {
  world_.AddNodes(2, 2);
  world_.AddGang("work", 4);
  world_.Run();
  world_.Delete(Kind::kPod, "work-1");
  world_.AddPod("work", 1);
  world_.AddLonePod("on-n1", 1, "nodeName: n1, ");
  world_.AddLonePod("on-n2", 1, "nodeName: n2, ");
  world_.Restart();
  world_.PassSeconds(3'600);
  EXPECT_EQ(world_.CountBound("work"), 3);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
}

TEST_F(Restart, AGangWithoutAnObjectThatLostAMemberKeepsTheOthers) {
  world_.AddNodes(2, 2);
  world_.AddJob("lammps", 4, "", "");
  for (int i = 0; i < 4; ++i) {
    world_.AddPod("lammps", i);
    world_.Change(Kind::kPod, fmt::format("lammps-{}", i),
                  R"({"metadata":{"labels":{"fluence.group-size":"4"}}})");
  }
  world_.Run();
  ASSERT_EQ(world_.CountBound("lammps"), 4);
  world_.Delete(Kind::kPod, "lammps-1");
  world_.Restart();
  world_.PassSeconds(3'600);
  EXPECT_EQ(world_.CountBound("lammps"), 3);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
}

// One part of a JobSet starts after another: its mark must not make the first look as if it had never
// started.
TEST_F(Restart, EachPartOfAJobSetRemembersItsOwnStart) {
  world_.AddNodes(2, 2);
  world_.Create(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, annotations: {cadre.dev/gang: replicatedjob}}
spec:
  replicatedJobs:
  - name: a
    template: {spec: {completionMode: Indexed, completions: 2, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}
  - name: b
    template: {spec: {completionMode: Indexed, completions: 2, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}
)");
  for (const char* role : {"a", "b"}) {
    world_.AddChildJob("train", role, 0, 2);
    world_.AddPods(fmt::format("train-{}-0", role), 2);
    world_.Run();
  }
  ASSERT_EQ(world_.CountBound("train"), 4);
  for (const char* role : {"a", "b"}) {
    const std::string pod = fmt::format("train-{}-0-0", role);
    const std::string node = world_.NodeOf(pod);
    world_.Delete(Kind::kPod, pod);
    world_.AddLonePod(fmt::format("intruder-{}", role), 1, fmt::format("nodeName: {}, ", node));
    world_.AddPod(fmt::format("train-{}-0", role), 0);
  }
  world_.Restart();
  world_.PassSeconds(3'600);
  EXPECT_EQ(world_.CountWrites("suspend"), 0);
  EXPECT_EQ(world_.CountBound("train"), 2);
}

// --- in the middle of a rollback

class RestartInRollback : public Restart {
 protected:
  void GivenARolledBackGang() {
    GivenAGang();
    world_.Refuse("bind default/work-2", Outcome::kRejected);
    world_.PassSeconds(10);
    ASSERT_EQ(world_.CountWrites("patch Job default/work"), 1);
    world_.RefuseNothing();
  }
  bool IsSuspended() {
    const json::value* suspend = Find(world_.Get(Kind::kJob, "work"), {"spec", "suspend"});
    return suspend != nullptr && suspend->is_bool() && suspend->get_bool();
  }
};

TEST_F(RestartInRollback, TheSuspendedJobIsResumedWhenItsPodsAreGone) {
  GivenARolledBackGang();
  world_.Restart();
  world_.PassSeconds(10);
  EXPECT_TRUE(IsSuspended());
  world_.DeletePodsOf("work");
  world_.PassSeconds(2);
  EXPECT_FALSE(IsSuspended());
}

TEST_F(RestartInRollback, TheSuspendedJobWithoutPodsIsResumed) {
  GivenARolledBackGang();
  world_.DeletePodsOf("work");
  world_.Restart();
  world_.PassSeconds(2);
  EXPECT_FALSE(IsSuspended());
}

TEST_F(RestartInRollback, AJobThatItsUserSuspendedStaysSuspended) {
  GivenAGang();
  world_.Run();
  world_.Change(Kind::kJob, "work", R"({"spec":{"suspend":true}})");
  world_.DeletePodsOf("work");
  world_.Restart();
  world_.PassSeconds(600);
  EXPECT_TRUE(IsSuspended());
}

TEST_F(RestartInRollback, TheCountOfRollbacksGoesOn) {
  GivenARolledBackGang();
  world_.DeletePodsOf("work");
  world_.Restart();
  world_.PassSeconds(2);
  world_.Refuse("bind default/work-2", Outcome::kRejected);
  world_.AddPods("work", 4);
  world_.PassSeconds(10);
  EXPECT_EQ(world_.AnnotationOf(Kind::kJob, "work", kRollbacksAnnotation), "2");
}

// --- at every write

// As much of a Job controller as a rollback needs.
void RunJobController(SchedulerWorld& world, int pods) {
  const json::value* suspend = Find(world.Get(Kind::kJob, "work"), {"spec", "suspend"});
  if (suspend != nullptr && suspend->is_bool() && suspend->get_bool()) {
    world.DeletePodsOf("work");
    return;
  }
  for (int i = 0; i < pods; ++i) {
    if (!world.Exists(Kind::kPod, fmt::format("work-{}", i))) world.AddPod("work", i);
  }
}

// Two gangs that fit one after the other, one of whose members is refused five times; killed after the n-th
// write, with its answer heard or not. Returns how many writes it took.
std::size_t RunWithACrashAfter(int writes, bool heard) {
  SchedulerWorld world;
  world.AddNodes(2, 2);
  world.AddGang("work", 4);
  world.AddGang("other", 4);
  world.Refuse("bind default/work-2", Outcome::kRejected, 5);
  world.Run(writes);
  if (heard) world.Step();
  world.Restart();
  bool done = false;
  for (int round = 0; round < 200 && !done; ++round) {
    world.PassSeconds(1);
    RunJobController(world, 4);
    // Nothing runs for ever: what is bound ends when its gang is whole.
    for (const char* gang : {"work", "other"}) {
      const std::string name(gang);
      if (world.CountBound(name) != 4) continue;
      EXPECT_EQ(world.StateOf(name), GroupState::kStarted);
      world.Run();
      EXPECT_NE(world.AnnotationOf(Kind::kJob, name, kStartedAnnotation), "");
      if (name == "other") world.DeletePodsOf(name);
      if (name == "work") done = true;
    }
  }
  EXPECT_TRUE(done) << "killed after write " << writes;
  EXPECT_EQ(world.CountWrites("evict"), 0);
  EXPECT_EQ(world.CountWrites("conflict"), 0) << "something was bound twice";
  EXPECT_TRUE(world.scheduler().cluster().reservations().empty());
  return world.log().size();
}

TEST(CrashAtEveryWrite, EndsWithWholeGangs) {
  const std::size_t writes = RunWithACrashAfter(0, false);
  ASSERT_GE(writes, 9U);
  for (int n = 1; n <= static_cast<int>(writes) + 10; ++n) {
    RunWithACrashAfter(n, false);
    RunWithACrashAfter(n, true);
    if (testing::Test::HasFailure()) FAIL() << "killed after write " << n;
  }
}

}  // namespace
}  // namespace cadre::core
