#include "sim/job_controller.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "base/check.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using Role = JobRequest::Role;

constexpr std::array kKinds = {kube::Kind::kJob, kube::Kind::kPod};
// A pod may be shown before its Job: this long it is not taken for an orphan.
constexpr Duration kUnknownJobGrace{10'000};

std::string JobUidOf(const kube::ObjectMeta& pod) {
  const kube::OwnerReference* owner = pod.Controller();
  return owner != nullptr && owner->kind == "Job" && owner->api_version == kube::ApiVersion(kube::Kind::kJob)
             ? owner->uid
             : std::string();
}

bool ManagedElsewhere(const kube::Job& job) {
  return !job.spec.managed_by.empty() && job.spec.managed_by != "kubernetes.io/job-controller";
}

Duration RetryAfter(int failures, const JobControllerOptions& options) {
  Duration wait = options.first_retry;
  for (int i = 1; i < failures && wait < options.max_retry; ++i) {
    wait *= 2;
  }
  return std::min(wait, options.max_retry);
}

}  // namespace

struct JobController::JobState {
  std::string uid;
  std::optional<kube::Object> object;  // none: not seen yet, or gone
  const kube::Job* job = nullptr;      // of `object`
  bool gone = false;

  std::map<std::string, JobPod, std::less<>> pods;  // by UID
  JobExpectations expectations;
  BackoffRecord backoff;
  int failures = 0;  // passes in a row in which a write failed

  std::unique_ptr<JobSync> sync;
  bool again = false;  // it became due while a pass was running
  std::optional<QueueKey> queued;

  std::multimap<std::int32_t, std::string>
      uncertain;                                // index -> name of a pod whose create may have happened
  std::set<std::string, std::less<>> vanished;  // names and UIDs of pods that went during the running pass
  std::set<std::string, std::less<>> claimed;   // names given out in the running pass

  bool Finished() const { return job != nullptr && kube::IsFinished(*job); }
};

JobController::JobController(JobControllerOptions options)
    : options_(options), unlisted_(kKinds.begin(), kKinds.end()) {}

JobController::~JobController() = default;

std::span<const kube::Kind> JobController::Kinds() const {
  return kKinds;
}

drive::StepResult JobController::Step(Time now, std::span<const drive::Event> events) {
  now_ = now;
  result_ = {};
  for (const drive::Event& event : events) {
    std::visit([this](const auto& e) { On(e); }, event);
  }
  if (unlisted_.empty()) {
    RunQueue();
    if (!queue_.empty()) {
      result_.wake = queue_.begin()->first.first;
    }
  }
  return std::move(result_);
}

void JobController::On(const drive::Listed& listed) {
  unlisted_.erase(listed.kind);
}

void JobController::On(const drive::Changed& changed) {
  switch (changed.object.kind) {
    case kube::Kind::kJob:
      changed.deleted ? OnJobGone(changed.object.Meta().uid) : OnJob(changed.object);
      break;
    case kube::Kind::kPod:
      changed.deleted ? OnPodGone(changed.object) : OnPod(changed.object);
      break;
    default:
      break;
  }
}

void JobController::OnJob(const kube::Object& object) {
  JobState& state = StateOf(object.Meta().uid);
  const bool spec_changed = !state.object || state.object->Meta().generation != object.Meta().generation;
  state.object = object;
  state.job = &state.object->As<kube::Job>();
  state.expectations.SawJob(object.Meta().resource_version);
  if (ManagedElsewhere(*state.job)) {
    return;
  }
  if (state.Finished()) {
    state.backoff = {};
    for (const auto& [uid, pod] : state.pods) {
      ReleaseIfOrphan(state, pod);
    }
    return;
  }
  Enqueue(state, spec_changed ? now_ : now_ + options_.batch_period);
}

void JobController::OnJobGone(const std::string& uid) {
  JobState& state = StateOf(uid);
  state.object.reset();
  state.job = nullptr;
  state.gone = true;
  state.sync.reset();
  state.expectations.GiveUp();
  for (const auto& [pod_uid, pod] : state.pods) {
    ReleaseIfOrphan(state, pod);
  }
  DropIfEmpty(state);
}

