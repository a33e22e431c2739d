#include <gtest/gtest.h>

#include "kube/pod.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

// A pod with one container and more fields of its spec and status, at their indentation.
Pod PodWith(std::string_view spec_fields, std::string_view status_fields = "") {
  return FromYaml(fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n"
                              "  containers: [{{name: main}}]\n{}\nstatus:\n  hostIP: 10.0.0.1\n{}\n",
                              spec_fields, status_fields))
      .As<Pod>();
}

TEST(DecodePod, ReadsContainers) {
  const Object object = FromYaml(R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: main
    command: [sh, -c]
    args: [sleep 5]
    resources:
      requests: {cpu: 500m, memory: 1Gi}
      limits: {cpu: "2", nvidia.com/gpu: 4}
    ports:
    - {containerPort: 80, hostPort: 8080, hostIP: 127.0.0.1, protocol: UDP}
)");
  const Container& main = object.As<Pod>().spec.containers.at(0);
  EXPECT_EQ(main.name, "main");
  EXPECT_EQ(main.command, (std::vector<std::string>{"sh", "-c"}));
  EXPECT_EQ(main.args, (std::vector<std::string>{"sleep 5"}));
  EXPECT_EQ(main.requests, (ResourceList{{"cpu", 500}, {"memory", 1 << 30}, {"nvidia.com/gpu", 4}}));
  EXPECT_EQ(main.limits, (ResourceList{{"cpu", 2000}, {"nvidia.com/gpu", 4}}));
  ASSERT_EQ(main.ports.size(), 1U);
  EXPECT_EQ(main.ports[0].container_port, 80);
  EXPECT_EQ(main.ports[0].host_port, 8080);
  EXPECT_EQ(main.ports[0].host_ip, "127.0.0.1");
  EXPECT_EQ(main.ports[0].protocol, "UDP");
}

TEST(DecodePod, AnInitContainerThatAlwaysRestartsIsASidecar) {
  const Pod pod = PodWith("  initContainers: [{name: proxy, restartPolicy: Always}, {name: setup}]");
  EXPECT_TRUE(pod.spec.init_containers.at(0).restart_always);
  EXPECT_FALSE(pod.spec.init_containers.at(1).restart_always);
}

TEST(DecodePod, WithTheHostsNetworkEveryPortIsAHostPort) {
  const Object object = FromYaml(R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  hostNetwork: true
  containers: [{name: main, ports: [{containerPort: 80}]}]
)");
  EXPECT_EQ(object.As<Pod>().spec.containers[0].ports[0].host_port, 80);
}

TEST(DecodePod, ReadsTolerations) {
  const Pod pod = PodWith(R"(
  tolerations:
  - {key: gpu, operator: Exists, effect: NoSchedule}
  - {key: spot, value: "yes", tolerationSeconds: 30}
  - {key: sla, operator: Gt, value: "950"}
)");
  ASSERT_EQ(pod.spec.tolerations.size(), 3U);
  EXPECT_TRUE(pod.spec.tolerations[0].exists);
  EXPECT_EQ(pod.spec.tolerations[0].effect, "NoSchedule");
  EXPECT_FALSE(pod.spec.tolerations[1].exists);
  EXPECT_EQ(pod.spec.tolerations[1].value, "yes");
  EXPECT_EQ(pod.spec.tolerations[1].toleration_seconds, 30);
  EXPECT_EQ(pod.spec.tolerations[2].comparison, TaintComparison::kGt);
}

TEST(DecodePod, ReadsRequiredNodeAffinity) {
  const Pod pod = PodWith(R"(
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: cores, operator: Gt, values: ["32"]}]
          matchFields: [{key: metadata.name, operator: In, values: [n1]}]
)");
  ASSERT_TRUE(pod.spec.affinity.required_node.has_value());
  const NodeSelectorTerm& term = pod.spec.affinity.required_node->terms.at(0);
  EXPECT_EQ(term.match_expressions.at(0).op, SelectorOperator::kGt);
  EXPECT_EQ(term.match_expressions.at(0).values, std::vector<std::string>{"32"});
  EXPECT_EQ(term.match_fields.at(0).key, "metadata.name");
}

