#include "kube/decode_reader.h"
#include "kube/pod.h"

namespace cadre::kube {
namespace {

void ReadContainer(const Reader& container, Container& out) {
  container.Read("name", out.name);
  container.ReadObject("resources", [&](const Reader& resources) {
    resources.Read("requests", out.requests);
    resources.Read("limits", out.limits);
  });
  container.ReadList("ports", out.ports, [](const Reader& port, ContainerPort& to) {
    port.Read("containerPort", to.container_port);
    port.Read("hostPort", to.host_port);
    port.Read("hostIP", to.host_ip);
    port.Read("protocol", to.protocol);
  });
  container.Read("command", out.command);
  container.Read("args", out.args);
  std::string restart_policy;
  container.Read("restartPolicy", restart_policy);
  out.restart_always = restart_policy == "Always";
}

void ReadToleration(const Reader& toleration, Toleration& out) {
  toleration.Read("key", out.key);
  TolerationOperator op;
  toleration.ReadChoice<TolerationOperator>("operator", kTolerationOperators, op);
  out.exists = op.exists;
  out.comparison = op.comparison;
  toleration.Read("value", out.value);
  toleration.Read("effect", out.effect);
  toleration.Read("tolerationSeconds", out.toleration_seconds);
}

void ReadNodeRequirement(const Reader& expression, Requirement& out) {
  expression.Read("key", out.key);
  expression.ReadChoice<SelectorOperator>("operator", kNodeOperators, out.op);
  expression.Read("values", out.values);
}

void ReadPodAffinityTerm(const Reader& term, PodAffinityTerm& out) {
  ReadLabelSelector(term, "labelSelector", out.label_selector);
  ReadLabelSelector(term, "namespaceSelector", out.namespace_selector);
  term.Read("namespaces", out.namespaces);
  term.Read("topologyKey", out.topology_key);
  term.Read("matchLabelKeys", out.match_label_keys);
  term.Read("mismatchLabelKeys", out.mismatch_label_keys);
}

void ReadAffinity(const Reader& affinity, Affinity& out) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  affinity.ReadObject("nodeAffinity", [&](const Reader& node) {
    node.ReadObject(kRequired,
                    [&](const Reader& selector) { ReadNodeSelector(selector, out.required_node.emplace()); });
  });
  affinity.ReadObject("podAffinity", [&](const Reader& pod) {
    pod.ReadList(kRequired, out.required_pod, ReadPodAffinityTerm);
  });
  affinity.ReadObject("podAntiAffinity", [&](const Reader& pod) {
    pod.ReadList(kRequired, out.required_anti_pod, ReadPodAffinityTerm);
  });
}

void ReadSpread(const Reader& constraint, TopologySpreadConstraint& out) {
  constraint.Read("maxSkew", out.max_skew);
  constraint.Read("topologyKey", out.topology_key);
  constraint.ReadChoice<bool>("whenUnsatisfiable", kUnsatisfiable, out.do_not_schedule);
  ReadLabelSelector(constraint, "labelSelector", out.label_selector);
  constraint.Read("minDomains", out.min_domains);
  constraint.ReadChoice<bool>("nodeAffinityPolicy", kHonor, out.honor_node_affinity);
  constraint.ReadChoice<bool>("nodeTaintsPolicy", kHonor, out.honor_node_taints);
  constraint.Read("matchLabelKeys", out.match_label_keys);
}

// A name out of each object of a list.
void ReadNames(const Reader& parent, std::string_view list, std::vector<std::string>& out) {
  parent.ReadList(list, out, [](const Reader& item, std::string& name) { item.Read("name", name); });
}

void ReadVolumes(const Reader& spec, PodSpec& out) {
  struct Volume {};
  std::vector<Volume> volumes;
  spec.ReadList("volumes", volumes, [&](const Reader& volume, Volume&) {
    volume.ReadObject("persistentVolumeClaim", [&](const Reader& claim) {
      std::string name;
      claim.Read("claimName", name);
      out.claim_names.push_back(std::move(name));
    });
    if (volume.Has("ephemeral")) volume.Read("name", out.ephemeral_volumes.emplace_back());
  });
}

// With the host's network every port is one of the node's: the API server's default.
void DefaultHostPorts(std::vector<Container>& containers) {
  for (Container& container : containers) {
    for (ContainerPort& port : container.ports) {
      if (port.host_port == 0) port.host_port = port.container_port;
    }
  }
}

void ReadContainerStatus(const Reader& status, ContainerStatus& out) {
  status.Read("name", out.name);
  status.Read("allocatedResources", out.allocated);
  status.ReadObject("resources", [&](const Reader& resources) { resources.Read("requests", out.actual); });
  status.ReadObject("state", [&](const Reader& state) {
    state.ReadObject("terminated", [&](const Reader& terminated) {
      terminated.Read("exitCode", out.exit_code.emplace(0));
    });
  });
}

bool IsResizeInfeasible(const std::vector<Condition>& conditions) {
  for (const Condition& condition : conditions) {
    if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
  }
  return false;
}

void ReadPodStatus(const Reader& status, PodStatus& out) {
  status.ReadChoice<PodPhase>("phase", kPhases, out.phase);
  status.Read("reason", out.reason);
  status.Read("message", out.message);
  status.Read("nominatedNodeName", out.nominated_node_name);
  status.Read("startTime", out.start_time);
  ReadConditions(status, out.conditions);
  status.ReadList("containerStatuses", out.container_statuses, ReadContainerStatus);
  status.ReadList("initContainerStatuses", out.container_statuses, ReadContainerStatus);
  status.Read("allocatedResources", out.pod_allocated);
  status.ReadObject("resources",
                    [&](const Reader& resources) { resources.Read("requests", out.pod_actual); });
  FinishPodStatus(out);
}

void ReadPlacement(const Reader& spec, PodSpec& out) {
  spec.Read("nodeSelector", out.node_selector);
  spec.ReadObject("affinity", [&](const Reader& affinity) { ReadAffinity(affinity, out.affinity); });
  spec.ReadList("tolerations", out.tolerations, ReadToleration);
  spec.ReadList("topologySpreadConstraints", out.topology_spread, ReadSpread);
  ReadNames(spec, "schedulingGates", out.scheduling_gates);
  ReadNames(spec, "resourceClaims", out.resource_claims);
  spec.Read("nodeName", out.node_name);
  spec.Read("schedulerName", out.scheduler_name);
  spec.Read("priorityClassName", out.priority_class_name);
  spec.Read("priority", out.priority);
  spec.ReadObject("schedulingGroup",
                  [&](const Reader& group) { group.Read("podGroupName", out.scheduling_group); });
}

}  // namespace

