// For tests only: nodes, pods and volumes from a few words, and the questions that tests ask a Cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kube/test_support.h"
#include "model/cluster.h"

namespace cadre::model {

template <class T>
kube::Object ObjectOf(kube::Kind kind, T body) {
  return {.kind = kind, .body = std::make_shared<const T>(std::move(body)), .raw = nullptr};
}

struct NodeWords {
  std::string name = "n1";
  std::string uid = "node-1";
  std::uint64_t version = 1;
  kube::ResourceList allocatable = {{"cpu", 8000}, {"pods", 110}};
  kube::StringMap labels = {};
  bool cordoned = false;
};

inline kube::Object NodeOf(NodeWords words) {
  kube::Node node;
  node.metadata.name = std::move(words.name);
  node.metadata.uid = std::move(words.uid);
  node.metadata.resource_version = words.version;
  node.metadata.labels = std::move(words.labels);
  node.spec.unschedulable = words.cordoned;
  node.status.allocatable = std::move(words.allocatable);
  return ObjectOf(kube::Kind::kNode, std::move(node));
}

struct PodWords {
  std::string name = "p1";
  std::uint64_t version = 1;
  std::string node = {};       // spec.nodeName
  std::string nominated = {};  // status.nominatedNodeName
  kube::PodPhase phase = kube::PodPhase::kPending;
  kube::ResourceList requests = {{"cpu", 1000}};
  std::string scheduler = "cadre";
  std::string owner_kind = {};  // of a controlling owner reference
  kube::StringMap labels = {};
  std::vector<std::string> claims = {};
  bool deleting = false;
  std::string namespace_ = "default";
  bool repels_its_like = false;  // required anti-affinity to pods of its own label app
};

// UID: "uid-" and the name.
inline kube::Object PodOf(PodWords words) {
  kube::Pod pod;
  pod.metadata.uid = "uid-" + words.name;
  pod.metadata.name = std::move(words.name);
  pod.metadata.namespace_ = std::move(words.namespace_);
  pod.metadata.resource_version = words.version;
  if (words.deleting) pod.metadata.deletion_timestamp = Time{};
  if (!words.owner_kind.empty()) {
    pod.metadata.owner_references.push_back({.api_version = "apps/v1",
                                             .kind = std::move(words.owner_kind),
                                             .name = "owner",
                                             .uid = "uid-owner",
                                             .controller = true});
  }
  kube::Container container;
  container.name = "main";
  container.requests = std::move(words.requests);
  pod.spec.containers.push_back(std::move(container));
  pod.spec.node_name = std::move(words.node);
  pod.spec.scheduler_name = std::move(words.scheduler);
  pod.spec.claim_names = std::move(words.claims);
  if (words.repels_its_like) {
    kube::PodAffinityTerm term;
    term.label_selector = kube::LabelSelector{};
    term.topology_key = "kubernetes.io/hostname";
    pod.spec.affinity.required_anti_pod.push_back(std::move(term));
  }
  pod.metadata.labels = std::move(words.labels);
  pod.status.phase = words.phase;
  pod.status.nominated_node_name = std::move(words.nominated);
  return ObjectOf(kube::Kind::kPod, std::move(pod));
}

inline kube::Object ClaimOf(std::string name, std::string volume, std::uint64_t version = 1) {
  kube::PersistentVolumeClaim claim;
  claim.metadata.namespace_ = "default";
  claim.metadata.uid = "uid-" + name;
  claim.metadata.name = std::move(name);
  claim.metadata.resource_version = version;
  claim.volume_name = std::move(volume);
  return ObjectOf(kube::Kind::kPersistentVolumeClaim, std::move(claim));
}

// A volume that can be reached from one zone only, or from everywhere.
inline kube::Object VolumeOf(std::string name, std::string zone = {}, std::uint64_t version = 1) {
  kube::PersistentVolume volume;
  volume.metadata.uid = "uid-" + name;
  volume.metadata.name = std::move(name);
  volume.metadata.resource_version = version;
  if (!zone.empty()) {
    kube::NodeSelectorTerm term;
    term.match_expressions.push_back({.key = "topology.kubernetes.io/zone",
                                      .op = kube::SelectorOperator::kIn,
                                      .values = {std::move(zone)}});
    volume.node_affinity = kube::NodeSelector{{std::move(term)}};
  }
  return ObjectOf(kube::Kind::kPersistentVolume, std::move(volume));
}

inline kube::Object NamespaceOf(std::string name, kube::StringMap labels) {
  kube::Resource resource;
  resource.metadata.uid = "uid-ns-" + name;
  resource.metadata.name = std::move(name);
  resource.metadata.labels = std::move(labels);
  return ObjectOf(kube::Kind::kNamespace, std::move(resource));
}

// Free milli-CPU of a node; -1 when it is not known.
inline std::int64_t FreeCpu(const Cluster& cluster, std::string_view node) {
  const NodeId id = cluster.FindNode(node);
  return id.Valid() ? cluster.node(id).Free(ResourceNames::kCpu) : -1;
}

inline const PodEntry& EntryOf(const Cluster& cluster, std::string_view pod) {
  const PodId id = cluster.FindPod(std::string("uid-") + std::string(pod));
  CADRE_ASSERT(id.Valid(), fmt::format("pod {} is not known", pod));
  return cluster.pod(id);
}

}  // namespace cadre::model
