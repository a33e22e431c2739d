#include "model/cluster.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace cadre::model {
namespace {

// A follower that lags behind by more than this looks at everything once, which is no more work.
constexpr std::size_t kLeastChangesKept = 4096;

void Grow(std::vector<std::int64_t>& row, std::size_t size) {
  if (row.size() < size) row.resize(size, 0);
}

bool SameTerms(const kube::Node& a, const kube::Node& b) {
  const auto taints = [](const kube::Node& node) {
    std::vector<std::string> texts;
    for (const kube::Taint& taint : node.spec.taints)
      texts.push_back(kube::ToString(taint));
    return texts;
  };
  return a.spec.unschedulable == b.spec.unschedulable && a.status.allocatable == b.status.allocatable &&
         taints(a) == taints(b);
}

}  // namespace

bool IsPermanent(const kube::Pod& pod) {
  const kube::OwnerReference* owner = pod.metadata.Controller();
  return owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node");
}

Cluster::Cluster(std::set<std::string> scheduler_names, kube::StringMap scheduler_nodes)
    : scheduler_names_(std::move(scheduler_names)), scheduler_nodes_(std::move(scheduler_nodes)) {}

void Cluster::Apply(const kube::Object& object, bool deleted) {
  switch (object.kind) {
    case kube::Kind::kNode:
      ApplyNode(std::dynamic_pointer_cast<const kube::Node>(object.body), deleted);
      break;
    case kube::Kind::kPod:
      ApplyPod(std::dynamic_pointer_cast<const kube::Pod>(object.body), deleted);
      break;
    case kube::Kind::kNamespace:
      if (deleted) {
        namespaces_.erase(object.Meta().name);
      } else {
        namespaces_[object.Meta().name] = object.Meta().labels;
      }
      ++room_version_;
      break;
    case kube::Kind::kPersistentVolume:
    case kube::Kind::kPersistentVolumeClaim:
    case kube::Kind::kStorageClass:
      ApplyVolumeObject(object, deleted);
      break;
    default:
      break;
  }
}

void Cluster::ApplyNode(const std::shared_ptr<const kube::Node>& node, bool deleted) {
  const NodeId id = InternNode(node->metadata.name);
  NodeEntry& entry = nodes_[id.Index()];
  const bool was_present = entry.Present();
  // A node deleted and made anew under one name: the late deletion of the old one does not take the new one
  // away.
  if (deleted && was_present && entry.node->metadata.uid != node->metadata.uid) return;
  if (deleted) {
    // The domain with the fewest pods may go with it, and with that what a spread constraint measures
    // against.
    if (was_present) {
      ++room_version_;
      NoteChange(id, NodeNews::kPlace);
    }
    entry.node = nullptr;
    entry.allocatable.clear();
    ReleaseNodeIfUnused(id);
    return;
  }
  if (was_present && entry.node->metadata.uid == node->metadata.uid &&
      entry.node->metadata.resource_version > node->metadata.resource_version) {
    return;
  }
  if (!was_present || entry.node->metadata.labels != node->metadata.labels) {
    ++room_version_;
    NoteChange(id, NodeNews::kPlace);
  } else if (!SameTerms(*entry.node, *node)) {
    ++room_version_;
    NoteChange(id, NodeNews::kTerms);
  }
  entry.node = node;
  entry.allocatable.clear();
  for (const auto& [name, amount] : node->status.allocatable) {
    const ResourceId resource = resources_.Intern(name);
    Grow(entry.allocatable, resource.Index() + 1);
    entry.allocatable[resource.Index()] = amount;
  }
}

bool Cluster::IsOurs(const kube::Pod& pod) const {
  return scheduler_names_.empty() || scheduler_names_.contains(pod.spec.scheduler_name);
}

