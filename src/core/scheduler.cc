#include "core/scheduler.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/scheduler_impl.h"

namespace cadre::core {
namespace {

constexpr std::array<kube::Kind, 11> kKinds = {kube::Kind::kNode,
                                               kube::Kind::kPod,
                                               kube::Kind::kNamespace,
                                               kube::Kind::kPersistentVolume,
                                               kube::Kind::kPersistentVolumeClaim,
                                               kube::Kind::kStorageClass,
                                               kube::Kind::kJob,
                                               kube::Kind::kJobSet,
                                               kube::Kind::kPodGroup,
                                               kube::Kind::kSchedulerPluginsPodGroup,
                                               kube::Kind::kLeaderWorkerSet};

// A bind whose answer was lost is believed in for this long; then the watch would have shown it.
constexpr Duration kLostBindGrace{30'000};
// Of so many different requests the reason is found anew when somebody asks; the rest give that of their last
// try.
constexpr std::size_t kMostRenewed = 100;

}  // namespace

Scheduler::Scheduler(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Scheduler::~Scheduler() = default;

std::span<const kube::Kind> Scheduler::Kinds() const {
  return kKinds;
}

drive::StepResult Scheduler::Step(Time now, std::span<const drive::Event> events) {
  return impl_->Step(now, events);
}

std::vector<GroupView> Scheduler::Groups() const {
  return impl_->Groups();
}

Counters Scheduler::counters() const {
  return impl_->counters();
}

std::string Scheduler::Fingerprint() const {
  return impl_->state().Fingerprint();
}

const model::Cluster& Scheduler::cluster() const {
  return impl_->state().cluster;
}

Scheduler::Impl::Impl(Options options)
    : options_(std::move(options)),
      state_(options_),
      finder_(state_.cluster, options_.limits),
      outlook_(options_.queue, finder_, state_, queue_),
      unlisted_(kKinds.begin(), kKinds.end()) {}

drive::StepResult Scheduler::Impl::Step(Time now, std::span<const drive::Event> events) {
  now_ = now;
  wake_.reset();
  effects_.clear();
  for (const drive::Event& event : events) {
    std::visit([&](const auto& one) { Handle(one); }, event);
  }
  // Nothing is decided on half a picture: a list that is still under way may hold the pod that fills the
  // node.
  if (unlisted_.empty()) {
    ForgetLostBinds();
    UpdateGroups();
    ResumeRolledBack();
    ExpireClaims();
    TidyClaims();
    PlaceWaiting();
    TellPods();
    if (const auto next = queue_.NextWake(now_)) WakeAt(*next);
  }
  return {std::exchange(effects_, {}), wake_};
}

void Scheduler::Impl::WakeAt(Time at) {
  if (!wake_ || at < *wake_) wake_ = at;
}

void Scheduler::Impl::Handle(const drive::Changed& changed) {
  state_.Apply(changed.object, changed.deleted);
  if (changed.object.kind == kube::Kind::kPod) {
    NoteCondition(changed.object.As<kube::Pod>(), changed.deleted);
    return;
  }
  const std::string& uid = changed.object.Meta().uid;
  if (changed.deleted) resume_at_.erase(uid);
  const auto patch = owners_in_patch_.find(uid);
  if (patch == owners_in_patch_.end()) return;
  const kube::Object& owner = changed.object;
  const bool suspended = owner.kind == kube::Kind::kJob ? owner.As<kube::Job>().spec.suspend
                                                        : owner.As<kube::JobSet>().spec.suspend;
  if (changed.deleted || suspended == patch->second) owners_in_patch_.erase(patch);
}

void Scheduler::Impl::Handle(const drive::Listed& listed) {
  unlisted_.erase(listed.kind);
}

void Scheduler::Impl::Handle(const drive::Answer& answer) {
  const auto found = sent_.find(answer.id);
  if (found == sent_.end()) return;
  const Sent sent = std::move(found->second);
  sent_.erase(found);
  switch (sent.purpose) {
    case Purpose::kBind:
      HandleBindAnswer(sent, answer);
      break;
    case Purpose::kMark:
      if (answer.outcome != drive::Outcome::kDone) {
        if (Group* group = state_.Find(sent.group)) {
          group->marked.clear();
          MarkStarted(sent.group, *group);
        }
      }
      break;
    case Purpose::kClaim:
      HandleClaimAnswer(sent, answer);
      break;
    case Purpose::kCondition:
      HandleConditionAnswer(sent, answer.outcome);
      break;
    case Purpose::kOther:
      // When it is done the watch says so; until then the same is not asked again.
      if (answer.outcome != drive::Outcome::kDone && owners_in_patch_.erase(sent.uid) > 0)
        UpdateGroup(sent.group);
      break;
  }
}

void Scheduler::Impl::HandleBindAnswer(const Sent& sent, const drive::Answer& answer) {
  const model::PodId pod = state_.cluster.FindPod(sent.uid);
  const bool assumed = pod.Valid() && state_.cluster.pod(pod).hold == model::Hold::kAssumed;
  if (answer.outcome == drive::Outcome::kUnknown) {
    if (assumed) lost_binds_[sent.uid] = {now_ + kLostBindGrace, sent.group};
  } else if (answer.outcome != drive::Outcome::kDone && assumed) {
    state_.cluster.Forget(pod);
  }
  Group* group = state_.Find(sent.group);
  if (group == nullptr) return;
  group->in_flight.erase(answer.id);
  // What was not sent has not failed: it waited for one that did, or for one whose answer was lost.
  const bool failed = answer.outcome != drive::Outcome::kDone && answer.outcome != drive::Outcome::kUnknown &&
                      answer.outcome != drive::Outcome::kNotSent;
  if (failed) {
    group->bind_error = answer.message;
    Tell(*group, true, kFailedScheduling, "a member could not be bound: " + answer.message);
  }
  group->bind_failed |= failed;
  group->bind_rejected |= answer.outcome == drive::Outcome::kRejected;
  if (!group->in_flight.empty()) return;
  if (group->members.empty()) {
    UpdateGroup(sent.group);  // all its pods went while their binds were under way: it goes too
  } else {
    SettleBinds(sent.group, *group);
  }
}

void Scheduler::Impl::ForgetLostBinds() {
  for (auto lost = lost_binds_.begin(); lost != lost_binds_.end();) {
    const model::PodId pod = state_.cluster.FindPod(lost->first);
    const bool assumed = pod.Valid() && state_.cluster.pod(pod).hold == model::Hold::kAssumed;
    if (assumed && lost->second.until > now_) {
      WakeAt(lost->second.until);
      ++lost;
      continue;
    }
    const model::GroupKey key = lost->second.group;
    lost = lost_binds_.erase(lost);
    if (!assumed) continue;
    state_.cluster.Forget(pod);
    UpdateGroup(key);  // nothing else says that it waits again
  }
}

void Scheduler::Impl::UpdateGroups() {
  for (const model::GroupKey& key : state_.TakeDirty())
    UpdateGroup(key);
}

void Scheduler::Impl::UpdateGroup(const model::GroupKey& key) {
  Group* group = state_.Find(key);
  if (group == nullptr) return;
  if (group->members.empty() && group->in_flight.empty()) {
    ReleaseReservations(*group, {});
    SayNoMore(key, *group);
    queue_.Forget(key);
    outlook_.Forget(key);
    state_.Erase(key);
    return;
  }
  state_.Refresh(*group);
  ReleaseWhatNobodyComesFor(*group);
  Adopt(*group);
  group->why_for = 0;
  group->has_untold = true;
  outlook_.Update(key, *group, now_);
  if (group->started) KeepRoomForLater(key, *group);
  if (!WantsPlace(*group)) {
    queue_.Remove(key);
    if (group->spec.problem.empty()) {
      SayNoMore(key, *group);
    } else {
      SayWhy(key, *group, WaitClass::kCannot);
    }
    return;
  }
  if (group->waits == WaitClass::kCannot) SayNoMore(key, *group);
  const bool holds_resources = state_.PlacedCount(*group) > 0;
  queue_.Put({.urgent = holds_resources,
              .priority = state_.PriorityOf(*group),
              .created = group->spec.created,
              .key = key});
  queue_.Touch(key);
}

drive::EffectId Scheduler::Impl::Emit(drive::Effect effect, Sent sent) {
  effect.id = drive::EffectId{next_effect_++};
  const drive::EffectId id = effect.id;
  sent_.emplace(id, std::move(sent));
  effects_.push_back(std::move(effect));
  return id;
}

// One event per group and change: another class of reason is news, other numbers are not.
void Scheduler::Impl::Tell(Group& group, bool warning, std::string_view reason, const std::string& message) {
  std::string told = fmt::format("{}: {}", reason, MessageOf(group.waits, {}));
  if (group.told == told) return;
  group.told = std::move(told);
  drive::Note note{.regarding = {},
                   .regarding_uid = {},
                   .warning = warning,
                   .reason = std::string(reason),
                   .message = message};
  if (group.spec.record) {
    const model::OwnerObject& record = *group.spec.record;
    note.regarding = {record.kind, record.namespace_, record.name};
    note.regarding_uid = record.uid;
  } else if (!group.members.empty()) {
    const kube::ObjectMeta& meta = state_.cluster.pod(group.members.begin()->second.pod).pod->metadata;
    note.regarding = {kube::Kind::kPod, meta.namespace_, meta.name};
    note.regarding_uid = meta.uid;
  } else {
    return;
  }
  Emit({.id = {}, .after = {}, .lane = drive::Lane::kNote, .uid = {}, .what = std::move(note)}, {});
}

GroupView Scheduler::Impl::ViewOf(const model::GroupKey& key, const Group& group) const {
  GroupView view{.key = key, .nodes = {}, .no = {}, .reason = {}, .expected_start = {}};
  std::set<std::string> nodes;
  for (const model::UnitSpec& unit : group.spec.units)
    view.members += unit.expected;
  for (const auto& [uid, member] : group.members) {
    ++view.pods;
    if (!state_.IsPlaced(member)) continue;
    ++view.placed;
    nodes.insert(state_.cluster.node(state_.cluster.pod(member.pod).node).name);
  }
  view.nodes.assign(nodes.begin(), nodes.end());
  view.priority = state_.PriorityOf(group);
  view.created = group.spec.created;
  view.state = IsBeingRolledBack(group)   ? GroupState::kRollingBack
               : !group.in_flight.empty() ? GroupState::kBinding
               : group.started            ? GroupState::kStarted
                                          : GroupState::kWaiting;
  if (group.why && queue_.Contains(key)) {
    view.no = group.why->kind;
    view.reason = group.why->message;
  } else if (group.started && IsHalfPlaced(group)) {
    view.reason = fmt::format("{} of {} members are placed; the pods of the others do not exist yet",
                              view.placed, view.members);
  }
  if (!group.spec.problem.empty()) view.reason = group.spec.problem;
  return view;
}

Counters Scheduler::Impl::counters() const {
  Counters counters = counters_;
  counters.searches = outlook_.searches();
  return counters;
}

void Scheduler::Impl::AddOutlook(GroupView& view) {
  if (options_.queue.backfill == queue::Backfill::kGreedy || queue_.Head() == nullptr ||
      *queue_.Head() != view.key)
    return;
  const Outlook::HeadView head = outlook_.DescribeHead(now_);
  view.expected_start = head.start;
  view.reason += "; " + head.text;
}

// The numbers of this instant, where those of the last try may be old. Changes nothing but the view.
void Scheduler::Impl::RenewReason(const Group& group, std::map<std::string, match::Diagnosis>& known,
                                  GroupView& view) {
  if (group.why_for == 0 || !group.spec.problem.empty() || !group.reserved.empty()) return;
  const Ask ask = group.started ? WithAll(AskToComplete(state_, group)) : AskToStart(state_, group);
  auto why = known.find(ask.signature);
  if (why == known.end()) {
    if (known.size() >= kMostRenewed) return;
    auto placement = finder_.Match(ask.request);
    if (placement) return;
    NameHome(ask, placement.error());
    const std::string name = ask.signature.empty() ? model::ToString(view.key) : ask.signature;
    why = known.emplace(name, std::move(placement.error())).first;
  }
  view.no = why->second.kind;
  view.reason = why->second.message;
}

std::vector<GroupView> Scheduler::Impl::Groups() {
  std::vector<GroupView> views;
  std::map<std::string, match::Diagnosis> known;
  for (const model::GroupKey& key : queue_.InOrder()) {
    const Group& group = state_.groups().at(key);
    views.push_back(ViewOf(key, group));
    RenewReason(group, known, views.back());
    AddOutlook(views.back());
  }
  for (const auto& [key, group] : state_.groups()) {
    if (!group.members.empty() && !queue_.Contains(key)) views.push_back(ViewOf(key, group));
  }
  return views;
}

}  // namespace cadre::core
