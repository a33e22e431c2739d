#include "sim/kubelet_admission.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cadre::sim {

namespace {

std::int64_t AmountOf(const kube::ResourceList& list, std::string_view resource) {
  const auto found = list.find(resource);
  return found == list.end() ? 0 : found->second;
}

// The kubelet allocates devices before it checks anything else.
std::optional<Rejection> OutOfDevices(const kube::ResourceList& requests,
                                      const kube::ResourceList& allocatable, const kube::ResourceList& used) {
  for (const auto& [resource, amount] : requests) {
    if (!kube::IsExtended(resource) || amount == 0) continue;
    const std::int64_t available = AmountOf(allocatable, resource) - AmountOf(used, resource);
    if (amount <= available) continue;
    return Rejection{
        "UnexpectedAdmissionError",
        fmt::format("Allocate failed due to requested number of devices unavailable for {}. Requested: "
                    "{}, Available: {}, which is unexpected",
                    resource, amount, std::max<std::int64_t>(0, available))};
  }
  return std::nullopt;
}

std::optional<Rejection> OutOfResources(const kube::ResourceList& requests,
                                        const kube::ResourceList& allocatable,
                                        const kube::ResourceList& used) {
  const auto check = [&](std::string_view resource) -> std::optional<Rejection> {
    const std::int64_t amount = AmountOf(requests, resource);
    const std::int64_t capacity = AmountOf(allocatable, resource);
    const std::int64_t taken = AmountOf(used, resource);
    if (amount == 0 || amount <= capacity - taken) return std::nullopt;
    return Rejection{
        fmt::format("OutOf{}", resource),
        fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}", resource,
                    amount, taken, capacity)};
  };
  // The order in which the kubelet looks: the number of pods, then the three that every node has, then the
  // rest.
  constexpr std::array<std::string_view, 4> kFirst = {kube::kPods, kube::kCpu, kube::kMemory,
                                                      kube::kEphemeralStorage};
  for (const std::string_view resource : kFirst) {
    if (auto rejection = check(resource)) return rejection;
  }
  for (const auto& [resource, amount] : requests) {
    if (kube::IsExtended(resource) || std::ranges::find(kFirst, resource) != kFirst.end()) continue;
    if (auto rejection = check(resource)) return rejection;
  }
  return std::nullopt;
}

bool SameAddress(const kube::ContainerPort& a, const kube::ContainerPort& b) {
  const auto any = [](const std::string& ip) { return ip.empty() || ip == "0.0.0.0" || ip == "::"; };
  return a.host_port == b.host_port && a.protocol == b.protocol &&
         (any(a.host_ip) || any(b.host_ip) || a.host_ip == b.host_ip);
}

std::optional<Rejection> PredicateFailed(std::string_view predicate, std::string_view why) {
  return Rejection{std::string(predicate), fmt::format("Predicate {} failed: {}", predicate, why)};
}

bool IsEvicted(const kube::Node& node, const std::vector<kube::Toleration>& tolerations) {
  return std::ranges::any_of(node.spec.taints, [&](const kube::Taint& taint) {
    return taint.effect == "NoExecute" &&
           std::ranges::none_of(tolerations, [&](const kube::Toleration& toleration) {
             return kube::Tolerates(toleration, taint);
           });
  });
}

}  // namespace

std::vector<kube::ContainerPort> HostPorts(const kube::PodSpec& spec) {
  std::vector<kube::ContainerPort> ports;
  for (const auto* containers : {&spec.containers, &spec.init_containers}) {
    for (const kube::Container& container : *containers) {
      const bool runs_on = containers == &spec.containers || container.restart_always;
      for (const kube::ContainerPort& port : container.ports) {
        if (runs_on && port.host_port != 0) ports.push_back(port);
      }
    }
  }
  return ports;
}

std::optional<Rejection> WhyNotAdmitted(const kube::Pod& pod, const kube::ResourceList& requests,
                                        const kube::Node& node, const kube::ResourceList& used,
                                        const std::vector<kube::ContainerPort>& ports) {
  const kube::ResourceList& allocatable = node.status.allocatable;
  if (auto rejection = OutOfDevices(requests, allocatable, used)) return rejection;
  if (auto rejection = OutOfResources(requests, allocatable, used)) return rejection;
  if (!kube::MatchesNodeConstraints(pod.spec.node_selector, pod.spec.affinity.required_node,
                                    node.metadata.labels, node.metadata.name)) {
    return PredicateFailed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  }
  for (const kube::ContainerPort& mine : HostPorts(pod.spec)) {
    if (std::ranges::any_of(ports,
                            [&](const kube::ContainerPort& other) { return SameAddress(mine, other); })) {
      return PredicateFailed("NodePorts", "node(s) didn't have free ports for the requested pod ports");
    }
  }
  if (IsEvicted(node, pod.spec.tolerations)) {
    return PredicateFailed("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  }
  return std::nullopt;
}

}  // namespace cadre::sim
