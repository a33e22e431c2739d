// `cadre scheduler`: the scheduler against a real API server.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// The flags as given.
struct SchedulerFlags {
  std::string kubeconfig;
  std::string context;
  std::vector<std::string> scheduler_names;
  std::string log_level = "info";
  bool leader_elect = true;
  std::string lease_duration = "15s";
  std::string renew_deadline = "10s";
  std::string retry_period = "2s";
  std::string resource_name = "cadre-scheduler";
  std::string resource_namespace = "kube-system";
  std::string bind_address = "127.0.0.1";  // of /healthz, /livez, /readyz, /metrics
  std::uint16_t health_port = 10289;       // 0: none of these is served
};

// Adds the subcommand; parsing fills `flags`, which must outlive `app`.
CLI::App* AddSchedulerCommand(CLI::App& app, SchedulerFlags& flags);

// Runs until SIGINT or SIGTERM. Returns the exit code: 0 ended by a signal, 1 it led and leads no more, 2 bad
// flags or no way to the cluster.
int RunScheduler(const SchedulerFlags& flags, std::ostream& err);

}  // namespace cadre::app
