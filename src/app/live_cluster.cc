#include "app/live_cluster.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/checker.h"
#include "app/exclusive_check.h"
#include "app/group_tracker.h"
#include "app/mirror.h"
#include "app/process.h"
#include "app/submission.h"
#include "app/version.h"
#include "base/log.h"
#include "base/utf8.h"
#include "live/api_server.h"
#include "live/http_api.h"
#include "live/loop_clock.h"
#include "net/event_loop.h"
#include "sim/kubelets.h"

namespace cadre::app {
namespace {

constexpr Duration kHeldBack{200};        // longer than two watches of one API server are apart
constexpr Duration kPatience{4'000};      // how late news of a bind or a pod may be
constexpr Duration kAwaits{15'000};       // for what is expected at one time
constexpr Duration kAwaitsEnd{240'000};   // for what is expected at the end
constexpr Duration kStandsStill{60'000};  // longer than any back-off of the Job controller that is waited for
constexpr Duration kQuiet{1'500};
constexpr Duration kWriteTimeout{20'000};
constexpr Duration kOpens{30'000};
constexpr Duration kCleansUp{60'000};
constexpr Duration kLooks{100};  // how often what depends on time alone is looked at

// In the order in which they are deleted: owners first, nodes last.
constexpr std::array kDeleted = {
    kube::Kind::kJobSet,
    kube::Kind::kLeaderWorkerSet,
    kube::Kind::kJob,
    kube::Kind::kPod,
    kube::Kind::kPodGroup,
    kube::Kind::kSchedulerPluginsPodGroup,
    kube::Kind::kPersistentVolumeClaim,
    kube::Kind::kPersistentVolume,
    kube::Kind::kStorageClass,
    kube::Kind::kPriorityClass,
    kube::Kind::kNode,
};

// Notes each bind for the mirror and asks admission first.
class NotingApi final : public drive::Api {
 public:
  NotingApi(net::EventLoop& loop, drive::Api& api, Mirror& mirror)
      : loop_(loop), api_(api), mirror_(mirror) {}

  void SetAdmission(Cluster::Admit admit) { admit_ = std::move(admit); }

  void List(kube::Kind kind, std::function<void(Result<drive::ListResult>)> done) override {
    api_.List(kind, std::move(done));
  }
  std::unique_ptr<drive::WatchHandle> Watch(kube::Kind kind, std::uint64_t from,
                                            std::function<void(drive::WatchEvent)> on_event) override {
    return api_.Watch(kind, from, std::move(on_event));
  }
  void Write(std::string_view user, const drive::Effect& effect,
             std::function<void(drive::WriteResult)> done) override {
    if (admit_) {
      if (std::optional<drive::WriteResult> refused = admit_(user, effect); refused) {
        loop_.Post([refused = *std::move(refused), done = std::move(done)] { done(refused); });
        return;
      }
    }
    if (const auto* bind = std::get_if<drive::Bind>(&effect.what); bind != nullptr)
      mirror_.NoteBind(*bind, user);
    api_.Write(user, effect, std::move(done));
  }

 private:
  net::EventLoop& loop_;
  drive::Api& api_;
  Mirror& mirror_;
  Cluster::Admit admit_;
};

std::string NamespaceOf(const kube::Object& object) {
  if (!kube::Info(object.kind).namespaced) return "";
  return object.Meta().namespace_.empty() ? "default" : object.Meta().namespace_;
}

bool IsSystems(const kube::Object& object) {
  return object.kind == kube::Kind::kPriorityClass && object.Meta().name.starts_with("system-");
}

}  // namespace

class LiveCluster::Impl {
 public:
  explicit Impl(LiveClusterOptions given) : options(std::move(given)) {}

  Result<void> Open();
  Result<void> CleanUp();
  void StartProcesses();
  std::optional<std::string> LoadOne(const kube::Object& object);
  drive::WriteResult WriteNow(std::string_view user, const drive::Effect& effect);
  void Pump(Time until);
  bool PumpWhile(Duration at_most, const std::function<bool()>& goes_on);
  void DoActs();
  bool AwaitEnd(const std::function<bool()>& holds);
  void Settle();
  void DeleteAll();

  LiveClusterOptions options;
  net::EventLoop loop;
  live::LoopClock clock{loop};
  Mirror mirror{kHeldBack, [this] {
                  changed_at = clock.Now();
                  Settle();
                }};
  std::unique_ptr<live::ApiServer> user_server, scheduler_server;
  std::unique_ptr<live::HttpApi> user_http, scheduler_http;
  std::unique_ptr<NotingApi> user_api, scheduler_api;
  GroupTracker tracker;
  std::unique_ptr<Checker> checker;
  ExclusiveCheck exclusive;
  std::vector<Refusal> refusals;
  std::set<std::string> bound_at_start;  // pods, by UID
  std::multimap<Duration, std::function<void()>> acts;
  std::function<void()> look;
  Time start{};
  Time changed_at{};
  bool all_done = false;
  const core::Scheduler* scheduler = nullptr;  // of the present process
  // Last, so that they go first: their requests end in what is above.
  std::unique_ptr<Process> mirror_process, kubelet_process, scheduler_process;

 private:
  Result<std::unique_ptr<live::HttpApi>> Connect(std::unique_ptr<live::ApiServer>& server,
                                                 live::ClusterAccess access, std::string agent,
                                                 bool protobuf);
};

Result<std::unique_ptr<live::HttpApi>> LiveCluster::Impl::Connect(std::unique_ptr<live::ApiServer>& server,
                                                                  live::ClusterAccess access,
                                                                  std::string agent, bool protobuf) {
  CADRE_TRY(server, live::ApiServer::Open(loop, clock, std::move(access),
                                          {.user_agent = fmt::format("{}/{}", agent, kVersion), .seed = 1}));
  live::HttpApiOptions http;
  http.protobuf = protobuf;
  http.on_problem = [](const std::string& problem) { CADRE_LOG(kWarn, "{}", Printable(problem)); };
  return std::make_unique<live::HttpApi>(loop, clock, server->lanes(), std::move(http));
}

Result<void> LiveCluster::Impl::Open() {
  // Kubelets and the checker look at whole objects: JSON.
  CADRE_TRY(user_http, Connect(user_server, options.user, "cadre-scenario", false));
  CADRE_TRY(scheduler_http, Connect(scheduler_server, options.scheduler, "cadre-scheduler", true));
  user_api = std::make_unique<NotingApi>(loop, *user_http, mirror);
  scheduler_api = std::make_unique<NotingApi>(loop, *scheduler_http, mirror);
  mirror_process = std::make_unique<Process>(*user_http, clock, [this] {
    // The process owns its machines; the mirror outlives this one.
    class Borrowed final : public drive::Machine {
     public:
      explicit Borrowed(Mirror& mirror) : mirror_(mirror) {}
      std::string_view Name() const override { return mirror_.Name(); }
      std::span<const kube::Kind> Kinds() const override { return mirror_.Kinds(); }
      drive::StepResult Step(Time now, std::span<const drive::Event> events) override {
        return mirror_.Step(now, events);
      }

     private:
      Mirror& mirror_;
    };
    std::vector<std::unique_ptr<drive::Machine>> machines;
    machines.push_back(std::make_unique<Borrowed>(mirror));
    return machines;
  });
  if (PumpWhile(kOpens, [this] { return !mirror.IsComplete(); }))
    return Err("{}: cannot be listed within {}: see the log", user_server->Text(), FormatDuration(kOpens));
  if (mirror.Count() > 0)
    return Err(
        "{}: has nodes or pods already ({} objects): give scenarios an empty cluster of "
        "their own, they delete what they find",
        user_server->Text(), mirror.Count());
  start = changed_at = clock.Now();
  checker = std::make_unique<Checker>(Checker::Options{.start = start, .grace = kPatience}, mirror);
  mirror.AddWriteObserver([this](const drive::WriteRecord& record) {
    tracker.OnWrite(record.before, record.after);
    checker->OnWrite(record);
    exclusive.OnWrite(record.before, record.after, record.user == checker->binder(), tracker);
  });
  return {};
}

void LiveCluster::Impl::StartProcesses() {
  using Machines = std::vector<std::unique_ptr<drive::Machine>>;
  kubelet_process = std::make_unique<Process>(*user_api, clock, [this] {
    Machines machines;
    machines.push_back(
        std::make_unique<sim::Kubelets>(sim::KubeletOptions{.start_delay = options.pod_start_delay,
                                                            .termination = options.pod_stop_delay,
                                                            .default_duration = options.default_run_time,
                                                            .running_before = start,
                                                            .bound_at_start = &bound_at_start}));
    return machines;
  });
  scheduler_process = std::make_unique<Process>(*scheduler_api, clock, [this] {
    auto machine = std::make_unique<core::Scheduler>(core::Options{});
    scheduler = machine.get();
    Machines machines;
    machines.push_back(std::move(machine));
    return machines;
  });
}

// What is wrong, as a sentence.
std::optional<std::string> LiveCluster::Impl::LoadOne(const kube::Object& object) {
  drive::Effect create;
  create.what = drive::Create{object.kind, NamespaceOf(object), AsNewObject(object)};
  const drive::WriteResult created = WriteNow("user", create);
  if (created.outcome != drive::Outcome::kDone) return created.message;
  const json::value* status = object.raw == nullptr ? nullptr : object.raw->as_object().if_contains("status");
  if (status == nullptr) return std::nullopt;
  drive::Effect patch;
  patch.what =
      drive::PatchStatus{{object.kind, NamespaceOf(object), object.Meta().name}, {{"status", *status}}};
  const drive::WriteResult patched = WriteNow("user", patch);
  if (patched.outcome != drive::Outcome::kDone) return patched.message;
  return std::nullopt;
}

drive::WriteResult LiveCluster::Impl::WriteNow(std::string_view user, const drive::Effect& effect) {
  const auto result = std::make_shared<std::optional<drive::WriteResult>>();
  user_api->Write(user, effect, [result](drive::WriteResult answer) { *result = std::move(answer); });
  PumpWhile(kWriteTimeout, [&] { return !result->has_value(); });
  if (*result) return **result;
  return {
      .outcome = drive::Outcome::kUnknown, .message = "no answer", .retry_after = Duration{0}, .object = {}};
}

// True: it went on for `at_most`.
bool LiveCluster::Impl::PumpWhile(Duration at_most, const std::function<bool()>& goes_on) {
  const Time until = clock.Now() + at_most;
  while (goes_on()) {
    const Time now = clock.Now();
    if (now >= until) return true;
    loop.RunOne(std::min(until - now, kLooks));
  }
  return false;
}

void LiveCluster::Impl::DoActs() {
  while (!acts.empty() && acts.begin()->first <= clock.Now() - start) {
    const std::function<void()> act = std::move(acts.begin()->second);
    acts.erase(acts.begin());
    act();
  }
}

void LiveCluster::Impl::Pump(Time until) {
  while (clock.Now() < until) {
    DoActs();
    const Time next = acts.empty() ? until : std::min(until, start + acts.begin()->first);
    PumpWhile(next - clock.Now(), [] { return true; });
    Settle();
  }
  DoActs();
}

bool LiveCluster::Impl::AwaitEnd(const std::function<bool()>& holds) {
  const Time until = clock.Now() + kAwaitsEnd;
  while (clock.Now() < until && clock.Now() - changed_at < kStandsStill) {
    PumpWhile(kLooks, [] { return true; });
    Settle();
    if (!holds() || clock.Now() - changed_at < kQuiet) continue;
    checker->OnEnd(clock.Now(), scheduler->cluster(), false);
    return true;
  }
  return holds();
}

void LiveCluster::Impl::Settle() {
  if (checker == nullptr) return;
  const std::vector<PartStanding> standings = tracker.Settle();
  checker->OnSettled(clock.Now(), clock.Now(), standings);
  for (std::string& text : exclusive.Take())
    checker->Add(clock.Now(), std::move(text));
  if (look) look();
}

void LiveCluster::Impl::DeleteAll() {
  for (const kube::Kind kind : kDeleted) {
    for (const kube::Object& object : mirror.All(kind)) {
      if (IsSystems(object)) continue;
      drive::Effect effect;
      effect.what =
          drive::Delete{.target = {kind, object.Meta().namespace_, object.Meta().name},
                        .propagation = drive::Propagation::kBackground,
                        .grace_period_seconds = kind == kube::Kind::kPod ? std::optional(0) : std::nullopt};
      const drive::WriteResult result = WriteNow("user", effect);
      if (result.outcome != drive::Outcome::kDone && result.outcome != drive::Outcome::kGone)
        CADRE_LOG(kWarn, "{} cannot be deleted: {}", kube::Describe(object), result.message);
    }
  }
}

Result<void> LiveCluster::Impl::CleanUp() {
  mirror.DropObservers();
  look = nullptr;
  checker = nullptr;
  scheduler_process = nullptr;
  scheduler = nullptr;
  const Time until = clock.Now() + kCleansUp;
  while (mirror.Count() > 0 && clock.Now() < until) {
    DeleteAll();
    PumpWhile(std::chrono::seconds(2), [this] { return mirror.Count() > 0; });
  }
  if (mirror.Count() == 0) return {};
  return Err("{}: {} objects of the scenario cannot be deleted", user_server->Text(), mirror.Count());
}

LiveCluster::LiveCluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LiveCluster::~LiveCluster() = default;

Result<std::unique_ptr<LiveCluster>> LiveCluster::Open(LiveClusterOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  CADRE_TRY_VOID(impl->Open());
  return std::unique_ptr<LiveCluster>(new LiveCluster(std::move(impl)));
}

Result<void> LiveCluster::CleanUp() {
  return impl_->CleanUp();
}

void LiveCluster::Load(const std::vector<kube::Object>& objects) {
  for (const kube::Object& object : objects) {
    const std::optional<std::string> problem = impl_->LoadOne(object);
    if (problem) impl_->refusals.push_back({kube::Describe(object), *problem});
  }
  impl_->PumpWhile(kHeldBack * 3, [] { return true; });
  for (const kube::Object& pod : impl_->mirror.All(kube::Kind::kPod)) {
    if (!pod.As<kube::Pod>().spec.node_name.empty()) impl_->bound_at_start.insert(pod.Meta().uid);
  }
  impl_->StartProcesses();
  impl_->start = impl_->clock.Now();
}

void LiveCluster::SubmitAt(Duration after, const kube::Object& object) {
  ActAt(after, [this, object] {
    drive::Effect effect;
    effect.what = drive::Create{object.kind, NamespaceOf(object), AsNewObject(object)};
    const drive::WriteResult result = WriteNow("user", effect);
    if (result.outcome != drive::Outcome::kDone)
      impl_->refusals.push_back({kube::Describe(object), result.message});
  });
}

void LiveCluster::ActAt(Duration after, std::function<void()> act) {
  impl_->acts.emplace(after, std::move(act));
}

drive::WriteResult LiveCluster::WriteNow(std::string_view user, const drive::Effect& effect) {
  return impl_->WriteNow(user, effect);
}

void LiveCluster::RunUntil(Duration after) {
  impl_->Pump(impl_->start + after);
}

void LiveCluster::RunToEnd() {
  while (!impl_->acts.empty())
    RunUntil(impl_->acts.begin()->first);
  impl_->all_done = true;
}

bool LiveCluster::Await(const std::function<bool()>& holds) {
  if (impl_->all_done) return impl_->AwaitEnd(holds);
  return !impl_->PumpWhile(kAwaits, [&] { return !holds(); });
}

Duration LiveCluster::Patience() const {
  return kPatience;
}

void LiveCluster::OnChange(std::function<void()> look) {
  impl_->look = std::move(look);
}

void LiveCluster::RestartScheduler() {
  impl_->scheduler_process->Restart();
}

void LiveCluster::RestartControllers() {}

void LiveCluster::CrashSchedulerAt(std::uint64_t n, drive::CrashPoint point) {
  impl_->scheduler_process->CrashAt(n, point);
}

void LiveCluster::CrashControllersAt(std::uint64_t, drive::CrashPoint) {}

void LiveCluster::SetAdmission(Admit admit) {
  impl_->scheduler_api->SetAdmission(std::move(admit));
}

drive::ObservedApi& LiveCluster::objects() {
  return impl_->mirror;
}

const core::Scheduler& LiveCluster::scheduler() const {
  return *impl_->scheduler;
}

std::uint64_t LiveCluster::scheduler_writes() const {
  return impl_->scheduler_process == nullptr ? 0 : impl_->scheduler_process->writes();
}

std::uint64_t LiveCluster::controller_writes() const {
  return 0;
}

const std::vector<Cluster::Refusal>& LiveCluster::refusals() const {
  return impl_->refusals;
}

const std::vector<std::string>& LiveCluster::violations() const {
  return impl_->checker->violations();
}

Time LiveCluster::StartedAt() const {
  return impl_->start;
}

Duration LiveCluster::Elapsed() const {
  return impl_->clock.Now() - impl_->start;
}

}  // namespace cadre::app