void Cluster::ApplyPod(const std::shared_ptr<const kube::Pod>& pod, bool deleted) {
  PodId id = FindPod(pod->metadata.uid);
  if (deleted) {
    if (!id.Valid()) return;
    const NodeId left = Detach(id);
    pods_[id.Index()] = PodEntry{};
    free_pods_.push_back(id.value);
    pod_ids_.erase(pod->metadata.uid);
    ReleaseNodeIfUnused(left);
    return;
  }
  if (!id.Valid()) {
    if (free_pods_.empty()) {
      id = PodId(pods_.size());
      pods_.emplace_back();
    } else {
      id = PodId(free_pods_.back());
      free_pods_.pop_back();
    }
    pod_ids_.emplace(pod->metadata.uid, id);
  } else if (pods_[id.Index()].pod->metadata.resource_version > pod->metadata.resource_version) {
    return;
  }

  const PodEntry before = pods_[id.Index()];
  Hold hold = Hold::kNone;
  NodeId node;
  if (!kube::IsTerminal(*pod)) {
    if (!pod->spec.node_name.empty()) {
      hold = Hold::kBound;
      node = InternNode(pod->spec.node_name);
    } else if (before.hold == Hold::kAssumed) {
      hold = Hold::kAssumed;
      node = before.node;
    } else if (!pod->status.nominated_node_name.empty() && !IsOurs(*pod)) {
      hold = Hold::kNominated;
      node = InternNode(pod->status.nominated_node_name);
    }
  }
  const ShapeId shape = ShapeOf(*pod);
  // A decision that is confirmed frees nothing and takes nothing.
  const bool stays = before.hold != Hold::kNone && hold != Hold::kNone && before.node == node &&
                     before.shape == shape && IsPermanent(*before.pod) == IsPermanent(*pod);
  const NodeId left = stays ? NodeId{} : Detach(id);
  // Labels and deletion marks matter to the affinity and spread of others.
  const bool relabelled =
      before.pod != nullptr && hold != Hold::kNone &&
      (before.pod->metadata.labels != pod->metadata.labels ||
       before.pod->metadata.deletion_timestamp.has_value() != pod->metadata.deletion_timestamp.has_value());
  if (relabelled) ++room_version_;
  PodEntry& entry = pods_[id.Index()];
  entry.pod = pod;
  entry.shape = shape;
  if (stays) {
    entry.hold = hold;
  } else if (hold != Hold::kNone) {
    Attach(id, node, hold);
  }
  ReleaseNodeIfUnused(left);
}

void Cluster::ApplyVolumeObject(const kube::Object& object, bool deleted) {
  const std::string key = kube::KeyOf(object.Meta());
  // False when it is no news.
  const auto put = [&](auto& map, auto body) {
    const auto found = map.find(key);
    const bool same = found != map.end() && found->second->metadata.uid == body->metadata.uid;
    if (same && found->second->metadata.resource_version > body->metadata.resource_version) return false;
    if (deleted && !same) return false;
    if (deleted) {
      map.erase(found);
    } else {
      map.insert_or_assign(key, std::move(body));
    }
    return true;
  };
  bool news = false;
  if (object.kind == kube::Kind::kPersistentVolume) {
    news = put(volumes_, std::dynamic_pointer_cast<const kube::PersistentVolume>(object.body));
  } else if (object.kind == kube::Kind::kPersistentVolumeClaim) {
    news = put(claims_, std::dynamic_pointer_cast<const kube::PersistentVolumeClaim>(object.body));
  } else {
    news = put(storage_classes_, std::dynamic_pointer_cast<const kube::StorageClass>(object.body));
  }
  if (!news) return;
  RefreshClaimShapes();
  ++room_version_;
}

void Cluster::RefreshClaimShapes() {
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    const PodEntry entry = pods_[i];
    if (entry.pod == nullptr || entry.pod->spec.claim_names.empty()) continue;
    const ShapeId shape = ShapeOf(*entry.pod);
    if (shape == entry.shape) continue;
    const PodId id(i);
    Detach(id);
    pods_[i].shape = shape;
    if (entry.hold != Hold::kNone) Attach(id, entry.node, entry.hold);
  }
}

void Cluster::Assume(PodId pod, NodeId node) {
  const PodEntry& entry = pods_[pod.Index()];
  CADRE_ASSERT(entry.pod != nullptr && entry.pod->spec.node_name.empty() && !kube::IsTerminal(*entry.pod),
               "Cluster::Assume of a pod that is gone, bound or terminal");
  const NodeId left = Detach(pod);
  Attach(pod, node, Hold::kAssumed);
  ReleaseNodeIfUnused(left);
}

void Cluster::Forget(PodId pod) {
  if (pods_[pod.Index()].hold == Hold::kAssumed) ReleaseNodeIfUnused(Detach(pod));
}

void Cluster::Attach(PodId id, NodeId node, Hold hold) {
  PodEntry& entry = pods_[id.Index()];
  entry.node = node;
  entry.hold = hold;
  NodeEntry& on = nodes_[node.Index()];
  on.pods.insert(id);
  AddUsage(node, entry.shape, IsPermanent(*entry.pod), entry.tenant, +1);
  if (!shapes_[entry.shape.Index()].anti_affinity.empty()) anti_affinity_pods_.insert(id);
  ++pods_version_;
}

