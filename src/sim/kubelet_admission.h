// Whether a kubelet takes a pod that was bound to its node. Pure functions.
//
// Source: the kubelet's own checks (its predicate admit handler, and its device manager for extended
// resources), with their reasons and messages: OutOfcpu, OutOfmemory, OutOfpods, UnexpectedAdmissionError,
// NodeAffinity, NodePorts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/node.h"
#include "kube/pod.h"
#include "kube/resources.h"

namespace cadre::sim {

// Why a pod is refused, as its status will say.
struct Rejection {
  std::string reason;
  std::string message;
};

// `used` and `ports` are what the pods already admitted on the node and not ended hold.
std::optional<Rejection> WhyNotAdmitted(const kube::Pod& pod, const kube::ResourceList& requests,
                                        const kube::Node& node, const kube::ResourceList& used,
                                        const std::vector<kube::ContainerPort>& ports);

// The host ports that a pod takes.
std::vector<kube::ContainerPort> HostPorts(const kube::PodSpec& spec);

}  // namespace cadre::sim
