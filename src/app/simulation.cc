#include "app/simulation.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/exclusive_check.h"
#include "app/process.h"
#include "app/submission.h"
#include "app/trace.h"
#include "jobset/jobset_controller.h"
#include "kube/kind.h"
#include "sim/garbage_collector.h"
#include "sim/job_controller.h"
#include "sim/kubelets.h"

namespace cadre::app {

namespace {

// How long binds of one group may take where the way to the API server is slow or lossy.
constexpr Duration kGraceWithFaults = std::chrono::minutes(5);

// What a pod's life may take when all of it happens in one instant; beyond that something sets timers for
// ever. Before that the bound on pods ends the run.
constexpr std::uint64_t kMostCallbacksPerPod = 1'000;

Duration GraceOf(const SimulationOptions& options) {
  if (options.faults) return kGraceWithFaults;
  return options.partial_grace + options.api_latency * 200 + options.watch_lag * 20;
}

sim::MemoryApiOptions ApiOptionsOf(const SimulationOptions& options) {
  sim::MemoryApiOptions api;
  api.request_latency = options.api_latency / 2;
  api.answer_latency = options.api_latency - api.request_latency;
  api.watch_latency = options.watch_lag;
  api.faults = options.faults;
  return api;
}

std::string NamespaceOf(const kube::Object& object) {
  if (!kube::Info(object.kind).namespaced) return "";
  return object.Meta().namespace_.empty() ? "default" : object.Meta().namespace_;
}

}  // namespace

class Simulation::Impl {
 public:
  explicit Impl(SimulationOptions options);

  void Load(const std::vector<kube::Object>& objects);
  void SubmitAt(Duration after, const kube::Object& object);
  void Settle(Time until);
  void RunToEnd();
  void RunUntil(Time until);

  const SimulationOptions options;
  sim::VirtualClock clock;
  sim::MemoryApi api;
  std::set<std::string> left_out_owners;  // by UID
  std::set<std::string> bound_at_start;   // pods, by UID
  GroupTracker tracker;
  Recorder recorder;
  Checker checker;
  ExclusiveCheck exclusive;
  std::vector<Cluster::Refusal> refusals;
  std::function<void()> look;
  const core::Scheduler* scheduler = nullptr;  // of the present process
  // Last, so that they go first: their requests end in what is above.
  std::unique_ptr<Process> kubelet_process;
  std::unique_ptr<Process> controller_process;
  std::unique_ptr<Process> scheduler_process;

