#include "app/scheduler_command.h"

#include <memory>
#include <random>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/health_endpoint.h"
#include "app/live_process.h"
#include "app/scheduler_metrics.h"
#include "base/log.h"
#include "base/utf8.h"
#include "core/scheduler.h"
#include "live/leader_election.h"
#include "net/http_server.h"

namespace cadre::app {
namespace {

constexpr int kLostTheLease = 1;
constexpr int kBadInput = 2;

constexpr const char* kExamples = R"(Examples:
  cadre scheduler --kubeconfig ~/.kube/config
      places the pods whose spec.schedulerName is cadre, as groups, until it is stopped
  cadre scheduler --bind-address 0.0.0.0
      in a pod: with its service account, its health and metrics for all to read; one of several that run leads
  cadre scheduler --config scheduler.yaml --v 4
      with the values of a file (kind SchedulerConfiguration, docs/scheduler.md), and each write in the log
  cadre scheduler --leader-elect=false --health-port 0
      alone, for trying things

Exit codes: 0 stopped by a signal; 1 it led and lost the lease; 2 bad flags, or no way to the cluster.)";

// "host_1a2b…": other processes, also of this host, have another one.
std::string Identity() {
  char host[256] = "unknown";
  ::gethostname(host, sizeof(host) - 1);
  std::random_device random;
  return fmt::format("{}_{:08x}{:08x}", host, random(), random());
}

class LiveScheduler {
 public:
  static Result<std::unique_ptr<LiveScheduler>> Open(const SchedulerFlags& flags,
                                                     SchedulerSettings settings) {
    std::unique_ptr<LiveScheduler> scheduler(new LiveScheduler(flags, std::move(settings)));
    CADRE_TRY(scheduler->process_, LiveProcess::Open({.kubeconfig = flags.kubeconfig,
                                                      .context = flags.context,
                                                      .agent = "cadre-scheduler",
                                                      .protobuf = true}));
    CADRE_TRY_VOID(scheduler->Serve());
    scheduler->Start();
    return scheduler;
  }

  int Run() {
    process_->Run();
    return exit_code_;
  }

 private:
  LiveScheduler(const SchedulerFlags& flags, SchedulerSettings settings)
      : flags_(flags), settings_(std::move(settings)) {}

  Result<void> Serve() {
    if (flags_.health_port == 0) return {};
    net::HttpServerOptions options;
    options.address = flags_.bind_address;
    options.port = flags_.health_port;
    Result<std::unique_ptr<net::HttpServer>> server = net::HttpServer::Listen(
        process_->loop(), std::move(options),
        [this](const net::ServerRequest& request, const net::HttpServer::Respond& respond) {
          respond(Answer(request));
        });
    if (!server) return Err("--health-port: {} (0 serves nothing)", server.error().message);
    health_ = *std::move(server);
    return {};
  }

  net::ServerResponse Answer(const net::ServerRequest& request) {
    const HealthCheck live[] = {{"ping", ""}};
    // One that waits for the lease is ready to take over.
    const bool lists = IsScheduling() && !metrics_->HasListed();
    const HealthCheck ready[] = {
        {"ping", ""},
        {"informer-sync", lists ? "the cluster has not been read to the end yet" : ""},
        {"shutdown", is_stopping_ ? "it is being stopped" : ""}};
    return AnswerHealth(request, {.live = live, .ready = ready, .metrics = [this] { return MetricsText(); }});
  }

  std::string MetricsText() {
    const std::string leads = fmt::format(
        "# HELP cadre_scheduler_leader Whether this process schedules.\n# TYPE cadre_scheduler_leader gauge\n"
        "cadre_scheduler_leader {}\n",
        IsScheduling() ? 1 : 0);
    return IsScheduling() ? leads + metrics_->Text(process_->driver()->counters()) : leads;
  }

  bool IsScheduling() const { return process_->driver() != nullptr; }

  void Start() {
    process_->OnStop([this] { LetGo(); });
    if (!flags_.leader_elect) return Schedule(0);
    live::LeaderElectionOptions options = settings_.election;
    options.identity = Identity();
    CADRE_LOG(kInfo, "waits for lease {}/{} at {} as {}", options.lock_namespace, options.lock_name,
              process_->server().Text(), options.identity);
    election_ = std::make_unique<live::LeaderElection>(
        process_->loop(), process_->clock(), process_->server().lease(), std::move(options),
        live::LeaderElection::Callbacks{
            .on_started = [this](std::uint64_t transitions) { Schedule(transitions); },
            .on_stopped = [this](const std::string& why) { Lost(why); },
            .on_leader = [](const std::string& leader) { CADRE_LOG(kInfo, "{} leads", Printable(leader)); },
            .on_problem = [](const std::string& problem) { CADRE_LOG(kWarn, "{}", Printable(problem)); }});
  }

  void Schedule(std::uint64_t epoch) {
    core::Options options = settings_.scheduler;
    options.epoch = epoch;
    machine_ = std::make_unique<core::Scheduler>(std::move(options));
    metrics_ = std::make_unique<SchedulerMetrics>(*machine_);
    process_->Start(*metrics_, settings_.limits);
    CADRE_LOG(kInfo, "schedules at {}", process_->server().Text());
  }

  // What was sent and is late is to the next leader like a bind of a stranger.
  void Lost(const std::string& why) {
    process_->Stop();
    CADRE_LOG(kError, "leads no more: {}", Printable(why));
    exit_code_ = kLostTheLease;
    process_->End();
  }

  // Nothing is decided after this. What has left is waited for, so that who comes next finds it; and the
  // lease is let go, so that he need not wait for its end. A second signal ends it at once.
  void LetGo() {
    if (is_stopping_) return process_->End();
    is_stopping_ = true;
    process_->Finish([this] {
      if (election_ == nullptr) return process_->End();
      election_->Release([this] { process_->End(); });
    });
  }

  const SchedulerFlags& flags_;
  const SchedulerSettings settings_;
  bool is_stopping_ = false;
  int exit_code_ = 0;
  // Before the process, whose driver runs them; the rest goes before it.
  std::unique_ptr<core::Scheduler> machine_;
  std::unique_ptr<SchedulerMetrics> metrics_;
  std::unique_ptr<LiveProcess> process_;
  std::unique_ptr<net::HttpServer> health_;
  std::unique_ptr<live::LeaderElection> election_;
};

}  // namespace

CLI::App* AddSchedulerCommand(CLI::App& app, SchedulerFlags& flags) {
  CLI::App* command = app.add_subcommand("scheduler", "Schedules groups of pods on a real cluster");
  command->footer(kExamples);
  AddSchedulerFlags(*command, flags);
  return command;
}

int RunScheduler(const SchedulerFlags& flags, std::ostream& err) {
  const auto fail = [&](const Error& error) {
    err << "cadre scheduler: " << Printable(error.message) << '\n';
    return kBadInput;
  };
  Result<SchedulerSettings> settings = ReadSettings(flags);
  if (!settings) return fail(settings.error());
  SetLogLevel(settings->log_level);
  const Result<std::unique_ptr<LiveScheduler>> scheduler = LiveScheduler::Open(flags, *std::move(settings));
  if (!scheduler) return fail(scheduler.error());
  return (*scheduler)->Run();
}

}  // namespace cadre::app
