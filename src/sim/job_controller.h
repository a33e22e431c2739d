// JobController: Kubernetes' Job controller (1.36) for the simulator, as one machine.
//
// What it does as the real one does: the order of writes within a pass (job_sync.h); slow start; lowest
// missing indexes first; at most 500 creates or deletes a pass; counting through finalizers and
// uncountedTerminatedPods (job_counting.h); back-off per Job and per index (job_backoff.h); podFailurePolicy,
// successPolicy, limits and deadline (job_policies.h); suspend and resume; elastic resize;
// podReplacementPolicy; FailureTarget before Failed and SuccessCriteriaMet before Complete, both only when no
// pod is terminating any more. A Job that is being deleted gets no pods, only its finalizers are removed; one
// that somebody else manages is left alone; pods whose Job is gone or finished lose the finalizer.
//
// What differs, and why:
//  - New pods have an explicit name, "<job>-<index>-<5 characters>" as generateName makes them, but derived
//  from the Job,
//    the index and its counters. A create whose answer was lost is repeated under the same name, so it cannot
//    double.
//  - Events: one note per failed create and per end, suspension and resumption of a Job; none per created
//  pod.
//  - Pods without a controller are not adopted. Jobs are synced without a limit of workers or requests per
//  second.
//  - After a write the watch of which lags, the next pass waits for it instead of polling each second.
//
// How a Job comes to be synced: at once when it is new or its spec has changed; `batch_period` after an event
// of a pod or a change of status; when a back-off or deadline ends; `first_retry`, doubling, after a pass in
// which a write failed. Passes of one Job never overlap. Nothing is decided before both kinds have been
// listed.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/ and KEPs 2214, 2307, 3329, 3715,
// 3850, 3939, 3998, 4368; behaviour checked against kube-controller-manager 1.36.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "drive/machine.h"
#include "sim/job_expectations.h"
#include "sim/job_sync.h"

namespace cadre::sim {

class JobController final : public drive::Machine {
 public:
  explicit JobController(JobControllerOptions options = {});
  ~JobController() override;
  JobController(const JobController&) = delete;
  JobController& operator=(const JobController&) = delete;

  std::string_view Name() const override { return "job-controller"; }
  std::span<const kube::Kind> Kinds() const override;
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override;

 private:
  struct JobState;
  struct QueueItem {
    bool is_pod = false;  // a finalizer to remove; otherwise a Job to sync
    std::string uid;
  };
  using QueueKey = std::pair<Time, std::uint64_t>;  // due, then first come
  struct Pending {
    std::string job_uid;
    JobRequest request;
    bool cleanup = false;  // of a pod without a Job, not part of a pass
  };

  void On(const drive::Changed& changed);
  void On(const drive::Listed& listed);
  void On(const drive::Answer& answer);
  void OnJob(const kube::Object& object);
  void OnJobGone(const std::string& uid);
  void OnPod(const kube::Object& object);
  void OnPodGone(const kube::Object& object);
  void NoteName(const kube::ObjectMeta& meta);
  void LearnFromAnswer(JobState& state, const JobRequest& request, const drive::Answer& answer);

  JobState& StateOf(const std::string& uid);
  JobState* Find(std::string_view uid);
  void DropIfEmpty(JobState& state);

  void Enqueue(JobState& state, Time due);
  void RunQueue();
  void StartSync(JobState& state);
  void Send(JobState& state, JobSync::Requests requests);
  void EndSyncIfDone(JobState& state);
  std::string PickPodName(JobState& state, std::int32_t index);

  void ReleaseIfOrphan(const JobState& state, const JobPod& pod);
  void ReleaseOrphan(const std::string& pod_uid);
  void OnOrphanAnswer(const JobRequest& request, const drive::Answer& answer);

  drive::EffectId Emit(drive::Effect effect);

  const JobControllerOptions options_;
  Time now_{};
  drive::StepResult result_;  // of the running Step
  std::uint64_t last_effect_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::set<kube::Kind> unlisted_;

  // By UID. The state under "" holds pods that carry the finalizer but belong to no Job.
  boost::unordered_flat_map<std::string, std::unique_ptr<JobState>> jobs_;
  boost::unordered_flat_map<std::string, std::string> job_of_pod_;  // UID -> UID
  boost::unordered_flat_set<std::string> pod_names_;                // namespace/name of every pod
  boost::unordered_flat_map<std::string, std::string>
      awaited_names_;                                          // namespace/name -> UID of the Job that waits
  boost::unordered_flat_map<std::uint64_t, Pending> pending_;  // by effect
  boost::unordered_flat_map<std::string, int> orphan_attempts_;  // by UID of the pod
  std::map<QueueKey, QueueItem> queue_;
};

}  // namespace cadre::sim
