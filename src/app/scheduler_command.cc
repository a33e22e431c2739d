#include "app/scheduler_command.h"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/version.h"
#include "base/log.h"
#include "base/utf8.h"
#include "core/scheduler.h"
#include "drive/driver.h"
#include "live/api_server.h"
#include "live/http_api.h"
#include "live/kubeconfig.h"
#include "live/loop_clock.h"

namespace cadre::app {
namespace {

constexpr int kBadInput = 2;

constexpr const char* kExamples = R"(Examples:
  cadre scheduler --kubeconfig ~/.kube/config
      places the pods whose spec.schedulerName is cadre, as groups, until it is stopped
  cadre scheduler
      in a pod: with its service account

Run one at a time: there is no leader election yet.)";

std::uint64_t SeedOfNow() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

class LiveScheduler {
 public:
  static Result<std::unique_ptr<LiveScheduler>> Open(const SchedulerFlags& flags) {
    live::KubeconfigOptions kubeconfig;
    kubeconfig.kubeconfig = flags.kubeconfig;
    kubeconfig.context = flags.context;
    CADRE_TRY(live::ClusterAccess access, live::LoadClusterAccess(kubeconfig));
    std::unique_ptr<LiveScheduler> scheduler(new LiveScheduler);
    CADRE_TRY(scheduler->server_,
              live::ApiServer::Open(
                  scheduler->loop_, scheduler->clock_, std::move(access),
                  {.user_agent = fmt::format("cadre-scheduler/{}", kVersion), .seed = SeedOfNow()}));
    CADRE_TRY_VOID(scheduler->loop_.OnSignals({SIGINT, SIGTERM}, [&loop = scheduler->loop_](int signal) {
      CADRE_LOG(kInfo, "stopped by signal {}", signal);
      loop.Stop();
    }));
    scheduler->Start(flags);
    return scheduler;
  }

  void Run() { loop_.Run(); }

 private:
  LiveScheduler() = default;

  void Start(const SchedulerFlags& flags) {
    live::HttpApiOptions options;
    options.on_problem = [](const std::string& problem) { CADRE_LOG(kWarn, "{}", Printable(problem)); };
    options.on_unauthorized = [this] { server_->Refused(); };
    api_ = std::make_unique<live::HttpApi>(loop_, clock_, server_->lanes(), std::move(options));
    core::Options core;
    if (!flags.scheduler_names.empty())
      core.scheduler_names =
          std::set<std::string>(flags.scheduler_names.begin(), flags.scheduler_names.end());
    machine_ = std::make_unique<core::Scheduler>(std::move(core));
    driver_ = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{machine_.get()}, *api_, clock_,
                                              drive::Limits{});
    CADRE_LOG(kInfo, "schedules at {}", server_->Text());
  }

  net::EventLoop loop_;
  live::LoopClock clock_{loop_};
  std::unique_ptr<live::ApiServer> server_;
  std::unique_ptr<live::HttpApi> api_;
  std::unique_ptr<core::Scheduler> machine_;
  std::unique_ptr<drive::Driver> driver_;
};

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
  (*scheduler)->Run();
  return 0;
}

}  // namespace cadre::app
