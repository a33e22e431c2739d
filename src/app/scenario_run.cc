#include "app/scenario_run.h"

#include <algorithm>
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

class Run {
 public:
  Run(const Scenario& scenario, const ScenarioRunOptions& options)
      : scenario_(scenario), options_(options), simulation_(OptionsOf(scenario, options)) {
    if (options.scheduler_trace != nullptr) simulation_.TraceScheduler(options.scheduler_trace);
    simulation_.Load(scenario.cluster);
    world_ = std::make_unique<ScenarioWorld>(simulation_.api());
    simulation_.api().SetAdmission(
        [this](std::string_view, const drive::Effect& effect) { return Refusal(effect); });
    simulation_.OnSettled([this](Simulation& simulation) {
      JudgeAlways();
      if (options_.on_settled) options_.on_settled(simulation);
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
      simulation_.RunUntil(at);
      JudgeAt(at);
    }
    simulation_.RunToEnd();
    JudgeAt(std::nullopt);
    for (const Simulation::Refusal& refusal : simulation_.refusals())
      Report(fmt::format("{} was refused: {}", refusal.object, refusal.message));
    for (const std::string& violation : simulation_.checker().violations())
      Report(violation);
    if (options_.at_end) options_.at_end(simulation_);
    CheckCrash();
    return {.problems = std::move(problems_),
            .scheduler_writes = simulation_.scheduler_writes(),
            .controller_writes = simulation_.controller_writes()};
  }

 private:
  void Report(std::string problem) {
    if (problems_.size() < kMostProblems) problems_.push_back(std::move(problem));
  }

  CheckContext Context() const { return {simulation_, *world_, start_}; }

  void JudgeAt(std::optional<Duration> at) {
    if (at && options_.only_end) return;
    for (const Expectation& expectation : scenario_.expect) {
      if (expectation.at == at) JudgeOne(expectation);
    }
  }

  void JudgeAlways() {
    const Duration now = simulation_.Elapsed();
    for (const Expectation& expectation : scenario_.always) {
      if (now >= expectation.from && (!expectation.until || now <= *expectation.until)) JudgeOne(expectation);
    }
  }

  void JudgeOne(const Expectation& expectation) {
    if (options_.only_end && std::holds_alternative<Program>(expectation.of)) return;
    for (std::string& problem : Judge(Context(), expectation))
      Report(std::move(problem));
  }

  void PlanCrash() {
    if (!options_.crash) return;
    if (options_.crash->process == Program::kScheduler)
      simulation_.CrashSchedulerAt(options_.crash->n, options_.crash->point);
    else
      simulation_.CrashControllersAt(options_.crash->n, options_.crash->point);
  }

  // A crash that never came shows nothing.
  void CheckCrash() {
    if (!options_.crash) return;
    const std::uint64_t writes = options_.crash->process == Program::kScheduler
                                     ? simulation_.scheduler_writes()
                                     : simulation_.controller_writes();
    if (writes < options_.crash->n)
      Report(fmt::format("the crash did not come: there were only {} writes", writes));
  }

  void Plan(const Step& step) {
    if (const auto* create = std::get_if<CreateAct>(&step.act); create != nullptr) {
      simulation_.SubmitAt(step.at, create->object);
      return;
    }
    simulation_.At(step.at, [this, &step](Simulation&) {
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
      simulation_.RestartScheduler();
    else
      simulation_.RestartControllers();
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
    const drive::WriteResult result = simulation_.api().WriteNow(kUser, effect);
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
  const ScenarioRunOptions& options_;
  Simulation simulation_;
  const Time start_ = simulation_.clock().Now();
  std::unique_ptr<ScenarioWorld> world_;
  std::vector<RefuseAct> refusals_;
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
  return Run(scenario, options).Finish();
}

}  // namespace cadre::app
