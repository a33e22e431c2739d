#include "app/scenario_random.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/cluster_file.h"
#include "app/scenario_checks.h"
#include "app/scenario_parser.h"
#include "base/check.h"
#include "base/random.h"
#include "kube/decode.h"
#include "kube/yaml.h"

namespace cadre::app {

namespace {

// Everything happens before this; what comes later is work being done.
constexpr std::int64_t kLastEventS = 300;
constexpr std::int64_t kCpuPerNode = 4;

kube::Object Make(kube::Kind kind, const std::string& yaml) {
  const std::vector<kube::YamlChunk> chunks = kube::SplitYaml(yaml);
  auto document = kube::ParseYaml(chunks.front());
  CADRE_ASSERT(document.has_value() && document->has_value(), "a generated manifest is no YAML");
  Result<kube::Object> object = kube::Decode(kind, std::move((*document)->value));
  CADRE_ASSERT(object.has_value(), object.error().message);
  return *std::move(object);
}

std::string TemplateYaml(std::int64_t run_s, std::int64_t cpu) {
  return fmt::format(
      "{{metadata: {{annotations: {{cadre.dev/sim-duration: {}s}}}}, spec: {{restartPolicy: Never, "
      "containers: [{{name: main, image: busybox, resources: {{requests: {{cpu: {}}}}}}}]}}}}",
      run_s, cpu);
}

std::string JobSpecYaml(std::int64_t pods, std::int64_t run_s, std::int64_t cpu) {
  return fmt::format(
      "{{completions: {0}, parallelism: {0}, completionMode: Indexed, backoffLimit: 1000, template: {1}}}",
      pods, TemplateYaml(run_s, cpu));
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    scenario_.name = scenario_.file = fmt::format("seed {}", seed);
    scenario_.sentence =
        "Whatever happens, groups are placed whole and everything that can run has run at the end.";
    scenario_.report = "own";
  }