// The node keeps its slot for now, even if nothing is left of it: the pod may be put there again at once.
NodeId Cluster::Detach(PodId id) {
  PodEntry& entry = pods_[id.Index()];
  if (entry.hold == Hold::kNone) return {};
  const NodeId node = entry.node;
  NodeEntry& on = nodes_[node.Index()];
  on.pods.erase(id);
  AddUsage(node, entry.shape, IsPermanent(*entry.pod), entry.tenant, -1);
  anti_affinity_pods_.erase(id);
  entry.node = NodeId{};
  entry.hold = Hold::kNone;
  ++room_version_;
  return node;
}

void Cluster::AddUsage(NodeId id, ShapeId shape, bool permanent, TenantId tenant, std::int32_t sign) {
  NodeEntry& node = nodes_[id.Index()];
  CountTenant(node, permanent, tenant, sign);
  NoteChange(id, NodeNews::kUse);
  for (const Amount& request : shapes_[shape.Index()].requests) {
    Grow(node.used, request.resource.Index() + 1);
    node.used[request.resource.Index()] += sign * request.amount;
    if (!permanent) continue;
    Grow(node.permanent, request.resource.Index() + 1);
    node.permanent[request.resource.Index()] += sign * request.amount;
  }
}

void Cluster::CountTenant(NodeEntry& node, bool permanent, TenantId tenant, std::int32_t sign) {
  if (tenant.Valid()) {
    node.gang_pods += sign;
    holds_of_tenant_[tenant.Index()] += sign;
  } else if (!permanent) {
    node.lone_pods += sign;
  }
}

void Cluster::NoteChange(NodeId node, NodeNews news) {
  node_changes_.Note({node, news}, std::max(kLeastChangesKept, 2 * nodes_.size()));
}

void Cluster::Reserve(const std::string& key, Reservation reservation) {
  const NodeId left = Unreserve(key);
  NodeEntry& node = nodes_[reservation.node.Index()];
  node.reservations.insert(key);
  AddUsage(reservation.node, reservation.shape, false, reservation.tenant, +1);
  reservations_.emplace(key, std::move(reservation));
  ReleaseNodeIfUnused(left);
}

void Cluster::Release(const std::string& key) {
  ReleaseNodeIfUnused(Unreserve(key));
}

NodeId Cluster::Unreserve(const std::string& key) {
  const auto found = reservations_.find(key);
  if (found == reservations_.end()) return {};
  const NodeId id = found->second.node;
  nodes_[id.Index()].reservations.erase(key);
  AddUsage(id, found->second.shape, false, found->second.tenant, -1);
  reservations_.erase(found);
  ++room_version_;
  return id;
}

TenantId Cluster::InternTenant(const Tenant& tenant) {
  const auto [entry, added] = tenant_ids_.try_emplace(tenant, TenantId(tenants_.size()));
  if (added) {
    tenants_.push_back(tenant);
    holds_of_tenant_.push_back(0);
  }
  return entry->second;
}

void Cluster::SetTenant(PodId pod, TenantId tenant) {
  PodEntry& entry = pods_[pod.Index()];
  CADRE_ASSERT(entry.pod != nullptr, "Cluster::SetTenant of a pod that is not known");
  if (entry.tenant == tenant) return;
  if (entry.hold != Hold::kNone) {
    NodeEntry& node = nodes_[entry.node.Index()];
    const bool permanent = IsPermanent(*entry.pod);
    CountTenant(node, permanent, entry.tenant, -1);
    CountTenant(node, permanent, tenant, +1);
    NoteChange(entry.node, NodeNews::kUse);
    ++room_version_;
  }
  entry.tenant = tenant;
}

std::vector<std::string> Cluster::HoldingUnits(std::string_view group) const {
  std::vector<std::string> units;
  for (auto it = tenant_ids_.lower_bound({std::string(group), {}});
       it != tenant_ids_.end() && it->first.group == group; ++it) {
    if (holds_of_tenant_[it->second.Index()] > 0) units.push_back(it->first.unit);
  }
  return units;
}

void Cluster::SetClaim(Claim claim) {
  const auto found = domain_claims_.find(claim.holder);
  if (found != domain_claims_.end() && found->second == claim) return;
  if (found != domain_claims_.end()) ++room_version_;
  PutClaim(std::move(claim));
}

void Cluster::DropClaim(const Tenant& holder) {
  const auto found = domain_claims_.find(holder);
  if (found == domain_claims_.end()) return;
  EraseClaim(found);
  ++room_version_;
}

void Cluster::PutClaim(Claim claim) {
  claim_changes_.Note(claim.holder, kLeastChangesKept);
  domain_claims_.insert_or_assign(claim.holder, std::move(claim));
}

void Cluster::EraseClaim(std::map<Tenant, Claim>::const_iterator claim) {
  claim_changes_.Note(claim->first, kLeastChangesKept);
  domain_claims_.erase(claim);
}

