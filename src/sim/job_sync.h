// JobSync: one pass over one Job, from what the controller knows to the last write.
//
// The writes of a pass wait for each other, as in Kubernetes:
//   pods      deletes, or creates in batches of 1, 2, 4, ... until one of a batch fails
//   status    counters, uncounted UIDs, FailureTarget / SuccessCriteriaMet
//   release   the finalizers of counted pods
//   status    the counts moved out of the uncounted lists; Complete / Failed once nothing is left to count or
//   to end
// A pass works on a copy of what was known when it began; what changes meanwhile makes the controller start
// another one. Status writes carry the Job's resourceVersion, so a pass over stale state changes no count.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "drive/machine.h"
#include "sim/job_backoff.h"
#include "sim/job_counting.h"
#include "sim/job_pods.h"

namespace cadre::sim {

struct JobControllerOptions {
  // A pod event syncs its Job after this. Kubernetes: 1 s. Zero in simulations, so that tests read exact
  // times.
  Duration batch_period{0};
  BackoffLimits pod_backoff;
  // A pass in which a write failed is repeated after this, doubling up to the maximum.
  Duration first_retry{1'000};
  Duration max_retry{60'000};
  // Own writes that the watch never shows are waited for this long.
  Duration expectation_timeout{300'000};
  std::size_t max_pods_per_sync = 500;
};

// A write that a pass asks for. The controller gives it an id and brings back its answer.
struct JobRequest {
  enum class Role : std::uint8_t { kCreatePod, kDeletePod, kReleasePod, kWriteStatus, kNote };
  Role role{};
  drive::Effect effect;         // without id
  bool after_previous = false;  // only once the request before it in the same list is done
  std::string pod_uid;          // kDeletePod, kReleasePod
  std::string pod_name;         // kCreatePod
  std::int32_t index = -1;      // kCreatePod
  bool counts = true;           // kReleasePod: false when it only prepares a delete
};

class JobSync {
 public:
  struct Input {
    kube::Object job;
    std::vector<JobPod> pods;
    BackoffRecord backoff;
  };
  using Requests = std::vector<JobRequest>;
  // A name for a new pod of this index (-1: none) that no pod has.
  using PickName = std::function<std::string(std::int32_t index)>;

  JobSync(Input input, const JobControllerOptions& options, PickName pick_name);

  Requests Start(Time now);
  // REQUIRES: the answer to a request of this pass that is not a kNote.
  Requests OnAnswer(const JobRequest& request, const drive::Answer& answer, Time now);

  bool done() const { return stage_ == Stage::kDone; }
  // Once done: a write failed, look again soon.
  bool failed() const { return failed_; }
  // The back-off record, with what this pass has counted.
  const BackoffRecord& backoff() const { return counted_ ? new_backoff_ : input_.backoff; }
  // Look again then at the latest: a deadline or the end of a back-off.
  std::optional<Time> again() const { return again_; }

 private:
  enum class Stage : std::uint8_t { kPods, kStatus, kRelease, kLastStatus, kDone };

  const kube::Job& job() const { return *job_; }
  void PlanPodChanges(Time now, Requests& out);
  void EndPods(const std::vector<const JobPod*>& active, Requests& out);
  void RemovePods(const std::vector<const JobPod*>& pods, Requests& out);
  void CreateBatch(Requests& out);
  void OnPodAnswer(const JobRequest& request, const drive::Answer& answer, Requests& out);
  void OnStatusAnswer(const drive::Answer& answer, Time now, Requests& out);
  void Proceed(Time now, Requests& out);
  void AfterPods(Time now, Requests& out);
  void DecideCompletion(Time now, Requests& out);
  void NoteInterimEnd(Time now);
  void AfterStatus(Time now, Requests& out);
  void AfterRelease(Time now, Requests& out);
  bool WriteStatus(Requests& out);
  void Announce(Requests& out);
  void Fail();
  void Send(JobRequest request, Requests& out);
  JobRequest PodRequest(JobRequest::Role role, const JobPod& pod) const;
  JobRequest MakeNote(bool warning, std::string reason, std::string message) const;

  const Input input_;
  const kube::Job* const job_;
  const JobControllerOptions& options_;
  const PickName pick_name_;

  Stage stage_ = Stage::kPods;
  std::size_t outstanding_ = 0;
  bool failed_ = false;
  std::optional<Time> again_;

  TrackedStatus written_;  // what the API server holds, as far as we know
  TrackedStatus status_;   // what it shall hold
  std::uint64_t resource_version_ = 0;
  JobCounts counts_;
  BackoffRecord new_backoff_;
  bool counted_ = false;  // the status write that counts new failures is done

  std::optional<JobCondition> end_;
  bool managed_ = false;  // pods were looked after: not so when the Job ends or is being deleted
  std::int32_t active_ = 0;
  std::int32_t ready_ = 0;
  std::int32_t terminating_ = 0;
  std::size_t deleted_ = 0;

  std::vector<NewPod> creates_;
  std::size_t next_create_ = 0;
  std::size_t batch_ = 1;
  bool batch_failed_ = false;

  Tracking tracking_;
  std::set<std::string, std::less<>> tracked_;
  bool release_failed_ = false;
  std::optional<JobCondition> announced_;  // the end that the last status write tells
};

}  // namespace cadre::sim
