#include "sim/job_sync.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "sim/job_policies.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using Role = JobRequest::Role;

// Done, or the object is gone, which is as good.
bool Achieved(Outcome outcome) {
  return outcome == Outcome::kDone || outcome == Outcome::kGone;
}

std::set<std::string, std::less<>> TrackedUids(const std::vector<JobPod>& pods) {
  std::set<std::string, std::less<>> uids;
  for (const JobPod& pod : pods) {
    if (pod.tracked) {
      uids.insert(pod.uid());
    }
  }
  return uids;
}

}  // namespace

JobSync::JobSync(Input input, const JobControllerOptions& options, PickName pick_name)
    : input_(std::move(input)),
      job_(&input_.job.As<kube::Job>()),
      options_(options),
      pick_name_(std::move(pick_name)),
      resource_version_(job_->metadata.resource_version) {}

JobSync::Requests JobSync::Start(Time now) {
  Requests out;
  written_ = ReadStatus(input_.job);
  status_ = written_;
  counts_ = CountPods(job(), status_, input_.pods);
  tracked_ = TrackedUids(input_.pods);
  new_backoff_ = NextBackoff(input_.backoff, counts_.new_succeeded, counts_.new_failed);
  active_ = static_cast<std::int32_t>(counts_.active.size());
  ready_ = counts_.ready;
  terminating_ = counts_.terminating;
  if (!status_.start_time && !job().spec.suspend) {
    status_.start_time = now;
  }
  Verdict verdict = Judge(job(), status_, counts_, input_.pods, now);
  end_ = std::move(verdict.end);
  again_ = verdict.deadline;
  if (end_) {
    EndPods(counts_.active, out);
  } else if (!job().metadata.deletion_timestamp) {
    managed_ = true;
    PlanPodChanges(now, out);
  }
  if (outstanding_ == 0) {
    AfterPods(now, out);
  }
  return out;
}

void JobSync::PlanPodChanges(Time now, Requests& out) {
  const Duration backoff = RemainingBackoff(new_backoff_, now, options_.pod_backoff);
  PodPlan plan =
      PlanPods(job(), counts_, input_.pods, backoff, now, options_.pod_backoff, options_.max_pods_per_sync);
  if (plan.wait > Duration{0}) {
    const Time at = now + std::max(plan.wait, options_.batch_period);
    again_ = std::min(again_.value_or(at), at);
  }
  RemovePods(plan.remove, out);
  creates_ = std::move(plan.create);
  active_ += static_cast<std::int32_t>(creates_.size());
  CreateBatch(out);
}

// The Job is over: its pods are deleted, but keep their finalizers until they are counted.
void JobSync::EndPods(const std::vector<const JobPod*>& active, Requests& out) {
  for (const JobPod* pod : active) {
    Send(PodRequest(Role::kDeletePod, *pod), out);
  }
}

// Pods that are not wanted any more (suspended, shrunk): they go uncounted, so the finalizer goes first.
void JobSync::RemovePods(const std::vector<const JobPod*>& pods, Requests& out) {
  for (const JobPod* pod : pods) {
    JobRequest remove = PodRequest(Role::kDeletePod, *pod);
    if (pod->tracked) {
      JobRequest release = PodRequest(Role::kReleasePod, *pod);
      release.counts = false;
      Send(std::move(release), out);
      remove.after_previous = true;
    }
    Send(std::move(remove), out);
  }
}

void JobSync::CreateBatch(Requests& out) {
  const std::size_t end = std::min(creates_.size(), next_create_ + batch_);
  for (; next_create_ < end; ++next_create_) {
    const NewPod& pod = creates_[next_create_];
    const std::string name = pick_name_(pod.index);
    JobRequest request{
        .role = Role::kCreatePod, .effect = {}, .pod_uid = {}, .pod_name = name, .index = pod.index};
    request.effect.what = drive::Create{.kind = kube::Kind::kPod,
                                        .namespace_ = job().metadata.namespace_,
                                        .body = MakePod(input_.job, pod, name)};
    Send(std::move(request), out);
  }
  batch_failed_ = false;
  batch_ *= 2;
}

