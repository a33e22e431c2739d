// Simulation: a whole cluster in one process on a virtual clock: API in memory, scheduler, controllers,
// kubelets; each a process of its own (a drive::Driver), so that one can be killed and started again.
//
// The scheduler, the controllers and the driver are the live program's own code; only Api and Clock are
// simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/checker.h"
#include "app/recorder.h"
#include "app/run_size.h"
#include "core/scheduler.h"
#include "drive/driver.h"
#include "kube/object.h"
#include "sim/memory_api.h"
#include "sim/virtual_clock.h"
#include "topology/levels.h"

namespace cadre::app {

struct SimulationOptions {
  Time start = Time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1));
  Duration default_run_time{60'000};  // of pods whose manifest does not tell
  Duration pod_start_delay{0};        // bind -> Running
  Duration pod_stop_delay{0};         // deleted -> gone, at most the pod's grace period
  Duration api_latency{0};
  Duration watch_lag{0};
  // For how long the checker lets a group be placed in part where binds are refused on the way.
  Duration partial_grace{0};
  bool respect_scheduler_name = false;  // else every pod is scheduled by Cadre
  match::Limits match_limits;
  queue::Policy queue = {};
  topology::Levels levels;  // by which the record tells domains apart; placing goes by what manifests ask for
  std::optional<sim::FaultOptions>
      faults;  // what goes wrong between the processes and the API server; none: nothing
  // Those that replace failed ones counted: a restart without end ends the run (PodsOfAnEndlessRun).
  std::size_t most_pods = 2 * static_cast<std::size_t>(kMostPodsOfARun);
  Duration limit =
      std::chrono::hours(24 * 365 * 10);  // of virtual time; what still runs then is reported as running
};

class Simulation {
 public:
  explicit Simulation(SimulationOptions options);
  ~Simulation();

  // The cluster as it is at the start: nodes, volumes, priority classes, pods already bound; status and UIDs
  // are kept.
  void Load(const std::vector<kube::Object>& objects);
  // The user submits this object `after` the start (kubectl create). A refusal is kept in Refusals().
  void SubmitAt(Duration after, const kube::Object& object);
  // Any other act of a user or of the world, `after` the start.
  void At(Duration after, std::function<void(Simulation&)> act);

  // Runs until nothing can change any more, or until `after` the start; a run that makes too many pods
  // (most_pods) ends before, which is a refusal.
  void RunToEnd();
  void RunUntil(Duration after);

  // SIGKILL, and a new process at once, which knows nothing but the API.
  void RestartScheduler();
  void RestartControllers();
  // Kills the scheduler at its n-th write (counted over all its lives), then starts a new one.
  void CrashSchedulerAt(std::uint64_t n, drive::CrashPoint point);
  void CrashControllersAt(std::uint64_t n, drive::CrashPoint point);
  std::uint64_t scheduler_writes() const;
  std::uint64_t controller_writes() const;

  struct Refusal {
    std::string object;   // "Job default/a"
    std::string message;  // the API server's words
  };
  const std::vector<Refusal>& refusals() const;

  // Called each time before time moves on and at the end of a run: all of the present instant has happened.
  void OnSettled(std::function<void(Simulation&)> look);

  sim::MemoryApi& api();
  sim::VirtualClock& clock();
  Duration Elapsed() const;
  bool respects_scheduler_name() const;
  const core::Scheduler& scheduler() const;
  const Recorder& recorder() const;
  const Checker& checker() const;

  // Canonical trace of all steps of the scheduler (events in, effects out), when asked for before the start.
  void TraceScheduler(std::string* out);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::app
