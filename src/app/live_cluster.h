// LiveCluster: a scenario's cluster on a real API server, in real time: the API server, the Job controller
// and the garbage collector are the real ones; Cadre's scheduler and the kubelets of the simulator, which
// refuse what does not fit as a real one does, run here, each as a process of its own (a drive::Driver).
//
// The checker looks at what the API server's watches tell and at nothing else. The cluster must be an empty
// one that is kept for this: what a scenario makes is deleted at the end. Thread rule: one thread.
#pragma once

#include <memory>
#include <optional>

#include "app/cluster.h"
#include "base/result.h"
#include "live/cluster_access.h"

namespace cadre::app {

struct LiveClusterOptions {
  live::ClusterAccess user;       // of the user, of the kubelets and of the checker
  live::ClusterAccess scheduler;  // who the scheduler is: what it may do shows whether its role is enough
  Duration default_run_time{60'000};
  Duration pod_start_delay{0};
  Duration pod_stop_delay{0};
};

class LiveCluster final : public Cluster {
 public:
  // An error when the API server cannot be reached or the cluster is not empty.
  static Result<std::unique_ptr<LiveCluster>> Open(LiveClusterOptions options);
  ~LiveCluster() override;

  // The run is over: stops the scheduler and deletes what there is. An error names what is left after a
  // minute.
  Result<void> CleanUp();

  void Load(const std::vector<kube::Object>& objects) override;
  void SubmitAt(Duration after, const kube::Object& object) override;
  void ActAt(Duration after, std::function<void()> act) override;
  drive::WriteResult WriteNow(std::string_view user, const drive::Effect& effect) override;
  void RunUntil(Duration after) override;
  // All acts are done. From now on Await waits for as long as something goes on.
  void RunToEnd() override;
  bool Await(const std::function<bool()>& holds) override;
  Duration Patience() const override;
  void OnChange(std::function<void()> look) override;
  void RestartScheduler() override;
  // There is none of ours: that of the API server's cluster runs on.
  void RestartControllers() override;
  void CrashSchedulerAt(std::uint64_t n, drive::CrashPoint point) override;
  void CrashControllersAt(std::uint64_t n, drive::CrashPoint point) override;
  void SetAdmission(Admit admit) override;
  drive::ObservedApi& objects() override;
  const core::Scheduler& scheduler() const override;
  std::uint64_t scheduler_writes() const override;
  std::uint64_t controller_writes() const override;
  const std::vector<Refusal>& refusals() const override;
  const std::vector<std::string>& violations() const override;
  Time StartedAt() const override;
  Duration Elapsed() const override;

 private:
  class Impl;
  explicit LiveCluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::app