 private:
  void StartProcesses();
  void NoteOwnersLeftOut(const std::vector<kube::Object>& objects);
  bool EndsForItsSize();
};

Simulation::Impl::Impl(SimulationOptions given)
    : options(std::move(given)),
      clock(options.start, kMostCallbacksPerPod * 2 * kMostPodsOfARun),
      api(clock, ApiOptionsOf(options)),
      recorder(options.start, tracker, options.levels),
      checker({.start = options.start, .grace = GraceOf(options)}, api) {
  api.AddWriteObserver([this](const sim::WriteRecord& record) {
    tracker.OnWrite(record.before, record.after);
    checker.OnWrite(record);
    exclusive.OnWrite(record.before, record.after, record.user == checker.binder(), tracker);
    recorder.OnWrite(record);
  });
  clock.OnAdvance([this](Time, Time next) { Settle(next); });
  StartProcesses();
}

void Simulation::Impl::StartProcesses() {
  using Machines = std::vector<std::unique_ptr<drive::Machine>>;
  kubelet_process = std::make_unique<Process>(api, clock, [this] {
    Machines machines;
    machines.push_back(
        std::make_unique<sim::Kubelets>(sim::KubeletOptions{.start_delay = options.pod_start_delay,
                                                            .termination = options.pod_stop_delay,
                                                            .default_duration = options.default_run_time,
                                                            .running_before = options.start,
                                                            .bound_at_start = &bound_at_start}));
    return machines;
  });
  controller_process = std::make_unique<Process>(api, clock, [this] {
    Machines machines;
    machines.push_back(std::make_unique<jobset::JobSetController>());
    machines.push_back(std::make_unique<sim::JobController>());
    machines.push_back(
        std::make_unique<sim::GarbageCollector>(sim::GarbageCollectorOptions{.left_out = &left_out_owners}));
    return machines;
  });
  scheduler_process = std::make_unique<Process>(api, clock, [this] {
    core::Options scheduler_options;
    if (!options.respect_scheduler_name) scheduler_options.scheduler_names.clear();
    scheduler_options.limits = options.match_limits;
    scheduler_options.queue = options.queue;
    auto machine = std::make_unique<core::Scheduler>(std::move(scheduler_options));
    scheduler = machine.get();
    Machines machines;
    machines.push_back(std::move(machine));
    return machines;
  });
}

// A dump of pods need not hold the Jobs they belong to; they stay.
void Simulation::Impl::NoteOwnersLeftOut(const std::vector<kube::Object>& objects) {
  std::set<std::string_view> there;
  for (const kube::Object& object : objects)
    there.insert(object.Meta().uid);
  for (const kube::Object& object : objects) {
    for (const kube::OwnerReference& owner : object.Meta().owner_references) {
      if (!there.contains(owner.uid)) left_out_owners.insert(owner.uid);
    }
  }
}

void Simulation::Impl::Load(const std::vector<kube::Object>& objects) {
  for (std::string& problem : api.Load(objects))
    refusals.push_back({"the cluster", std::move(problem)});
  NoteOwnersLeftOut(objects);
  // Owners before what they own, nodes before pods: each is read in the light of those before it.
  for (const kube::KindInfo& info : kube::AllKinds()) {
    if (info.kind == kube::Kind::kPod) continue;
    for (const kube::Object& object : api.All(info.kind)) {
      tracker.OnLoaded(object);
      checker.OnLoaded(object);
      exclusive.OnWrite(nullptr, &object, false, tracker);
      recorder.OnLoaded(object);
    }
  }
  for (const kube::Object& pod : api.All(kube::Kind::kPod)) {
    if (!pod.As<kube::Pod>().spec.node_name.empty()) bound_at_start.insert(pod.Meta().uid);
    tracker.OnLoaded(pod);
    checker.OnLoaded(pod);
    exclusive.OnWrite(nullptr, &pod, false, tracker);
    recorder.OnLoaded(pod);
  }
}

void Simulation::Impl::SubmitAt(Duration after, const kube::Object& object) {
  clock.CallAt(options.start + after, [this, object] {
    const drive::WriteResult result =
        api.CreateNow("user", object.kind, AsNewObject(object), NamespaceOf(object));
    if (result.outcome != drive::Outcome::kDone) refusals.push_back({kube::Describe(object), result.message});
  });
}

void Simulation::Impl::Settle(Time until) {
  const std::vector<PartStanding> standings = tracker.Settle();
  recorder.OnSettled(clock.Now(), standings);
  checker.OnSettled(clock.Now(), until, standings);
  for (std::string& text : exclusive.Take())
    checker.Add(clock.Now(), std::move(text));
  if (look) look();
}

bool Simulation::Impl::EndsForItsSize() {
  if (recorder.pods_seen() <= options.most_pods) return false;
  refusals.push_back(
      {"the run",
       fmt::format("ended after {} of cluster time, when more than {} pods had been made: something "
                   "restarts or tries again without end (maxRestarts, backoffLimit)",
                   FormatDuration(clock.Now() - options.start), options.most_pods)});
  return true;
}

void Simulation::Impl::RunUntil(Time until) {
  std::optional<Time> next = clock.NextAt();
  for (; next && *next <= until; next = clock.NextAt()) {
    if (EndsForItsSize()) return Settle(*next);
    clock.RunNext();
  }
  clock.Run(until);
  Settle(next.value_or(Time::max()));
}

void Simulation::Impl::RunToEnd() {
  const Time limit = options.start + options.limit;
  while (const std::optional<Time> next = clock.NextAt()) {
    if (EndsForItsSize()) return Settle(*next);
    if (*next > limit) {
      clock.Run(limit);
      Settle(*next);
      return;
    }
    clock.RunNext();
  }
  Settle(Time::max());
  const std::vector<const GroupRecord*> groups = recorder.Groups();
  const bool idle =
      std::all_of(groups.begin(), groups.end(), [](const GroupRecord* group) { return group->end; });
  checker.OnEnd(clock.Now(), scheduler->cluster(), idle);
}

Simulation::Simulation(SimulationOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Simulation::~Simulation() = default;

void Simulation::Load(const std::vector<kube::Object>& objects) {
  impl_->Load(objects);
}

void Simulation::SubmitAt(Duration after, const kube::Object& object) {
  impl_->SubmitAt(after, object);
}

void Simulation::ActAt(Duration after, std::function<void()> act) {
  impl_->clock.CallAt(impl_->options.start + after, std::move(act));
}

drive::WriteResult Simulation::WriteNow(std::string_view user, const drive::Effect& effect) {
  return impl_->api.WriteNow(user, effect);
}

void Simulation::RunToEnd() {
  impl_->RunToEnd();
}

void Simulation::RunUntil(Duration after) {
  impl_->RunUntil(impl_->options.start + after);
}

void Simulation::RestartScheduler() {
  impl_->scheduler_process->Restart();
}

void Simulation::RestartControllers() {
  impl_->controller_process->Restart();
}

void Simulation::CrashSchedulerAt(std::uint64_t n, drive::CrashPoint point) {
  impl_->scheduler_process->CrashAt(n, point);
}

void Simulation::CrashControllersAt(std::uint64_t n, drive::CrashPoint point) {
  impl_->controller_process->CrashAt(n, point);
}

std::uint64_t Simulation::scheduler_writes() const {
  return impl_->scheduler_process->writes();
}

std::uint64_t Simulation::controller_writes() const {
  return impl_->controller_process->writes();
}

const std::vector<Cluster::Refusal>& Simulation::refusals() const {
  return impl_->refusals;
}

void Simulation::OnChange(std::function<void()> look) {
  impl_->look = std::move(look);
}

void Simulation::SetAdmission(Admit admit) {
  impl_->api.SetAdmission(std::move(admit));
}

drive::ObservedApi& Simulation::objects() {
  return impl_->api;
}

Time Simulation::StartedAt() const {
  return impl_->options.start;
}

sim::MemoryApi& Simulation::api() {
  return impl_->api;
}

sim::VirtualClock& Simulation::clock() {
  return impl_->clock;
}

Duration Simulation::Elapsed() const {
  return impl_->clock.Now() - impl_->options.start;
}

bool Simulation::respects_scheduler_name() const {
  return impl_->options.respect_scheduler_name;
}

const core::Scheduler& Simulation::scheduler() const {
  return *impl_->scheduler;
}

const Recorder& Simulation::recorder() const {
  return impl_->recorder;
}

const Checker& Simulation::checker() const {
  return impl_->checker;
}

void Simulation::TraceScheduler(std::string* out) {
  impl_->scheduler_process->SetStepObserver(
      [out](const drive::Machine&, Time now, std::span<const drive::Event> events,
            const drive::StepResult& result) { AppendTrace(now, events, result, *out); });
}

}  // namespace cadre::app
