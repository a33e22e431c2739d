// The flags and the configuration file of `cadre scheduler`, and what they mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "core/scheduler.h"
#include "drive/driver.h"
#include "live/leader_election.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// As given.
struct SchedulerFlags {
  std::string config;
  std::string kubeconfig;
  std::string context;
  double kube_api_qps = 0;  // 0: as fast as the server answers
  int kube_api_burst = 0;   // 0: twice the qps
  std::vector<std::string> scheduler_names;
  std::string node_selector;
  std::string queue = "easy";
  std::int64_t conditions_per_second = core::Options{}.conditions_per_second;
  bool leader_elect = true;
  std::string lease_duration = "15s";
  std::string renew_deadline = "10s";
  std::string retry_period = "2s";
  std::string resource_name = "cadre-scheduler";
  std::string resource_namespace = "kube-system";
  std::string bind_address = "127.0.0.1";  // of /healthz, /livez, /readyz, /metrics
  std::uint16_t health_port = 10289;       // 0: none of these is served
  std::string log_level;                   // empty: by `verbosity`
  int verbosity = 0;
};

// Parsing fills `flags`, which must outlive `command`; a file given by --config is read at the end of it, and
// what is wrong with it is a CLI::ValidationError.
void AddSchedulerFlags(CLI::App& command, SchedulerFlags& flags);

struct SchedulerSettings {
  core::Options scheduler;
  drive::Limits limits;
  live::LeaderElectionOptions election;  // all but the identity
  LogLevel log_level = LogLevel::kInfo;
};

// Errors name the flag.
Result<SchedulerSettings> ReadSettings(const SchedulerFlags& flags);

}  // namespace cadre::app