void JobController::OnPod(const kube::Object& object) {
  const kube::ObjectMeta& meta = object.Meta();
  NoteName(meta);
  const std::string job_uid = JobUidOf(meta);
  JobPod pod = MakeJobPod(object);
  const auto previous = job_of_pod_.find(meta.uid);
  if (previous != job_of_pod_.end() && previous->second != job_uid) {
    OnPodGone(object);  // its owner let it go
    NoteName(meta);
  }
  if (job_uid.empty() && !pod.tracked) {
    return;
  }
  job_of_pod_[meta.uid] = job_uid;
  JobState& state = StateOf(job_uid);
  state.expectations.SawPod(meta.name, meta.uid, meta.deletion_timestamp.has_value(), pod.tracked);
  std::erase_if(state.uncertain, [&](const auto& entry) { return entry.second == meta.name; });
  pod.tracked = pod.tracked && !state.expectations.IsReleased(meta.uid);
  const JobPod& stored = state.pods.insert_or_assign(meta.uid, std::move(pod)).first->second;
  ReleaseIfOrphan(state, stored);
  if (state.job != nullptr) {
    Enqueue(state, now_ + options_.batch_period);
  }
}

void JobController::OnPodGone(const kube::Object& object) {
  const kube::ObjectMeta& meta = object.Meta();
  NoteName(meta);  // it existed: that may be what somebody waits for
  pod_names_.erase(kube::KeyOf(meta));
  orphan_attempts_.erase(meta.uid);
  const auto found = job_of_pod_.find(meta.uid);
  if (found == job_of_pod_.end()) {
    return;
  }
  JobState& state = StateOf(found->second);
  job_of_pod_.erase(found);
  state.pods.erase(meta.uid);
  state.expectations.SawPodGone(meta.uid);
  if (state.sync != nullptr) {
    state.vanished.insert(meta.uid);
    state.vanished.insert(meta.name);
  }
  if (state.job != nullptr) {
    Enqueue(state, now_ + options_.batch_period);
  }
  DropIfEmpty(state);
}

void JobController::NoteName(const kube::ObjectMeta& meta) {
  const std::string key = kube::KeyOf(meta);
  pod_names_.insert(key);
  const auto awaited = awaited_names_.find(key);
  if (awaited == awaited_names_.end()) {
    return;
  }
  if (JobState* state = Find(awaited->second)) {
    state->expectations.SawName(meta.name);
    Enqueue(*state, now_ + options_.batch_period);
  }
  awaited_names_.erase(awaited);
}

void JobController::On(const drive::Answer& answer) {
  const auto found = pending_.find(static_cast<std::uint64_t>(answer.id));
  if (found == pending_.end()) {
    return;  // a note
  }
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  if (pending.cleanup) {
    OnOrphanAnswer(pending.request, answer);
    return;
  }
  JobState* state = Find(pending.job_uid);
  if (state == nullptr || state->sync == nullptr) {
    return;  // the Job went in the meantime
  }
  LearnFromAnswer(*state, pending.request, answer);
  Send(*state, state->sync->OnAnswer(pending.request, answer, now_));
  EndSyncIfDone(*state);
}