void FinishPodSpec(PodSpec& spec) {
  if (spec.scheduler_name.empty()) spec.scheduler_name = PodSpec().scheduler_name;
  if (spec.restart_policy.empty()) spec.restart_policy = PodSpec().restart_policy;
  DefaultRequests(spec);
  if (!spec.host_network) return;
  DefaultHostPorts(spec.init_containers);
  DefaultHostPorts(spec.containers);
}

void FinishPodStatus(PodStatus& status) {
  status.resize_infeasible = IsResizeInfeasible(status.conditions);
}

void FinishPod(Pod& pod) {
  if (pod.metadata.name.empty()) return;
  for (const std::string& volume : pod.spec.ephemeral_volumes) {
    pod.spec.claim_names.push_back(pod.metadata.name + "-" + volume);
  }
}

void ReadNodeSelector(const Reader& selector, NodeSelector& out) {
  selector.ReadList("nodeSelectorTerms", out.terms, [](const Reader& term, NodeSelectorTerm& to) {
    term.ReadList("matchExpressions", to.match_expressions, ReadNodeRequirement);
    term.ReadList("matchFields", to.match_fields, ReadNodeRequirement);
  });
}

void ReadPodSpec(const Reader& spec, PodSpec& out) {
  spec.ReadList("initContainers", out.init_containers, ReadContainer);
  spec.ReadList("containers", out.containers, ReadContainer);
  spec.Read("overhead", out.overhead);
  spec.ReadObject("resources", [&](const Reader& resources) {
    resources.Read("requests", out.pod_requests);
    resources.Read("limits", out.pod_limits);
  });
  ReadPlacement(spec, out);
  ReadVolumes(spec, out);
  spec.Read("restartPolicy", out.restart_policy);
  spec.Read("activeDeadlineSeconds", out.active_deadline_seconds);
  spec.Read("terminationGracePeriodSeconds", out.termination_grace_period_seconds);
  spec.Read("hostname", out.hostname);
  spec.Read("subdomain", out.subdomain);
  spec.Read("hostNetwork", out.host_network);
  FinishPodSpec(out);
}

void ReadPodTemplate(const Reader& parent, std::string_view key, PodTemplate& out) {
  parent.ReadObject(key, [&](const Reader& pod_template) {
    pod_template.ReadObject("metadata", [&](const Reader& metadata) {
      metadata.Read("labels", out.labels);
      metadata.Read("annotations", out.annotations);
    });
    pod_template.ReadObject("spec", [&](const Reader& spec) { ReadPodSpec(spec, out.spec); });
  });
}

void ReadPod(const Reader& root, Pod& out) {
  root.ReadObject("spec", [&](const Reader& spec) { ReadPodSpec(spec, out.spec); });
  root.ReadObject("status", [&](const Reader& status) { ReadPodStatus(status, out.status); });
  FinishPod(out);
}

}  // namespace cadre::kube