TEST(DecodePod, PreferredAffinityForbidsNothing) {
  const Pod pod = PodWith(R"(
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}
)");
  EXPECT_FALSE(pod.spec.affinity.required_node.has_value());
}

TEST(DecodePod, ReadsPodAffinityAndAntiAffinity) {
  const Pod pod = PodWith(R"(
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - labelSelector: {matchLabels: {app: db}}
        topologyKey: zone
        namespaces: [prod]
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - labelSelector: {matchExpressions: [{key: app, operator: Exists}]}
        namespaceSelector: {}
        topologyKey: kubernetes.io/hostname
        matchLabelKeys: [rev]
        mismatchLabelKeys: [tenant]
)");
  const PodAffinityTerm& near = pod.spec.affinity.required_pod.at(0);
  EXPECT_EQ(near.topology_key, "zone");
  EXPECT_EQ(near.namespaces, std::vector<std::string>{"prod"});
  EXPECT_EQ(ToString(near.label_selector.value()), "app=db");
  EXPECT_FALSE(near.namespace_selector.has_value());
  const PodAffinityTerm& away = pod.spec.affinity.required_anti_pod.at(0);
  EXPECT_EQ(ToString(away.label_selector.value()), "app");
  EXPECT_TRUE(away.namespace_selector.has_value());  // {} means every namespace
  EXPECT_EQ(away.match_label_keys, std::vector<std::string>{"rev"});
  EXPECT_EQ(away.mismatch_label_keys, std::vector<std::string>{"tenant"});
}

TEST(DecodePod, ReadsTopologySpread) {
  const Pod pod = PodWith(R"(
  topologySpreadConstraints:
  - maxSkew: 2
    topologyKey: zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: {matchLabels: {app: web}}
    minDomains: 3
    nodeAffinityPolicy: Ignore
    nodeTaintsPolicy: Honor
    matchLabelKeys: [rev]
)");
  const TopologySpreadConstraint& spread = pod.spec.topology_spread.at(0);
  EXPECT_EQ(spread.max_skew, 2);
  EXPECT_EQ(spread.topology_key, "zone");
  EXPECT_FALSE(spread.do_not_schedule);
  EXPECT_EQ(ToString(spread.label_selector.value()), "app=web");
  EXPECT_EQ(spread.min_domains, 3);
  EXPECT_FALSE(spread.honor_node_affinity);
  EXPECT_TRUE(spread.honor_node_taints);
  EXPECT_EQ(spread.match_label_keys, std::vector<std::string>{"rev"});
}

TEST(DecodePod, TopologySpreadHasKubernetesDefaults) {
  const Pod pod =
      PodWith("  topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]");
  const TopologySpreadConstraint& spread = pod.spec.topology_spread.at(0);
  EXPECT_TRUE(spread.do_not_schedule);
  EXPECT_TRUE(spread.honor_node_affinity);
  EXPECT_FALSE(spread.honor_node_taints);
}

TEST(DecodePod, ReadsTheClaimsOfItsVolumes) {
  const Pod pod = PodWith(R"(
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: my-data}}
  - {name: tmp, emptyDir: {}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}
)");
  EXPECT_EQ(pod.spec.claim_names, (std::vector<std::string>{"my-data", "a-scratch"}));
}

TEST(DecodePod, ReadsWhatElsePlacesAPod) {
  const Pod pod = PodWith(R"(
  nodeSelector: {disk: ssd}
  schedulingGates: [{name: example.com/wait}]
  resourceClaims: [{name: nic, resourceClaimName: nic-1}]
  nodeName: n1
  schedulerName: cadre
  priorityClassName: high
  priority: 1000
  schedulingGroup: {podGroupName: training}
  overhead: {cpu: 10m}
  resources: {requests: {cpu: "3"}}
)");
  EXPECT_EQ(pod.spec.node_selector, (StringMap{{"disk", "ssd"}}));
  EXPECT_EQ(pod.spec.scheduling_gates, std::vector<std::string>{"example.com/wait"});
  EXPECT_EQ(pod.spec.resource_claims, std::vector<std::string>{"nic"});
  EXPECT_EQ(pod.spec.node_name, "n1");
  EXPECT_EQ(pod.spec.scheduler_name, "cadre");
  EXPECT_EQ(pod.spec.priority_class_name, "high");
  EXPECT_EQ(pod.spec.priority, 1000);
  EXPECT_EQ(pod.spec.scheduling_group, "training");
  EXPECT_EQ(pod.spec.overhead, (ResourceList{{"cpu", 10}}));
  EXPECT_EQ(pod.spec.pod_requests, (ResourceList{{"cpu", 3000}}));
}