// What the watch has still to show before the next pass may trust it.
void JobController::LearnFromAnswer(JobState& state, const JobRequest& request, const drive::Answer& answer) {
  const bool done = answer.outcome == Outcome::kDone;
  const auto pod = state.pods.find(request.pod_uid);
  const bool gone = !request.pod_uid.empty() && pod == state.pods.end();
  switch (request.role) {
    case Role::kCreatePod: {
      const std::string key = state.job->metadata.namespace_ + "/" + request.pod_name;
      // A conflict says that the name is taken, perhaps by an earlier attempt of ours.
      if ((done || answer.outcome == Outcome::kConflict) && !pod_names_.contains(key) &&
          !state.vanished.contains(request.pod_name)) {
        state.expectations.ExpectPod(request.pod_name, now_);
        awaited_names_[key] = state.uid;
      } else if (answer.outcome == Outcome::kUnknown && !pod_names_.contains(key)) {
        state.uncertain.emplace(request.index, request.pod_name);
      }
      break;
    }
    case Role::kDeletePod:
      if (done && !gone && !pod->second.pod->metadata.deletion_timestamp) {
        state.expectations.ExpectDeletion(request.pod_uid, now_);
      }
      break;
    case Role::kReleasePod:
      if (done && !gone && pod->second.tracked) {
        state.expectations.ExpectRelease(request.pod_uid, now_);
        pod->second.tracked = false;
      }
      break;
    case Role::kWriteStatus:
      if (done && answer.object &&
          answer.object->Meta().resource_version > state.job->metadata.resource_version) {
        state.expectations.ExpectJob(answer.object->Meta().resource_version, now_);
      }
      break;
    case Role::kNote:
      break;
  }
}

JobController::JobState& JobController::StateOf(const std::string& uid) {
  std::unique_ptr<JobState>& state = jobs_[uid];
  if (state == nullptr) {
    state = std::make_unique<JobState>();
    state->uid = uid;
    state->gone = uid.empty();  // there is no Job behind pods of nobody
  }
  return *state;
}

JobController::JobState* JobController::Find(std::string_view uid) {
  const auto found = jobs_.find(std::string(uid));
  return found == jobs_.end() ? nullptr : found->second.get();
}

void JobController::DropIfEmpty(JobState& state) {
  if (!state.gone || !state.pods.empty()) {
    return;
  }
  if (state.queued) {
    queue_.erase(*state.queued);
  }
  jobs_.erase(std::string(state.uid));
}

void JobController::Enqueue(JobState& state, Time due) {
  if (state.queued) {
    if (state.queued->first <= due) {
      return;
    }
    queue_.erase(*state.queued);
  }
  state.queued = QueueKey(due, ++last_sequence_);
  queue_.emplace(*state.queued, QueueItem{.is_pod = false, .uid = state.uid});
}

void JobController::RunQueue() {
  while (!queue_.empty() && queue_.begin()->first.first <= now_) {
    const QueueItem item = queue_.begin()->second;
    queue_.erase(queue_.begin());
    if (item.is_pod) {
      ReleaseOrphan(item.uid);
    } else if (JobState* state = Find(item.uid)) {
      state->queued.reset();
      StartSync(*state);
    }
  }
}

void JobController::StartSync(JobState& state) {
  if (state.job == nullptr || state.Finished() || ManagedElsewhere(*state.job)) {
    return;
  }
  if (state.sync != nullptr) {
    state.again = true;
    return;
  }
  if (!state.expectations.Fulfilled()) {
    const Time give_up = state.expectations.since().value_or(now_) + options_.expectation_timeout;
    if (now_ < give_up) {
      Enqueue(state, give_up);  // whatever fulfils them makes it due earlier
      return;
    }
    state.expectations.GiveUp();
  }
  JobSync::Input input{.job = *state.object, .pods = {}, .backoff = state.backoff};
  input.pods.reserve(state.pods.size());
  for (const auto& [uid, pod] : state.pods) {
    input.pods.push_back(pod);
  }
  OrderPods(input.pods);
  state.vanished.clear();
  state.claimed.clear();
  state.sync = std::make_unique<JobSync>(
      std::move(input), options_, [this, &state](std::int32_t index) { return PickPodName(state, index); });
  Send(state, state.sync->Start(now_));
  EndSyncIfDone(state);
}

void JobController::Send(JobState& state, JobSync::Requests requests) {
  std::optional<drive::EffectId> previous;
  for (JobRequest& request : requests) {
    if (request.after_previous) {
      request.effect.after = previous;
    }
    previous = Emit(std::exchange(request.effect, {}));
    if (request.role != Role::kNote) {
      pending_.emplace(static_cast<std::uint64_t>(*previous),
                       Pending{.job_uid = state.uid, .request = std::move(request)});
    }
  }
}