JobSync::Requests JobSync::OnAnswer(const JobRequest& request, const drive::Answer& answer, Time now) {
  CADRE_ASSERT(outstanding_ > 0, "an answer to a pass that waits for none");
  Requests out;
  --outstanding_;
  if (request.role == Role::kWriteStatus) {
    OnStatusAnswer(answer, now, out);
    return out;
  }
  OnPodAnswer(request, answer, out);
  if (outstanding_ == 0) {
    Proceed(now, out);
  }
  return out;
}

void JobSync::OnPodAnswer(const JobRequest& request, const drive::Answer& answer, Requests& out) {
  const bool done = answer.outcome == Outcome::kDone;
  switch (request.role) {
    case Role::kCreatePod:
      if (!done) {
        --active_;
        failed_ = batch_failed_ = true;
        out.push_back(MakeNote(true, "FailedCreate", fmt::format("Error creating: {}", answer.message)));
      }
      break;
    case Role::kDeletePod:
      if (Achieved(answer.outcome)) {
        ++deleted_;
        const auto pod =
            std::ranges::find(counts_.active, request.pod_uid, [](const JobPod* p) { return p->uid(); });
        ready_ -= pod != counts_.active.end() && IsReady(**pod) ? 1 : 0;
      } else {
        failed_ = true;
      }
      break;
    case Role::kReleasePod:
      if (Achieved(answer.outcome)) {
        tracked_.erase(request.pod_uid);
      } else {
        failed_ = true;
        release_failed_ = release_failed_ || request.counts;
      }
      break;
    case Role::kWriteStatus:
    case Role::kNote:
      break;
  }
}

void JobSync::Proceed(Time now, Requests& out) {
  if (stage_ == Stage::kRelease) {
    AfterRelease(now, out);
    return;
  }
  const std::size_t left = creates_.size() - next_create_;
  if (left > 0 && !batch_failed_) {
    CreateBatch(out);
    return;
  }
  active_ -= static_cast<std::int32_t>(left);  // never tried: the batch before them failed
  AfterPods(now, out);
}

void JobSync::AfterPods(Time now, Requests& out) {
  active_ -= static_cast<std::int32_t>(deleted_);
  terminating_ += static_cast<std::int32_t>(deleted_);
  if (end_ && deleted_ != counts_.active.size()) {
    end_.reset();  // some pod still runs: the next pass ends the Job
  } else if (!end_) {
    DecideCompletion(now, out);
  }
  status_.active = active_;
  status_.ready = ready_;
  status_.terminating = terminating_;
  status_.has_uncounted = true;
  MoveToCounters(tracked_, status_);
  const bool ended_well = end_ && end_->type == kSuccessCriteriaMet;
  tracking_ = RecordFinishedPods(job(), input_.pods, end_.has_value(), ended_well, counts_, status_);
  NoteInterimEnd(now);
  stage_ = Stage::kStatus;
  if (!WriteStatus(out)) {
    AfterStatus(now, out);
  }
}

void JobSync::DecideCompletion(Time now, Requests& out) {
  if (IsComplete(job().spec, counts_.succeeded, active_)) {
    end_ = JobCondition{std::string(kSuccessCriteriaMet), "CompletionsReached",
                        "Reached expected number of succeeded pods"};
    return;
  }
  if (!managed_) {
    return;
  }
  const bool suspend = job().spec.suspend;
  const JobCondition condition =
      suspend ? JobCondition{std::string(kJobSuspended), "JobSuspended", "Job suspended"}
              : JobCondition{std::string(kJobSuspended), "JobResumed", "Job resumed"};
  if (!SetCondition(status_, condition, suspend, now)) {
    return;
  }
  // The clock of activeDeadlineSeconds starts anew with each resume.
  status_.start_time = suspend ? std::nullopt : std::optional(now);
  out.push_back(MakeNote(false, suspend ? "Suspended" : "Resumed", condition.message));
}

// FailureTarget and SuccessCriteriaMet are written before any finalizer goes: if the process dies in between,
// the next one must not judge anew from pods that are gone.
void JobSync::NoteInterimEnd(Time now) {
  if (!end_) {
    return;
  }
  if (end_->type == kFailureTarget) {
    SetCondition(status_, *end_, true, now);
    end_->type = kJobFailed;
  } else if (end_->type == kSuccessCriteriaMet) {
    if (!FindTrueCondition(status_, kSuccessCriteriaMet)) {
      SetCondition(status_, *end_, true, now);
    }
    end_->type = kJobComplete;
  }
}

