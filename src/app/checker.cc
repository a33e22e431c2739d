#include "app/checker.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "kube/job.h"
#include "kube/resources.h"
#include "kube/volume.h"

namespace cadre::app {

namespace {

bool HoldsNode(const kube::Pod& pod) {
  return !pod.spec.node_name.empty() && !kube::IsTerminal(pod);
}

bool TakesEveryAddress(std::string_view ip) {
  return ip.empty() || ip == "0.0.0.0";
}

// Reasons with which a kubelet turns a pod away at admission.
bool IsKubeletRefusal(std::string_view reason) {
  static constexpr auto kReasons =
      std::to_array<std::string_view>({"UnexpectedAdmissionError", "NodeAffinity", "NodeName", "NodePorts",
                                       "TaintToleration", "AdmissionFailed"});
  return reason.starts_with("OutOf") || std::find(kReasons.begin(), kReasons.end(), reason) != kReasons.end();
}

std::string SlotOf(const kube::Pod& pod) {
  const kube::OwnerReference* owner = pod.metadata.Controller();
  const auto index = kube::CompletionIndex(pod);
  return owner == nullptr || !index ? "" : fmt::format("{}/{}", owner->uid, *index);
}

// The change may forbid what the node allowed before.
bool MayForbid(const kube::Node& before, const kube::Node* after) {
  if (after == nullptr) return true;
  if (after->spec.unschedulable && !before.spec.unschedulable) return true;
  if (before.metadata.labels != after->metadata.labels) return true;
  for (const kube::Taint& taint : after->spec.taints) {
    const auto same = [&](const kube::Taint& other) {
      return kube::ToString(other) == kube::ToString(taint);
    };
    if (std::none_of(before.spec.taints.begin(), before.spec.taints.end(), same)) return true;
  }
  const kube::ResourceList& now = after->status.allocatable;
  return std::any_of(before.status.allocatable.begin(), before.status.allocatable.end(),
                     [&](const auto& offered) {
                       const auto found = now.find(offered.first);
                       return found == now.end() || found->second < offered.second;
                     });
}

}  // namespace

Checker::Checker(Options options, const drive::ObservedApi& api) : options_(std::move(options)), api_(api) {}

void Checker::Report(Time now, std::string text) {
  if (violations_.size() + 1 < kMostViolations) {
    violations_.push_back(fmt::format("at {}: {}", FormatDuration(now - options_.start), text));
    return;
  }
  const std::string more = fmt::format("{} more violations are not listed", ++suppressed_);
  if (suppressed_ == 1) violations_.emplace_back();
  violations_.back() = more;
}

std::int64_t Checker::Allocatable(const NodeLoad& load, std::string_view resource) {
  if (load.node == nullptr) return 0;
  const auto found = load.node->status.allocatable.find(resource);
  return found == load.node->status.allocatable.end() ? 0 : found->second;
}

// What is in use now is not held against anyone later.
void Checker::Excuse(NodeLoad& load) const {
  for (const auto& [resource, amount] : load.used) {
    std::int64_t& excused = load.excused[resource];
    excused = std::max(excused, amount);
  }
}

// --- Writes

void Checker::OnLoaded(const kube::Object& object) {
  if (object.kind == kube::Kind::kNode) OnNode(options_.start, nullptr, &object);
  if (object.kind != kube::Kind::kPod) return;
  const kube::Pod& pod = object.As<kube::Pod>();
  if (HoldsNode(pod)) Place(options_.start, pod, false);
}

void Checker::OnWrite(const drive::WriteRecord& record) {
  const kube::Object& object = record.after != nullptr ? *record.after : *record.before;
  if (object.kind == kube::Kind::kNode) OnNode(record.at, record.before, record.after);
  if (object.kind == kube::Kind::kPod) OnPod(record);
}

void Checker::OnNode(Time now, const kube::Object* before, const kube::Object* after) {
  NodeLoad& load = nodes_[(after != nullptr ? after : before)->Meta().name];
  load.node = after == nullptr ? nullptr : std::static_pointer_cast<const kube::Node>(after->body);
  if (before == nullptr || !MayForbid(before->As<kube::Node>(), load.node.get())) return;
  load.touched_by_others = now;
  Excuse(load);
}

void Checker::OnPod(const drive::WriteRecord& record) {
  const kube::Pod& pod = (record.after != nullptr ? record.after : record.before)->As<kube::Pod>();
  const std::string& uid = pod.metadata.uid;
  const auto placed = placed_.find(uid);
  if (record.before != nullptr) {
    const std::string& node_before = record.before->As<kube::Pod>().spec.node_name;
    if (!node_before.empty() && node_before != pod.spec.node_name)
      Report(record.at, fmt::format("Pod {} moved from node {} to {}", kube::KeyOf(pod.metadata), node_before,
                                    pod.spec.node_name));
  }
  if (placed != placed_.end()) placed->second.leaving = pod.metadata.deletion_timestamp.has_value();
  const bool holds = record.after != nullptr && HoldsNode(pod);
  if (holds && placed == placed_.end()) {
    const bool bound_by_us =
        std::holds_alternative<drive::Bind>(record.effect.what) && record.user == options_.binder;
    Place(record.at, pod, bound_by_us);
    if (!bound_by_us) nodes_[pod.spec.node_name].touched_by_others = record.at;
  } else if (!holds && placed != placed_.end()) {
    CheckRefusal(record.at, record.before, pod);
    Take(pod);
  }
}

void Checker::Place(Time now, const kube::Pod& pod, bool ours) {
  NodeLoad& load = nodes_[pod.spec.node_name];
  Placed placed{
      .node = pod.spec.node_name, .requests = kube::PodRequests(pod), .slot = SlotOf(pod), .ours = ours};
  placed.raced = load.touched_by_others && now - *load.touched_by_others <= options_.grace;
  if (ours && !placed.raced) CheckBind(now, pod, load, placed.requests);
  if (ours) CheckSlot(now, pod, placed);
  for (const auto& [resource, amount] : placed.requests)
    load.used[resource] += amount;
  if (!ours || placed.raced) Excuse(load);
  for (const kube::Container& container : pod.spec.containers) {
    for (const kube::ContainerPort& port : container.ports) {
      if (port.host_port > 0)
        load.ports[pod.metadata.uid].push_back({port.host_port, port.protocol, port.host_ip});
    }
  }
  if (!placed.slot.empty()) slots_[placed.slot] = pod.metadata.uid;
  placed_.emplace(pod.metadata.uid, std::move(placed));
}

void Checker::Take(const kube::Pod& pod) {
  const auto found = placed_.find(pod.metadata.uid);
  NodeLoad& load = nodes_[found->second.node];
  for (const auto& [resource, amount] : found->second.requests) {
    std::int64_t& used = load.used[resource];
    used -= amount;
    const auto excused = load.excused.find(resource);
    if (excused != load.excused.end()) excused->second = std::min(excused->second, used);
  }
  load.ports.erase(pod.metadata.uid);
  const auto slot = slots_.find(found->second.slot);
  if (slot != slots_.end() && slot->second == pod.metadata.uid) slots_.erase(slot);
  placed_.erase(found);
}

// --- One bind

void Checker::CheckBind(Time now, const kube::Pod& pod, const NodeLoad& load,
                        const kube::ResourceList& requests) {
  const std::string who =
      fmt::format("Pod {} was bound to node {}", kube::KeyOf(pod.metadata), pod.spec.node_name);
  if (load.node == nullptr) {
    Report(now, fmt::format("{}, which does not exist", who));
    return;
  }
  if (const kube::Taint* taint = kube::UntoleratedTaint(*load.node, pod.spec.tolerations))
    Report(now, fmt::format("{}, whose taint {} it does not tolerate", who, kube::ToString(*taint)));
  if (!kube::MatchesNodeConstraints(pod.spec.node_selector, pod.spec.affinity.required_node,
                                    load.node->metadata.labels, load.node->metadata.name))
    Report(now, fmt::format("{}, which its node selector or affinity excludes", who));
  CheckVolumes(now, pod, load);
  CheckPorts(now, pod, load);
  CheckCapacity(now, pod, load, requests);
}

void Checker::CheckVolumes(Time now, const kube::Pod& pod, const NodeLoad& load) {
  for (const std::string& name : pod.spec.claim_names) {
    const kube::Object* claim = api_.Find(kube::Kind::kPersistentVolumeClaim, pod.metadata.namespace_, name);
    if (claim == nullptr) continue;
    const std::string& volume_name = claim->As<kube::PersistentVolumeClaim>().volume_name;
    const kube::Object* volume = api_.Find(kube::Kind::kPersistentVolume, "", volume_name);
    if (volume == nullptr) continue;
    if (!kube::MatchesNodeConstraints({}, volume->As<kube::PersistentVolume>().node_affinity,
                                      load.node->metadata.labels, load.node->metadata.name))
      Report(now, fmt::format("Pod {} was bound to node {}, where its volume {} cannot be",
                              kube::KeyOf(pod.metadata), pod.spec.node_name, volume_name));
  }
}

void Checker::CheckPorts(Time now, const kube::Pod& pod, const NodeLoad& load) {
  for (const kube::Container& container : pod.spec.containers) {
    for (const kube::ContainerPort& port : container.ports) {
      if (port.host_port == 0) continue;
      for (const auto& [uid, taken] : load.ports) {
        const bool collides = std::any_of(taken.begin(), taken.end(), [&](const PortUse& use) {
          return use.port == port.host_port && use.protocol == port.protocol &&
                 (use.ip == port.host_ip || TakesEveryAddress(use.ip) || TakesEveryAddress(port.host_ip));
        });
        if (collides)
          Report(now, fmt::format("Pod {} was bound to node {}, where host port {} is taken",
                                  kube::KeyOf(pod.metadata), pod.spec.node_name, port.host_port));
      }
    }
  }
}

void Checker::CheckCapacity(Time now, const kube::Pod& pod, const NodeLoad& load,
                            const kube::ResourceList& requests) {
  for (const auto& [resource, amount] : requests) {
    if (amount <= 0) continue;
    const auto used = load.used.find(resource);
    const auto excused = load.excused.find(resource);
    const std::int64_t in_use = used == load.used.end() ? 0 : used->second;
    const std::int64_t limit =
        std::max(Allocatable(load, resource), excused == load.excused.end() ? 0 : excused->second);
    if (in_use + amount > limit)
      Report(now, fmt::format("node {} is over-committed by Pod {}: {} requested, {} of {} were in use",
                              pod.spec.node_name, kube::KeyOf(pod.metadata),
                              kube::FormatAmount(resource, amount), kube::FormatAmount(resource, in_use),
                              kube::FormatAmount(resource, Allocatable(load, resource))));
  }
}

void Checker::CheckSlot(Time now, const kube::Pod& pod, const Placed& placed) {
  if (placed.slot.empty()) return;
  const auto taken = slots_.find(placed.slot);
  if (taken == slots_.end()) return;
  const Placed& other = placed_.at(taken->second);
  if (!other.leaving)
    Report(now, fmt::format("Pod {} was bound to node {} while another pod of the same index is on node {}",
                            kube::KeyOf(pod.metadata), placed.node, other.node));
}

void Checker::CheckRefusal(Time now, const kube::Object* before, const kube::Pod& pod) {
  const Placed& placed = placed_.at(pod.metadata.uid);
  if (before == nullptr || pod.status.phase != kube::PodPhase::kFailed ||
      !IsKubeletRefusal(pod.status.reason))
    return;
  if (placed.ours && !placed.raced)
    Report(now, fmt::format("the kubelet of node {} refused Pod {}: {}: {}", placed.node,
                            kube::KeyOf(pod.metadata), pod.status.reason, pod.status.message));
}

// --- Groups and the end

void Checker::OnSettled(Time now, Time until, const std::vector<PartStanding>& standings) {
  for (const PartStanding& standing : standings) {
    if (standing.partial.empty()) {
      partial_.erase(standing.key);
      reported_partial_.erase(standing.key);
    } else {
      partial_.try_emplace(standing.key, now, "").first->second.second = standing.partial;
    }
  }
  for (const auto& [key, since] : partial_) {
    // `until` may be the end of all time.
    if (until <= since.first + options_.grace && until != Time::max()) continue;
    if (reported_partial_.insert(key).second)
      Report(now, fmt::format("{} is placed in part: {}", model::ToString(key), since.second));
  }
}

void Checker::OnEnd(Time now, const model::Cluster& cluster, bool idle) {
  for (const model::NodeEntry& entry : cluster.nodes()) {
    if (entry.Present()) CompareNode(now, cluster, entry);
  }
  for (std::size_t i = 0; i < cluster.pod_slots(); ++i) {
    const model::PodEntry& pod = cluster.pod(model::PodId(i));
    if (pod.pod != nullptr && pod.hold == model::Hold::kAssumed)
      Report(now, fmt::format("the scheduler still assumes Pod {} on a node that the API does not say",
                              kube::KeyOf(pod.pod->metadata)));
  }
  if (idle && !cluster.reservations().empty())
    Report(now,
           fmt::format("the scheduler still keeps {} although every group has ended",
                       Quantify(static_cast<std::int64_t>(cluster.reservations().size()), "reservation")));
}

void Checker::CompareNode(Time now, const model::Cluster& cluster, const model::NodeEntry& entry) {
  const auto found = nodes_.find(entry.name);
  if (found == nodes_.end()) return;
  // Room for pods that others have nominated is not in use, but rightly not free.
  const bool nominated = std::any_of(entry.pods.begin(), entry.pods.end(), [&](model::PodId id) {
    return cluster.pod(id).hold == model::Hold::kNominated;
  });
  if (nominated || !entry.reservations.empty()) return;
  for (std::size_t i = 0; i < cluster.resources().size(); ++i) {
    const model::ResourceId resource(i);
    const std::string& name = cluster.resources().Name(resource);
    const auto used = found->second.used.find(name);
    const std::int64_t by_api = used == found->second.used.end() ? 0 : used->second;
    const std::int64_t by_scheduler = model::NodeEntry::At(entry.used, resource);
    if (by_api != by_scheduler)
      Report(now, fmt::format("the scheduler counts {} in use on node {}, the API says {}",
                              kube::FormatAmount(name, by_scheduler), entry.name,
                              kube::FormatAmount(name, by_api)));
  }
}

}  // namespace cadre::app
