#include "app/group_tracker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace cadre::app {

namespace {

std::shared_ptr<const kube::Pod> PodOf(const kube::Object& object) {
  return std::static_pointer_cast<const kube::Pod>(object.body);
}

std::int32_t NeededOf(const model::UnitSpec& unit, std::int32_t pods) {
  const std::int32_t expected = unit.expected > 0 || unit.exists ? unit.expected : pods;
  return unit.minimum == model::UnitSpec::kAll ? expected : std::min(unit.minimum, expected);
}

bool AnySuspended(const model::GroupSpec& spec) {
  return std::any_of(spec.owners.begin(), spec.owners.end(),
                     [](const model::OwnerObject& owner) { return owner.suspended; });
}

std::set<std::string> TopologyKeysOf(const model::GroupSpec& spec) {
  std::set<std::string> keys;
  const auto add = [&](const model::TopologyAsk& ask) {
    keys.insert({ask.required, ask.preferred, ask.exclusive});
  };
  add(spec.topology);
  for (const model::UnitSpec& unit : spec.units)
    add(unit.topology);
  keys.erase("");
  return keys;
}

}  // namespace

void GroupTracker::Touch(const model::GroupKey& key) {
  touched_.insert(key);
}

void GroupTracker::OnWrite(const kube::Object* before, const kube::Object* after) {
  CADRE_ASSERT(before != nullptr || after != nullptr, "a write of nothing");
  const kube::Object& object = after != nullptr ? *after : *before;
  if (object.kind == kube::Kind::kPod) {
    OnPod(before, after);
    return;
  }
  for (const model::GroupKey& key : groups::TouchedGroups(catalog_.Apply(object, after == nullptr), parts_)) {
    const auto part = parts_.find(key);
    if (part == parts_.end()) continue;
    part->second.owner_changed = true;
    Touch(key);
  }
}

void GroupTracker::OnLoaded(const kube::Object& object) {
  OnWrite(nullptr, &object);
  if (object.kind != kube::Kind::kPod || object.As<kube::Pod>().spec.node_name.empty()) return;
  const model::Membership& membership = memberships_.at(object.Meta().uid);
  Part& part = parts_[membership.group];
  part.started = true;
  part.units_started.insert(membership.unit);
}

void GroupTracker::OnPod(const kube::Object* before, const kube::Object* after) {
  const std::string& uid = (after != nullptr ? after : before)->Meta().uid;
  if (after == nullptr) {
    const auto known = memberships_.find(uid);
    if (known == memberships_.end()) return;
    const auto part = parts_.find(known->second.group);
    part->second.pods.erase(uid);
    // A group of one ends with its pod; the others may come again.
    if (part->second.pods.empty() && known->second.group.kind == "Pod") {
      touched_.erase(part->first);
      parts_.erase(part);
    } else {
      Touch(part->first);
    }
    memberships_.erase(known);
    return;
  }
  auto pod = PodOf(*after);
  auto known = memberships_.find(uid);
  if (known == memberships_.end()) known = memberships_.emplace(uid, catalog_.MembershipOf(*pod)).first;
  Part& part = parts_[known->second.group];
  if (before == nullptr && !pod->spec.node_name.empty()) part.born_placed = true;
  if (kube::IsTerminal(*pod)) {
    part.pods.erase(uid);
  } else {
    part.pods[uid] = std::move(pod);
  }
  if (!part.complete || before == nullptr) Touch(known->second.group);
}

const model::Membership* GroupTracker::MembershipOf(const std::string& pod_uid) const {
  const auto known = memberships_.find(pod_uid);
  return known == memberships_.end() ? nullptr : &known->second;
}

std::vector<PartStanding> GroupTracker::Settle() {
  std::vector<PartStanding> standings;
  for (const model::GroupKey& key : touched_)
    standings.push_back(Judge(key, parts_.at(key)));
  touched_.clear();
  return standings;
}

// Suspension and the JobSet's restart end a run of the group: what comes after is placed whole again.
void GroupTracker::ForgetOldRun(const model::GroupKey& key, const model::GroupSpec& spec, Part& part) const {
  const kube::JobSet* jobset = catalog_.FindJobSet(key.uid);
  const std::int32_t attempt = jobset == nullptr ? part.attempt : jobset->status.restarts;
  if (attempt == part.attempt && !AnySuspended(spec)) return;
  part.attempt = attempt;
  part.started = false;
  part.units_started.clear();
  part.born_placed = false;
}

PartStanding GroupTracker::Judge(const model::GroupKey& key, Part& part) {
  PartStanding standing{.key = key, .just_started = false, .partial = {}, .topology_keys = {}};
  std::vector<const kube::Pod*> members;
  std::map<std::string, std::int32_t> placed;
  for (const auto& [uid, pod] : part.pods) {
    if (!catalog_.IsCurrent(*pod)) continue;
    members.push_back(pod.get());
    if (!pod->spec.node_name.empty()) ++placed[memberships_.at(uid).unit];
  }
  part.born_placed &= !placed.empty();
  const model::GroupSpec spec = catalog_.Describe(key, members);
  if (std::exchange(part.owner_changed, false)) ForgetOldRun(key, spec, part);
  // A group that is being suspended loses its pods one after the other; one whose owner is gone likewise.
  if (AnySuspended(spec) || spec.units.empty()) return standing;
  standing.partial = JudgeUnits(spec, placed, part, standing.just_started);
  if (standing.just_started) standing.topology_keys = TopologyKeysOf(spec);
  return standing;
}

std::string GroupTracker::JudgeUnits(const model::GroupSpec& spec,
                                     const std::map<std::string, std::int32_t>& placed, Part& part,
                                     bool& just_started) const {
  std::int32_t satisfied = 0;
  std::int32_t counted = 0;
  std::int32_t placed_in_all = 0;
  std::string short_unit;
  for (const model::UnitSpec& unit : spec.units) {
    const auto found = placed.find(unit.name);
    const std::int32_t count = found == placed.end() ? 0 : found->second;
    placed_in_all += count;
    if (!unit.exists && unit.later_template != nullptr) continue;  // its turn comes
    ++counted;
    const std::int32_t needed = NeededOf(unit, count);
    if (unit.exists && count >= needed) {
      ++satisfied;
      if (count > 0) part.units_started.insert(unit.name);
    } else if (count > 0 && !part.units_started.contains(unit.name)) {
      short_unit = fmt::format("{} of {} pods of {} are placed", count, needed, unit.name);
    }
  }
  const std::int32_t units_needed =
      spec.minimum_units == model::UnitSpec::kAll ? counted : std::min(spec.minimum_units, counted);
  const bool whole = satisfied >= units_needed && placed_in_all > 0;
  if (whole && !part.started) {
    part.started = true;
    just_started = true;
  }
  if (part.born_placed) short_unit.clear();
  part.complete = part.started && satisfied == static_cast<std::int32_t>(spec.units.size());
  if (!short_unit.empty()) return short_unit;
  if (!part.started && placed_in_all > 0 && !part.born_placed)
    return fmt::format("{} of {} jobs have their pods placed", satisfied, units_needed);
  return "";
}

}  // namespace cadre::app
