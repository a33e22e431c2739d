// core/v1 Pod: the fields that placing, running and owning a pod need. Everything else stays in Object::raw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/kind.h"
#include "kube/meta.h"
#include "kube/resources.h"
#include "kube/selector.h"

namespace cadre::kube {

struct ContainerPort {
  std::int32_t container_port = 0;
  std::int32_t host_port = 0;  // 0: none
  std::string host_ip;         // empty means 0.0.0.0
  std::string protocol = "TCP";

  friend bool operator==(const ContainerPort&, const ContainerPort&) = default;
};

struct Container {
  std::string name;
  ResourceList requests;  // after DefaultRequests: a limit without a request counts as one
  ResourceList limits;
  std::vector<ContainerPort> ports;
  std::vector<std::string> command;
  std::vector<std::string> args;
  bool restart_always = false;  // an init container with restartPolicy Always is a sidecar (KEP-753)

  friend bool operator==(const Container&, const Container&) = default;
};

// KEP-5471: a toleration of taints whose number is greater or less than its own.
enum class TaintComparison : std::uint8_t { kNone, kGt, kLt };

struct Toleration {
  std::string key;
  bool exists = false;  // operator Exists; otherwise Equal
  std::string value;
  std::string effect;  // empty: every effect
  std::optional<std::int64_t> toleration_seconds;
  TaintComparison comparison =
      TaintComparison::kNone;  // operator Gt or Lt; `value` and the taint's are integers

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

// One term of a node selector: all of its expressions and fields must match; terms are alternatives.
struct NodeSelectorTerm {
  std::vector<Requirement> match_expressions;
  std::vector<Requirement> match_fields;  // only metadata.name

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;  // an empty term matches nothing

  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;  // none: matches no pod
  std::optional<LabelSelector> namespace_selector;
  std::vector<std::string> namespaces;  // both absent: the pod's own namespace
  std::string topology_key;
  std::vector<std::string> match_label_keys;  // KEP-3633; the API server folds them into label_selector
  std::vector<std::string> mismatch_label_keys;

  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

struct Affinity {
  std::optional<NodeSelector> required_node;
  std::vector<PodAffinityTerm> required_pod;
  std::vector<PodAffinityTerm> required_anti_pod;
  // Preferred terms are not read yet; they never forbid a placement.

  friend bool operator==(const Affinity&, const Affinity&) = default;
};

struct TopologySpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key;
  bool do_not_schedule = true;  // ScheduleAnyway is a preference
  std::optional<LabelSelector> label_selector;
  std::optional<std::int32_t> min_domains;
  bool honor_node_affinity = true;  // nodeAffinityPolicy
  bool honor_node_taints = false;   // nodeTaintsPolicy
  std::vector<std::string> match_label_keys;

  friend bool operator==(const TopologySpreadConstraint&, const TopologySpreadConstraint&) = default;
};

struct PodSpec {
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  ResourceList overhead;
  ResourceList pod_requests;  // spec.resources, pod-level (KEP-2837)
  ResourceList pod_limits;
  StringMap node_selector;
  Affinity affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread;
  // PersistentVolumeClaims of its volumes. A pod's ephemeral volumes count under the name their claim gets,
  // <pod>-<volume>; a template has no pod name yet, so there they are not among these.
  std::vector<std::string> claim_names;
  std::vector<std::string> ephemeral_volumes;  // names of the volumes with a claim template of their own
  std::vector<std::string> scheduling_gates;
  std::vector<std::string>
      resource_claims;  // names; dynamic resource allocation, which Cadre does not handle yet
  std::string node_name;
  std::string scheduler_name = "default-scheduler";
  std::string priority_class_name;
  std::optional<std::int32_t> priority;
  std::string restart_policy = "Always";
  std::optional<std::int64_t> active_deadline_seconds;
  std::int64_t termination_grace_period_seconds = 30;
  std::string scheduling_group;  // spec.schedulingGroup.podGroupName (KEP-4671)
  std::string hostname;
  std::string subdomain;
  bool host_network = false;

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };

struct ContainerStatus {
  std::string name;
  ResourceList allocated;                 // what the node has set aside (in-place resize, KEP-1287)
  ResourceList actual;                    // resources.requests the container runs with now
  std::optional<std::int32_t> exit_code;  // of a terminated container

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

struct PodStatus {
  PodPhase phase = PodPhase::kPending;
  std::string reason;
  std::string message;
  std::string nominated_node_name;
  bool resize_infeasible = false;  // a resize that the node refused: the spec's new size does not count
  std::optional<Time> start_time;
  std::vector<Condition> conditions;
  std::vector<ContainerStatus>
      container_statuses;      // containers first, then init containers; names are unique in a pod
  ResourceList pod_allocated;  // pod level: status.allocatedResources
  ResourceList pod_actual;     // pod level: status.resources.requests

  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

struct Pod : Resource {
  static constexpr Kind kKind = Kind::kPod;
  PodSpec spec;
  PodStatus status;

  friend bool operator==(const Pod&, const Pod&) = default;
};

// metadata and spec of the pods that an owner makes.
struct PodTemplate {
  StringMap labels;
  StringMap annotations;
  PodSpec spec;

  friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};

// Succeeded or Failed: it will never run again and holds nothing on its node.
bool IsTerminal(const Pod& pod);

}  // namespace cadre::kube