NodeId Cluster::InternNode(std::string_view name) {
  const auto found = node_ids_.find(name);
  if (found != node_ids_.end()) return found->second;
  NodeId id;
  if (free_nodes_.empty()) {
    id = NodeId(nodes_.size());
    nodes_.emplace_back();
  } else {
    id = NodeId(free_nodes_.back());
    free_nodes_.pop_back();
  }
  nodes_[id.Index()].name = std::string(name);
  node_ids_.emplace(name, id);
  return id;
}

void Cluster::ReleaseNodeIfUnused(NodeId id) {
  if (!id.Valid()) return;
  NodeEntry& entry = nodes_[id.Index()];
  if (entry.Present() || !entry.pods.empty() || !entry.reservations.empty()) return;
  node_ids_.erase(entry.name);
  entry = NodeEntry{};
  free_nodes_.push_back(id.value);
}

NodeId Cluster::FindNode(std::string_view name) const {
  const auto found = node_ids_.find(name);
  return found == node_ids_.end() ? NodeId{} : found->second;
}

PodId Cluster::FindPod(std::string_view uid) const {
  const auto found = pod_ids_.find(uid);
  return found == pod_ids_.end() ? PodId{} : found->second;
}

const kube::StringMap* Cluster::NamespaceLabels(std::string_view name) const {
  const auto found = namespaces_.find(name);
  return found == namespaces_.end() ? nullptr : &found->second;
}

std::string Cluster::NodeFingerprint(const NodeEntry& node) const {
  // By name: the order of the ids is that in which the names were first seen.
  std::map<std::string_view, std::string> amounts;
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    const ResourceId resource(i);
    const std::int64_t allocatable = NodeEntry::At(node.allocatable, resource);
    const std::int64_t used = NodeEntry::At(node.used, resource);
    const std::int64_t permanent = NodeEntry::At(node.permanent, resource);
    if (allocatable == 0 && used == 0 && permanent == 0) continue;
    amounts.emplace(resources_.Name(resource), fmt::format("{}/{}/{}", allocatable, used, permanent));
  }
  std::string text = node.Present() ? fmt::format("node {} {} rv={}", node.name, node.node->metadata.uid,
                                                  node.node->metadata.resource_version)
                                    : fmt::format("node {} absent", node.name);
  for (const auto& [name, amount] : amounts)
    text += fmt::format(" {}={}", name, amount);
  std::set<std::string_view> uids;
  for (const PodId pod : node.pods)
    uids.insert(pods_[pod.Index()].pod->metadata.uid);
  for (const std::string_view uid : uids)
    text += fmt::format(" {}", uid);
  return text + "\n";
}

std::string Cluster::Fingerprint() const {
  Cluster facts = *this;
  facts.ForgetDecisions();
  return facts.FingerprintOfAll();
}

void Cluster::ForgetDecisions() {
  while (!reservations_.empty()) {
    const std::string key = reservations_.begin()->first;
    Release(key);
  }
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if (pods_[i].pod != nullptr) Forget(PodId(i));
  }
}

std::string Cluster::FingerprintOfAll() const {
  std::string text;
  for (const auto& [name, id] : node_ids_) {
    const NodeEntry& node = nodes_[id.Index()];
    if (node.Present() || !node.pods.empty()) text += NodeFingerprint(node);
  }
  for (const auto& [uid, id] : pod_ids_) {
    const PodEntry& entry = pods_[id.Index()];
    text += fmt::format("pod {} {} rv={} hold={} node={} shape={}\n", uid, kube::KeyOf(entry.pod->metadata),
                        entry.pod->metadata.resource_version, static_cast<int>(entry.hold),
                        entry.node.Valid() ? nodes_[entry.node.Index()].name : "-",
                        CanonicalText(shapes_[entry.shape.Index()]));
  }
  std::set<std::string_view> repelling;
  for (const PodId pod : anti_affinity_pods_)
    repelling.insert(pods_[pod.Index()].pod->metadata.uid);
  for (const std::string_view uid : repelling)
    text += fmt::format("anti-affinity {}\n", uid);
  for (const auto& [key, claim] : claims_)
    text += fmt::format("claim {} {}\n", key, claim->volume_name);
  for (const auto& [key, volume] : volumes_)
    text += fmt::format("volume {} rv={}\n", key, volume->metadata.resource_version);
  for (const auto& [name, labels] : namespaces_) {
    text += fmt::format("namespace {}", name);
    for (const auto& [key, value] : labels)
      text += fmt::format(" {}={}", key, value);
    text += "\n";
  }
  return text;
}

}  // namespace cadre::model
