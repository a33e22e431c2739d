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

Result<live::LeaderElectionOptions> ElectionOptions(const SchedulerFlags& flags) {
  live::LeaderElectionOptions options;
  const struct {
    const char* name;
    const std::string& text;
    Duration& value;
  } times[] = {{"lease-duration", flags.lease_duration, options.lease_duration},
               {"renew-deadline", flags.renew_deadline, options.renew_deadline},
               {"retry-period", flags.retry_period, options.retry_period}};
  for (const auto& time : times) {
    const Result<Duration> value = ParseDuration(time.text);
    if (!value) return Err("--leader-elect-{}: {}", time.name, value.error().message);
    time.value = *value;
  }
  options.lock_name = flags.resource_name;
  options.lock_namespace = flags.resource_namespace;
  if (const Result<void> fits = live::Check(options); !fits)
    return Err("--leader-elect-{}", fits.error().message);
  options.identity = Identity();
  return options;
}

class LiveScheduler {
 public:
  static Result<std::unique_ptr<LiveScheduler>> Open(const SchedulerFlags& flags) {
    CADRE_TRY(live::LeaderElectionOptions election, ElectionOptions(flags));
    std::unique_ptr<LiveScheduler> scheduler(new LiveScheduler(flags));
    CADRE_TRY(scheduler->process_, LiveProcess::Open({.kubeconfig = flags.kubeconfig,
                                                      .context = flags.context,
                                                      .agent = "cadre-scheduler",
                                                      .protobuf = true}));
    CADRE_TRY_VOID(scheduler->Serve());
    scheduler->Start(std::move(election));
    return scheduler;
  }

  int Run() {
    process_->Run();
    return exit_code_;
  }

 private:
  explicit LiveScheduler(const SchedulerFlags& flags) : flags_(flags) {}

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

  void Start(live::LeaderElectionOptions options) {
    if (!flags_.leader_elect) return Schedule(0);
    CADRE_LOG(kInfo, "waits for lease {}/{} at {} as {}", options.lock_namespace, options.lock_name,
              process_->server().Text(), options.identity);
    process_->OnStop([this] { LetGo(); });
    election_ = std::make_unique<live::LeaderElection>(
        process_->loop(), process_->clock(), process_->server().lease(), std::move(options),
        live::LeaderElection::Callbacks{
            .on_started = [this](std::uint64_t transitions) { Schedule(transitions); },
            .on_stopped = [this](const std::string& why) { Lost(why); },
            .on_leader = [](const std::string& leader) { CADRE_LOG(kInfo, "{} leads", Printable(leader)); },
            .on_problem = [](const std::string& problem) { CADRE_LOG(kWarn, "{}", Printable(problem)); }});
  }

  void Schedule(std::uint64_t epoch) {
    core::Options options;
    options.epoch = epoch;
    if (!flags_.scheduler_names.empty())
      options.scheduler_names = {flags_.scheduler_names.begin(), flags_.scheduler_names.end()};
    machine_ = std::make_unique<core::Scheduler>(std::move(options));
    metrics_ = std::make_unique<SchedulerMetrics>(*machine_);
    process_->Start(*metrics_);
    CADRE_LOG(kInfo, "schedules at {}", process_->server().Text());
  }

  // What was sent and is late is to the next leader like a bind of a stranger.
  void Lost(const std::string& why) {
    process_->Stop();
    CADRE_LOG(kError, "leads no more: {}", Printable(why));
    exit_code_ = kLostTheLease;
    process_->End();
  }

  // Nothing is decided after this; who comes next need not wait for the lease to run out.
  void LetGo() {
    if (is_stopping_) return process_->End();
    is_stopping_ = true;
    process_->Stop();
    election_->Release([this] { process_->End(); });
  }

  const SchedulerFlags& flags_;
  bool is_stopping_ = false;
  int exit_code_ = 0;
  // Before the process, whose driver runs them; the rest goes before it.
  std::unique_ptr<core::Scheduler> machine_;
  std::unique_ptr<SchedulerMetrics> metrics_;
  std::unique_ptr<LiveProcess> process_;
  std::unique_ptr<net::HttpServer> health_;
  std::unique_ptr<live::LeaderElection> election_;
};

void AddElectionFlags(CLI::App& command, SchedulerFlags& flags) {
  command.add_flag("--leader-elect", flags.leader_elect,
                   "Schedule only while holding a Lease (the default; --leader-elect=false: without)");
  const struct {
    const char* name;
    std::string& value;
    const char* help;
    const char* type;
  } options[] = {
      {"lease-duration", flags.lease_duration, "How long others wait after the last renewal (15s)", "TIME"},
      {"renew-deadline", flags.renew_deadline, "How long after it this one stops by itself (10s)", "TIME"},
      {"retry-period", flags.retry_period, "Between two attempts (2s)", "TIME"},
      {"resource-name", flags.resource_name, "The Lease (cadre-scheduler)", "NAME"},
      {"resource-namespace", flags.resource_namespace, "Its namespace (kube-system)", "NAME"}};
  for (const auto& option : options)
    command.add_option(fmt::format("--leader-elect-{}", option.name), option.value, option.help)
        ->type_name(option.type);
}

}  // namespace

CLI::App* AddSchedulerCommand(CLI::App& app, SchedulerFlags& flags) {
  CLI::App* command = app.add_subcommand("scheduler", "Schedules groups of pods on a real cluster");
  command->footer(kExamples);
  command->add_option("--kubeconfig", flags.kubeconfig, "The file that says where the cluster is")
      ->type_name("FILE");
  command->add_option("--context", flags.context, "Another context of it than the current one")
      ->type_name("NAME");
  command
      ->add_option("--scheduler-name", flags.scheduler_names,
                   "Which pods: those of this spec.schedulerName (cadre)")
      ->type_name("NAME");
  AddElectionFlags(*command, flags);
  command
      ->add_option("--bind-address", flags.bind_address,
                   "Where /healthz, /livez, /readyz and /metrics are served, without TLS (127.0.0.1)")
      ->type_name("IP");
  command->add_option("--health-port", flags.health_port, "The port of these; 0: none (10289)")
      ->type_name("PORT");
  command->add_option("--log-level", flags.log_level, "debug, info, warn, error or off")->type_name("LEVEL");
  return command;
}

int RunScheduler(const SchedulerFlags& flags, std::ostream& err) {
  const Result<LogLevel> level = ParseLogLevel(flags.log_level);
  if (!level) {
    err << "cadre scheduler: --log-level: " << Printable(level.error().message) << '\n';
    return kBadInput;
  }
  SetLogLevel(*level);
  const Result<std::unique_ptr<LiveScheduler>> scheduler = LiveScheduler::Open(flags);
  if (!scheduler) {
    err << "cadre scheduler: " << Printable(scheduler.error().message) << '\n';
    return kBadInput;
  }
  return (*scheduler)->Run();
}

}  // namespace cadre::app
