#include "sim/garbage_collector.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/job.h"
#include "kube/pod.h"
#include "sim/json_util.h"
#include "sim/pod_status.h"

namespace cadre::sim {

namespace {

constexpr std::array kKinds = {
    kube::Kind::kNode,      kube::Kind::kPod,      kube::Kind::kService,
    kube::Kind::kConfigMap, kube::Kind::kJob,      kube::Kind::kPersistentVolumeClaim,
    kube::Kind::kJobSet,    kube::Kind::kPodGroup, kube::Kind::kSchedulerPluginsPodGroup};
constexpr std::size_t kGoneRemembered = 100'000;
constexpr Duration kRetry{1'000};
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool IsWatched(const kube::OwnerReference& owner) {
  const std::optional<kube::Kind> kind = kube::KindOf(owner.api_version, owner.kind);
  return kind && std::ranges::find(kKinds, *kind) != kKinds.end() && *kind != kube::Kind::kNode;
}

bool Has(const kube::ObjectMeta& meta, std::string_view finalizer) {
  return std::ranges::find(meta.finalizers, finalizer) != meta.finalizers.end();
}

bool IsDeletedInForeground(const kube::ObjectMeta& meta) {
  return meta.deletion_timestamp && Has(meta, kForeground);
}

}  // namespace

std::span<const kube::Kind> GarbageCollector::Kinds() const {
  return kKinds;
}

drive::StepResult GarbageCollector::Step(Time now, std::span<const drive::Event> events) {
  for (const drive::Event& event : events) {
    if (const auto* answer = std::get_if<drive::Answer>(&event)) {
      OnAnswer(now, *answer);
    } else if (std::holds_alternative<drive::Listed>(event)) {
      ++listed_;
    } else if (const auto& change = std::get<drive::Changed>(event);
               change.object.kind == kube::Kind::kNode) {
      OnNode(change);
    } else {
      OnChanged(now, change);
    }
  }
  if (listed_ < kKinds.size()) return {};
  for (const std::uint64_t number : timers_.TakeDue(now))
    Dirty(*by_number_.at(number));
  // Looking at an item may make others worth a look: those come in the same Step, by number.
  while (!dirty_.empty()) {
    Item& item = *dirty_.begin()->second;
    dirty_.erase(dirty_.begin());
    Look(now, item);
  }
  return {std::exchange(effects_, {}), timers_.Next()};
}

// --- What is there ---

void GarbageCollector::OnNode(const drive::Changed& change) {
  const kube::ObjectMeta& meta = change.object.Meta();
  if (!change.deleted) {
    nodes_.insert_or_assign(meta.name, meta.uid);
  } else if (const auto node = nodes_.find(meta.name); node != nodes_.end() && node->second == meta.uid) {
    nodes_.erase(node);
  }
  if (const auto pods = pods_on_.find(meta.name); pods != pods_on_.end()) {
    for (const std::uint64_t number : pods->second)
      Dirty(*by_number_.at(number));
  }
}

void GarbageCollector::OnChanged(Time now, const drive::Changed& change) {
  const kube::ObjectMeta& meta = change.object.Meta();
  const auto found = items_.find(meta.uid);
  if (change.deleted) {
    if (found != items_.end()) OnGone(*found->second);
    return;
  }
  if (found != items_.end()) return Refresh(*found->second, change.object);
  auto item = std::make_unique<Item>();
  item->object = change.object;
  item->number = ++last_number_;
  item->seen = now;
  item->from_the_start = listed_ < kKinds.size();
  by_number_.emplace(item->number, item.get());
  Link(*item);
  Dirty(*item);
  DirtyDependents(meta.uid);
  items_.emplace(meta.uid, std::move(item));
}

// Others are concerned only when it starts to go in the foreground, or lets go of an owner that is being
// deleted.
void GarbageCollector::Refresh(Item& item, const kube::Object& object) {
  if (item.meta().resource_version >= object.Meta().resource_version) return;
  const bool was_going = IsDeletedInForeground(item.meta());
  const std::vector<kube::OwnerReference> old_owners = item.meta().owner_references;
  Unlink(item);
  item.object = object;
  item.retry_at.reset();
  Link(item);
  Dirty(item);
  if (IsDeletedInForeground(item.meta()) != was_going) DirtyDependents(item.meta().uid);
  if (item.meta().owner_references.size() != old_owners.size()) DirtyOwners(old_owners);
}

void GarbageCollector::DirtyOwners(const std::vector<kube::OwnerReference>& owners) {
  for (const kube::OwnerReference& owner : owners) {
    const auto found = items_.find(owner.uid);
    if (found != items_.end() && found->second->meta().deletion_timestamp) Dirty(*found->second);
  }
}

void GarbageCollector::OnGone(Item& item) {
  const std::string uid = item.meta().uid;
  const std::vector<kube::OwnerReference> owners = item.meta().owner_references;
  Unlink(item);
  timers_.Cancel(item.number);
  dirty_.erase(item.number);
  by_number_.erase(item.number);
  items_.erase(uid);
  if (gone_.insert(uid).second) gone_order_.push_back(uid);
  if (gone_order_.size() > kGoneRemembered) {
    gone_.erase(gone_order_.front());
    gone_order_.pop_front();
  }
  DirtyDependents(uid);
  DirtyOwners(owners);
}

void GarbageCollector::Link(const Item& item) {
  for (const kube::OwnerReference& owner : item.meta().owner_references)
    dependents_[owner.uid].insert(item.number);
  if (item.object.kind != kube::Kind::kPod) return;
  const std::string& node = item.object.As<kube::Pod>().spec.node_name;
  if (!node.empty()) pods_on_[node].insert(item.number);
}

void GarbageCollector::Unlink(const Item& item) {
  const auto drop = [&](auto& index, const std::string& key) {
    const auto entry = index.find(key);
    if (entry == index.end()) return;
    entry->second.erase(item.number);
    if (entry->second.empty()) index.erase(entry);
  };
  for (const kube::OwnerReference& owner : item.meta().owner_references)
    drop(dependents_, owner.uid);
  if (item.object.kind == kube::Kind::kPod) drop(pods_on_, item.object.As<kube::Pod>().spec.node_name);
}

void GarbageCollector::Dirty(const Item& item) {
  dirty_.emplace(item.number, by_number_.at(item.number));
}

void GarbageCollector::DirtyDependents(const std::string& uid) {
  const auto dependents = dependents_.find(uid);
  if (dependents == dependents_.end()) return;
  for (const std::uint64_t number : dependents->second)
    Dirty(*by_number_.at(number));
}

const std::set<std::uint64_t>& GarbageCollector::DependentsOf(const Item& item) const {
  static const std::set<std::uint64_t> kNone;
  const auto dependents = dependents_.find(item.meta().uid);
  return dependents == dependents_.end() ? kNone : dependents->second;
}

void GarbageCollector::OnAnswer(Time now, const drive::Answer& answer) {
  const auto asked = asked_.find(static_cast<std::uint64_t>(answer.id));
  CADRE_ASSERT(asked != asked_.end(), "an answer to nothing that was asked");
  const auto found = items_.find(asked->second);
  asked_.erase(asked);
  if (found == items_.end()) return;
  Item& item = *found->second;
  --item.in_flight;
  Dirty(item);
  switch (answer.outcome) {
    case drive::Outcome::kDone:
      // What came back may be the last state of something that is gone; only the watch tells. Look again when
      // it does.
      item.refused_version = std::max(item.refused_version, item.written_version);
      return;
    case drive::Outcome::kNotSent:
      return;
    case drive::Outcome::kConflict:
      if (item.meta().resource_version > item.written_version) return;
      break;
    case drive::Outcome::kGone:
      item.refused_version = item.meta().resource_version;
      return;
    case drive::Outcome::kRejected:
      item.refused_version = item.meta().resource_version;
      complaints_.insert(fmt::format("{}: the API server refused the garbage collector's write: {}",
                                     kube::Describe(item.object), answer.message));
      return;
    case drive::Outcome::kRetryable:
    case drive::Outcome::kUnknown:
      break;
  }
  item.retry_at = now + kRetry;
}

// --- What to do ---

void GarbageCollector::Look(Time now, Item& item) {
  timers_.Cancel(item.number);
  if (item.in_flight > 0) return;
  if (item.retry_at && now < *item.retry_at) return timers_.Set(item.number, *item.retry_at);
  item.retry_at.reset();
  if (item.meta().resource_version == item.refused_version) return;
  const kube::ObjectMeta& meta = item.meta();
  if (meta.deletion_timestamp) {
    if (Has(meta, kForeground)) {
      LookAtForeground(item);
    } else if (Has(meta, kOrphan)) {
      LookAtOrphaning(item);
    }
  } else if (LookAtOwners(now, item)) {
    return;
  }
  if (item.in_flight > 0) return;
  if (item.object.kind == kube::Kind::kPod) LookAtPod(now, item);
  if (item.object.kind == kube::Kind::kJob) LookAtJob(now, item);
}

GarbageCollector::OwnerIs GarbageCollector::StateOf(Time now, const Item& item,
                                                    const kube::OwnerReference& owner) {
  const auto found = items_.find(owner.uid);
  if (found != items_.end()) {
    return IsDeletedInForeground(found->second->meta()) ? OwnerIs::kWaiting : OwnerIs::kThere;
  }
  if (gone_.contains(owner.uid)) return OwnerIs::kGone;
  const bool left_out = options_.left_out != nullptr && options_.left_out->contains(owner.uid);
  if (!IsWatched(owner) || left_out) return OwnerIs::kThere;
  if (item.from_the_start) return OwnerIs::kGone;
  if (now >= item.seen + options_.missing_owner) return OwnerIs::kGone;
  timers_.SetIfEarlier(item.number, item.seen + options_.missing_owner);
  return OwnerIs::kLate;
}

// True when it asked for something. An owner that is there keeps the object; references to the others are
// dropped then.
bool GarbageCollector::LookAtOwners(Time now, Item& item) {
  std::vector<std::string> not_there;
  bool is_kept = item.meta().owner_references.empty();
  bool is_waited_for = false;
  for (const kube::OwnerReference& owner : item.meta().owner_references) {
    const OwnerIs state = StateOf(now, item, owner);
    is_kept = is_kept || state == OwnerIs::kThere || state == OwnerIs::kLate;
    is_waited_for = is_waited_for || state == OwnerIs::kWaiting;
    if (state == OwnerIs::kGone || state == OwnerIs::kWaiting) not_there.push_back(owner.uid);
  }
  if (not_there.empty()) return false;
  if (is_kept) {
    DropOwners(item, not_there);
  } else {
    const bool in_turn = is_waited_for && dependents_.contains(item.meta().uid);
    Delete(item, in_turn ? drive::Propagation::kForeground : drive::Propagation::kBackground);
  }
  return true;
}

// Its dependents are deleted because of their own look at it; here it is only waited for them.
void GarbageCollector::LookAtForeground(Item& item) {
  for (const std::uint64_t number : DependentsOf(item)) {
    const auto& owners = by_number_.at(number)->meta().owner_references;
    const bool blocks = std::ranges::any_of(owners, [&](const kube::OwnerReference& owner) {
      return owner.uid == item.meta().uid && owner.block_owner_deletion;
    });
    if (blocks) return;
  }
  DropFinalizer(item, kForeground);
}

void GarbageCollector::LookAtOrphaning(Item& item) {
  if (DependentsOf(item).empty()) return DropFinalizer(item, kOrphan);
  for (const std::uint64_t number : DependentsOf(item)) {
    Item& dependent = *by_number_.at(number);
    if (dependent.in_flight > 0 || dependent.meta().resource_version == dependent.refused_version) continue;
    DropOwners(dependent, {item.meta().uid});
  }
}

void GarbageCollector::LookAtPod(Time now, Item& item) {
  const auto& pod = item.object.As<kube::Pod>();
  const bool bound = !pod.spec.node_name.empty();
  const bool attended =
      bound ? nodes_.contains(pod.spec.node_name) : !pod.metadata.deletion_timestamp || kube::IsTerminal(pod);
  if (attended) {
    item.unattended_since.reset();
    return;
  }
  if (!item.unattended_since) item.unattended_since = now;
  const Time due = *item.unattended_since + (bound ? options_.missing_node : options_.never_bound);
  if (now < due) return timers_.SetIfEarlier(item.number, due);
  FailAndRemove(now, item,
                bound ? "PodGC: node no longer exists" : "PodGC: pod was deleted before it was bound");
}

void GarbageCollector::LookAtJob(Time now, Item& item) {
  const auto& job = item.object.As<kube::Job>();
  if (!job.spec.ttl_seconds_after_finished || job.metadata.deletion_timestamp || !kube::IsFinished(job))
    return;
  const kube::Condition* finished = kube::FindTrue(job.status.conditions, "Complete");
  if (finished == nullptr) finished = kube::FindTrue(job.status.conditions, "Failed");
  const Time due = finished->last_transition_time.value_or(item.seen) +
                   std::chrono::seconds(*job.spec.ttl_seconds_after_finished);
  if (now < due) return timers_.SetIfEarlier(item.number, due);
  Delete(item, drive::Propagation::kForeground);
}

// --- Writes ---

void GarbageCollector::FailAndRemove(Time now, Item& item, std::string_view message) {
  std::optional<drive::EffectId> failed;
  if (!kube::IsTerminal(item.object.As<kube::Pod>())) {
    drive::Effect effect;
    effect.resource_version = item.meta().resource_version;
    effect.what = drive::PatchStatus{{item.object.kind, item.meta().namespace_, item.meta().name},
                                     DisruptedStatus(item.object, "DeletionByPodGC", message, now)};
    failed = Ask(item, std::move(effect));
  }
  Delete(item, drive::Propagation::kBackground, 0, failed);
}

void GarbageCollector::Delete(Item& item, drive::Propagation propagation, std::optional<std::int64_t> grace,
                              std::optional<drive::EffectId> after) {
  drive::Effect effect;
  effect.after = after;
  effect.what =
      drive::Delete{{item.object.kind, item.meta().namespace_, item.meta().name}, propagation, grace};
  Ask(item, std::move(effect));
}

void GarbageCollector::DropFinalizer(Item& item, std::string_view finalizer) {
  json::array rest;
  for (const std::string& other : item.meta().finalizers) {
    if (other != finalizer) rest.emplace_back(other);
  }
  drive::Effect effect;
  effect.resource_version = item.meta().resource_version;
  effect.what = drive::Patch{{item.object.kind, item.meta().namespace_, item.meta().name},
                             {{"metadata", {{"finalizers", std::move(rest)}}}}};
  Ask(item, std::move(effect));
}

// The references are copied from the JSON, with whatever else they hold.
void GarbageCollector::DropOwners(Item& item, const std::vector<std::string>& uids) {
  const json::object* metadata = ObjectOf(item.object.raw->get_object(), "metadata");
  const json::array* references = metadata == nullptr ? nullptr : ArrayOf(*metadata, "ownerReferences");
  CADRE_ASSERT(references != nullptr, "an object with owner references has them in its JSON");
  json::array rest;
  for (const json::value& reference : *references) {
    const std::string uid(FindString(reference, {"uid"}));
    if (std::ranges::find(uids, uid) == uids.end()) rest.push_back(reference);
  }
  drive::Effect effect;
  effect.resource_version = item.meta().resource_version;
  json::value value = rest.empty() ? json::value(nullptr) : json::value(std::move(rest));
  effect.what = drive::Patch{{item.object.kind, item.meta().namespace_, item.meta().name},
                             {{"metadata", {{"ownerReferences", std::move(value)}}}}};
  Ask(item, std::move(effect));
}

drive::EffectId GarbageCollector::Ask(Item& item, drive::Effect effect) {
  effect.id = drive::EffectId{++last_effect_};
  effect.uid = item.meta().uid;
  ++item.in_flight;
  item.written_version = item.meta().resource_version;
  asked_.emplace(last_effect_, effect.uid);
  effects_.push_back(std::move(effect));
  return drive::EffectId{last_effect_};
}

}  // namespace cadre::sim
