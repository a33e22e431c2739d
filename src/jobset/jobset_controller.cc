#include "jobset/jobset_controller.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "jobset/service.h"

namespace cadre::jobset {
namespace {

using drive::Outcome;

constexpr std::array kKinds = {kube::Kind::kJobSet, kube::Kind::kJob, kube::Kind::kService};

std::string Key(std::string_view namespace_, std::string_view name) {
  return fmt::format("{}/{}", namespace_, name);
}

std::string ServiceKey(const kube::Object& jobset) {
  return Key(jobset.Meta().namespace_, Subdomain(jobset.As<kube::JobSet>()));
}

std::string ControllerUid(const kube::ObjectMeta& meta) {
  const kube::OwnerReference* owner = meta.Controller();
  return owner != nullptr && owner->kind == "JobSet" ? owner->uid : std::string();
}

Duration RetryAfter(int failures, const JobSetControllerOptions& options) {
  Duration wait = options.first_retry;
  for (int i = 1; i < failures && wait < options.max_retry; ++i) {
    wait *= 2;
  }
  return std::min(wait, options.max_retry);
}

}  // namespace

struct JobSetController::State {
  kube::Object object;
  std::optional<QueueKey> queued;
  bool again = false;  // it became due while writes were unanswered

  std::size_t outstanding = 0;  // writes of the running pass that are not answered
  bool write_failed = false;    // one of them failed
  int failures = 0;             // passes in a row with a failed write

  // Own writes that the watch has not shown yet.
  std::map<std::string, std::uint64_t> jobs;  // name -> version
  std::set<std::string> deletions;            // UIDs of Jobs
  std::uint64_t version = 0;                  // of the JobSet
  bool service = false;
  std::optional<Time> waiting_since;

  std::set<std::string> noted;  // what has been said once and need not be said again

