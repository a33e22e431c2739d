// Properties of the machine as a whole, over random clusters and workloads.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/scheduler.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

using kube::Kind;

// A world in which things happen at random.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed, bool crashes = false) : random_(seed), crashes_(crashes) {
    world_.AddNodes(3, 3);
    world_.SetFate([this](const drive::Effect&) { return RandomFate(); });
  }

  void Live(int acts) {
    for (int act = 0; act < acts; ++act) {
      Act();
      if (crashes_ && random_.Chance(0.1)) world_.Restart();
      if (random_.Chance(0.6)) {
        world_.PassSeconds(static_cast<int>(random_.Uniform(3)));
      } else {
        world_.Step();
      }
    }
  }

  SchedulerWorld& world() { return world_; }
  Random& random() { return random_; }
  void StopFailing() { world_.RefuseNothing(); }

 private:
  Fate RandomFate() {
    if (random_.Chance(0.85)) return {};
    switch (random_.Uniform(3)) {
      case 0:
        return {drive::Outcome::kConflict, false, "conflict"};
      case 1:
        return {drive::Outcome::kUnknown, random_.Chance(0.5), "lost"};
      default:
        return {drive::Outcome::kRejected, false, "rejected"};
    }
  }
  std::string Name(std::string_view prefix) { return fmt::format("{}{}", prefix, ++made_); }

  void Act() {
    switch (random_.Uniform(9)) {
      case 0:
        return world_.AddNode(Name("node-"), static_cast<int>(random_.Between(1, 4)));
      case 1:
        return world_.AddGang(Name("gang-"), static_cast<int>(random_.Between(2, 4)));
      case 2:
        return world_.AddLonePod(Name("pod-"), static_cast<int>(random_.Between(1, 2)),
                                 random_.Chance(0.7) ? "schedulerName: cadre, " : "");
      case 3:
        return AddStagedJobSet();
      case 4:
        return world_.HoldWatch(random_.Chance(0.3));
      default:
        return ActOnPod();
    }
  }
  void AddStagedJobSet() {
    const std::string name = Name("set-");
    world_.Create(fmt::format(R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: {}}}
spec:
  startupPolicy: {{startupPolicyOrder: InOrder}}
  replicatedJobs:
  - name: a
    template: {{spec: {{completionMode: Indexed, completions: 1, parallelism: 1, template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: a}}]}}}}}}}}
  - name: b
    template: {{spec: {{completionMode: Indexed, completions: 2, parallelism: 2, template: {{spec: {{schedulerName: cadre, restartPolicy: Never, containers: [{{name: main, image: a, resources: {{requests: {{cpu: "1"}}}}}}]}}}}}}}}
)",
                              name));
    world_.AddChildJob(name, "a", 0, 1);
    world_.AddPods(name + "-a-0", 1);
    if (random_.Chance(0.5)) return;
    world_.AddChildJob(name, "b", 0, 2);
    world_.AddPods(name + "-b-0", static_cast<int>(random_.Between(1, 2)));
  }
  void ActOnPod() {
    const std::vector<std::string> pods = world_.PodNames();
    if (pods.empty()) return;
    const std::string& pod = pods[random_.Uniform(pods.size())];
    const bool bound = !world_.NodeOf(pod).empty();
    switch (random_.Uniform(4)) {
      case 0:
        return world_.Delete(Kind::kPod, pod);
      case 1:
        return world_.Change(Kind::kPod, pod, R"({"metadata":{"labels":{"touched":"yes"}}})");
      case 2:
        if (bound) world_.SetPhase(pod, random_.Chance(0.5) ? "Succeeded" : "Running");
        return;
      default:
        if (!bound) world_.BindByOther(pod, "n1");
    }
  }

  Random random_;
  const bool crashes_;
  SchedulerWorld world_;
  int made_ = 0;
};

constexpr int kCases = 1'000;
constexpr int kActs = 25;

TEST(SchedulerProperty, TheSameEventsGiveTheSameEffectsByteForByte) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    RandomWorld random(seed);
    random.Live(kActs);
    Scheduler again({});
    std::string bytes;
    for (const RecordedStep& step : random.world().steps())
      bytes += BytesOf(again.Step(step.now, step.events));
    std::string before;
    for (const RecordedStep& step : random.world().steps())
      before += step.bytes;
    ASSERT_EQ(bytes, before) << "seed " << seed;
  }
}

TEST(SchedulerProperty, EventsOneByOneAndTheObjectsThatAreLeftInAnyOrderGiveTheSameState) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    RandomWorld random(seed);
    random.Live(kActs);
    // Decisions that are under way are no part of it: they are let through first.
    random.StopFailing();
    random.world().HoldWatch(false);
    random.world().PassSeconds(40);
    std::vector<drive::Event> events = random.world().AllObjects();
    for (std::size_t i = events.size(); i > 1; --i)
      std::swap(events[i - 1], events[random.random().Uniform(i)]);
    Scheduler fresh({});
    fresh.Step(random.world().now(), events);  // nothing is Listed: it decides nothing
    ASSERT_EQ(random.world().scheduler().Fingerprint(), fresh.Fingerprint()) << "seed " << seed;
  }
}

