// Cluster: what the scheduler knows of nodes, pods and volumes; a fold over API objects plus what has been
// decided and not yet seen back.
//
// Free capacity of a node = allocatable − Σ requests of every pod that holds resources there. A pod holds
// resources where it is bound (until it is terminal or gone; terminating pods count), where the core assumed
// it, or where another scheduler nominated it. Applying events one by one and building from a list give the
// same state (Fingerprint()). Ownership: owns everything it returns references to; references live until the
// next non-const call. Thread rule: one writer; a const Cluster may be read from many threads. It is what
// `match` calls the snapshot. Bounds: grows with the objects; a node that is gone and has no pods gives its
// slot back.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/object.h"
#include "kube/volume.h"
#include "model/change_log.h"
#include "model/claim.h"
#include "model/ids.h"
#include "model/shape.h"

namespace cadre::model {

enum class Hold : std::uint8_t {
  kNone,       // holds nothing: unbound, or terminal
  kBound,      // spec.nodeName
  kAssumed,    // the core decided; the API server has not confirmed yet
  kNominated,  // status.nominatedNodeName of another scheduler's pod
};

struct PodEntry {
  std::shared_ptr<const kube::Pod> pod;
  ShapeId shape;
  NodeId node;  // valid unless hold is kNone
  Hold hold = Hold::kNone;
  TenantId tenant;  // the gang it is a member of; invalid: it is on its own
};

// Room kept for a member whose pod does not exist yet (a later stage of a placed group).
struct Reservation {
  ShapeId shape;
  NodeId node;
  kube::StringMap labels;
  TenantId tenant = {};  // as of a pod
};

struct NodeEntry {
  std::string name;
  std::shared_ptr<const kube::Node> node;  // null: gone, or only named by a pod
  std::vector<std::int64_t>
      allocatable;                 // by ResourceId; may be shorter than the number of resources: rest is 0
  std::vector<std::int64_t> used;  // the same
  std::vector<std::int64_t> permanent;  // the part of `used` that DaemonSet and static pods hold
  std::set<PodId> pods;                 // that hold resources here
  std::set<std::string> reservations;   // keys of reservations here
  std::int32_t gang_pods = 0;           // pods and reservations here that are members of gangs
  std::int32_t lone_pods = 0;           // the others, but for those of DaemonSets and static ones
  bool Present() const { return node != nullptr; }
  std::int64_t Free(ResourceId resource) const { return At(allocatable, resource) - At(used, resource); }
  // With only DaemonSet and static pods on it: what an emptier cluster could offer.
  std::int64_t FreeWhenEmpty(ResourceId resource) const {
    return At(allocatable, resource) - At(permanent, resource);
  }
  static std::int64_t At(const std::vector<std::int64_t>& row, ResourceId resource) {
    return resource.Index() < row.size() ? row[resource.Index()] : 0;
  }
};

// What is new of a node, for those who follow the cluster.
enum class NodeNews : std::uint8_t {
  kUse,    // what is on it
  kTerms,  // its capacity, taints or cordon
  kPlace,  // it came, went, or has other labels
};

struct NodeChange {
  NodeId node;
  NodeNews news;
};

// A pod that an empty node would still have: of a DaemonSet, or the mirror of a static pod (owned by its
// Node).
bool IsPermanent(const kube::Pod& pod);

class Cluster {
 public:
  // `scheduler_names`: pods with these spec.schedulerName are ours; nominations of others count. Empty: all
  // are ours. `scheduler_nodes`: pods may only be placed on nodes with these labels; empty: on all.
  explicit Cluster(std::set<std::string> scheduler_names = {}, kube::StringMap scheduler_nodes = {});

  // The fold. Kinds other than Node, Pod, PersistentVolume, PersistentVolumeClaim and StorageClass are
  // ignored. An older resourceVersion of the same UID is ignored.
  void Apply(const kube::Object& object, bool deleted);

  // The core decided that this pod goes there. Ends when the pod is seen bound (anywhere), is deleted, or
  // Forget is called. REQUIRES: the pod is known, unbound and not terminal.
  void Assume(PodId pod, NodeId node);
  void Forget(PodId pod);  // no-op unless assumed

  // Keeps room under a key of the caller's; replaces what the key held before. Not part of Fingerprint():
  // reservations follow from the groups.
  void Reserve(const std::string& key, Reservation reservation);
  void Release(const std::string& key);  // no-op when unknown
  const std::map<std::string, Reservation>& reservations() const { return reservations_; }

  // Shapes. The namespace gives affinity terms and claims their meaning. Claims are looked up now, so a shape
  // of a pod whose claims change is made again by Apply.
  ShapeId InternShape(const kube::PodSpec& spec, std::string_view namespace_name);
  const Shape& shape(ShapeId id) const { return shapes_[id.Index()]; }

  std::span<const NodeEntry> nodes() const { return nodes_; }
  const NodeEntry& node(NodeId id) const { return nodes_[id.Index()]; }
  NodeId FindNode(std::string_view name) const;  // invalid when unknown
  // Every known node in name order, the ones that are gone or only named by a pod too (see Present()).
  const std::map<std::string, NodeId, std::less<>>& nodes_by_name() const { return node_ids_; }

