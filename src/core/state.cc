#include "core/state.h"

#include <algorithm>

#include <fmt/format.h>

namespace cadre::core {
namespace {

bool IsOurs(const std::set<std::string>& names, const kube::Pod& pod) {
  return names.empty() || names.contains(pod.spec.scheduler_name);
}

// A pod that waits was told why, by us or by others: no news to its group. Everything else of it is compared.
bool OnlyToldSomething(const kube::Pod& before, const kube::Pod& after) {
  if (!before.spec.node_name.empty()) return false;
  const kube::ObjectMeta& was = before.metadata;
  const kube::ObjectMeta& is = after.metadata;
  kube::PodStatus status = before.status;
  status.conditions = after.status.conditions;
  return was.labels == is.labels && was.annotations == is.annotations &&
         was.deletion_timestamp == is.deletion_timestamp && was.owner_references == is.owner_references &&
         was.resource_version <= is.resource_version && status == after.status && before.spec == after.spec;
}

}  // namespace

State::State(const Options& options)
    : cluster(options.scheduler_names, options.node_selector), scheduler_names_(options.scheduler_names) {}

void State::Apply(const kube::Object& object, bool deleted) {
  if (object.kind == kube::Kind::kPod) {
    ApplyPod(object, deleted);
    return;
  }
  const auto is_there = [&] {
    const model::NodeId node = cluster.FindNode(object.Meta().name);
    return node.Valid() && cluster.node(node).Present();
  };
  const bool is_node = object.kind == kube::Kind::kNode;
  const bool was_there = is_node && is_there();
  cluster.Apply(object, deleted);
  // Its pods lose their place with the node, or have it back.
  if (is_node && was_there != is_there()) TouchGroupsOn(cluster.FindNode(object.Meta().name));
  const groups::Affected affected = catalog.Apply(object, deleted);
  for (const std::string& maker : affected.makers) {
    const auto pods = pods_of_.find(maker);
    if (pods == pods_of_.end()) continue;
    for (const std::string& uid : pods->second)
      PlacePodInGroup(*cluster.pod(cluster.FindPod(uid)).pod);
  }
  for (const model::GroupKey& key : groups::TouchedGroups(affected, groups_)) {
    claims.Fold(key, catalog, cluster);
    if (Group* group = Find(key)) {
      group->spec_stale = true;
      dirty_.insert(key);
    }
  }
  NoteRollback(object, deleted);
}

void State::ApplyPod(const kube::Object& object, bool deleted) {
  const kube::Pod& pod = object.As<kube::Pod>();
  const std::string& uid = pod.metadata.uid;
  const model::PodId known = cluster.FindPod(uid);
  if (!deleted && known.Valid() && group_of_pod_.contains(uid) &&
      OnlyToldSomething(*cluster.pod(known).pod, pod)) {
    cluster.Apply(object, deleted);
    return;
  }
  NoteMaker(pod, deleted);
  cluster.Apply(object, deleted);
  if (!deleted && pod.metadata.deletion_timestamp && !pod.spec.node_name.empty() && !kube::IsTerminal(pod)) {
    terminating_.insert(uid);
  } else {
    terminating_.erase(uid);
  }
  NoteEnd(object, deleted);
  if (deleted) {
    RemoveFromGroup(uid);
    ForgetSucceeded(uid);
  } else {
    PlacePodInGroup(*cluster.pod(cluster.FindPod(uid)).pod);
  }
}

// Before the cluster sees the pod: labels may have changed, and with them what it hangs on.
void State::NoteMaker(const kube::Pod& pod, bool deleted) {
  const std::string& uid = pod.metadata.uid;
  const std::string maker = deleted ? std::string{} : groups::Catalog::MakerOf(pod);
  const model::PodId known = cluster.FindPod(uid);
  const std::string before =
      known.Valid() ? groups::Catalog::MakerOf(*cluster.pod(known).pod) : std::string{};
  if (before != maker) {
    const auto pods = pods_of_.find(before);
    if (pods != pods_of_.end()) pods->second.erase(uid);
    if (pods != pods_of_.end() && pods->second.empty()) pods_of_.erase(pods);
  }
  if (!maker.empty()) pods_of_[maker].insert(uid);
}

void State::PlacePodInGroup(const kube::Pod& pod) {
  const std::string& uid = pod.metadata.uid;
  model::Membership membership = catalog.MembershipOf(pod);
  cluster.SetTenant(cluster.FindPod(uid), TenantOf(membership.group, membership.unit, membership.alone));
  if (!IsOurs(scheduler_names_, pod) || !catalog.IsCurrent(pod)) {
    RemoveFromGroup(uid);
    NoteSucceeded(pod);
    return;
  }
  const auto known = group_of_pod_.find(uid);
  if (known != group_of_pod_.end() && known->second != membership.group) RemoveFromGroup(uid);
  Group& group = groups_[membership.group];
  group.spec.key = membership.group;
  group.spec_stale = true;
  group.members.insert_or_assign(
      uid, MemberRef{cluster.FindPod(uid), std::move(membership.unit), membership.index});
  dirty_.insert(membership.group);
  group_of_pod_.insert_or_assign(uid, std::move(membership.group));
}

model::TenantId State::TenantOf(const model::GroupKey& key, const std::string& unit, bool alone) {
  return alone ? model::TenantId{} : cluster.InternTenant({model::TenantGroupOf(key), unit});
}

model::TenantId State::TenantOf(const model::GroupSpec& spec, const std::string& unit) {
  const model::UnitSpec* found = model::FindUnit(spec, unit);
  return TenantOf(spec.key, unit, found != nullptr && found->alone);
}

void State::TouchGroupsOn(model::NodeId node) {
  if (!node.Valid()) return;
  for (const model::PodId pod : cluster.node(node).pods) {
    const auto group = group_of_pod_.find(cluster.pod(pod).pod->metadata.uid);
    if (group != group_of_pod_.end()) dirty_.insert(group->second);
  }
}

void State::NoteSucceeded(const kube::Pod& pod) {
  if (pod.status.phase != kube::PodPhase::kSucceeded || !IsOurs(scheduler_names_, pod)) return;
  model::GroupKey key = catalog.MembershipOf(pod).group;
  if (!groups::Catalog::IsNamedByPods(key)) return;
  if (Group* group = Find(key)) group->spec_stale = true;
  dirty_.insert(key);
  succeeded_[key].insert(pod.metadata.uid);
  group_of_succeeded_.insert_or_assign(pod.metadata.uid, std::move(key));
}

void State::ForgetSucceeded(const std::string& uid) {
  const auto known = group_of_succeeded_.find(uid);
  if (known == group_of_succeeded_.end()) return;
  const auto pods = succeeded_.find(known->second);
  pods->second.erase(uid);
  if (pods->second.empty()) succeeded_.erase(pods);
  group_of_succeeded_.erase(known);
}

void State::RemoveFromGroup(const std::string& uid) {
  const auto known = group_of_pod_.find(uid);
  if (known == group_of_pod_.end()) return;
  Group& group = groups_.at(known->second);
  group.members.erase(uid);
  group.spec_stale = true;
  dirty_.insert(known->second);
  group_of_pod_.erase(known);
}

void State::NoteRollback(const kube::Object& object, bool deleted) {
  if (object.kind != kube::Kind::kJob && object.kind != kube::Kind::kJobSet) return;
  const kube::ObjectMeta& meta = object.Meta();
  const bool suspended = object.kind == kube::Kind::kJob ? object.As<kube::Job>().spec.suspend
                                                         : object.As<kube::JobSet>().spec.suspend;
  if (deleted || meta.deletion_timestamp || !suspended || !meta.annotations.contains(kRolledBackAnnotation)) {
    rolled_back_.erase(meta.uid);
    return;
  }
  model::OwnerObject owner{.kind = object.kind,
                           .namespace_ = meta.namespace_,
                           .name = meta.name,
                           .uid = meta.uid,
                           .annotations = meta.annotations,
                           .suspended = true};
  rolled_back_.insert_or_assign(meta.uid, std::move(owner));
}

void State::NoteEnd(const kube::Object& object, bool deleted) {
  const kube::Pod& pod = object.As<kube::Pod>();
  if (deleted || !kube::IsTerminal(pod) || !pod.status.start_time || !IsOurs(scheduler_names_, pod)) {
    ended_.erase(pod.metadata.uid);
  } else {
    ended_.insert_or_assign(pod.metadata.uid, std::dynamic_pointer_cast<const kube::Pod>(object.body));
  }
}

std::vector<State::Ended> State::TakeEnded() {
  std::map<model::GroupKey, std::vector<const kube::Pod*>> by_group;
  for (const auto& [uid, pod] : ended_)
    by_group[catalog.MembershipOf(*pod).group].push_back(pod.get());
  std::vector<Ended> all;
  for (const auto& [key, pods] : by_group) {
    Ended ended{.group = key, .started = {}, .priority = 0, .created = catalog.Describe(key, pods).created};
    for (const kube::Pod* pod : pods) {
      ended.started = std::max(ended.started, *pod->status.start_time);
      ended.priority = std::max(ended.priority, pod->spec.priority.value_or(0));
    }
    all.push_back(std::move(ended));
  }
  ended_.clear();
  return all;
}

std::set<model::GroupKey> State::TakeDirty() {
  return std::exchange(dirty_, {});
}

Group* State::Find(const model::GroupKey& key) {
  const auto found = groups_.find(key);
  return found == groups_.end() ? nullptr : &found->second;
}

void State::Refresh(Group& group) {
  if (!group.spec_stale) return;
  std::vector<const kube::Pod*> pods;
  for (const auto& [uid, member] : group.members)
    pods.push_back(cluster.pod(member.pod).pod.get());
  std::sort(pods.begin(), pods.end(),
            [](const kube::Pod* a, const kube::Pod* b) { return a->metadata.name < b->metadata.name; });
  const model::GroupKey key = group.spec.key;
  group.spec = catalog.Describe(key, pods);
  const auto succeeded = succeeded_.find(key);
  if (succeeded != succeeded_.end()) {
    // Who has succeeded need not be there again: the rest of the group may go on in smaller number.
    model::UnitSpec& unit = group.spec.units.front();
    unit.minimum = std::max(1, unit.minimum - static_cast<std::int32_t>(succeeded->second.size()));
    unit.expected = std::max(unit.minimum, static_cast<std::int32_t>(pods.size()));
  }
  for (const kube::Pod* pod : pods) {
    if (group.spec.problem.empty() && !pod->spec.resource_claims.empty()) {
      group.spec.problem = fmt::format(
          "Pod {} asks for resource claim {}, and Cadre does not place pods with resource claims (DRA); make "
          "it with schedulerName: default-scheduler, or without spec.resourceClaims",
          kube::KeyOf(pod->metadata), pod->spec.resource_claims.front());
    }
  }
  group.looks_for_pods = std::any_of(group.members.begin(), group.members.end(), [&](const auto& member) {
    return cluster.shape(cluster.pod(member.second.pod).shape).HasTerms();
  });
  group.spec_stale = false;
}

std::int32_t State::PriorityOf(const Group& group) const {
  std::optional<std::int32_t> priority;
  for (const auto& [uid, member] : group.members) {
    const std::int32_t own = cluster.pod(member.pod).pod->spec.priority.value_or(0);
    if (!priority || own > *priority) priority = own;
  }
  return priority.value_or(0);
}

bool State::IsPlaced(const MemberRef& member) const {
  const model::PodEntry& entry = cluster.pod(member.pod);
  return (entry.hold == model::Hold::kBound || entry.hold == model::Hold::kAssumed) &&
         cluster.node(entry.node).Present();
}

bool State::IsWaiting(const MemberRef& member) const {
  const model::Hold hold = cluster.pod(member.pod).hold;
  return hold != model::Hold::kBound && hold != model::Hold::kAssumed;
}

std::int32_t State::PlacedCount(const Group& group) const {
  std::int32_t count = 0;
  for (const auto& [uid, member] : group.members)
    count += IsPlaced(member) ? 1 : 0;
  return count;
}

bool State::HasMembers(const model::GroupKey& whole) const {
  for (auto it = groups_.lower_bound(whole); it != groups_.end() && it->first.uid == whole.uid &&
                                             it->first.name == whole.name && it->first.kind == whole.kind;
       ++it) {
    if (model::WholeOf(it->first) == whole && !it->second.members.empty()) return true;
  }
  return false;
}

bool State::HasLivePods(const model::OwnerObject& owner) const {
  const auto job_has = [&](const std::string& job_uid) {
    const auto pods = pods_of_.find(job_uid);
    if (pods == pods_of_.end()) return false;
    return std::any_of(pods->second.begin(), pods->second.end(), [&](const std::string& uid) {
      return !kube::IsTerminal(*cluster.pod(cluster.FindPod(uid)).pod);
    });
  };
  if (owner.kind == kube::Kind::kJob) return job_has(owner.uid);
  const std::vector<const kube::Job*> jobs = catalog.JobsOf(owner.uid);
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const kube::Job* job) { return job_has(job->metadata.uid); });
}

std::string State::Fingerprint() const {
  std::string text = cluster.Fingerprint();
  for (const auto& [key, group] : groups_) {
    if (group.members.empty()) continue;
    text += fmt::format("group {} {}\n", model::ToString(key), key.uid);
    for (const auto& [uid, member] : group.members)
      text += fmt::format("  {} {} {}\n", uid, member.unit, member.index);
  }
  for (const auto& [uid, owner] : rolled_back_)
    text += fmt::format("rolled back {}\n", uid);
  return text;
}

}  // namespace cadre::core
