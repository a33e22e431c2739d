// Exclusive domains: claims are written before the first bind, tidied when they end, and given up when
// nothing of their group has lived for too long.
#include "core/claiming.h"

#include <algorithm>
#include <set>

#include "core/home.h"
#include "core/scheduler_impl.h"
#include "match/node_table.h"

namespace cadre::core {
namespace {

// The UID is the precondition and not the resourceVersion: the annotations have one writer, under one lease,
// while the owner's status changes all the time when its pods come.
drive::Effect AnnotationsPatch(const model::OwnerObject& record, boost::json::object annotations) {
  boost::json::object patch{{"metadata", boost::json::object{{"annotations", std::move(annotations)}}}};
  return {.id = {},
          .after = {},
          .lane = drive::Lane::kWrite,
          .uid = record.uid,
          .what = drive::Patch{{record.kind, record.namespace_, record.name}, std::move(patch)}};
}

// Has the claims written on the record object of their group; none: the annotation is taken off, and with it
// what was noted beside it.
drive::Effect ClaimsPatch(const model::OwnerObject& record, std::string_view part,
                          const std::vector<ClaimEntry>& entries, std::uint64_t epoch) {
  boost::json::object annotations;
  if (!entries.empty()) {
    annotations[ClaimsAnnotationOf(part)] = EncodeClaims(entries, epoch);
  } else {
    annotations[ClaimsAnnotationOf(part)] = nullptr;
    const std::string idle = IdleAnnotationOf(part);
    if (record.annotations.contains(idle)) annotations[idle] = nullptr;
  }
  return AnnotationsPatch(record, std::move(annotations));
}

drive::Effect IdlePatch(const model::OwnerObject& record, std::string_view part, std::optional<Time> since) {
  boost::json::value text(nullptr);
  if (since) text = FormatRfc3339(*since);
  return AnnotationsPatch(record, {{IdleAnnotationOf(part), std::move(text)}});
}

// Since when the group has no pods, as it is noted on its record object. A time to come, or what is none, was
// written by somebody else and says nothing.
std::optional<Time> NotedIdle(const model::OwnerObject& record, std::string_view part, Time now) {
  const auto found = record.annotations.find(IdleAnnotationOf(part));
  if (found == record.annotations.end()) return std::nullopt;
  const Result<Time> since = ParseRfc3339(found->second);
  if (!since || *since > now) return std::nullopt;
  return *since;
}

}  // namespace

std::vector<ClaimEntry> ClaimsOf(const model::Cluster& cluster, const model::GroupSpec& spec, const Ask& ask,
                                 const match::Placement& placement) {
  std::vector<ClaimEntry> entries;
  if (!model::WantsOwnDomain(spec) && !SharesHome(spec)) return entries;
  std::set<std::pair<std::string, std::string>> taken;
  const auto add = [&](const std::string& unit, const std::string& key, const model::NodeEntry& node) {
    if (key.empty() || !node.Present() || !taken.emplace(unit, key).second) return;
    entries.push_back({unit, key, match::PathValuesOf(*node.node, key)});
  };
  for (std::size_t i = 0; i < ask.slots.size(); ++i) {
    if (!placement.nodes[i].Valid()) continue;
    const model::NodeEntry& node = cluster.node(placement.nodes[i]);
    add({}, spec.topology.exclusive, node);
    if (SharesHome(spec)) add({}, spec.topology.required, node);
    if (const model::UnitSpec* unit = model::FindUnit(spec, ask.slots[i].unit))
      add(unit->name, unit->topology.exclusive, node);
  }
  std::ranges::sort(entries);
  return entries;
}

// What the group holds when it is placed like this: also what it holds already for units that are not part of
// the placement.
std::vector<ClaimEntry> Scheduler::Impl::ClaimsFor(const model::GroupKey& key, const Group& group,
                                                   const Ask& ask, const match::Placement& placement) const {
  std::vector<ClaimEntry> entries = ClaimsOf(state_.cluster, group.spec, ask, placement);
  for (ClaimEntry& held : state_.claims.Of(key)) {
    const auto same = [&](const ClaimEntry& entry) {
      return entry.unit == held.unit && entry.key == held.key;
    };
    if (std::ranges::none_of(entries, same)) entries.push_back(std::move(held));
  }
  std::ranges::sort(entries);
  return entries;
}

// Has the claims of a placement written if they are not yet; its binds wait for that.
std::optional<drive::EffectId> Scheduler::Impl::WriteClaims(const model::GroupKey& key, Group& group,
                                                            const Ask& ask,
                                                            const match::Placement& placement) {
  const bool is_written = model::WantsOwnDomain(group.spec) || SharesHome(group.spec);
  if (!is_written || !group.spec.record) return std::nullopt;
  std::vector<ClaimEntry> entries = ClaimsFor(key, group, ask, placement);
  if (entries == state_.claims.Of(key)) return std::nullopt;
  const model::OwnerObject& record = *group.spec.record;
  const drive::EffectId id = Emit(ClaimsPatch(record, model::WholeOf(key).part, entries, options_.epoch),
                                  {Purpose::kClaim, key, record.uid});
  state_.claims.Assume(key, id, std::move(entries), state_.catalog, state_.cluster);
  return id;
}

void Scheduler::Impl::HandleClaimAnswer(const Sent& sent, const drive::Answer& answer) {
  const bool done = answer.outcome == drive::Outcome::kDone;
  state_.claims.Answer(sent.group, answer.id, done, state_.catalog, state_.cluster);
  if (done) return;
  Group* group = state_.Find(sent.group);
  if (group == nullptr) return;
  // Its binds are answered as not sent; that they failed is known from here alone.
  group->bind_failed = true;
  group->bind_error = "its claim could not be written: " + answer.message;
}

void Scheduler::Impl::TidyClaims() {
  for (const Claims::Stale& stale : state_.claims.TakeStale()) {
    Emit(ClaimsPatch(stale.record, stale.key.part, stale.entries, options_.epoch),
         {Purpose::kOther, stale.key, {}});
  }
}

// Groups that hold domains and have no pods: a restart makes them again, and if it does not, the domain is
// free for others.
void Scheduler::Impl::ExpireClaims() {
  if (!state_.claims.Any()) {
    idle_claims_.clear();
    return;
  }
  for (const Claims::Holder& holder : state_.claims.Holders()) {
    if (state_.HasMembers(holder.key)) {
      ClaimIsUsed(holder);
    } else {
      ClaimIsIdle(holder);
    }
  }
}

void Scheduler::Impl::ClaimIsUsed(const Claims::Holder& holder) {
  const auto known = idle_claims_.find(holder.key);
  if (!holder.record.annotations.contains(IdleAnnotationOf(holder.key.part))) {
    // A note that is on its way shows later, and is taken off then.
    if (known != idle_claims_.end()) idle_claims_.erase(known);
    return;
  }
  if (known != idle_claims_.end() && !known->second.since) return;  // it is being taken off
  idle_claims_.insert_or_assign(holder.key, IdleClaim{});
  Emit(IdlePatch(holder.record, holder.key.part, std::nullopt), {Purpose::kOther, holder.key, {}});
}

void Scheduler::Impl::ClaimIsIdle(const Claims::Holder& holder) {
  auto [found, is_new] = idle_claims_.try_emplace(holder.key);
  IdleClaim& idle = found->second;
  if (!idle.since) {
    // A note that is being taken off is of an earlier time without pods.
    const std::optional<Time> noted = is_new ? NotedIdle(holder.record, holder.key.part, now_) : std::nullopt;
    idle = {.since = noted.value_or(now_), .is_noted = noted.has_value()};
  }
  if (const Time ends = *idle.since + kClaimWithoutPods; ends <= now_) {
    state_.claims.Expire(holder.key, state_.cluster);
    idle_claims_.erase(found);
    return;
  }
  if (idle.is_noted) {
    WakeAt(*idle.since + kClaimWithoutPods);
    return;
  }
  if (const Time notes = *idle.since + kNoteIdleAfter; notes > now_) {
    WakeAt(notes);
    return;
  }
  idle.is_noted = true;
  WakeAt(*idle.since + kClaimWithoutPods);
  Emit(IdlePatch(holder.record, holder.key.part, idle.since), {Purpose::kOther, holder.key, {}});
}

}  // namespace cadre::core