  Scenario Generate() {
    MakeCluster();
    const std::int64_t groups = random_.Between(3, 10);
    for (std::int64_t i = 0; i < groups; ++i)
      AddGroup(fmt::format("group-{}", i));
    if (random_.Chance(0.3)) AddNever();
    const std::int64_t events = random_.Between(0, 8);
    for (std::int64_t i = 0; i < events; ++i)
      AddEvent();
    if (random_.Chance(0.3)) scenario_.pod_start_delay = SecondsLong(random_.Between(1, 10));
    if (random_.Chance(0.3)) scenario_.pod_stop_delay = SecondsLong(random_.Between(1, 30));
    if (random_.Chance(0.2)) scenario_.watch_lag = Duration(random_.Between(1, 3'000));
    if (random_.Chance(0.2)) scenario_.api_latency = Duration(random_.Between(1, 500));
    return std::move(scenario_);
  }

 private:
  static Duration SecondsLong(std::int64_t seconds) { return std::chrono::seconds(seconds); }
  Duration AnyTime() { return Duration(random_.Between(0, kLastEventS * 1'000)); }

  void MakeCluster() {
    nodes_ = random_.Between(3, 6);
    json::object entry = {{"name", "node"}, {"count", nodes_}, {"cpu", kCpuPerNode}, {"racks", 2}};
    scenario_.cluster = *NodesFromDescription(json::object{{"nodes", json::array{std::move(entry)}}});
  }

  // Seven of ten groups come in the first minute, so that they compete.
  Duration SubmitTime() { return random_.Chance(0.7) ? SecondsLong(random_.Between(0, 60)) : AnyTime(); }

  void Submit(kube::Object object) {
    const ObjectRef ref = RefOf(object);
    scenario_.steps.push_back({SubmitTime(), CreateAct{std::move(object)}, 0});
    ExpectAtEnd(ref, "state", "finished");
  }

  void ExpectAtEnd(const ObjectRef& ref, std::string_view rule_name, const std::string& text) {
    const std::span<const CheckRule> rules = CheckRules();
    const auto rule = std::ranges::find(rules, rule_name, &CheckRule::name);
    Check check;
    check.rule = &*rule;
    check.texts = {text};
    Expectation expectation;
    expectation.of = ref;
    expectation.checks.push_back(std::move(check));
    scenario_.expect.push_back(std::move(expectation));
  }

  void AddGroup(const std::string& name) {
    const std::int64_t run_s = random_.Between(5, 90);
    const std::int64_t cpu = random_.Between(1, 3);
    const std::int64_t per_node = kCpuPerNode / cpu;
    const std::int64_t most = std::max<std::int64_t>(1, nodes_ * per_node - 1);
    const std::int64_t pods = random_.Between(1, std::min<std::int64_t>(most, 8));
    switch (random_.Uniform(5)) {
      case 0:
        return AddJobSet(name, run_s);
      case 1:
        return AddPodGroup(name, std::min<std::int64_t>(pods, 4), run_s);
      default:
        return AddJob(name, pods, run_s, cpu, per_node);
    }
  }

  void AddJob(const std::string& name, std::int64_t pods, std::int64_t run_s, std::int64_t cpu,
              std::int64_t per_node) {
    std::string annotations;
    // Half of the nodes, rounded down, are in the smaller rack.
    if (pods <= nodes_ / 2 * per_node && random_.Chance(0.3))
      annotations = fmt::format("cadre.dev/required-topology: {}", kRackLabel);
    else if (pods > 2 && random_.Chance(0.2))
      annotations = fmt::format("cadre.dev/min-available: \"{}\"", pods - 1);
    Submit(Make(kube::Kind::kJob, fmt::format("{{metadata: {{name: {}, annotations: {{{}}}}}, spec: {}}}",
                                              name, annotations, JobSpecYaml(pods, run_s, cpu))));
    for (std::int64_t index = 0; index < pods; ++index)
      members_.push_back({kube::Kind::kJob, "default", name, static_cast<std::int32_t>(index)});
    owners_.push_back({kube::Kind::kJob, "default", name, {}});
  }

  void AddJobSet(const std::string& name, std::int64_t run_s) {
    const std::int64_t replicas = random_.Between(1, 2);
    const std::int64_t pods = random_.Between(1, 3);
    constexpr std::string_view kOrders[] = {"", "startupPolicy: {startupPolicyOrder: InOrder}, "};
    const std::string_view order = kOrders[random_.Uniform(2)];
    Submit(Make(
        kube::Kind::kJobSet,
        fmt::format(
            "{{metadata: {{name: {0}}}, spec: {{failurePolicy: {{maxRestarts: 1000}}, {1}replicatedJobs: ["
            "{{name: driver, template: {{spec: {2}}}}}, "
            "{{name: workers, replicas: {3}, template: {{spec: {4}}}}}]}}}}",
            name, order, JobSpecYaml(1, run_s, 1), replicas, JobSpecYaml(pods, run_s, 1))));
    for (std::int64_t job = 0; job < replicas; ++job)
      members_.push_back({kube::Kind::kJob, "default", fmt::format("{}-workers-{}", name, job), 0});
    owners_.push_back({kube::Kind::kJobSet, "default", name, {}});
  }

  // Its pods have no owner: nothing is done to them but losing nodes, and then nobody makes them again.
  void AddPodGroup(const std::string& name, std::int64_t pods, std::int64_t run_s) {
    scenario_.steps.push_back(
        {SubmitTime(),
         CreateAct{Make(kube::Kind::kSchedulerPluginsPodGroup,
                        fmt::format("{{metadata: {{name: {}}}, spec: {{minMember: {}}}}}", name, pods))},
         0});
    const Duration at = SubmitTime();
    for (std::int64_t i = 0; i < pods; ++i) {
      kube::Object pod = Make(
          kube::Kind::kPod,
          fmt::format(
              "{{metadata: {{name: {0}-{1}, labels: {{scheduling.x-k8s.io/pod-group: {0}}}, annotations: "
              "{{cadre.dev/sim-duration: {2}s}}}}, spec: {{restartPolicy: Never, containers: [{{name: main, "
              "image: "
              "busybox, resources: {{requests: {{cpu: 1}}}}}}]}}}}",
              name, i, run_s));
      scenario_.steps.push_back({at + SecondsLong(random_.Between(0, 2)), CreateAct{std::move(pod)}, 0});
    }
    has_bare_pods_ = true;
  }

  void AddNever() {
    kube::Object object = Make(kube::Kind::kJob, fmt::format("{{metadata: {{name: never}}, spec: {}}}",
                                                             JobSpecYaml(nodes_ + 1, 10, kCpuPerNode)));
    const ObjectRef ref = RefOf(object);
    scenario_.steps.push_back({SubmitTime(), CreateAct{std::move(object)}, 0});
    ExpectAtEnd(ref, "why-not", "never");
    ExpectAtEnd(ref, "state", "pending");
  }

  void AddEvent() {
    const Duration at = AnyTime();
    switch (random_.Uniform(6)) {
      case 0:
        return scenario_.steps.push_back({at, RestartAct{Program::kScheduler}, 0});
      case 1:
        return scenario_.steps.push_back({at, RestartAct{Program::kControllers}, 0});
      case 2:
        return LoseNode(at);
      case 3:
        return Cordon(at);
      case 4:
        return Refuse(at);
      default:
        return Suspend(at);
    }
  }

  std::string AnyNode() { return scenario_.cluster[random_.Uniform(scenario_.cluster.size())].Meta().name; }

  // A node is lost at most once, and comes back empty. Groups of pods without an owner would not survive it.
  void LoseNode(Duration at) {
    const std::size_t which = random_.Uniform(scenario_.cluster.size());
    const kube::Object& node = scenario_.cluster[which];
    if (has_bare_pods_ || cordoned_ || std::ranges::find(lost_, which) != lost_.end()) return;
    lost_.push_back(which);
    scenario_.steps.push_back(
        {at, DeleteAct{NodeRef(node.Meta().name), drive::Propagation::kBackground, {}}, 0});
    scenario_.steps.push_back({at + SecondsLong(random_.Between(1, 120)), CreateAct{node}, 0});
  }

  void Cordon(Duration at) {
    const std::string node = AnyNode();
    if (!lost_.empty()) return;
    cordoned_ = true;
    scenario_.steps.push_back(
        {at, PatchAct{NodeRef(node), {{"spec", json::object{{"unschedulable", true}}}}, false}, 0});
    scenario_.steps.push_back(
        {at + SecondsLong(random_.Between(1, 60)),
         PatchAct{NodeRef(node), {{"spec", json::object{{"unschedulable", false}}}}, false}, 0});
  }

  void Refuse(Duration at) {
    if (members_.empty()) return;
    constexpr drive::Outcome kAnswers[] = {drive::Outcome::kRejected, drive::Outcome::kConflict,
                                           drive::Outcome::kRetryable};
    RefuseAct act;
    act.of = members_[random_.Uniform(members_.size())];
    act.times = random_.Between(1, 6);
    act.outcome = kAnswers[random_.Uniform(3)];
    scenario_.steps.push_back({at, std::move(act), 0});
  }

  // By the user, and resumed some time later, after everything has been submitted.
  void Suspend(Duration at) {
    if (owners_.empty()) return;
    const ObjectRef owner = owners_[random_.Uniform(owners_.size())];
    const auto suspend = [&](bool value) {
      return PatchAct{owner, {{"spec", json::object{{"suspend", value}}}}, false};
    };
    scenario_.steps.push_back({at + SecondsLong(kLastEventS), suspend(true), 0});
    scenario_.steps.push_back({at + SecondsLong(kLastEventS + random_.Between(1, 60)), suspend(false), 0});
  }

  Random random_;
  Scenario scenario_;
  std::int64_t nodes_ = 0;
  std::vector<ObjectRef> members_;
  std::vector<ObjectRef> owners_;
  std::vector<std::size_t> lost_;
  bool has_bare_pods_ = false;
  bool cordoned_ = false;
};

}  // namespace

Scenario RandomScenario(std::uint64_t seed) {
  return Generator(seed).Generate();
}

sim::FaultOptions RandomFaults(std::uint64_t seed, Time start) {
  Random random(seed);
  const auto now_and_then = [&] {
    return random.Chance(0.5) ? 0.0 : static_cast<double>(random.Uniform(80)) / 1000;
  };
  sim::FaultOptions faults;
  faults.seed = random.Next();
  faults.until = start + std::chrono::seconds(3 * kLastEventS);
  faults.refused = now_and_then();
  faults.retry_after = Duration(static_cast<std::int64_t>(random.Uniform(2'000)));
  faults.conflict = now_and_then();
  faults.lost_before = now_and_then();
  faults.lost_after = now_and_then();
  faults.compacted = now_and_then() / 4;
  faults.failed_list = now_and_then();
  faults.watch_delayed = now_and_then();
  faults.watch_ended = now_and_then();
  faults.watch_expired = now_and_then();
  faults.watch_repeated = now_and_then();
  return faults;
}

}  // namespace cadre::app
