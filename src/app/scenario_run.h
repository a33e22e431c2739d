// Runs a scenario in a cluster and judges it: what the scenario expects, what the checker finds, refused
// manifests and acts that could not be done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cluster.h"
#include "app/scenario.h"
#include "app/simulation.h"
#include "drive/driver.h"
#include "sim/faults.h"

namespace cadre::app {

// Kill a process at its n-th write (from 1, over all its lives).
struct CrashPlan {
  Program process = Program::kScheduler;
  std::uint64_t n = 0;
  drive::CrashPoint point = drive::CrashPoint::kBefore;
};

std::string ToString(const CrashPlan& plan);

struct ScenarioRunOptions {
  std::optional<CrashPlan> crash;
  std::optional<sim::FaultOptions> faults;
  // Judge only what is asked of the end and of objects: a crash or a fault may cost time and writes.
  bool only_end = false;
  std::string* scheduler_trace = nullptr;
  // Given the API before anything happens in it.
  std::function<void(drive::ObservedApi&)> look_on;
  // Called whenever time moves on.
  std::function<void(Simulation&)> on_settled;
  // Called at the end, before the simulation is gone.
  std::function<void(Simulation&)> at_end;
};

struct ScenarioOutcome {
  std::vector<std::string> problems;  // empty: all as it should be
  std::uint64_t scheduler_writes = 0;
  std::uint64_t controller_writes = 0;
};

// In a simulated cluster, made for it.
ScenarioOutcome RunScenario(const Scenario& scenario, const ScenarioRunOptions& options = {});

// In a cluster that nothing has been done to yet. `at_end` is called last.
ScenarioOutcome RunScenarioIn(Cluster& cluster, const Scenario& scenario,
                              const std::function<void()>& at_end = {});

}  // namespace cadre::app