  const std::string& uid() const { return object.Meta().uid; }
  const std::string& name() const { return object.Meta().name; }
  const std::string& namespace_() const { return object.Meta().namespace_; }
  bool CaughtUp() const { return jobs.empty() && deletions.empty() && version == 0 && !service; }
  void StopWaiting() {
    jobs.clear();
    deletions.clear();
    version = 0;
    service = false;
    waiting_since.reset();
  }
};

JobSetController::JobSetController(JobSetControllerOptions options)
    : options_(options), unlisted_(kKinds.begin(), kKinds.end()) {}

JobSetController::~JobSetController() = default;

std::span<const kube::Kind> JobSetController::Kinds() const {
  return kKinds;
}

drive::StepResult JobSetController::Step(Time now, std::span<const drive::Event> events) {
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

void JobSetController::On(const drive::Listed& listed) {
  unlisted_.erase(listed.kind);
}

void JobSetController::On(const drive::Changed& changed) {
  switch (changed.object.kind) {
    case kube::Kind::kJobSet:
      OnJobSet(changed.object, changed.deleted);
      break;
    case kube::Kind::kJob:
      OnJob(changed.object, changed.deleted);
      break;
    case kube::Kind::kService:
      OnService(changed.object, changed.deleted);
      break;
    default:
      break;
  }
}

void JobSetController::OnJobSet(const kube::Object& object, bool deleted) {
  const kube::ObjectMeta& meta = object.Meta();
  if (deleted) {
    ForgetJobSet(object);
    return;
  }
  std::unique_ptr<State>& state = jobsets_[meta.uid];
  if (state == nullptr) {
    state = std::make_unique<State>();
  }
  state->object = object;
  if (meta.resource_version >= state->version) {
    state->version = 0;
  }
  service_users_[ServiceKey(object)].insert(meta.uid);
  Enqueue(*state, now_);
}

void JobSetController::ForgetJobSet(const kube::Object& object) {
  const kube::ObjectMeta& meta = object.Meta();
  State* state = Find(meta.uid);
  if (state == nullptr) {
    return;
  }
  if (state->queued) {
    queue_.erase(*state->queued);
  }
  const auto users = service_users_.find(ServiceKey(state->object));
  if (users != service_users_.end() && users->second.erase(meta.uid) > 0 && users->second.empty()) {
    service_users_.erase(users);
  }
  jobsets_.erase(meta.uid);
}

void JobSetController::OnJob(const kube::Object& object, bool deleted) {
  const kube::ObjectMeta& meta = object.Meta();
  IndexJobName(meta, deleted);
  const std::string owner = ControllerUid(meta);
  if (owner.empty()) {
    return;
  }
  IndexChild(owner, object, deleted);
  State* state = Find(owner);
  if (state == nullptr) {
    return;
  }
  const auto awaited = state->jobs.find(meta.name);
  if (awaited != state->jobs.end() && (deleted || meta.resource_version >= awaited->second)) {
    state->jobs.erase(awaited);
  }
  if (deleted || meta.deletion_timestamp) {
    state->deletions.erase(meta.uid);
  }
  Enqueue(*state, now_);
}

void JobSetController::IndexJobName(const kube::ObjectMeta& job, bool deleted) {
  const std::string key = Key(job.namespace_, job.name);
  if (!deleted) {
    job_uids_[key] = job.uid;
    return;
  }
  if (const auto held = job_uids_.find(key); held != job_uids_.end() && held->second == job.uid) {
    job_uids_.erase(held);
  }
  if (const auto waiter = name_waiters_.find(key); waiter != name_waiters_.end()) {
    if (State* state = Find(waiter->second)) {
      Enqueue(*state, now_);
    }
    name_waiters_.erase(waiter);
  }
}

void JobSetController::IndexChild(const std::string& jobset_uid, const kube::Object& job, bool deleted) {
  std::map<std::string, kube::Object>& siblings = children_[jobset_uid];
  const kube::ObjectMeta& meta = job.Meta();
  const auto found = siblings.find(meta.name);
  if (!deleted) {
    siblings.insert_or_assign(meta.name, job);
  } else if (found != siblings.end() && found->second.Meta().uid == meta.uid) {
    siblings.erase(found);
  }
  if (siblings.empty()) {
    children_.erase(jobset_uid);
  }
}

void JobSetController::OnService(const kube::Object& object, bool deleted) {
  const std::string key = Key(object.Meta().namespace_, object.Meta().name);
  deleted ? services_.erase(key) : services_.insert(key).second;
  const auto users = service_users_.find(key);
  if (users == service_users_.end()) {
    return;
  }
  for (const std::string& uid : users->second) {
    if (State* state = Find(uid)) {
      state->service = false;
      Enqueue(*state, now_);
    }
  }
}

void JobSetController::On(const drive::Answer& answer) {
  const auto found = pending_.find(static_cast<std::uint64_t>(answer.id));
  if (found == pending_.end()) {
    return;  // a note
  }
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  State* state = Find(pending.jobset_uid);
  if (state == nullptr) {
    return;
  }
  CADRE_ASSERT(state->outstanding > 0, "an answer to a pass that waits for none");
  --state->outstanding;
  if (answer.outcome == Outcome::kDone) {
    Expect(*state, pending, answer);
  } else if (answer.outcome != Outcome::kGone || pending.role != Role::kDeleteJob) {
    state->write_failed = true;
    if (pending.role == Role::kCreateJob || pending.role == Role::kCreateService) {
      const std::string_view reason =
          pending.role == Role::kCreateJob ? "JobCreationFailed" : "HeadlessServiceCreationFailed";
      Note(*state,
           {.reason = std::string(reason), .message = fmt::format("{}: {}", pending.name, answer.message)},
           {});
    }
  }
  if (state->outstanding == 0) {
    EndPass(*state);
  }
}

// The watch may have shown it before the answer came, or show it after.
void JobSetController::Expect(State& state, const Pending& pending, const drive::Answer& answer) {
  const std::uint64_t version = answer.object ? answer.object->Meta().resource_version : 0;
  const auto siblings = children_.find(pending.jobset_uid);
  const kube::Object* known = nullptr;
  if (siblings != children_.end()) {
    const auto found = siblings->second.find(pending.name);
    known = found == siblings->second.end() ? nullptr : &found->second;
  }
  switch (pending.role) {
    case Role::kCreateJob:
    case Role::kChangeJob:
      if (known == nullptr ? pending.role == Role::kCreateJob : known->Meta().resource_version < version) {
        state.jobs[pending.name] = version;
      }
      break;
    case Role::kDeleteJob:
      if (known != nullptr && known->Meta().uid == pending.uid && !known->Meta().deletion_timestamp) {
        state.deletions.insert(pending.uid);
      }
      break;
    case Role::kCreateService:
      state.service = !services_.contains(Key(state.namespace_(), pending.name));
      break;
    case Role::kWriteStatus:
      if (version > state.object.Meta().resource_version) {
        state.version = version;
      }
      break;
    case Role::kDeleteJobSet:
      break;  // its own event tells
  }
  if (!state.CaughtUp() && !state.waiting_since) {
    state.waiting_since = now_;
  }
}

JobSetController::State* JobSetController::Find(std::string_view uid) {
  const auto found = jobsets_.find(std::string(uid));
  return found == jobsets_.end() ? nullptr : found->second.get();
}

void JobSetController::Enqueue(State& state, Time due) {
  if (state.queued) {
    if (state.queued->first <= due) {
      return;
    }
    queue_.erase(*state.queued);
  }
  state.queued = QueueKey(due, ++last_sequence_);
  queue_.emplace(*state.queued, state.uid());
}

void JobSetController::RunQueue() {
  while (!queue_.empty() && queue_.begin()->first.first <= now_) {
    const std::string uid = queue_.begin()->second;
    queue_.erase(queue_.begin());
    if (State* state = Find(uid)) {
      state->queued.reset();
      Look(*state);
    }
  }
}

void JobSetController::Look(State& state) {
  if (state.outstanding > 0) {
    state.again = true;
    return;
  }
  if (!state.CaughtUp()) {
    const Time give_up = state.waiting_since.value_or(now_) + options_.expectation_timeout;
    if (now_ < give_up) {
      Enqueue(state, give_up);  // what shows the writes makes it due earlier
      return;
    }
  }
  state.StopWaiting();
  std::vector<kube::Object> jobs;
  if (const auto siblings = children_.find(state.uid()); siblings != children_.end()) {
    for (const auto& [name, job] : siblings->second) {
      jobs.push_back(job);
    }
  }
  Carry(state, Reconcile({.jobset = state.object,
                          .jobs = jobs,
                          .now = now_,
                          .service_exists = services_.contains(ServiceKey(state.object)),
                          .uid_of_job = [&](const std::string& name) {
                            const auto found = job_uids_.find(Key(state.namespace_(), name));
                            return found == job_uids_.end() ? std::string() : found->second;
                          }}));
}

void JobSetController::Carry(State& state, Plan plan) {
  state.write_failed = false;
  if (plan.trouble) {
    NoteOnce(state, *plan.trouble, {.reason = "InvalidChildJob", .message = *plan.trouble});
    return;
  }
  if (cadre::Find(*state.object.raw, {"spec", "volumeClaimPolicies"}) != nullptr) {
    NoteOnce(
        state, "volumeClaimPolicies",
        {.reason = "VolumeClaimPoliciesNotSupported",
         .message =
             "spec.volumeClaimPolicies is not carried out yet: no claims are created and pods get no volumes "
             "of it"});
  }
  SendJobWrites(state, plan);
  SendStatus(state, plan);
  NoteBlockedNames(state, plan);
  if (plan.again) {
    Enqueue(state, *plan.again);
  }
  if (state.outstanding == 0) {
    state.failures = 0;
  }
}

void JobSetController::SendJobWrites(State& state, Plan& plan) {
  const auto target = [&](kube::Kind kind, const std::string& name) {
    return drive::Target{.kind = kind, .namespace_ = state.namespace_(), .name = name};
  };
  for (const kube::Object& job : plan.delete_jobs) {
    Send(state,
         drive::Delete{.target = target(kube::Kind::kJob, job.Meta().name),
                       .propagation = drive::Propagation::kForeground,
                       .grace_period_seconds = {}},
         {.jobset_uid = {}, .role = Role::kDeleteJob, .name = job.Meta().name, .uid = job.Meta().uid});
  }
  if (plan.create_service) {
    std::string name = Subdomain(state.object.As<kube::JobSet>());
    Send(state,
         drive::Create{.kind = kube::Kind::kService,
                       .namespace_ = state.namespace_(),
                       .body = *std::move(plan.create_service)},
         {.jobset_uid = {}, .role = Role::kCreateService, .name = std::move(name), .uid = {}});
  }
  for (json::object& body : plan.create_jobs) {
    std::string name(FindString(json::value(body.at("metadata")), {"name"}));
    Send(state,
         drive::Create{.kind = kube::Kind::kJob, .namespace_ = state.namespace_(), .body = std::move(body)},
         {.jobset_uid = {}, .role = Role::kCreateJob, .name = std::move(name), .uid = {}});
  }
  for (JobChange& change : plan.change_jobs) {
    const kube::ObjectMeta& job = change.job.Meta();
    const Pending pending{.jobset_uid = {}, .role = Role::kChangeJob, .name = job.name, .uid = job.uid};
    std::optional<drive::EffectId> cleared;
    if (change.clear_start_time) {
      cleared = Send(state,
                     drive::PatchStatus{.target = target(kube::Kind::kJob, job.name),
                                        .merge = json::object{{"status", {{"startTime", nullptr}}}}},
                     pending);
    }
    Send(state, drive::Patch{.target = target(kube::Kind::kJob, job.name), .merge = std::move(change.patch)},
         pending, 0, cleared);
  }
}

void JobSetController::SendStatus(State& state, Plan& plan) {
  const drive::Target self{
      .kind = kube::Kind::kJobSet, .namespace_ = state.namespace_(), .name = state.name()};
  std::optional<drive::EffectId> written;
  if (plan.status_patch) {
    written = Send(state, drive::PatchStatus{.target = self, .merge = *std::move(plan.status_patch)},
                   {.jobset_uid = {}, .role = Role::kWriteStatus, .name = state.name(), .uid = state.uid()},
                   state.object.Meta().resource_version);
  }
  for (const Remark& remark : plan.remarks) {
    Note(state, remark, written);
  }
  if (plan.delete_jobset) {
    Send(state,
         drive::Delete{
             .target = self, .propagation = drive::Propagation::kForeground, .grace_period_seconds = {}},
         {.jobset_uid = {}, .role = Role::kDeleteJobSet, .name = state.name(), .uid = state.uid()});
  }
}

void JobSetController::NoteBlockedNames(State& state, const Plan& plan) {
  for (const std::string& name : plan.blocked_names) {
    const std::string key = Key(state.namespace_(), name);
    name_waiters_[key] = state.uid();
    NoteOnce(state, "blocked " + job_uids_[key],
             {.reason = "JobCreationFailed",
              .message = fmt::format("job {} exists and does not belong to this jobset; delete or rename it",
                                     name)});
  }
}

void JobSetController::EndPass(State& state) {
  state.failures = state.write_failed ? state.failures + 1 : 0;
  if (state.write_failed) {
    Enqueue(state, now_ + RetryAfter(state.failures, options_));
  }
  if (std::exchange(state.again, false)) {
    Enqueue(state, now_);
  }
}

void JobSetController::NoteOnce(State& state, std::string key, const Remark& remark) {
  if (state.noted.insert(std::move(key)).second) {
    Note(state, remark, {});
  }
}

void JobSetController::Note(const State& state, const Remark& remark, std::optional<drive::EffectId> after) {
  drive::Effect effect;
  effect.id = drive::EffectId(++last_effect_);
  effect.after = after;
  effect.lane = drive::Lane::kNote;
  effect.what = drive::Note{
      .regarding = {.kind = kube::Kind::kJobSet, .namespace_ = state.namespace_(), .name = state.name()},
      .regarding_uid = state.uid(),
      .warning = remark.warning,
      .reason = remark.reason,
      .message = remark.message};
  result_.effects.push_back(std::move(effect));
}

drive::EffectId JobSetController::Send(State& state, drive::What what, Pending pending,
                                       std::uint64_t resource_version, std::optional<drive::EffectId> after) {
  drive::Effect effect;
  effect.id = drive::EffectId(++last_effect_);
  effect.after = after;
  effect.uid = pending.uid;
  effect.resource_version = resource_version;
  effect.what = std::move(what);
  pending.jobset_uid = state.uid();
  pending_.emplace(last_effect_, std::move(pending));
  ++state.outstanding;
  result_.effects.push_back(std::move(effect));
  return result_.effects.back().id;
}

}  // namespace cadre::jobset
