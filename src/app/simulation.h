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
#include "app/cluster.h"
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

class Simulation final : public Cluster {
 public:
  explicit Simulation(SimulationOptions options);
  ~Simulation() override;

  // UIDs and times of the objects are kept.
  void Load(const std::vector<kube::Object>& objects) override;
  void SubmitAt(Duration after, const kube::Object& object) override;
  void ActAt(Duration after, std::function<void()> act) override;
  void At(Duration after, std::function<void(Simulation&)> act) {
    ActAt(after, [this, act = std::move(act)] { act(*this); });
  }
  drive::WriteResult WriteNow(std::string_view user, const drive::Effect& effect) override;

  void RunUntil(Duration after) override;
  // A run that makes too many pods (most_pods) ends before, which is a refusal.
  void RunToEnd() override;
  bool Await(const std::function<bool()>& holds) override { return holds(); }
  Duration Patience() const override { return Duration{0}; }
  void OnChange(std::function<void()> look) override;
  // Called each time before time moves on and at the end of a run: all of the present instant has happened.
  void OnSettled(std::function<void(Simulation&)> look) {
    OnChange([this, look = std::move(look)] { look(*this); });
  }

  void RestartScheduler() override;
  void RestartControllers() override;
  void CrashSchedulerAt(std::uint64_t n, drive::CrashPoint point) override;
  void CrashControllersAt(std::uint64_t n, drive::CrashPoint point) override;
  // Before each write of any process.
  void SetAdmission(Admit admit) override;

  drive::ObservedApi& objects() override;
  const core::Scheduler& scheduler() const override;
  std::uint64_t scheduler_writes() const override;
  std::uint64_t controller_writes() const override;
  const std::vector<Refusal>& refusals() const override;
  const std::vector<std::string>& violations() const override { return checker().violations(); }
  Time StartedAt() const override;
  Duration Elapsed() const override;

  sim::MemoryApi& api();
  sim::VirtualClock& clock();
  bool respects_scheduler_name() const;
  const Recorder& recorder() const;
  const Checker& checker() const;

  // Canonical trace of all steps of the scheduler (events in, effects out), when asked for before the start.
  void TraceScheduler(std::string* out);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::app
