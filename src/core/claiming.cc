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

// Has the claims written on the record object of their group; none: the annotation is taken off.
// The UID is the precondition and not the resourceVersion: the annotation has one writer, under one lease,
// while the owner's status changes all the time when its pods come.
drive::Effect ClaimsPatch(const model::OwnerObject& record, std::string_view part,
                          const std::vector<ClaimEntry>& entries, std::uint64_t epoch) {
  boost::json::value text(nullptr);
  if (!entries.empty()) text = EncodeClaims(entries, epoch);
  boost::json::object annotations{{ClaimsAnnotationOf(part), std::move(text)}};
  boost::json::object patch{{"metadata", boost::json::object{{"annotations", std::move(annotations)}}}};
  return {.id = {},
          .after = {},
          .lane = drive::Lane::kWrite,
          .uid = record.uid,
          .what = drive::Patch{{record.kind, record.namespace_, record.name}, std::move(patch)}};
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
    podless_claims_.clear();
    return;
  }
  for (const model::GroupKey& key : state_.claims.Holders()) {
    if (state_.HasMembers(key)) {
      podless_claims_.erase(key);
      continue;
    }
    const Time deadline = podless_claims_.try_emplace(key, now_).first->second + kClaimWithoutPods;
    if (deadline > now_) {
      WakeAt(deadline);
      continue;
    }
    podless_claims_.erase(key);
    state_.claims.Expire(key, state_.cluster);
  }
}

}  // namespace cadre::core