// Binds are refused and lost, others bind too, pods vanish, the process is killed: when that ends, every
// group has none of its members placed, or was whole once, or is on its way back through its owner.
TEST(SchedulerProperty, NoGroupIsLeftHalfPlaced) {
  int started = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    RandomWorld random(seed, true);
    random.Live(kActs);
    random.StopFailing();
    random.world().HoldWatch(false);
    random.world().PassSeconds(900);  // longer than the longest back-off
    for (const GroupView& view : random.world().scheduler().Groups()) {
      started += view.state == GroupState::kStarted ? 1 : 0;
      const bool settled = view.state == GroupState::kStarted || view.state == GroupState::kRollingBack;
      ASSERT_TRUE(settled || view.placed == 0) << "seed " << seed << ": " << model::ToString(view.key)
                                               << " has " << view.placed << " of " << view.members;
    }
  }
  EXPECT_GT(started, kCases);  // or nothing was tested
}

// What a scheduler was shown and has decided, kept in another way than it keeps it itself.
class Observer {
 public:
  // Says which node a bind of this step goes to although it has no room; "" when all is well.
  std::string Watch(const RecordedStep& step) {
    for (const drive::Event& event : step.events) {
      if (const auto* changed = std::get_if<drive::Changed>(&event)) See(*changed);
      if (const auto* answer = std::get_if<drive::Answer>(&event)) Hear(*answer, step.now);
    }
    std::erase_if(decided_,
                  [&](const auto& one) { return one.second.until <= step.now || IsOver(one.first); });
    for (const drive::Effect& effect : step.effects) {
      const auto* bind = std::get_if<drive::Bind>(&effect.what);
      if (bind == nullptr) continue;
      decided_[effect.uid] = {bind->node, effect.id, Time::max()};
      if (FreeCpu(bind->node) < 0) return bind->node;
    }
    return "";
  }

 private:
  struct Decision {
    std::string node;
    drive::EffectId id;
    Time until;
  };

  void See(const drive::Changed& changed) {
    const std::string& uid = changed.object.Meta().uid;
    if (changed.object.kind == Kind::kNode) {
      std::int64_t& cpu = cpus_[changed.object.Meta().name];
      cpu = changed.deleted ? 0 : changed.object.As<kube::Node>().status.allocatable.at("cpu");
    } else if (changed.object.kind == Kind::kPod && changed.deleted) {
      pods_.erase(uid);
    } else if (changed.object.kind == Kind::kPod) {
      pods_.insert_or_assign(uid, changed.object);
    }
  }
  void Hear(const drive::Answer& answer, Time now) {
    for (auto& [uid, decision] : decided_) {
      if (decision.id != answer.id || answer.outcome == drive::Outcome::kDone) continue;
      decision.until = answer.outcome == drive::Outcome::kUnknown ? now + Duration(30'000) : now;
    }
  }
  // Seen bound, ended or gone: it counts as a pod, or not at all.
  bool IsOver(const std::string& uid) const {
    const auto found = pods_.find(uid);
    if (found == pods_.end()) return true;
    const kube::Pod& pod = found->second.As<kube::Pod>();
    return !pod.spec.node_name.empty() || kube::IsTerminal(pod);
  }
  static std::int64_t Cpu(const kube::Object& pod) {
    return pod.As<kube::Pod>().spec.containers.front().requests.at("cpu");
  }
  std::int64_t FreeCpu(const std::string& node) const {
    std::int64_t free = cpus_.at(node);
    for (const auto& [uid, object] : pods_) {
      const kube::Pod& pod = object.As<kube::Pod>();
      if (pod.spec.node_name == node && !kube::IsTerminal(pod)) free -= Cpu(object);
    }
    for (const auto& [uid, decision] : decided_) {
      if (decision.node == node) free -= Cpu(pods_.at(uid));
    }
    return free;
  }

  std::map<std::string, std::int64_t> cpus_;
  std::map<std::string, kube::Object> pods_;
  std::map<std::string, Decision> decided_;  // by UID
};

TEST(SchedulerProperty, NothingIsEverOvercommittedAgainstWhatWasObserved) {
  int binds = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    RandomWorld random(seed);
    random.Live(kActs);
    Observer observer;
    for (const RecordedStep& step : random.world().steps()) {
      ASSERT_EQ(observer.Watch(step), "") << "seed " << seed << "\n" << step.bytes;
    }
    binds += random.world().CountWrites("bind ");
  }
  EXPECT_GT(binds, kCases);  // or nothing was tested
}

}  // namespace
}  // namespace cadre::core
