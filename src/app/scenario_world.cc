#include "app/scenario_world.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "groups/sources.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/leaderworkerset.h"
#include "kube/pod.h"
#include "kube/podgroup.h"

namespace cadre::app {

namespace {

std::string OwnerKey(std::string_view kind, std::string_view namespace_, std::string_view name) {
  return fmt::format("{} {}/{}", kind, namespace_, name);
}

std::string OwnerKey(const ObjectRef& ref) {
  return OwnerKey(kube::Info(ref.kind).name, ref.namespace_, ref.name);
}

bool IsLive(const kube::Object& pod) {
  return !kube::IsTerminal(pod.As<kube::Pod>()) && !pod.Meta().deletion_timestamp;
}

bool IsNewer(const kube::Object& a, const kube::Object& b) {
  if (IsLive(a) != IsLive(b)) return IsLive(a);
  return a.Meta().resource_version > b.Meta().resource_version;
}

// Of a LeaderWorkerSet's pod that of its group.
std::optional<std::int32_t> IndexOf(const kube::Object& pod, kube::Kind owner) {
  if (owner != kube::Kind::kLeaderWorkerSet) return kube::CompletionIndex(pod.As<kube::Pod>());
  const auto place = groups::LwsPlaceOf(pod.As<kube::Pod>());
  return place ? std::optional(place->group) : std::nullopt;
}

}  // namespace

bool IsPlaced(const kube::Object& pod) {
  return IsLive(pod) && !pod.As<kube::Pod>().spec.node_name.empty();
}

ScenarioWorld::ScenarioWorld(drive::ObservedApi& api) : api_(api) {
  for (const kube::Object& pod : api.All(kube::Kind::kPod))
    Add(pod);
  api.AddWriteObserver([this](const drive::WriteRecord& record) { OnWrite(record); });
}

std::vector<std::string> ScenarioWorld::OwnersOf(const kube::Object& pod) {
  const kube::ObjectMeta& meta = pod.Meta();
  std::vector<std::string> owners = {OwnerKey("Pod", meta.namespace_, meta.name)};
  if (const kube::OwnerReference* owner = meta.Controller(); owner != nullptr)
    owners.push_back(OwnerKey(owner->kind, meta.namespace_, owner->name));
  if (const auto label = meta.labels.find(kube::kJobSetNameLabel); label != meta.labels.end())
    owners.push_back(OwnerKey("JobSet", meta.namespace_, label->second));
  if (const auto label = meta.labels.find(kube::kSchedulerPluginsPodGroupLabel); label != meta.labels.end())
    owners.push_back(OwnerKey("PodGroup", meta.namespace_, label->second));
  if (const auto label = meta.labels.find(kube::kLwsNameLabel); label != meta.labels.end())
    owners.push_back(OwnerKey("LeaderWorkerSet", meta.namespace_, label->second));
  if (const std::string& group = pod.As<kube::Pod>().spec.scheduling_group; !group.empty())
    owners.push_back(OwnerKey("PodGroup", meta.namespace_, group));
  return owners;
}

void ScenarioWorld::Add(const kube::Object& pod) {
  for (const std::string& owner : OwnersOf(pod))
    pods_[owner].insert_or_assign(kube::KeyOf(pod.Meta()), pod);
}

void ScenarioWorld::Remove(const kube::Object& pod) {
  for (const std::string& owner : OwnersOf(pod)) {
    const auto found = pods_.find(owner);
    if (found == pods_.end()) continue;
    found->second.erase(kube::KeyOf(pod.Meta()));
    if (found->second.empty()) pods_.erase(found);
  }
}

void ScenarioWorld::OnWrite(const drive::WriteRecord& record) {
  const kube::Object* object = record.after != nullptr ? record.after : record.before;
  if (object == nullptr || object->kind != kube::Kind::kPod) return;
  if (record.before == nullptr) ++pod_creates_;
  if (record.before != nullptr) Remove(*record.before);
  if (record.after != nullptr) Add(*record.after);
  if (const auto* bind = std::get_if<drive::Bind>(&record.effect.what); bind != nullptr) {
    ++binds_by_[std::string(record.user)];
    for (const std::string& owner : OwnersOf(*object))
      binds_[owner].push_back({record.at, object->Meta().uid, bind->node, std::string(record.user)});
  }
}

const kube::Object* ScenarioWorld::Find(const ObjectRef& ref) const {
  return api_.Find(ref.kind, ref.namespace_, ref.name);
}

std::vector<kube::Object> ScenarioWorld::PodsOf(const ObjectRef& ref) const {
  std::vector<kube::Object> pods;
  const auto found = pods_.find(OwnerKey(ref));
  if (found == pods_.end()) return pods;
  for (const auto& [name, pod] : found->second) {
    if (!ref.index || IndexOf(pod, ref.kind) == ref.index) pods.push_back(pod);
  }
  return pods;
}

std::optional<kube::Object> ScenarioWorld::FindPod(const ObjectRef& ref) const {
  const std::vector<kube::Object> pods = PodsOf(ref);
  const auto best = std::ranges::min_element(pods, IsNewer);
  if (best == pods.end()) return std::nullopt;
  return *best;
}

const std::vector<BindRecord>& ScenarioWorld::BindsOf(const ObjectRef& ref) const {
  static const std::vector<BindRecord> kNone;
  const auto found = binds_.find(OwnerKey(ref));
  return found == binds_.end() ? kNone : found->second;
}

std::uint64_t ScenarioWorld::binds_by(std::string_view user) const {
  const auto found = binds_by_.find(user);
  return found == binds_by_.end() ? 0 : found->second;
}

}  // namespace cadre::app