bool JobSync::WriteStatus(Requests& out) {
  auto patch = StatusPatch(written_, status_);
  if (!patch) {
    return false;
  }
  JobRequest request{.role = Role::kWriteStatus, .effect = {}, .pod_uid = {}, .pod_name = {}};
  request.effect.uid = job().metadata.uid;
  request.effect.resource_version = resource_version_;
  request.effect.what =
      drive::PatchStatus{.target = TargetOf(kube::Kind::kJob, job().metadata), .merge = *std::move(patch)};
  Send(std::move(request), out);
  return true;
}

void JobSync::OnStatusAnswer(const drive::Answer& answer, Time now, Requests& out) {
  if (answer.outcome != Outcome::kDone) {
    Fail();
    return;
  }
  counted_ = true;
  if (stage_ == Stage::kLastStatus) {
    Announce(out);
    stage_ = Stage::kDone;
    return;
  }
  if (!answer.object) {
    stage_ =
        Stage::kDone;  // without its new version nothing more can be written; the watch starts the next pass
    return;
  }
  written_ = status_;
  resource_version_ = answer.object->Meta().resource_version;
  AfterStatus(now, out);
}

void JobSync::AfterStatus(Time now, Requests& out) {
  stage_ = Stage::kRelease;
  for (const JobPod* pod : tracking_.release) {
    if (tracked_.contains(pod->uid())) {
      Send(PodRequest(Role::kReleasePod, *pod), out);
    }
  }
  if (outstanding_ == 0) {
    AfterRelease(now, out);
  }
}

void JobSync::AfterRelease(Time now, Requests& out) {
  MoveToCounters(tracked_, status_);
  const bool all_counted = status_.uncounted_succeeded.empty() && status_.uncounted_failed.empty();
  if (end_ && !tracking_.limited && !release_failed_ && all_counted && terminating_ == 0) {
    SetCondition(status_, *end_, true, now);
    if (end_->type == kJobComplete) {
      status_.completion_time = now;
    }
    announced_ = end_;
  }
  stage_ = Stage::kLastStatus;
  if (!WriteStatus(out)) {
    stage_ = Stage::kDone;
  }
}

void JobSync::Announce(Requests& out) {
  if (!announced_) {
    return;
  }
  const std::optional<std::int32_t> completions = Completions(job().spec);
  if (announced_->type == kJobFailed) {
    out.push_back(MakeNote(true, announced_->reason, announced_->message));
    return;
  }
  if (completions && status_.succeeded > *completions) {
    out.push_back(MakeNote(true, "TooManySucceededPods",
                           "Too many succeeded pods running after completion count reached"));
  }
  out.push_back(MakeNote(false, "Completed", "Job completed"));
}

void JobSync::Fail() {
  failed_ = true;
  stage_ = Stage::kDone;
}

void JobSync::Send(JobRequest request, Requests& out) {
  out.push_back(std::move(request));
  ++outstanding_;
}

JobRequest JobSync::PodRequest(Role role, const JobPod& pod) const {
  JobRequest request{.role = role, .effect = {}, .pod_uid = pod.uid(), .pod_name = pod.pod->metadata.name};
  if (role == Role::kReleasePod) {
    request.effect = ReleasePod(*pod.pod);
    return request;
  }
  request.effect.uid = pod.uid();
  request.effect.what =
      drive::Delete{.target = TargetOf(kube::Kind::kPod, pod.pod->metadata), .grace_period_seconds = {}};
  return request;
}

JobRequest JobSync::MakeNote(bool warning, std::string reason, std::string message) const {
  JobRequest request{.role = Role::kNote, .effect = {}, .pod_uid = {}, .pod_name = {}};
  request.effect.lane = drive::Lane::kNote;
  request.effect.what = drive::Note{.regarding = TargetOf(kube::Kind::kJob, job().metadata),
                                    .regarding_uid = job().metadata.uid,
                                    .warning = warning,
                                    .reason = std::move(reason),
                                    .message = std::move(message)};
  return request;
}

}  // namespace cadre::sim