TEST(DecodePod, ReadsHowItRuns) {
  const Pod pod = PodWith(R"(
  restartPolicy: Never
  activeDeadlineSeconds: 60
  terminationGracePeriodSeconds: 5
  hostname: h
  subdomain: s
)");
  EXPECT_EQ(pod.spec.restart_policy, "Never");
  EXPECT_EQ(pod.spec.active_deadline_seconds, 60);
  EXPECT_EQ(pod.spec.termination_grace_period_seconds, 5);
  EXPECT_EQ(pod.spec.hostname, "h");
  EXPECT_EQ(pod.spec.subdomain, "s");
}

TEST(DecodePod, HasTheApiServersDefaults) {
  const Pod pod = PodWith("");
  EXPECT_EQ(pod.spec.restart_policy, "Always");
  EXPECT_EQ(pod.spec.scheduler_name, "default-scheduler");
  EXPECT_EQ(pod.spec.termination_grace_period_seconds, 30);
  EXPECT_EQ(pod.spec.priority, std::nullopt);
  EXPECT_EQ(pod.status.phase, PodPhase::kPending);
}

TEST(DecodePod, ReadsItsStatus) {
  const Pod pod = PodWith("", R"(
  phase: Failed
  reason: OutOfcpu
  message: Node didn't have enough resource
  nominatedNodeName: n2
  startTime: "2026-01-02T03:04:05Z"
  allocatedResources: {cpu: "2"}
  resources: {requests: {cpu: "1"}}
  initContainerStatuses:
  - {name: setup, state: {terminated: {exitCode: 0}}}
  containerStatuses:
  - name: main
    allocatedResources: {cpu: 700m}
    resources: {requests: {cpu: 600m}}
    state: {terminated: {exitCode: 137}}
  - {name: side, state: {running: {}}}
)");
  EXPECT_EQ(pod.status.phase, PodPhase::kFailed);
  EXPECT_EQ(pod.status.reason, "OutOfcpu");
  EXPECT_EQ(pod.status.nominated_node_name, "n2");
  EXPECT_TRUE(pod.status.start_time.has_value());
  EXPECT_EQ(pod.status.pod_allocated, (ResourceList{{"cpu", 2000}}));
  EXPECT_EQ(pod.status.pod_actual, (ResourceList{{"cpu", 1000}}));
  ASSERT_EQ(pod.status.container_statuses.size(), 3U);
  EXPECT_EQ(pod.status.container_statuses[0].allocated, (ResourceList{{"cpu", 700}}));
  EXPECT_EQ(pod.status.container_statuses[0].actual, (ResourceList{{"cpu", 600}}));
  EXPECT_EQ(pod.status.container_statuses[0].exit_code, 137);
  EXPECT_EQ(pod.status.container_statuses[1].exit_code, std::nullopt);
  EXPECT_EQ(pod.status.container_statuses[2].name, "setup");
}

TEST(DecodePod, AResizeThatTheNodeRefusedIsInfeasible) {
  const auto with_reason = [](std::string_view reason) {
    return PodWith(
        "", fmt::format("  conditions: [{{type: PodResizePending, status: \"True\", reason: {}}}]", reason));
  };
  EXPECT_TRUE(with_reason("Infeasible").status.resize_infeasible);
  EXPECT_FALSE(with_reason("Deferred").status.resize_infeasible);
}

}  // namespace
}  // namespace cadre::kube
