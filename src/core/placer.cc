// Trying groups in order, and carrying out what was decided.
#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "core/home.h"
#include "core/scheduler_impl.h"

namespace cadre::core {
namespace {

constexpr int kMostMarkAttempts = 5;
// A half placed group whose missing members are refused this often in a row gives its place back.
constexpr int kMostFailedRounds = 3;
// Half placed, and the missing pods do not appear: after this its place is given back.
constexpr Duration kIncompleteGrace{30'000};

// What the keys of a unit's reservations start with.
std::string ReservationsOf(const model::GroupKey& key, std::string_view unit) {
  return fmt::format("{}/{}/{}/{}/{}/", key.kind, key.namespace_, key.name, key.uid, unit);
}

std::string ReservationKey(const model::GroupKey& key, std::string_view unit, std::int32_t index) {
  return ReservationsOf(key, unit) + std::to_string(index);
}

std::string_view AnnotationOf(const kube::StringMap& annotations, std::string_view key) {
  const auto found = annotations.find(key);
  return found == annotations.end() ? std::string_view{} : std::string_view(found->second);
}

}  // namespace

bool Scheduler::Impl::WantsPlace(const Group& group) const {
  if (!group.spec.problem.empty() || !group.in_flight.empty() || IsBeingRolledBack(group)) return false;
  // Half placed: its missing members may not exist, and then its place must be given back.
  if (!group.started && state_.PlacedCount(group) > 0) return true;
  return std::any_of(group.members.begin(), group.members.end(),
                     [&](const auto& member) { return state_.IsWaiting(member.second); });
}

// Learns from the annotations of bound members what an earlier process decided.
void Scheduler::Impl::Adopt(Group& group) {
  if (!group.in_flight.empty()) return;
  std::int32_t placed = 0;
  for (const auto& [uid, member] : group.members) {
    if (!state_.IsPlaced(member)) continue;
    ++placed;
    const kube::StringMap& annotations = state_.cluster.pod(member.pod).pod->metadata.annotations;
    const std::string_view id = AnnotationOf(annotations, kPlanIdAnnotation);
    if (group.plan_id.empty()) group.plan_id = std::string(id);
    const std::string_view text = AnnotationOf(annotations, kPlanAnnotation);
    if (!text.empty() && group.plan.empty()) {
      if (const auto plan = Plan::Decode(text)) group.plan.Merge(*plan);
    }
    if (AnnotationOf(annotations, kStartedAnnotation) == group.plan_id && !id.empty()) group.started = true;
  }
  if (placed == 0) {
    // Nothing of it runs: the next start is a start like the first, all or nothing.
    group.started = false;
    group.plan_id.clear();
    group.marked.clear();
    group.mark_attempts = 0;
    group.failed_rounds = 0;
    group.starting_units.clear();
    group.incomplete_since.reset();
    return;
  }
  if (group.spec.record && !group.plan_id.empty() &&
      AnnotationOf(group.spec.record->annotations, StartedAnnotationOf(group.spec.key.part)) ==
          group.plan_id) {
    group.started = true;
  }
  // What others placed (no plan of ours on any member) is not ours to give back.
  if (group.plan_id.empty()) group.started = true;
  if (!group.started && !IsHalfPlaced(group)) {
    group.started = true;
    group.failed_rounds = 0;
  }
  const auto placed_in = PlacedByUnit(group);
  for (const model::UnitSpec& unit : group.spec.units) {
    const auto count = placed_in.find(unit.name);
    if (count == placed_in.end() || count->second >= model::NeededMembers(unit))
      group.starting_units.erase(unit.name);
  }
  MarkStarted(group.spec.key, group);
}

std::map<std::string_view, std::int32_t> Scheduler::Impl::PlacedByUnit(const Group& group) const {
  std::map<std::string_view, std::int32_t> placed;
  for (const auto& [uid, member] : group.members)
    placed[member.unit] += state_.IsPlaced(member) ? 1 : 0;
  return placed;
}

// A start that is neither done nor undone: of the group, or of one of its later stages.
bool Scheduler::Impl::IsHalfStarted(const Group& group) const {
  return group.started ? !group.starting_units.empty() : state_.PlacedCount(group) > 0;
}

// Some of it is placed, but not its minimum.
bool Scheduler::Impl::IsHalfPlaced(const Group& group) const {
  auto placed = PlacedByUnit(group);
  std::int32_t whole = 0;
  std::int32_t wanted = 0;
  for (const model::UnitSpec& unit : group.spec.units) {
    // A later unit whose pods came in time starts with the others, and is then as whole as they are.
    const bool its_turn_comes = unit.later_template != nullptr && placed[unit.name] == 0;
    if (its_turn_comes || (unit.exists && unit.expected == 0)) continue;
    ++wanted;
    whole += unit.exists && placed[unit.name] >= model::NeededMembers(unit) ? 1 : 0;
  }
  return whole < (group.spec.minimum_units == model::UnitSpec::kAll
                      ? wanted
                      : std::min(group.spec.minimum_units, wanted));
}

// False: out of searches, to be tried again in the next step.
bool Scheduler::Impl::TryGroup(const model::GroupKey& key) {
  Group* group = state_.Find(key);
  if (group == nullptr || !WantsPlace(*group)) return true;
  const Ask ask = group->started ? AskToComplete(state_, *group) : AskToStart(state_, *group);
  if (!ask.not_ready.empty()) {
    group->why = match::Diagnosis{match::No::kNotNow, ask.not_ready};
    group->why_for = 0;
    group->held_back = false;
    queue_.Unblock(key);
    SayWhy(key, *group, WaitClass::kIncomplete);
    if (!group->started && state_.PlacedCount(*group) > 0) RollBackIncomplete(key, *group);
    return true;
  }
  group->incomplete_since.reset();
  if (WaitsInLine(key, *group) || IsRefusedAlready(key, *group, ask)) return true;
  // What it holds for itself must not stand in its own way.
  for (const Slot& slot : ask.slots)
    ReleaseReservations(*group, slot.unit);
  ++counters_.matches;
  Sought placement = Seek(*group, ask.request);
  if (placement) placement = PlaceForAllStages(state_, finder_, *group, ask, *std::move(placement));
  if (!placement && placement.error()) NameHome(ask, *placement.error());
  if (placement) return Pass(key, *group, ask, *std::move(placement));
  Refuse(key, *group, ask, std::move(placement.error()));
  return true;
}

Scheduler::Impl::Sought Scheduler::Impl::Seek(const Group& group, const match::Request& request) {
  if (KnowsWhy(group)) {
    if (auto placement = finder_.Place(request)) return *std::move(placement);
    return std::unexpected(std::nullopt);
  }
  auto placement = finder_.Match(request);
  if (placement) return *std::move(placement);
  return std::unexpected(std::move(placement.error()));
}

// Why it has no place was found before, and nobody hears of it again until somebody asks (Groups): finding it
// costs much more than whether it has one. Only what could never be placed is treated in another way, and
// that follows from the empty nodes.
bool Scheduler::Impl::KnowsWhy(const Group& group) {
  return group.why && group.why_for == finder_.EmptyVersion() && group.reserved.empty() &&
         !IsHalfStarted(group);
}

// Groups that ask for the same are refused together: within one version of the cluster's room it only gets
// fuller.
bool Scheduler::Impl::IsRefusedAlready(const model::GroupKey& key, Group& group, const Ask& ask) {
  if (refused_version_ != state_.cluster.room_version()) {
    refused_.clear();
    refused_version_ = state_.cluster.room_version();
  }
  if (ask.signature.empty()) return false;
  const auto known = refused_.find(ask.signature);
  if (known == refused_.end() || (!known->second && !KnowsWhy(group))) return false;
  Refuse(key, group, ask, known->second);
  return true;
}

// `why`: nothing where KnowsWhy.
void Scheduler::Impl::Refuse(const model::GroupKey& key, Group& group, const Ask& ask,
                             std::optional<match::Diagnosis> why) {
  if (!ask.signature.empty() && (why || !refused_.contains(ask.signature))) refused_[ask.signature] = why;
  if (why) {
    group.why = std::move(why);
    group.why_for = finder_.EmptyVersion();
  }
  if (IsHalfStarted(group)) {
    RollBack(key, group, group.why->message);
    return;
  }
  NoteRefusal(key, group);
  if (group.started) KeepRoomForLater(key, group);
  // Room that it gave up and took again is no news, or it would be tried at every step.
  queue_.Tried(key, VersionFor(group));
  SayWhy(key, group, ClassOf(group.why->kind));
  Tell(group, true, kFailedScheduling, group.why->message);
}

// Later stages come whole or not at all, like the group itself.
void Scheduler::Impl::NoteStartingUnits(Group& group, const Ask& ask, const match::Placement& placement) {
  const auto placed_in = PlacedByUnit(group);
  for (std::size_t i = 0; i < ask.slots.size(); ++i) {
    const Slot& slot = ask.slots[i];
    if (slot.placed || !slot.pod.Valid() || !placement.nodes[i].Valid()) continue;
    const model::UnitSpec* unit = model::FindUnit(group.spec, slot.unit);
    if (unit == nullptr || unit->later_template == nullptr) continue;
    const auto count = placed_in.find(slot.unit);
    if (count == placed_in.end() || count->second == 0) group.starting_units.insert(slot.unit);
  }
}

void Scheduler::Impl::Commit(const model::GroupKey& key, Group& group, const Ask& ask,
                             const match::Placement& placement) {
  std::uint64_t hash = Fnv1a64(model::ToString(key) + key.uid);
  std::set<std::string> nodes;
  std::int32_t to_bind = 0;
  for (const match::Unit& unit : ask.request.root.units)
    group.plan.ForgetUnindexed(unit.name);
  if (group.started) NoteStartingUnits(group, ask, placement);
  for (std::size_t i = 0; i < ask.slots.size(); ++i) {
    const Slot& slot = ask.slots[i];
    if (!placement.nodes[i].Valid()) continue;
    const std::string& node = state_.cluster.node(placement.nodes[i]).name;
    group.plan.Put(slot.unit, slot.index, node);
    if (slot.placed) continue;
    if (slot.pod.Valid()) {
      hash = Fnv1a64(state_.cluster.pod(slot.pod).pod->metadata.uid + node, hash);
      state_.cluster.Assume(slot.pod, placement.nodes[i]);
      nodes.insert(node);
      ++to_bind;
    } else {
      const std::string reservation = ReservationKey(key, slot.unit, slot.index);
      state_.cluster.Reserve(
          reservation, {slot.shape, placement.nodes[i], slot.labels, state_.TenantOf(group.spec, slot.unit)});
      group.reserved.insert(reservation);
    }
  }
  if (to_bind == 0) {
    RefuseRest(key, group, ask);
    return;
  }
  group.why.reset();
  SayNoMore(key, group);
  if (group.plan_id.empty()) group.plan_id = Hex(hash);
  const std::string plan_text = ask.slots.size() > 1 ? group.plan.Encode(options_.epoch) : std::string{};
  // What a bind waits for: the claim that it makes true, then the first bind of a start.
  std::optional<drive::EffectId> first = WriteClaims(key, group, ask, placement);
  bool first_is_bind = false;
  bool carried = false;
  for (const Slot& slot : ask.slots) {
    if (slot.placed || !slot.pod.Valid() || state_.cluster.pod(slot.pod).hold != model::Hold::kAssumed)
      continue;
    drive::EffectId id{};
    Bind(key, group, slot, carried && plan_text.size() > kShortPlan ? std::string{} : plan_text, first, &id);
    carried = true;
    // The first bind of a start carries the plan and must be there before the others leave.
    if (!first_is_bind && !group.started) {
      first = id;
      first_is_bind = true;
    }
  }
  Tell(group, false, kScheduled,
       fmt::format("placed {} on {}", Quantify(to_bind, "member"),
                   Quantify(static_cast<std::int64_t>(nodes.size()), "node")));
  group.held_back = false;
  queue_.Remove(key);
  outlook_.Update(key, group, now_);
}

// A started group holds what it has, so that the matcher is content when none of the rest fits. To say why,
// it is asked for all of it.
void Scheduler::Impl::RefuseRest(const model::GroupKey& key, Group& group, const Ask& ask) {
  const Ask whole = WithAll(ask);
  const std::string unknown = "its waiting members do not fit now";
  auto placement = Seek(group, whole.request);
  Refuse(key, group, whole,
         placement ? match::Diagnosis{match::No::kNotNow, unknown} : std::move(placement.error()));
}

void Scheduler::Impl::Bind(const model::GroupKey& key, Group& group, const Slot& slot,
                           const std::string& plan_text, std::optional<drive::EffectId> after,
                           drive::EffectId* first) {
  const model::PodEntry& entry = state_.cluster.pod(slot.pod);
  const kube::ObjectMeta& meta = entry.pod->metadata;
  drive::Bind bind{.pod = {kube::Kind::kPod, meta.namespace_, meta.name},
                   .node = state_.cluster.node(entry.node).name,
                   .annotations = {}};
  if (!plan_text.empty() || group.members.size() > 1)
    bind.annotations.emplace(kPlanIdAnnotation, group.plan_id);
  if (!plan_text.empty() && plan_text.size() <= kLongestPlan)
    bind.annotations.emplace(kPlanAnnotation, plan_text);
  *first =
      Emit({.id = {}, .after = after, .lane = drive::Lane::kBind, .uid = meta.uid, .what = std::move(bind)},
           {Purpose::kBind, key, meta.uid});
  group.in_flight.insert(*first);
}

// All binds of a placement are answered.
void Scheduler::Impl::SettleBinds(const model::GroupKey& key, Group& group) {
  const bool failed = std::exchange(group.bind_failed, false);
  const bool rejected = std::exchange(group.bind_rejected, false);
  if (group.members.empty()) {
    UpdateGroup(key);
    return;
  }
  state_.Refresh(group);
  Adopt(group);
  outlook_.Update(key, group, now_);
  // Not at once: what was refused because the watch is behind would be refused again.
  if (failed) {
    ++group.failed_rounds;
    queue_.BackOff(key, now_);
  } else {
    queue_.Succeeded(key);
  }
  if (!WantsPlace(group)) return;
  const bool half_placed = IsHalfStarted(group);
  if (half_placed && (rejected || group.failed_rounds >= kMostFailedRounds)) {
    RollBack(key, group, group.bind_error);
    return;
  }
  queue_.Put({.urgent = state_.PlacedCount(group) > 0,
              .priority = state_.PriorityOf(group),
              .created = group.spec.created,
              .key = key});
}

void Scheduler::Impl::MarkStarted(const model::GroupKey& key, Group& group) {
  const bool alone = group.members.size() <= 1 && group.spec.units.size() <= 1;
  if (!group.started || group.plan_id.empty() || alone || group.marked == group.plan_id) return;
  if (group.mark_attempts >= kMostMarkAttempts) return;
  group.marked = group.plan_id;
  bool sends = false;
  const std::string annotation = StartedAnnotationOf(key.part);
  const auto mark = [&](const drive::Target& target, const std::string& uid,
                        const kube::StringMap& annotations) {
    if (AnnotationOf(annotations, annotation) == group.plan_id) return;
    sends = true;
    boost::json::object wanted{{annotation, group.plan_id}};
    // A reason that stayed behind would make a suspension by somebody else look like one of ours.
    for (const std::string_view old : {kRollbacksAnnotation, kRolledBackAnnotation}) {
      if (annotations.contains(old)) wanted[std::string(old)] = nullptr;
    }
    boost::json::object patch{{"metadata", boost::json::object{{"annotations", std::move(wanted)}}}};
    Emit({.id = {},
          .after = {},
          .lane = drive::Lane::kWrite,
          .uid = uid,
          .what = drive::Patch{target, std::move(patch)}},
         {Purpose::kMark, key, {}});
  };
  if (group.spec.record) {
    const model::OwnerObject& record = *group.spec.record;
    mark({record.kind, record.namespace_, record.name}, record.uid, record.annotations);
  } else {
    for (const auto& [uid, member] : group.members) {
      if (!state_.IsPlaced(member)) continue;
      const kube::ObjectMeta& meta = state_.cluster.pod(member.pod).pod->metadata;
      mark({kube::Kind::kPod, meta.namespace_, meta.name}, uid, meta.annotations);
    }
  }
  group.mark_attempts += sends ? 1 : 0;
}

// After a restart: room that an earlier process kept for later stages is kept again where the plan says, if
// it is free.
void Scheduler::Impl::KeepRoomForLater(const model::GroupKey& key, Group& group) {
  for (const model::UnitSpec& unit : group.spec.units) {
    if (unit.later_template == nullptr) continue;
    const bool has_come = std::any_of(group.members.begin(), group.members.end(), [&](const auto& member) {
      return member.second.unit == unit.name && state_.IsPlaced(member.second);
    });
    if (has_come) continue;
    const model::ShapeId shape = state_.cluster.InternShape(unit.later_template->spec, key.namespace_);
    for (std::int32_t index = 0; index < unit.expected; ++index) {
      const std::string reservation = ReservationKey(key, unit.name, index);
      const std::string_view name = group.plan.NodeOf(unit.name, index);
      if (name.empty() || group.reserved.contains(reservation)) continue;
      const model::NodeId node = state_.cluster.FindNode(name);
      if (!node.Valid() || !match::Fits(state_.cluster, shape, unit.later_template->labels, node)) continue;
      state_.cluster.Reserve(
          reservation, {shape, node, unit.later_template->labels, state_.TenantOf(group.spec, unit.name)});
      group.reserved.insert(reservation);
    }
  }
}

// Of one unit, or of all when `unit` is empty.
void Scheduler::Impl::ReleaseReservations(Group& group, std::string_view unit) {
  const std::string of_unit = ReservationsOf(group.spec.key, unit);
  for (auto reservation = group.reserved.begin(); reservation != group.reserved.end();) {
    if (!unit.empty() && !reservation->starts_with(of_unit)) {
      ++reservation;
      continue;
    }
    state_.cluster.Release(*reservation);
    reservation = group.reserved.erase(reservation);
  }
}

// The set that would have made a group's workers may be gone.
void Scheduler::Impl::ReleaseWhatNobodyComesFor(Group& group) {
  if (group.reserved.empty()) return;
  for (const model::UnitSpec& unit : group.spec.units) {
    if (unit.later_template == nullptr) ReleaseReservations(group, unit.name);
  }
}

void Scheduler::Impl::RollBackIncomplete(const model::GroupKey& key, Group& group) {
  if (!group.incomplete_since) group.incomplete_since = now_;
  const bool come_again = group.spec.pods_come_again || !group.spec.owners.empty();
  const Duration grace = come_again ? kIncompleteGrace : Duration{0};
  const Time deadline = *group.incomplete_since + grace;
  if (deadline <= now_) {
    RollBack(key, group, group.why->message);
    return;
  }
  queue_.Touch(key);
  WakeAt(deadline);
}

}  // namespace cadre::core
