#include <iterator>
#include <utility>

#include "kube/protobuf_messages.h"

namespace cadre::kube {
namespace {

// For a field whose default is not the empty string.
void ReadNonEmpty(ProtobufReader& value, std::string& out) {
  std::string text;
  value.Read(text);
  if (!text.empty()) out = std::move(text);
}

constexpr auto kContainerPort = FieldsOf<ContainerPort>({
    {2, "hostPort", [](ProtobufReader& value, ContainerPort& out) { value.Read(out.host_port); }},
    {3, "containerPort", [](ProtobufReader& value, ContainerPort& out) { value.Read(out.container_port); }},
    {4, "protocol", [](ProtobufReader& value, ContainerPort& out) { ReadNonEmpty(value, out.protocol); }},
    {5, "hostIP", [](ProtobufReader& value, ContainerPort& out) { value.Read(out.host_ip); }},
});

// ResourceRequirements, straight into what has them.
constexpr auto kContainerResources = FieldsOf<Container>({
    {1, "limits", [](ProtobufReader& value, Container& out) { value.ReadEntry(out.limits); }},
    {2, "requests", [](ProtobufReader& value, Container& out) { value.ReadEntry(out.requests); }},
});

constexpr auto kContainer = FieldsOf<Container>({
    {1, "name", [](ProtobufReader& value, Container& out) { value.Read(out.name); }},
    {3, "command", [](ProtobufReader& value, Container& out) { value.ReadItem(out.command); }},
    {4, "args", [](ProtobufReader& value, Container& out) { value.ReadItem(out.args); }},
    {6, "ports", [](ProtobufReader& value, Container& out) { value.ReadItem(kContainerPort, out.ports); }},
    {8, "resources",
     [](ProtobufReader& value, Container& out) { value.ReadMessage(kContainerResources, out); }},
    {24, "restartPolicy",
     [](ProtobufReader& value, Container& out) { out.restart_always = value.ReadBytes() == "Always"; }},
});

void ReadOperator(ProtobufReader& value, Toleration& out) {
  TolerationOperator op;
  value.ReadChoice<TolerationOperator>(kTolerationOperators, op);
  out.exists = op.exists;
  out.comparison = op.comparison;
}

constexpr auto kToleration = FieldsOf<Toleration>({
    {1, "key", [](ProtobufReader& value, Toleration& out) { value.Read(out.key); }},
    {2, "operator", [](ProtobufReader& value, Toleration& out) { ReadOperator(value, out); }},
    {3, "value", [](ProtobufReader& value, Toleration& out) { value.Read(out.value); }},
    {4, "effect", [](ProtobufReader& value, Toleration& out) { value.Read(out.effect); }},
    {5, "tolerationSeconds",
     [](ProtobufReader& value, Toleration& out) { value.Read(out.toleration_seconds); }},
});

constexpr auto kNodeRequirement = FieldsOf<Requirement>({
    {1, "key", [](ProtobufReader& value, Requirement& out) { value.Read(out.key); }},
    {2, "operator",
     [](ProtobufReader& value, Requirement& out) {
       value.ReadChoice<SelectorOperator>(kNodeOperators, out.op);
     }},
    {3, "values", [](ProtobufReader& value, Requirement& out) { value.ReadItem(out.values); }},
});

constexpr auto kNodeSelectorTerm = FieldsOf<NodeSelectorTerm>({
    {1, "matchExpressions",
     [](ProtobufReader& value, NodeSelectorTerm& out) {
       value.ReadItem(kNodeRequirement, out.match_expressions);
     }},
    {2, "matchFields",
     [](ProtobufReader& value, NodeSelectorTerm& out) {
       value.ReadItem(kNodeRequirement, out.match_fields);
     }},
});

constexpr auto kNodeSelector = FieldsOf<NodeSelector>({
    {1, "nodeSelectorTerms",
     [](ProtobufReader& value, NodeSelector& out) { value.ReadItem(kNodeSelectorTerm, out.terms); }},
});

constexpr auto kPodAffinityTerm = FieldsOf<PodAffinityTerm>({
    {1, "labelSelector",
     [](ProtobufReader& value, PodAffinityTerm& out) { ReadLabelSelector(value, out.label_selector); }},
    {2, "namespaces", [](ProtobufReader& value, PodAffinityTerm& out) { value.ReadItem(out.namespaces); }},
    {3, "topologyKey", [](ProtobufReader& value, PodAffinityTerm& out) { value.Read(out.topology_key); }},
    {4, "namespaceSelector",
     [](ProtobufReader& value, PodAffinityTerm& out) { ReadLabelSelector(value, out.namespace_selector); }},
    {5, "matchLabelKeys",
     [](ProtobufReader& value, PodAffinityTerm& out) { value.ReadItem(out.match_label_keys); }},
    {6, "mismatchLabelKeys",
     [](ProtobufReader& value, PodAffinityTerm& out) { value.ReadItem(out.mismatch_label_keys); }},
});

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

constexpr auto kNodeAffinity = FieldsOf<Affinity>({
    {1, kRequired,
     [](ProtobufReader& value, Affinity& out) { value.ReadMessage(kNodeSelector, out.required_node); }},
});

constexpr auto kPodAffinity = FieldsOf<Affinity>({
    {1, kRequired,
     [](ProtobufReader& value, Affinity& out) { value.ReadItem(kPodAffinityTerm, out.required_pod); }},
});

constexpr auto kPodAntiAffinity = FieldsOf<Affinity>({
    {1, kRequired,
     [](ProtobufReader& value, Affinity& out) { value.ReadItem(kPodAffinityTerm, out.required_anti_pod); }},
});

constexpr auto kAffinity = FieldsOf<Affinity>({
    {1, "nodeAffinity", [](ProtobufReader& value, Affinity& out) { value.ReadMessage(kNodeAffinity, out); }},
    {2, "podAffinity", [](ProtobufReader& value, Affinity& out) { value.ReadMessage(kPodAffinity, out); }},
    {3, "podAntiAffinity",
     [](ProtobufReader& value, Affinity& out) { value.ReadMessage(kPodAntiAffinity, out); }},
});

constexpr auto kTopologySpreadConstraint = FieldsOf<TopologySpreadConstraint>({
    {1, "maxSkew", [](ProtobufReader& value, TopologySpreadConstraint& out) { value.Read(out.max_skew); }},
    {2, "topologyKey",
     [](ProtobufReader& value, TopologySpreadConstraint& out) { value.Read(out.topology_key); }},
    {3, "whenUnsatisfiable",
     [](ProtobufReader& value, TopologySpreadConstraint& out) {
       value.ReadChoice<bool>(kUnsatisfiable, out.do_not_schedule);
     }},
    {4, "labelSelector",
     [](ProtobufReader& value, TopologySpreadConstraint& out) {
       ReadLabelSelector(value, out.label_selector);
     }},
    {5, "minDomains",
     [](ProtobufReader& value, TopologySpreadConstraint& out) { value.Read(out.min_domains); }},
    {6, "nodeAffinityPolicy",
     [](ProtobufReader& value, TopologySpreadConstraint& out) {
       value.ReadChoice<bool>(kHonor, out.honor_node_affinity);
     }},
    {7, "nodeTaintsPolicy",
     [](ProtobufReader& value, TopologySpreadConstraint& out) {
       value.ReadChoice<bool>(kHonor, out.honor_node_taints);
     }},
    {8, "matchLabelKeys",
     [](ProtobufReader& value, TopologySpreadConstraint& out) { value.ReadItem(out.match_label_keys); }},
});

// PodSchedulingGate and PodResourceClaim.
constexpr auto kNamed = FieldsOf<std::string>({
    {1, "name", [](ProtobufReader& value, std::string& out) { value.Read(out); }},
});

struct VolumeParts {
  std::string name;
  std::optional<std::string> claim_name;
  bool is_ephemeral = false;
};
constexpr auto kVolumeClaim = FieldsOf<std::string>({
    {1, "claimName", [](ProtobufReader& value, std::string& out) { value.Read(out); }},
});

constexpr auto kVolumeSource = FieldsOf<VolumeParts>({
    {10, "persistentVolumeClaim",
     [](ProtobufReader& value, VolumeParts& out) { value.ReadMessage(kVolumeClaim, out.claim_name); }},
    {29, "ephemeral",
     [](ProtobufReader& value, VolumeParts& out) { value.ReadBytes(), out.is_ephemeral = true; }},
});

// JSON has the fields of the source beside the name.
constexpr auto kVolume = FieldsOf<VolumeParts>({
    {1, "name", [](ProtobufReader& value, VolumeParts& out) { value.Read(out.name); }},
    {2, "volumeSource",
     [](ProtobufReader& value, VolumeParts& out) { value.ReadMessage(kVolumeSource, out); }},
});

void ReadVolume(ProtobufReader& value, PodSpec& out) {
  VolumeParts volume;
  value.ReadMessage(kVolume, volume);
  if (volume.claim_name) out.claim_names.push_back(*std::move(volume.claim_name));
  if (volume.is_ephemeral) out.ephemeral_volumes.push_back(std::move(volume.name));
}

constexpr auto kPodResources = FieldsOf<PodSpec>({
    {1, "limits", [](ProtobufReader& value, PodSpec& out) { value.ReadEntry(out.pod_limits); }},
    {2, "requests", [](ProtobufReader& value, PodSpec& out) { value.ReadEntry(out.pod_requests); }},
});

constexpr auto kSchedulingGroup = FieldsOf<PodSpec>({
    {1, "podGroupName", [](ProtobufReader& value, PodSpec& out) { value.Read(out.scheduling_group); }},
});

constexpr auto kPodSpec = FieldsOf<PodSpec>({
    {1, "volumes", [](ProtobufReader& value, PodSpec& out) { ReadVolume(value, out); }},
    {2, "containers",
     [](ProtobufReader& value, PodSpec& out) { value.ReadItem(kContainer, out.containers); }},
    {3, "restartPolicy", [](ProtobufReader& value, PodSpec& out) { value.Read(out.restart_policy); }},
    {4, "terminationGracePeriodSeconds",
     [](ProtobufReader& value, PodSpec& out) { value.Read(out.termination_grace_period_seconds); }},
    {5, "activeDeadlineSeconds",
     [](ProtobufReader& value, PodSpec& out) { value.Read(out.active_deadline_seconds); }},
    {7, "nodeSelector", [](ProtobufReader& value, PodSpec& out) { value.ReadEntry(out.node_selector); }},
    {10, "nodeName", [](ProtobufReader& value, PodSpec& out) { value.Read(out.node_name); }},
    {11, "hostNetwork", [](ProtobufReader& value, PodSpec& out) { value.Read(out.host_network); }},
    {16, "hostname", [](ProtobufReader& value, PodSpec& out) { value.Read(out.hostname); }},
    {17, "subdomain", [](ProtobufReader& value, PodSpec& out) { value.Read(out.subdomain); }},
    {18, "affinity", [](ProtobufReader& value, PodSpec& out) { value.ReadMessage(kAffinity, out.affinity); }},
    {19, "schedulerName", [](ProtobufReader& value, PodSpec& out) { value.Read(out.scheduler_name); }},
    {20, "initContainers",
     [](ProtobufReader& value, PodSpec& out) { value.ReadItem(kContainer, out.init_containers); }},
    {22, "tolerations",
     [](ProtobufReader& value, PodSpec& out) { value.ReadItem(kToleration, out.tolerations); }},
    {24, "priorityClassName",
     [](ProtobufReader& value, PodSpec& out) { value.Read(out.priority_class_name); }},
    {25, "priority", [](ProtobufReader& value, PodSpec& out) { value.Read(out.priority); }},
    {32, "overhead", [](ProtobufReader& value, PodSpec& out) { value.ReadEntry(out.overhead); }},
    {33, "topologySpreadConstraints",
     [](ProtobufReader& value, PodSpec& out) {
       value.ReadItem(kTopologySpreadConstraint, out.topology_spread);
     }},
    {38, "schedulingGates",
     [](ProtobufReader& value, PodSpec& out) { value.ReadItem(kNamed, out.scheduling_gates); }},
    {39, "resourceClaims",
     [](ProtobufReader& value, PodSpec& out) { value.ReadItem(kNamed, out.resource_claims); }},
    {40, "resources", [](ProtobufReader& value, PodSpec& out) { value.ReadMessage(kPodResources, out); }},
    {43, "schedulingGroup",
     [](ProtobufReader& value, PodSpec& out) { value.ReadMessage(kSchedulingGroup, out); }},
});

constexpr auto kTerminated = FieldsOf<std::int32_t>({
    {1, "exitCode", [](ProtobufReader& value, std::int32_t& out) { value.Read(out); }},
});

constexpr auto kContainerState = FieldsOf<ContainerStatus>({
    {3, "terminated",
     [](ProtobufReader& value, ContainerStatus& out) { value.ReadMessage(kTerminated, out.exit_code); }},
});

constexpr auto kActualResources = FieldsOf<ResourceList>({
    {2, "requests", [](ProtobufReader& value, ResourceList& out) { value.ReadEntry(out); }},
});

constexpr auto kContainerStatus = FieldsOf<ContainerStatus>({
    {1, "name", [](ProtobufReader& value, ContainerStatus& out) { value.Read(out.name); }},
    {2, "state",
     [](ProtobufReader& value, ContainerStatus& out) { value.ReadMessage(kContainerState, out); }},
    {10, "allocatedResources",
     [](ProtobufReader& value, ContainerStatus& out) { value.ReadEntry(out.allocated); }},
    {11, "resources",
     [](ProtobufReader& value, ContainerStatus& out) { value.ReadMessage(kActualResources, out.actual); }},
});

struct PodStatusParts {
  PodStatus status;
  std::vector<ContainerStatus> init_containers;
};
constexpr auto kPodStatus = FieldsOf<PodStatusParts>({
    {1, "phase",
     [](ProtobufReader& value, PodStatusParts& out) {
       value.ReadChoice<PodPhase>(kPhases, out.status.phase);
     }},
    {2, "conditions",
     [](ProtobufReader& value, PodStatusParts& out) { ReadConditionItem(value, out.status.conditions); }},
    {3, "message", [](ProtobufReader& value, PodStatusParts& out) { value.Read(out.status.message); }},
    {4, "reason", [](ProtobufReader& value, PodStatusParts& out) { value.Read(out.status.reason); }},
    {7, "startTime", [](ProtobufReader& value, PodStatusParts& out) { value.Read(out.status.start_time); }},
    {8, "containerStatuses",
     [](ProtobufReader& value, PodStatusParts& out) {
       value.ReadItem(kContainerStatus, out.status.container_statuses);
     }},
    {10, "initContainerStatuses",
     [](ProtobufReader& value, PodStatusParts& out) {
       value.ReadItem(kContainerStatus, out.init_containers);
     }},
    {11, "nominatedNodeName",
     [](ProtobufReader& value, PodStatusParts& out) { value.Read(out.status.nominated_node_name); }},
    {19, "allocatedResources",
     [](ProtobufReader& value, PodStatusParts& out) { value.ReadEntry(out.status.pod_allocated); }},
    {20, "resources",
     [](ProtobufReader& value, PodStatusParts& out) {
       value.ReadMessage(kActualResources, out.status.pod_actual);
     }},
});

void ReadPodStatus(ProtobufReader& value, PodStatus& out) {
  PodStatusParts parts;
  value.ReadMessage(kPodStatus, parts);
  out = std::move(parts.status);
  out.container_statuses.insert(out.container_statuses.end(),
                                std::make_move_iterator(parts.init_containers.begin()),
                                std::make_move_iterator(parts.init_containers.end()));
  FinishPodStatus(out);
}

void ReadPodSpec(ProtobufReader& value, PodSpec& out) {
  value.ReadMessage(kPodSpec, out);
  FinishPodSpec(out);
}

constexpr auto kPod = FieldsOf<Pod>({
    {1, "metadata", [](ProtobufReader& value, Pod& out) { ReadObjectMeta(value, out.metadata); }},
    {2, "spec", [](ProtobufReader& value, Pod& out) { ReadPodSpec(value, out.spec); }},
    {3, "status", [](ProtobufReader& value, Pod& out) { ReadPodStatus(value, out.status); }},
});

constexpr auto kPodTemplateMeta = FieldsOf<PodTemplate>({
    {11, "labels", [](ProtobufReader& value, PodTemplate& out) { value.ReadEntry(out.labels); }},
    {12, "annotations", [](ProtobufReader& value, PodTemplate& out) { value.ReadEntry(out.annotations); }},
});

constexpr auto kPodTemplate = FieldsOf<PodTemplate>({
    {1, "metadata",
     [](ProtobufReader& value, PodTemplate& out) { value.ReadMessage(kPodTemplateMeta, out); }},
    {2, "spec", [](ProtobufReader& value, PodTemplate& out) { ReadPodSpec(value, out.spec); }},
});

}  // namespace

void ReadPodTemplateSpec(ProtobufReader& value, PodTemplate& out) {
  value.ReadMessage(kPodTemplate, out);
}

std::expected<void, FieldError> ReadPodProtobuf(std::string_view bytes, Pod& out) {
  std::expected<void, FieldError> read = ReadProtobuf(bytes, kPod, out);
  if (read) FinishPod(out);
  return read;
}

}  // namespace cadre::kube
