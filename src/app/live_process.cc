#include "app/live_process.h"

#include <chrono>
#include <csignal>

#include <fmt/format.h>

#include "app/version.h"
#include "base/log.h"
#include "base/utf8.h"
#include "live/kubeconfig.h"

namespace cadre::app {
namespace {

// Spreads what many processes would do at once; decides nothing.
std::uint64_t SeedOfNow() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

Result<std::unique_ptr<LiveProcess>> LiveProcess::Open(const LiveProcessOptions& options) {
  live::KubeconfigOptions kubeconfig;
  kubeconfig.kubeconfig = options.kubeconfig;
  kubeconfig.context = options.context;
  CADRE_TRY(live::ClusterAccess access, live::LoadClusterAccess(kubeconfig));
  std::unique_ptr<LiveProcess> process(new LiveProcess);
  CADRE_TRY(process->server_,
            live::ApiServer::Open(
                process->loop_, process->clock_, std::move(access),
                {.user_agent = fmt::format("{}/{}", options.agent, kVersion), .seed = SeedOfNow()}));
  CADRE_TRY_VOID(process->loop_.OnSignals({SIGINT, SIGTERM}, [self = process.get()](int signal) {
    CADRE_LOG(kInfo, "stopped by signal {}", signal);
    if (self->on_stop_)
      self->on_stop_();
    else
      self->End();
  }));
  live::HttpApiOptions http;
  http.protobuf = options.protobuf;
  http.on_problem = [](const std::string& problem) { CADRE_LOG(kWarn, "{}", Printable(problem)); };
  http.on_unauthorized = [&server = *process->server_] { server.Refused(); };
  process->api_ = std::make_unique<live::HttpApi>(process->loop_, process->clock_, process->server_->lanes(),
                                                  std::move(http));
  return process;
}

void LiveProcess::Start(drive::Machine& machine, const drive::Limits& limits) {
  driver_ = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{&machine}, *api_, clock_, limits);
  if (LogEnabled(LogLevel::kDebug)) LogWrites();
}

void LiveProcess::LogWrites() {
  driver_->SetStepObserver(
      [](const drive::Machine&, Time, std::span<const drive::Event> events, const drive::StepResult& result) {
        for (const drive::Event& event : events) {
          const auto* answer = std::get_if<drive::Answer>(&event);
          if (answer == nullptr || answer->outcome == drive::Outcome::kDone) continue;
          CADRE_LOG(kDebug, "write #{} ended in {}: {}", static_cast<std::uint64_t>(answer->id),
                    drive::ToString(answer->outcome), Printable(answer->message));
        }
        for (const drive::Effect& effect : result.effects)
          CADRE_LOG(kDebug, "write #{}: {}", static_cast<std::uint64_t>(effect.id),
                    Printable(drive::ToString(effect)));
      });
}

void LiveProcess::Finish(std::function<void()> done) {
  if (driver_ == nullptr) return done();
  const auto finished = std::make_shared<std::function<void()>>(std::move(done));
  const auto once = [finished] {
    if (*finished) std::exchange(*finished, nullptr)();
  };
  clock_.CallAt(clock_.Now() + kMostFinish, once);
  driver_->Finish(once);
}

}  // namespace cadre::app
