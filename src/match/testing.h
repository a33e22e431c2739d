// For tests of the matcher: clusters and requests in a few words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kube/node.h"
#include "kube/pod.h"
#include "kube/selector.h"
#include "kube/volume.h"
#include "match/match.h"
#include "match/request.h"
#include "model/cluster.h"

namespace cadre::match::testing {

inline constexpr std::string_view kRack = "topology.kubernetes.io/rack";
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kHost = "kubernetes.io/hostname";

// CPUs are whole; "pods" is 110 unless it is given.
inline kube::Node MakeNode(std::string_view name, std::int64_t cpus, kube::StringMap labels = {},
                           kube::ResourceList more = {}) {
  kube::Node node;
  node.metadata.name = std::string(name);
  node.metadata.uid = "node-" + node.metadata.name;
  node.metadata.labels = std::move(labels);
  node.metadata.labels.emplace(std::string(kHost), node.metadata.name);
  node.status.allocatable = std::move(more);
  node.status.allocatable.emplace("cpu", cpus * 1000);
  node.status.allocatable.emplace("pods", 110);
  return node;
}

inline kube::PodSpec MakeSpec(std::int64_t cpus, kube::ResourceList more = {}) {
  kube::PodSpec spec;
  kube::Container container;
  container.name = "main";
  container.requests = std::move(more);
  if (cpus > 0) container.requests.emplace("cpu", cpus * 1000);
  spec.containers.push_back(std::move(container));
  return spec;
}

inline void WantHostPort(kube::PodSpec& spec, std::int32_t port) {
  kube::ContainerPort wanted;
  wanted.container_port = port;
  wanted.host_port = port;
  spec.containers[0].ports.push_back(std::move(wanted));
}

// Tolerates every taint with this key.
inline void Tolerate(kube::PodSpec& spec, std::string_view key) {
  kube::Toleration toleration;
  toleration.key = std::string(key);
  toleration.exists = true;
  spec.tolerations.push_back(std::move(toleration));
}

inline kube::LabelSelector Selects(std::string_view key, std::string_view value) {
  return {{{std::string(key), kube::SelectorOperator::kIn, {std::string(value)}}}};
}

inline kube::PodAffinityTerm MakeTerm(std::string_view key, std::string_view value,
                                      std::string_view topology_key) {
  kube::PodAffinityTerm term;
  term.label_selector = Selects(key, value);
  term.topology_key = std::string(topology_key);
  return term;
}

inline kube::TopologySpreadConstraint MakeSpread(std::string_view key, std::string_view value,
                                                 std::string_view topology_key, std::int32_t max_skew = 1) {
  kube::TopologySpreadConstraint spread;
  spread.max_skew = max_skew;
  spread.topology_key = std::string(topology_key);
  spread.label_selector = Selects(key, value);
  return spread;
}

inline void BelongToDaemonSet(kube::Pod& pod) {
  pod.metadata.owner_references.push_back({.api_version = "apps/v1",
                                           .kind = "DaemonSet",
                                           .name = "agent",
                                           .uid = "ds",
                                           .controller = true,
                                           .block_owner_deletion = true});
}

class World {
 public:
  model::Cluster& cluster() { return cluster_; }
  const model::Cluster& cluster() const { return cluster_; }

  void Add(kube::Node node) {
    cluster_.Apply({kube::Kind::kNode, std::make_shared<kube::Node>(std::move(node)), nullptr}, false);
  }

  // A pod of namespace "default" that is bound there.
  model::PodId Run(std::string_view name, std::string_view node, kube::PodSpec spec,
                   kube::StringMap labels = {}) {
    kube::Pod pod = MakePod(name, std::move(spec), std::move(labels));
    pod.spec.node_name = std::string(node);
    return Add(std::move(pod));
  }

  // The same, owned by a DaemonSet.
  model::PodId RunDaemon(std::string_view name, std::string_view node, kube::PodSpec spec,
                         kube::StringMap labels = {}) {
    kube::Pod pod = MakePod(name, std::move(spec), std::move(labels));
    pod.spec.node_name = std::string(node);
    BelongToDaemonSet(pod);
    return Add(std::move(pod));
  }

  model::PodId Add(kube::Pod pod) {
    const std::string uid = pod.metadata.uid;
    cluster_.Apply({kube::Kind::kPod, std::make_shared<kube::Pod>(std::move(pod)), nullptr}, false);
    return cluster_.FindPod(uid);
  }

  template <class T>
  void AddObject(kube::Kind kind, T object) {
    cluster_.Apply({kind, std::make_shared<T>(std::move(object)), nullptr}, false);
  }

  static kube::Pod MakePod(std::string_view name, kube::PodSpec spec, kube::StringMap labels) {
    kube::Pod pod;
    pod.metadata.name = std::string(name);
    pod.metadata.namespace_ = "default";
    pod.metadata.uid = "pod-" + pod.metadata.name;
    pod.metadata.labels = std::move(labels);
    pod.spec = std::move(spec);
    return pod;
  }

  Member NewMember(const kube::PodSpec& spec, const kube::StringMap& labels = {},
                   std::string_view ns = "default") {
    return {.shape = cluster_.InternShape(spec, ns), .labels = labels, .fixed = {}, .hint = {}};
  }

  // `count` members of one shape.
  Unit Role(std::size_t count, const kube::PodSpec& spec, const kube::StringMap& labels = {}) {
    Unit unit;
    unit.members.assign(count, NewMember(spec, labels));
    return unit;
  }

  model::NodeId Id(std::string_view name) const { return cluster_.FindNode(name); }

  // The names of the nodes of a placement, by member; "-" where a member is not placed.
  std::vector<std::string> Names(const Placement& placement) const {
    std::vector<std::string> names;
    for (const model::NodeId node : placement.nodes)
      names.push_back(node.Valid() ? cluster_.node(node).name : "-");
    return names;
  }

  std::vector<std::string> Place(const Request& request, Limits limits = {}) const {
    const auto placement = Match(cluster_, request, limits);
    return placement ? Names(*placement) : std::vector<std::string>{placement.error().message};
  }

  Diagnosis WhyNot(const Request& request, Limits limits = {}) const {
    const auto placement = Match(cluster_, request, limits);
    return placement ? Diagnosis{No::kNotNow, fmt::format("placed on {}", fmt::join(Names(*placement), " "))}
                     : placement.error();
  }

 private:
  model::Cluster cluster_;
};

inline Request Whole(Unit root) {
  return {std::move(root)};
}

inline Unit Tree(std::vector<Unit> units, std::string_view topology = {}) {
  Unit root;
  root.units = std::move(units);
  root.topology.required = std::string(topology);
  return root;
}

}  // namespace cadre::match::testing
