#include "sim/kubelets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "sim/json_util.h"

namespace cadre::sim {

namespace {

constexpr std::array kKinds = {kube::Kind::kNode, kube::Kind::kPod};
constexpr Duration kFirstBackOff{10'000};
constexpr Duration kLongestBackOff{300'000};
// A container that fails every time is started this often; what would come after is more of the same, for
// ever.
constexpr int kMostRestarts = 50;
constexpr Duration kBackOffForgotten{600'000};  // a run that long starts the back-off afresh
constexpr Duration kRetry{1'000};
constexpr std::int64_t kLongestSeconds = 1'000'000'000;  // what is longer than 31 years is for ever
constexpr int kExitOfSigterm = 143;

void Add(kube::ResourceList& total, const kube::ResourceList& amounts, std::int64_t sign) {
  for (const auto& [resource, amount] : amounts)
    total[resource] += sign * amount;
}

// Runs of one index of a Job, whichever pods they were in; a JobSet that starts over makes its Jobs again
// under the same names.
std::string IndexKey(const kube::Pod& pod) {
  const kube::OwnerReference* owner = pod.metadata.Controller();
  if (owner == nullptr) return {};
  const auto jobset = pod.metadata.labels.find(kube::kJobSetUidLabel);
  const std::string job =
      jobset == pod.metadata.labels.end() ? owner->uid : fmt::format("{}/{}", jobset->second, owner->name);
  return fmt::format("{}/{}", job, kube::CompletionIndex(pod).value_or(-1));
}

std::int64_t GraceOf(const kube::Object& pod) {
  const json::object* metadata = ObjectOf(pod.raw->get_object(), "metadata");
  return metadata == nullptr ? 0 : IntOf(*metadata, "deletionGracePeriodSeconds", 0);
}

}  // namespace

std::span<const kube::Kind> Kubelets::Kinds() const {
  return kKinds;
}

bool Kubelets::NodeState::Works() const {
  if (!object) return false;
  const auto& conditions = object->As<kube::Node>().status.conditions;
  const auto ready = std::ranges::find(conditions, "Ready", &kube::Condition::type);
  return ready == conditions.end() || ready->status;
}

drive::StepResult Kubelets::Step(Time now, std::span<const drive::Event> events) {
  for (const drive::Event& event : events) {
    if (const auto* answer = std::get_if<drive::Answer>(&event)) {
      OnAnswer(now, *answer);
    } else if (std::holds_alternative<drive::Listed>(event)) {
      ++listed_;
    } else if (const auto& change = std::get<drive::Changed>(event);
               change.object.kind == kube::Kind::kNode) {
      OnNode(change);
    } else {
      OnPod(change);
    }
  }
  if (listed_ < static_cast<int>(kKinds.size())) return {};
  for (const std::uint64_t number : timers_.TakeDue(now))
    dirty_.emplace(number, by_number_.at(number));
  for (const auto& [number, state] : std::exchange(dirty_, {}))
    Look(now, *state);
  return {std::exchange(effects_, {}), timers_.Next()};
}

// --- What is there ---

void Kubelets::OnNode(const drive::Changed& change) {
  std::unique_ptr<NodeState>& node = nodes_[change.object.Meta().name];
  if (node == nullptr) node = std::make_unique<NodeState>();
  const bool worked = node->Works();
  if (change.deleted) {
    // The event of an older node of this name says nothing about the one that is there.
    if (node->object && node->object->Meta().uid == change.object.Meta().uid) node->object.reset();
  } else {
    node->object = change.object;
  }
  if (worked || !node->Works()) return;
  for (const auto& [number, state] : node->pods)
    dirty_.emplace(number, state);
}

void Kubelets::OnPod(const drive::Changed& change) {
  const kube::ObjectMeta& meta = change.object.Meta();
  const auto found = pods_.find(meta.uid);
  if (change.deleted) {
    if (found != pods_.end()) Forget(*found->second);
    return;
  }
  if (change.object.As<kube::Pod>().spec.node_name.empty()) return;
  if (found == pods_.end()) {
    auto state = std::make_unique<PodState>();
    state->object = change.object;
    Adopt(*state);
    pods_.emplace(meta.uid, std::move(state));
    return;
  }
  PodState& state = *found->second;
  if (state.object.Meta().resource_version >= meta.resource_version) return;
  const bool held = state.admitted;
  Release(state);
  state.object = change.object;
  state.retry_at.reset();
  if (held && !kube::IsTerminal(state.pod())) Hold(state);
  dirty_.emplace(state.number, &state);
}

// A pod that this process has not seen before. What its status says has happened: it was admitted, it runs
// since then.
void Kubelets::Adopt(PodState& state) {
  const kube::Pod& pod = state.pod();
  state.number = ++last_number_;
  state.plan = RunPlanOf(pod);
  complaints_.insert(state.plan.complaints.begin(), state.plan.complaints.end());
  std::unique_ptr<NodeState>& node = nodes_[pod.spec.node_name];
  if (node == nullptr) node = std::make_unique<NodeState>();
  state.node = node.get();
  node->pods.emplace(state.number, &state);
  by_number_.emplace(state.number, &state);
  dirty_.emplace(state.number, &state);
  if (pod.status.phase != kube::PodPhase::kRunning) return;
  Hold(state);
  state.life = LifeIn(state.object);
  if (!state.life) {
    state.life.emplace();
    state.life->started = pod.status.start_time.value_or(pod.metadata.creation_timestamp.value_or(Time{}));
  }
  state.waits_for_restart = WaitsForRestart(state.object);
}

void Kubelets::Forget(PodState& state) {
  Release(state);
  state.node->pods.erase(state.number);
  by_number_.erase(state.number);
  timers_.Cancel(state.number);
  dirty_.erase(state.number);
  pods_.erase(std::string(state.object.Meta().uid));
}

void Kubelets::Hold(PodState& state) {
  state.requests = kube::PodRequests(state.pod());
  state.admitted = true;
  Add(state.node->used, state.requests, +1);
}

void Kubelets::Release(PodState& state) {
  if (!std::exchange(state.admitted, false)) return;
  Add(state.node->used, state.requests, -1);
}

void Kubelets::OnAnswer(Time now, const drive::Answer& answer) {
  const auto asked = asked_.find(static_cast<std::uint64_t>(answer.id));
  CADRE_ASSERT(asked != asked_.end(), "an answer to nothing that was asked");
  const auto found = pods_.find(asked->second);
  asked_.erase(asked);
  if (found == pods_.end()) return;  // the pod is gone
  PodState& state = *found->second;
  --state.in_flight;
  dirty_.emplace(state.number, &state);
  if (answer.outcome != drive::Outcome::kDone) state.removal_asked = false;
  switch (answer.outcome) {
    case drive::Outcome::kDone:
      state.saying.reset();
      if (answer.object && answer.object->Meta().uid == state.object.Meta().uid)
        OnPod({*answer.object, false});
      return;
    case drive::Outcome::kNotSent:
      return;  // a removal: the status before it comes first
    case drive::Outcome::kConflict:
      if (state.object.Meta().resource_version > state.written_version)
        return;  // try again with what came since
      break;
    case drive::Outcome::kGone:  // its last event is on the way
      state.refused_version = state.object.Meta().resource_version;
      return;
    case drive::Outcome::kRejected:
      state.refused_version = state.object.Meta().resource_version;
      complaints_.insert(fmt::format("{}: the API server refused its status: {}",
                                     kube::Describe(state.object), answer.message));
      break;
    case drive::Outcome::kRetryable:
    case drive::Outcome::kUnknown:
      break;
  }
  state.retry_at = now + kRetry;
}

// --- What to do ---

void Kubelets::Look(Time now, PodState& state) {
  timers_.Cancel(state.number);
  const kube::ObjectMeta& meta = state.object.Meta();
  if (state.in_flight > 0 || !state.node->Works() || meta.resource_version == state.refused_version) return;
  if (state.retry_at && now < *state.retry_at) return timers_.Set(state.number, *state.retry_at);
  state.retry_at.reset();
  if (kube::IsTerminal(state.pod())) return LookAtEnded(state);
  const bool is_ending = state.saying && state.saying->what >= Saying::What::kEnded;
  if (meta.deletion_timestamp && !is_ending) return LookAtDeleted(now, state);
  if (state.saying) {
    WriteStatus(state);
    return;
  }
  if (!state.admitted) Admit(now, state);
  if (state.saying) return;
  if (!state.life || state.waits_for_restart) return LookAtStarting(now, state);
  LookAtRunning(now, state);
}

void Kubelets::LookAtEnded(PodState& state) {
  Release(state);
  state.saying.reset();
  if (state.object.Meta().deletion_timestamp && GraceOf(state.object) > 0) Remove(state, {});
}

void Kubelets::LookAtDeleted(Time now, PodState& state) {
  if (!state.stop_at) {
    const std::chrono::seconds grace(std::clamp<std::int64_t>(GraceOf(state.object), 0, kLongestSeconds));
    state.stop_at = now + std::min<Duration>(options_.termination, grace);
  }
  if (now < *state.stop_at) return timers_.Set(state.number, *state.stop_at);
  const bool forced = GraceOf(state.object) == 0;
  if (forced && !state.life) return;  // nothing runs, and nobody waits for a kubelet
  const drive::EffectId said = Say(state, {Saying::What::kEnded, now, kExitOfSigterm});
  if (!forced) Remove(state, said);
}

void Kubelets::Admit(Time now, PodState& state) {
  const kube::ResourceList requests = kube::PodRequests(state.pod());
  const auto& node = state.node->object->As<kube::Node>();
  const bool has_ports = !HostPorts(state.pod().spec).empty();
  const std::optional<Rejection> rejection =
      WhyNotAdmitted(state.pod(), requests, node, state.node->used,
                     has_ports ? PortsOn(*state.node) : std::vector<kube::ContainerPort>());
  if (rejection) {
    Say(state, {Saying::What::kRejected, now, 0, *rejection});
    return;
  }
  Hold(state);
  state.start_at = now + options_.start_delay;
}

void Kubelets::LookAtStarting(Time now, PodState& state) {
  const std::optional<Time> deadline = Deadline(state);
  if (deadline && now >= *deadline) return EndRun(now, state, 0);
  const bool fails_for_ever = state.plan.exit_code != 0 && !state.plan.fail_attempts;
  if (state.waits_for_restart && fails_for_ever && state.life->restarts >= kMostRestarts) {
    if (deadline) timers_.Set(state.number, *deadline);
    return;
  }
  const Time start =
      state.waits_for_restart ? *state.life->last_end + BackOff(state) : state.start_at.value_or(now);
  if (now < start) return timers_.Set(state.number, std::min(start, deadline.value_or(start)));
  if (!state.life) state.life.emplace();
  state.life->started = now;
  state.waits_for_restart = false;
  Say(state, {Saying::What::kRunning, now});
}

void Kubelets::LookAtRunning(Time now, PodState& state) {
  const std::optional<Time> end = EndOfRun(state);
  const std::optional<Time> deadline = Deadline(state);
  if (!end && !deadline) return;
  const Time next = std::min(end.value_or(Time::max()), deadline.value_or(Time::max()));
  if (now < next) return timers_.Set(state.number, next);
  const std::optional<int>& fails = state.plan.fail_attempts;
  const bool failed = state.plan.exit_code != 0 && (!fails || FailuresBefore(state) < *fails);
  EndRun(now, state, failed ? state.plan.exit_code : 0);
}

// The end of one run: of the pod, unless the run failed and is to be tried again in place.
void Kubelets::EndRun(Time now, PodState& state, int exit_code) {
  if (const std::optional<Time> deadline = Deadline(state); deadline && now >= *deadline) {
    Say(state, {Saying::What::kEnded,
                now,
                kExitOfSigterm,
                {"DeadlineExceeded", "Pod was active on the node longer than the specified deadline"}});
  } else if (exit_code == 0 || state.pod().spec.restart_policy == "Never") {
    if (exit_code != 0) CountFailure(state);
    Say(state, {Saying::What::kEnded, now, exit_code});
  } else {
    ++state.life->restarts;
    state.life->last_end = now;
    state.life->last_exit_code = exit_code;
    state.waits_for_restart = true;
    Say(state, {Saying::What::kCrashLoop, now});
  }
}

std::optional<Time> Kubelets::EndOfRun(const PodState& state) const {
  const RunPlan& plan = state.plan;
  const bool restarts_for_ever = state.pod().spec.restart_policy == "Always" && !plan.told;
  if (plan.run.forever || restarts_for_ever) return std::nullopt;
  const bool was_there =
      state.life->started < options_.running_before ||
      (options_.bound_at_start != nullptr && options_.bound_at_start->contains(state.object.Meta().uid));
  if (!plan.run.known && was_there) return std::nullopt;
  return state.life->started + plan.run.known.value_or(options_.default_duration);
}

std::optional<Time> Kubelets::Deadline(const PodState& state) const {
  const kube::Pod& pod = state.pod();
  if (!pod.spec.active_deadline_seconds || !pod.status.start_time) return std::nullopt;
  return *pod.status.start_time +
         std::chrono::seconds(std::min(*pod.spec.active_deadline_seconds, kLongestSeconds));
}

Duration Kubelets::BackOff(const PodState& state) const {
  const ContainerLife& life = *state.life;
  Duration wait = kFirstBackOff;
  if (*life.last_end - life.started >= kBackOffForgotten) return wait;
  for (int i = 1; i < life.restarts && wait < kLongestBackOff; ++i)
    wait *= 2;
  return std::min(wait, kLongestBackOff);
}

// --- Runs of a Job's index that were made to fail ---

void Kubelets::CountFailure(const PodState& state) {
  if (const std::string key = IndexKey(state.pod()); !key.empty() && state.plan.fail_attempts)
    ++failures_[key];
}

int Kubelets::FailuresBefore(const PodState& state) const {
  const int failures = state.life ? state.life->restarts : 0;
  const auto counted = failures_.find(IndexKey(state.pod()));
  int earlier = counted == failures_.end() ? 0 : counted->second;
  const auto told = state.pod().metadata.annotations.find("batch.kubernetes.io/job-index-failure-count");
  if (told != state.pod().metadata.annotations.end()) {
    int count = 0;
    std::from_chars(told->second.data(), told->second.data() + told->second.size(), count);
    earlier = std::max(earlier, count);
  }
  return failures + earlier;
}

// --- Writes and timers ---

json::object Kubelets::StatusOf(const PodState& state) const {
  const Saying& saying = *state.saying;
  switch (saying.what) {
    case Saying::What::kRejected:
      return RejectedStatus(state.object, saying.why, saying.at);
    case Saying::What::kRunning:
      return RunningStatus(state.object, *state.life);
    case Saying::What::kCrashLoop:
      return CrashLoopStatus(state.object, *state.life, saying.at);
    case Saying::What::kEnded:
      break;
  }
  return EndedStatus(state.object, state.life, saying.exit_code, saying.at, saying.why.reason,
                     saying.why.message);
}

drive::EffectId Kubelets::Say(PodState& state, Saying saying) {
  state.saying = std::move(saying);
  return WriteStatus(state);
}

// The version is a precondition: the patch replaces lists (conditions) that others write too.
drive::EffectId Kubelets::WriteStatus(PodState& state) {
  const kube::ObjectMeta& meta = state.object.Meta();
  state.written_version = meta.resource_version;
  drive::Effect effect;
  effect.resource_version = meta.resource_version;
  effect.what = drive::PatchStatus{{kube::Kind::kPod, meta.namespace_, meta.name}, StatusOf(state)};
  return Ask(state, std::move(effect));
}

void Kubelets::Remove(PodState& state, std::optional<drive::EffectId> after) {
  if (std::exchange(state.removal_asked, true)) return;
  const kube::ObjectMeta& meta = state.object.Meta();
  drive::Effect effect;
  effect.after = after;
  effect.what =
      drive::Delete{{kube::Kind::kPod, meta.namespace_, meta.name}, drive::Propagation::kBackground, 0};
  Ask(state, std::move(effect));
}

drive::EffectId Kubelets::Ask(PodState& state, drive::Effect effect) {
  effect.id = drive::EffectId{++last_effect_};
  effect.uid = state.object.Meta().uid;
  ++state.in_flight;
  asked_.emplace(last_effect_, effect.uid);
  effects_.push_back(std::move(effect));
  return drive::EffectId{last_effect_};
}

std::vector<kube::ContainerPort> Kubelets::PortsOn(const NodeState& node) const {
  std::vector<kube::ContainerPort> ports;
  for (const auto& [number, state] : node.pods) {
    if (!state->admitted) continue;
    const std::vector<kube::ContainerPort> taken = HostPorts(state->pod().spec);
    ports.insert(ports.end(), taken.begin(), taken.end());
  }
  return ports;
}

}  // namespace cadre::sim