  const PodEntry& pod(PodId id) const { return pods_[id.Index()]; }
  PodId FindPod(std::string_view uid) const;              // invalid when unknown
  std::size_t pod_slots() const { return pods_.size(); }  // pods[i].pod is null for a free slot

  // Pods with required anti-affinity that hold resources: their terms bind newcomers too (symmetry).
  const std::set<PodId>& anti_affinity_pods() const { return anti_affinity_pods_; }

  // Labels of a namespace, for namespaceSelectors; null when unknown.
  const kube::StringMap* NamespaceLabels(std::string_view name) const;

  // Claims and who may enter what they hold. What `match` does with them: match/territory.h. Not part of
  // Fingerprint(): they follow from the groups and their owners.
  TenantId InternTenant(const Tenant& tenant);
  const Tenant& tenant(TenantId id) const { return tenants_[id.Index()]; }
  void SetTenant(PodId pod, TenantId tenant);  // invalid: on its own. REQUIRES: the pod is known
  void SetClaim(Claim claim);                  // replaces what the holder held before
  void DropClaim(const Tenant& holder);        // no-op when it holds none
  const std::map<Tenant, Claim>& domain_claims() const { return domain_claims_; }
  // Units of this group (as in Tenant) whose pods or reservations hold resources.
  std::vector<std::string> HoldingUnits(std::string_view group) const;

  const ResourceNames& resources() const { return resources_; }

  // Grows whenever something changed that could let a waiting group in: capacity freed, a node added or
  // changed, a pod gone, labels changed, a volume bound.
  std::uint64_t room_version() const { return room_version_; }
  // Grows whenever a pod takes its place: what lets in a group whose affinity or spread looks for pods.
  std::uint64_t pods_version() const { return pods_version_; }

  // Every change of a node that placement could see, and every claim that came, went or changed (its holder).
  // Unlike the versions these tell of what a Hypothesis changes and takes back, too.
  const ChangeLog<NodeChange>& node_changes() const { return node_changes_; }
  const ChangeLog<Tenant>& claim_changes() const { return claim_changes_; }

  // Canonical text of all state that follows from API objects, without assumptions and reservations: equal
  // for equal states. For tests: it copies the cluster.
  std::string Fingerprint() const;

 private:
  friend class Hypothesis;

  void ApplyNode(const std::shared_ptr<const kube::Node>& node, bool deleted);
  void ApplyPod(const std::shared_ptr<const kube::Pod>& pod, bool deleted);
  void ApplyVolumeObject(const kube::Object& object, bool deleted);
  void Attach(PodId id, NodeId node, Hold hold);
  NodeId Detach(PodId id);                   // the node it left; the caller releases it
  NodeId Unreserve(const std::string& key);  // the same
  void AddUsage(NodeId node, ShapeId shape, bool permanent, TenantId tenant, std::int32_t sign);
  void CountTenant(NodeEntry& node, bool permanent, TenantId tenant, std::int32_t sign);
  void NoteChange(NodeId node, NodeNews news);
  void PutClaim(Claim claim);
  void EraseClaim(std::map<Tenant, Claim>::const_iterator claim);
  NodeId InternNode(std::string_view name);
  void ReleaseNodeIfUnused(NodeId id);
  bool IsOurs(const kube::Pod& pod) const;
  Shape BuildShape(const kube::PodSpec& spec, std::string_view namespace_name);
  ShapeId InternBuilt(Shape shape);
  ShapeId ShapeOf(const kube::Pod& pod);
  void RefreshClaimShapes();
  std::string NodeFingerprint(const NodeEntry& node) const;
  void ForgetDecisions();
  std::string FingerprintOfAll() const;

  std::set<std::string> scheduler_names_;
  kube::StringMap scheduler_nodes_;
  ResourceNames resources_;
  std::vector<Shape> shapes_;
  std::unordered_map<std::string, ShapeId> shape_ids_;  // by canonical text
  std::vector<NodeEntry> nodes_;
  std::map<std::string, NodeId, std::less<>> node_ids_;
  std::vector<std::uint32_t> free_nodes_;
  std::vector<PodEntry> pods_;
  std::map<std::string, PodId, std::less<>> pod_ids_;  // by UID
  std::vector<std::uint32_t> free_pods_;
  std::set<PodId> anti_affinity_pods_;
  std::map<std::string, Reservation> reservations_;
  std::map<std::string, std::shared_ptr<const kube::PersistentVolume>, std::less<>> volumes_;
  std::map<std::string, std::shared_ptr<const kube::PersistentVolumeClaim>, std::less<>>
      claims_;  // "ns/name"
  std::map<std::string, std::shared_ptr<const kube::StorageClass>, std::less<>> storage_classes_;
  std::map<std::string, kube::StringMap, std::less<>> namespaces_;
  std::vector<Tenant> tenants_;
  std::map<Tenant, TenantId> tenant_ids_;
  std::vector<std::int32_t> holds_of_tenant_;  // by TenantId: pods and reservations that hold resources
  std::map<Tenant, Claim> domain_claims_;
  ChangeLog<NodeChange> node_changes_;
  ChangeLog<Tenant> claim_changes_;
  std::uint64_t room_version_ = 1;
  std::uint64_t pods_version_ = 1;
};

}  // namespace cadre::model