void JobController::EndSyncIfDone(JobState& state) {
  if (!state.sync->done()) {
    return;
  }
  state.backoff = state.sync->backoff();
  if (const auto again = state.sync->again()) {
    Enqueue(state, *again);
  }
  state.failures = state.sync->failed() ? state.failures + 1 : 0;
  if (state.failures > 0) {
    Enqueue(state, now_ + RetryAfter(state.failures, options_));
  }
  if (std::exchange(state.again, false)) {
    Enqueue(state, now_);
  }
  state.sync.reset();
}

std::string JobController::PickPodName(JobState& state, std::int32_t index) {
  if (const auto lost = state.uncertain.find(index); lost != state.uncertain.end()) {
    std::string name = lost->second;
    state.uncertain.erase(lost);
    return name;
  }
  const kube::ObjectMeta& meta = state.job->metadata;
  const kube::JobStatus& status = state.job->status;
  const std::string prefix = PodNamePrefix(meta.name, index);
  // What a repeated create has in common with the first attempt, and a replacement has not.
  const std::string seed = fmt::format("{}/{}/{}/{}/{}", meta.uid, index, meta.generation, status.failed,
                                       index < 0 ? status.succeeded : 0);
  for (int attempt = 0;; ++attempt) {
    std::string name = prefix + NameSuffix(fmt::format("{}/{}", seed, attempt));
    if (!pod_names_.contains(meta.namespace_ + "/" + name) && state.claimed.insert(name).second) {
      return name;
    }
  }
}

void JobController::ReleaseIfOrphan(const JobState& state, const JobPod& pod) {
  if (!pod.tracked || (state.job != nullptr && (ManagedElsewhere(*state.job) || !state.Finished()))) {
    return;
  }
  if (!orphan_attempts_.try_emplace(pod.uid(), 0).second) {
    return;  // on its way
  }
  const bool known = state.gone || state.job != nullptr;
  queue_.emplace(QueueKey(known ? now_ : now_ + kUnknownJobGrace, ++last_sequence_),
                 QueueItem{.is_pod = true, .uid = pod.uid()});
}

void JobController::ReleaseOrphan(const std::string& pod_uid) {
  const auto owner = job_of_pod_.find(pod_uid);
  JobState* state = owner == job_of_pod_.end() ? nullptr : Find(owner->second);
  const auto pod = state == nullptr ? decltype(state->pods.begin()){} : state->pods.find(pod_uid);
  const bool wanted = state != nullptr && pod != state->pods.end() && pod->second.tracked &&
                      (state->job == nullptr || (state->Finished() && !ManagedElsewhere(*state->job)));
  if (!wanted) {
    orphan_attempts_.erase(pod_uid);
    return;
  }
  const drive::EffectId id = Emit(ReleasePod(*pod->second.pod));
  JobRequest request{.role = Role::kReleasePod, .effect = {}, .pod_uid = pod_uid, .pod_name = {}};
  pending_.emplace(static_cast<std::uint64_t>(id),
                   Pending{.job_uid = {}, .request = std::move(request), .cleanup = true});
}

void JobController::OnOrphanAnswer(const JobRequest& request, const drive::Answer& answer) {
  const auto attempts = orphan_attempts_.find(request.pod_uid);
  if (attempts == orphan_attempts_.end()) {
    return;  // gone
  }
  if (answer.outcome == Outcome::kDone || answer.outcome == Outcome::kGone) {
    return;  // the entry stays until the watch shows it, so that it is not asked for twice
  }
  ++attempts->second;
  queue_.emplace(QueueKey(now_ + RetryAfter(attempts->second, options_), ++last_sequence_),
                 QueueItem{.is_pod = true, .uid = request.pod_uid});
}

drive::EffectId JobController::Emit(drive::Effect effect) {
  effect.id = drive::EffectId(++last_effect_);
  result_.effects.push_back(std::move(effect));
  return result_.effects.back().id;
}

}  // namespace cadre::sim
