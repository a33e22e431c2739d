// Pods and pod templates: containers and resources. Where they may be placed is in validate_placement.cc.
#include <algorithm>
#include <array>
#include <set>

#include "kube/resources.h"
#include "kube/validate_rules.h"

namespace cadre::kube {
namespace {

constexpr std::int32_t kLargestPort = 65535;

bool IsNativeResource(std::string_view resource) {
  return resource == kCpu || resource == kMemory || resource == kEphemeralStorage ||
         resource.starts_with("hugepages-");
}

// Extended resources and huge pages cannot be overcommitted: what is asked for is what is taken.
bool MayOvercommit(std::string_view resource) {
  return resource == kCpu || resource == kMemory || resource == kEphemeralStorage;
}

void ValidateResourceName(const std::string& field, const std::string& resource, Complaints& complaints) {
  if (resource.find('/') != std::string::npos) {
    complaints.AddIf(field, resource, WrongAsQualifiedName(resource));
  } else if (!IsNativeResource(resource)) {
    complaints.Add(field,
                   fmt::format("\"{}\" is no resource of Kubernetes: write its full name, e.g. nvidia.com/{}",
                               resource, resource));
  }
}

void ValidateAmounts(const std::string& field, const ResourceList& amounts, Complaints& complaints) {
  for (const auto& [resource, amount] : amounts) {
    ValidateResourceName(field, resource, complaints);
    if (amount < 0) complaints.Add(field, fmt::format("{} is negative", FormatAmount(resource, amount)));
  }
}

void ValidateRequestsAndLimits(const std::string& field, const ResourceList& requests,
                               const ResourceList& limits, Complaints& complaints) {
  ValidateAmounts(field + ".limits", limits, complaints);
  ValidateAmounts(field + ".requests", requests, complaints);
  for (const auto& [resource, request] : requests) {
    const auto limit = limits.find(resource);
    if (limit == limits.end()) {
      if (MayOvercommit(resource) || !(IsNativeResource(resource) || resource.find('/') != std::string::npos))
        continue;
      complaints.Add(field + ".limits",
                     fmt::format("{} needs a limit equal to its request of {}", resource, request));
    } else if (request > limit->second) {
      complaints.Add(field + ".requests",
                     fmt::format("{} is more than the limit of {}", FormatAmount(resource, request),
                                 FormatAmount(resource, limit->second)));
    } else if (request != limit->second && !MayOvercommit(resource)) {
      complaints.Add(
          field + ".requests",
          fmt::format("{} must equal the limit of {}: {} cannot be overcommitted",
                      FormatAmount(resource, request), FormatAmount(resource, limit->second), resource));
    }
  }
}

// Pod-level requests cover all containers together. Source: KEP-2837.
void ValidatePodLevel(const std::string& field, const PodSpec& spec, Complaints& complaints) {
  if (spec.pod_requests.empty() && spec.pod_limits.empty()) return;
  ValidateRequestsAndLimits(field + ".resources", spec.pod_requests, spec.pod_limits, complaints);
  PodSpec containers_only = spec;
  containers_only.pod_requests.clear();
  containers_only.overhead.clear();
  const ResourceList sum = PodRequests(containers_only);
  for (const auto& [resource, request] : spec.pod_requests) {
    const auto needed = sum.find(resource);
    if (needed == sum.end() || needed->second <= request) continue;
    complaints.Add(field + ".resources.requests",
                   fmt::format("{} is less than the {} that its containers request together",
                               FormatAmount(resource, request), FormatAmount(resource, needed->second)));
  }
}

void ValidatePort(const std::string& field, const ContainerPort& port, bool host_network,
                  Complaints& complaints) {
  if (port.container_port < 1 || port.container_port > kLargestPort) {
    complaints.Add(field + ".containerPort",
                   fmt::format("is {}, must be 1 to {}", port.container_port, kLargestPort));
  }
  if (port.host_port < 0 || port.host_port > kLargestPort) {
    complaints.Add(field + ".hostPort", fmt::format("is {}, must be 1 to {}", port.host_port, kLargestPort));
  } else if (host_network && port.host_port != port.container_port) {
    complaints.Add(field + ".hostPort", fmt::format("is {}, must equal containerPort ({}) with hostNetwork",
                                                    port.host_port, port.container_port));
  }
  constexpr std::array<std::string_view, 3> kProtocols = {"TCP", "UDP", "SCTP"};
  if (std::ranges::find(kProtocols, port.protocol) == kProtocols.end()) {
    complaints.Add(field + ".protocol", fmt::format("is \"{}\", must be TCP, UDP or SCTP", port.protocol));
  }
}

void ValidateContainer(const std::string& field, const Container& container, bool host_network,
                       std::set<std::string_view>& names, Complaints& complaints) {
  if (container.name.empty()) {
    complaints.Add(field + ".name", "is missing: give the container a name");
  } else {
    complaints.AddIf(field + ".name", container.name, WrongAsDnsLabel(container.name));
    if (!names.insert(container.name).second) {
      complaints.Add(field + ".name",
                     fmt::format("\"{}\" is the name of another container of the pod", container.name));
    }
  }
  ValidateRequestsAndLimits(field + ".resources", container.requests, container.limits, complaints);
  for (std::size_t i = 0; i < container.ports.size(); ++i) {
    ValidatePort(fmt::format("{}.ports[{}]", field, i), container.ports[i], host_network, complaints);
  }
}

}  // namespace

void ValidatePodSpec(const std::string& field, const PodSpec& spec, Complaints& complaints) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    ValidateContainer(fmt::format("{}.initContainers[{}]", field, i), spec.init_containers[i],
                      spec.host_network, names, complaints);
  }
  if (spec.containers.empty())
    complaints.Add(field + ".containers", "is empty: a pod needs at least one container");
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    ValidateContainer(fmt::format("{}.containers[{}]", field, i), spec.containers[i], spec.host_network,
                      names, complaints);
  }
  ValidatePodLevel(field, spec, complaints);
  ValidatePodPlacement(field, spec, complaints);
  constexpr std::array<std::string_view, 3> kRestartPolicies = {"Always", "OnFailure", "Never"};
  if (std::ranges::find(kRestartPolicies, spec.restart_policy) == kRestartPolicies.end()) {
    complaints.Add(field + ".restartPolicy",
                   fmt::format("is \"{}\", must be Always, OnFailure or Never", spec.restart_policy));
  }
  ValidateNotNegative(field + ".terminationGracePeriodSeconds", spec.termination_grace_period_seconds,
                      complaints);
  if (!spec.hostname.empty())
    complaints.AddIf(field + ".hostname", spec.hostname, WrongAsDnsLabel(spec.hostname));
  if (!spec.subdomain.empty())
    complaints.AddIf(field + ".subdomain", spec.subdomain, WrongAsDnsLabel(spec.subdomain));
}

}  // namespace cadre::kube
