#include "app/scenario_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "app/scenario_checks.h"
#include "app/scenario_world.h"

namespace cadre::app {

namespace {

constexpr std::string_view kUser = "user";
constexpr std::size_t kMostProblems = 20;  // more of them say nothing new

// A bind that is refused in a way that may pass is tried three times before its group is given back: twice
// after a back-off (1 s and 2 s), and each time the driver sends it again for up to 3.1 s where the answer
// says so.
constexpr Duration kGraceForRetries = std::chrono::seconds(15);

bool MayRefuseForAWhile(const Scenario& scenario) {
  return std::ranges::any_of(scenario.steps, [](const Step& step) {
    const auto* refuse = std::get_if<RefuseAct>(&step.act);
    return refuse != nullptr && refuse->outcome != drive::Outcome::kRejected;
  });
}

SimulationOptions OptionsOf(const Scenario& scenario, const ScenarioRunOptions& run) {
  SimulationOptions options;
  options.default_run_time = scenario.default_run_time;
  options.pod_start_delay = scenario.pod_start_delay;
  options.pod_stop_delay = scenario.pod_stop_delay;
  options.api_latency = scenario.api_latency;
  options.watch_lag = scenario.watch_lag;
  options.respect_scheduler_name = scenario.respect_scheduler_name;
  options.limit = scenario.limit;
  options.faults = run.faults;
  if (MayRefuseForAWhile(scenario)) options.partial_grace = kGraceForRetries;
  return options;
}

// What a run is asked beside the scenario.
struct Asked {
  std::optional<CrashPlan> crash;
  bool only_end = false;
  std::function<void()> on_change;
  std::function<void()> at_end;
};

class Run {
 public:
  Run(const Scenario& scenario, Asked asked, Cluster& cluster)
      : scenario_(scenario), asked_(std::move(asked)), cluster_(cluster) {
    cluster_.Load(scenario.cluster);
    world_ = std::make_unique<ScenarioWorld>(cluster_.objects());
    cluster_.SetAdmission([this](std::string_view, const drive::Effect& effect) { return Refusal(effect); });
    cluster_.OnChange([this] {
      JudgeAlways();
      if (asked_.on_change) asked_.on_change();
    });
    for (const Step& step : scenario.steps)
      Plan(step);
    PlanCrash();
  }

  ScenarioOutcome Finish() {
    std::set<Duration> times;
    for (const Expectation& expectation : scenario_.expect) {
      if (expectation.at) times.insert(*expectation.at);
    }
    for (const Duration at : times) {
      cluster_.RunUntil(at);
      if (!asked_.only_end) JudgeAt(at);
    }
    cluster_.RunToEnd();
    JudgeAt(std::nullopt);
    for (const Cluster::Refusal& refusal : cluster_.refusals())
      Report(fmt::format("{} was refused: {}", refusal.object, refusal.message));
    for (const std::string& violation : cluster_.violations())
      Report(violation);
    if (asked_.at_end) asked_.at_end();
    CheckCrash();
    return {.problems = std::move(problems_),
            .scheduler_writes = cluster_.scheduler_writes(),
            .controller_writes = cluster_.controller_writes()};
  }

 private:
  void Report(std::string problem) {
    if (problems_.size() < kMostProblems) problems_.push_back(std::move(problem));
  }

  void JudgeAt(std::optional<Duration> at) {
    cluster_.Await([&] { return ProblemsAt(at).empty(); });
    for (std::string& problem : ProblemsAt(at))
      Report(std::move(problem));
  }

  std::vector<std::string> ProblemsAt(std::optional<Duration> at) const {
    std::vector<std::string> problems;
    for (const Expectation& expectation : scenario_.expect) {
      if (expectation.at != at) continue;
      for (std::string& problem : ProblemsOf(expectation))
        problems.push_back(std::move(problem));
    }
    return problems;
  }

  void JudgeAlways() {
    const Duration now = cluster_.Elapsed();
    for (const Expectation& expectation : scenario_.always) {
      if (now < expectation.from || (expectation.until && now > *expectation.until)) continue;
      std::vector<std::string> problems = ProblemsOf(expectation);
      if (problems.empty()) {
        wrong_since_.erase(expectation.line);
        continue;
      }
      const Duration since = wrong_since_.try_emplace(expectation.line, now).first->second;
      if (now - since < cluster_.Patience()) continue;
      for (std::string& problem : problems)
        Report(std::move(problem));
    }
  }

  std::vector<std::string> ProblemsOf(const Expectation& expectation) const {
    if (asked_.only_end && std::holds_alternative<Program>(expectation.of)) return {};
    return Judge({cluster_, *world_}, expectation);
  }

  void PlanCrash() {
    if (!asked_.crash) return;
    if (asked_.crash->process == Program::kScheduler)
      cluster_.CrashSchedulerAt(asked_.crash->n, asked_.crash->point);
    else
      cluster_.CrashControllersAt(asked_.crash->n, asked_.crash->point);
  }

  // A crash that never came shows nothing.
  void CheckCrash() {
    if (!asked_.crash) return;
    const std::uint64_t writes = asked_.crash->process == Program::kScheduler ? cluster_.scheduler_writes()
                                                                              : cluster_.controller_writes();
    if (writes < asked_.crash->n)
      Report(fmt::format("the crash did not come: there were only {} writes", writes));
  }

