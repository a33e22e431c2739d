#include "app/exclusive_check.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/cluster.h"

namespace cadre::app {
namespace {

bool IsOf(const std::string& group, const std::string& unit, const auto& exclusive) {
  return exclusive.group == group && (exclusive.unit.empty() || exclusive.unit == unit);
}

}  // namespace

void ExclusiveCheck::Learn(const model::GroupKey& key, const std::string& group,
                           const GroupTracker& tracker) {
  const auto [known, added] = exclusives_.try_emplace(group);
  if (!added) return;
  const model::GroupSpec spec = tracker.catalog().Describe(model::WholeOf(key), {});
  const auto add = [&](const std::string& unit, const model::TopologyAsk& ask) {
    if (ask.exclusive.empty()) return;
    known->second.push_back({group, unit, ask.exclusive, ask.scope == model::ExclusiveScope::kAll});
    any_ = true;
  };
  add({}, spec.topology);
  for (const model::UnitSpec& unit : spec.units)
    add(unit.name, unit.topology);
}

void ExclusiveCheck::OnWrite(const kube::Object* before, const kube::Object* after, bool ours,
                             const GroupTracker& tracker) {
  const kube::Object& object = after != nullptr ? *after : *before;
  if (object.kind == kube::Kind::kNode) {
    if (after == nullptr) {
      nodes_.erase(object.Meta().name);
    } else {
      nodes_[object.Meta().name] = std::static_pointer_cast<const kube::Node>(object.body);
    }
    return;
  }
  if (object.kind != kube::Kind::kPod) return;
  const auto& pod = object.As<kube::Pod>();
  const std::string& uid = pod.metadata.uid;
  if (after == nullptr || kube::IsTerminal(pod) || pod.spec.node_name.empty()) {
    pods_.erase(uid);
    return;
  }
  const auto [known, added] = pods_.try_emplace(uid);
  Placed& placed = known->second;
  placed.going = pod.metadata.deletion_timestamp.has_value();
  if (!added) return;
  placed.name = kube::KeyOf(pod.metadata);
  placed.node = pod.spec.node_name;
  placed.permanent = model::IsPermanent(pod);
  if (const model::Membership* membership = tracker.MembershipOf(uid); membership != nullptr) {
    placed.group = model::TenantGroupOf(membership->group);
    if (!membership->alone) placed.unit = membership->unit;
    if (!membership->alone) Learn(membership->group, placed.group, tracker);
  }
  if (ours && any_) Judge(placed);
}

std::optional<std::string> ExclusiveCheck::DomainOf(const std::string& node, const std::string& key) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end() || !found->second->metadata.labels.contains(key)) return std::nullopt;
  const kube::StringMap& labels = found->second->metadata.labels;
  std::string path;
  constexpr std::array<std::string_view, 2> kCoarse = {"topology.kubernetes.io/region",
                                                       "topology.kubernetes.io/zone"};
  for (const std::string_view coarse : kCoarse) {
    const auto value = labels.find(coarse);
    path += (value == labels.end() ? std::string() : value->second) + "/";
    if (key == coarse) return path;
  }
  return path + labels.find(key)->second;
}

void ExclusiveCheck::Judge(const Placed& pod) {
  for (const auto& [group, list] : exclusives_) {
    for (const Exclusive& exclusive : list) {
      for (const auto& [uid, other] : pods_) {
        const bool concerns =
            IsOf(pod.group, pod.unit, exclusive) || IsOf(other.group, other.unit, exclusive);
        if (&other != &pod && !other.going && concerns) JudgeAgainst(exclusive, pod, other);
      }
    }
  }
}

void ExclusiveCheck::JudgeAgainst(const Exclusive& exclusive, const Placed& pod, const Placed& other) {
  const auto here = DomainOf(pod.node, exclusive.key);
  const auto there = DomainOf(other.node, exclusive.key);
  const bool both = IsOf(pod.group, pod.unit, exclusive) && IsOf(other.group, other.unit, exclusive);
  const std::string who = exclusive.unit.empty() ? exclusive.group : exclusive.unit;
  if (both) {
    if (here != there) {
      found_.push_back(fmt::format("Pod {} on {} and Pod {} on {} of {} are not in one {}", pod.name,
                                   pod.node, other.name, other.node, who, exclusive.key));
    }
    return;
  }
  if (!here || here != there) return;
  const Placed& stranger = IsOf(pod.group, pod.unit, exclusive) ? other : pod;
  const bool may_share = exclusive.all ? stranger.permanent : stranger.unit.empty();
  if (may_share) return;
  found_.push_back(fmt::format("Pod {} on {} is in the {} that {} has for itself", stranger.name,
                               stranger.node, exclusive.key, who));
}

std::vector<std::string> ExclusiveCheck::Take() {
  std::vector<std::string> found = std::move(found_);
  found_.clear();
  std::ranges::sort(found);
  return found;
}

}  // namespace cadre::app
