// Shape: all that placement needs to know of a pod, interned, because the pods of a Job are alike.
//
// Labels are not part of it (a Job's pods differ in their index label); they matter only to affinity terms
// and spread constraints and travel with the pod or the template.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/node.h"
#include "kube/pod.h"
#include "model/ids.h"

namespace cadre::model {

// Resource names <-> dense ids. The first four are fixed.
class ResourceNames {
 public:
  static constexpr ResourceId kCpu{0};     // milli-CPU
  static constexpr ResourceId kMemory{1};  // bytes
  static constexpr ResourceId kEphemeralStorage{2};
  static constexpr ResourceId kPods{3};

  ResourceNames();
  ResourceId Intern(std::string_view name);
  const std::string& Name(ResourceId id) const { return names_[id.Index()]; }
  std::size_t size() const { return names_.size(); }

 private:
  std::map<std::string, ResourceId, std::less<>> ids_;
  std::vector<std::string> names_;
};

struct Amount {
  ResourceId resource;
  std::int64_t amount = 0;
  bool operator==(const Amount&) const = default;
};

struct HostPort {
  std::int32_t port = 0;
  std::string protocol;
  std::string ip;  // "0.0.0.0" takes the port on every address
  auto operator<=>(const HostPort&) const = default;
};

// Both want the same port: same number and protocol, and the same address or one of them on all addresses.
bool Collide(const HostPort& a, const HostPort& b);

struct Shape {
  std::string namespace_;           // affinity terms without namespaces mean the pod's own
  std::vector<Amount> requests;     // sorted by resource, amounts > 0, "pods" included
  kube::ResourceList request_list;  // the same by name, for messages
  kube::StringMap scheduler_nodes;  // labels of the nodes that its scheduler uses at all; empty: all nodes
  kube::StringMap node_selector;
  std::optional<kube::NodeSelector> node_affinity;
  std::vector<kube::NodeSelector> volume_affinities;  // one per bound volume that has one; all must match
  std::vector<std::string>
      missing_claims;  // claims that do not exist or wait for a consumer: no node can take it yet
  std::vector<kube::Toleration> tolerations;
  std::vector<HostPort> host_ports;
  std::vector<kube::PodAffinityTerm> affinity;         // required
  std::vector<kube::PodAffinityTerm> anti_affinity;    // required
  std::vector<kube::TopologySpreadConstraint> spread;  // only DoNotSchedule ones

  // Labels decide which nodes may take it.
  bool ChoosesNodes() const {
    return !scheduler_nodes.empty() || !node_selector.empty() || node_affinity || !volume_affinities.empty();
  }
  bool HasTerms() const { return !affinity.empty() || !anti_affinity.empty() || !spread.empty(); }
};

// The canonical text of everything in a shape: equal text, equal shape.
std::string CanonicalText(const Shape& shape);

}  // namespace cadre::model