  void Plan(const Step& step) {
    if (const auto* create = std::get_if<CreateAct>(&step.act); create != nullptr) {
      cluster_.SubmitAt(step.at, create->object);
      return;
    }
    cluster_.ActAt(step.at, [this, &step] {
      const std::string problem = std::visit([this](const auto& act) { return Do(act); }, step.act);
      if (!problem.empty()) Report(fmt::format("line {}: the step cannot be done: {}", step.line, problem));
    });
  }

  // Each returns what went wrong, or nothing.
  std::string Do(const CreateAct&) { return {}; }

  std::string Do(const PatchAct& act) {
    return Write(act.target, [&](drive::Target target) -> drive::What {
      if (act.status) return drive::PatchStatus{std::move(target), act.merge};
      return drive::Patch{std::move(target), act.merge};
    });
  }

  std::string Do(const DeleteAct& act) {
    return Write(act.target, [&](drive::Target target) -> drive::What {
      return drive::Delete{std::move(target), act.propagation, act.grace_s};
    });
  }

  std::string Do(const EvictAct& act) {
    return Write(act.pod,
                 [](drive::Target target) -> drive::What { return drive::Evict{std::move(target)}; });
  }

  std::string Do(const BindAct& act) {
    return Write(act.pod, [&](drive::Target target) -> drive::What {
      return drive::Bind{std::move(target), act.node, {}};
    });
  }

  std::string Do(const RestartAct& act) {
    if (act.process == Program::kScheduler)
      cluster_.RestartScheduler();
    else
      cluster_.RestartControllers();
    return {};
  }

  std::string Do(const RefuseAct& act) {
    refusals_.push_back(act);
    return {};
  }

  template <class MakeWhat>
  std::string Write(const ObjectRef& ref, MakeWhat make_what) {
    drive::Target target{.kind = ref.kind, .namespace_ = ref.namespace_, .name = ref.name};
    if (ref.index) {
      const std::optional<kube::Object> pod = world_->FindPod(ref);
      if (!pod) return fmt::format("there is no pod {}", ToString(ref));
      target = {.kind = kube::Kind::kPod, .namespace_ = ref.namespace_, .name = pod->Meta().name};
    }
    drive::Effect effect;
    effect.what = make_what(std::move(target));
    const drive::WriteResult result = cluster_.WriteNow(kUser, effect);
    if (result.outcome == drive::Outcome::kDone) return {};
    return fmt::format("{}: {}", drive::ToString(result.outcome), result.message);
  }

  bool Concerns(const RefuseAct& refusal, const drive::Bind& bind) const {
    if (refusal.times < 1) return false;
    if (!refusal.node.empty() && refusal.node != bind.node) return false;
    if (!refusal.of) return true;
    return std::ranges::any_of(world_->PodsOf(*refusal.of),
                               [&](const kube::Object& pod) { return pod.Meta().name == bind.pod.name; });
  }

  std::optional<drive::WriteResult> Refusal(const drive::Effect& effect) {
    const auto* bind = std::get_if<drive::Bind>(&effect.what);
    if (bind == nullptr) return std::nullopt;
    const auto found =
        std::ranges::find_if(refusals_, [&](const RefuseAct& act) { return Concerns(act, *bind); });
    if (found == refusals_.end()) return std::nullopt;
    --found->times;
    return drive::WriteResult{.outcome = found->outcome,
                              .message = "admission webhook \"scenario\" denied the request",
                              .retry_after = Duration{0},
                              .object = {}};
  }

  const Scenario& scenario_;
  const Asked asked_;
  Cluster& cluster_;
  std::unique_ptr<ScenarioWorld> world_;
  std::vector<RefuseAct> refusals_;
  std::map<std::size_t, Duration> wrong_since_;  // by line, of what holds always
  std::vector<std::string> problems_;
};

}  // namespace

std::string ToString(const CrashPlan& plan) {
  constexpr std::string_view kPoints[] = {"never", "before", "after", "after, the answer lost,"};
  return fmt::format("{} killed {} write {}",
                     plan.process == Program::kScheduler ? "scheduler" : "controllers",
                     kPoints[static_cast<std::size_t>(plan.point)], plan.n);
}

ScenarioOutcome RunScenario(const Scenario& scenario, const ScenarioRunOptions& options) {
  Simulation simulation(OptionsOf(scenario, options));
  if (options.scheduler_trace != nullptr) simulation.TraceScheduler(options.scheduler_trace);
  if (options.look_on) options.look_on(simulation.api());
  Asked asked{.crash = options.crash, .only_end = options.only_end, .on_change = {}, .at_end = {}};
  if (options.on_settled) asked.on_change = [&] { options.on_settled(simulation); };
  if (options.at_end) asked.at_end = [&] { options.at_end(simulation); };
  return Run(scenario, std::move(asked), simulation).Finish();
}

ScenarioOutcome RunScenarioIn(Cluster& cluster, const Scenario& scenario,
                              const std::function<void()>& at_end) {
  return Run(scenario, {.crash = {}, .only_end = false, .on_change = {}, .at_end = at_end}, cluster).Finish();
}

}  // namespace cadre::app
