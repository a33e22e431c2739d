#include "app/kubelets_command.h"

#include <CLI/CLI.hpp>

#include "app/live_process.h"
#include "base/log.h"
#include "base/utf8.h"
#include "sim/kubelets.h"

namespace cadre::app {
namespace {

constexpr int kBadInput = 2;

constexpr const char* kExamples = R"(Examples:
  cadre kubelets --kubeconfig test.kubeconfig
      every pod that is bound to a node runs, as long as its manifest says (cadre.dev/sim-duration, sleep), and ends;
      what does not fit on its node is refused as a real kubelet refuses it

Never run it on a cluster with real kubelets: it writes the status of pods on every node.)";

Result<void> Run(const KubeletsFlags& flags) {
  const Result<Duration> run_time = ParseDuration(flags.default_run_time);
  if (!run_time) return Err("--default-run-time: {}", run_time.error().message);
  sim::Kubelets kubelets({.start_delay = Duration{0},
                          .termination = Duration{0},
                          .default_duration = *run_time,
                          .running_before = Time::min(),
                          .bound_at_start = nullptr});
  CADRE_TRY(const std::unique_ptr<LiveProcess> process, LiveProcess::Open({.kubeconfig = flags.kubeconfig,
                                                                           .context = flags.context,
                                                                           .agent = "cadre-kubelets",
                                                                           .protobuf = false}));
  process->Start(kubelets);
  CADRE_LOG(kInfo, "runs pods at {}", process->server().Text());
  process->Run();
  return {};
}

}  // namespace

CLI::App* AddKubeletsCommand(CLI::App& app, KubeletsFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "kubelets", "Runs the pods of a cluster whose nodes are objects alone, for trying things");
  command->footer(kExamples);
  command->add_option("--kubeconfig", flags.kubeconfig, "The file that says where the cluster is")
      ->type_name("FILE");
  command->add_option("--context", flags.context, "Another context of it than the current one")
      ->type_name("NAME");
  command
      ->add_option("--default-run-time", flags.default_run_time,
                   "How long a pod runs whose manifest does not say (1m)")
      ->type_name("TIME");
  return command;
}

int RunKubelets(const KubeletsFlags& flags, std::ostream& err) {
  const Result<void> ran = Run(flags);
  if (ran) return 0;
  err << "cadre kubelets: " << Printable(ran.error().message) << '\n';
  return kBadInput;
}

}  // namespace cadre::app
