// How a pod becomes a shape: requests, constraints, ports, and what its volume claims say.
#include <algorithm>

#include "model/cluster.h"

namespace cadre::model {
namespace {

std::vector<HostPort> HostPortsOf(const kube::PodSpec& spec) {
  std::vector<HostPort> ports;
  const auto add = [&](const kube::Container& container) {
    for (const kube::ContainerPort& port : container.ports) {
      // With hostNetwork the API server sets hostPort = containerPort; a manifest has not been there.
      const std::int32_t number =
          port.host_port != 0 ? port.host_port : (spec.host_network ? port.container_port : 0);
      if (number != 0)
        ports.push_back({number, port.protocol, port.host_ip.empty() ? "0.0.0.0" : port.host_ip});
    }
  };
  for (const kube::Container& container : spec.containers)
    add(container);
  // Init containers end before the pod runs; only sidecars keep their ports.
  for (const kube::Container& container : spec.init_containers) {
    if (container.restart_always) add(container);
  }
  std::sort(ports.begin(), ports.end());
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  return ports;
}

}  // namespace

ShapeId Cluster::InternShape(const kube::PodSpec& spec, std::string_view namespace_name) {
  Shape shape = BuildShape(spec, namespace_name);
  shape.request_list = kube::PodRequests(spec);
  return InternBuilt(std::move(shape));
}

ShapeId Cluster::ShapeOf(const kube::Pod& pod) {
  Shape shape = BuildShape(pod.spec, pod.metadata.namespace_);
  shape.request_list = kube::PodRequests(pod);  // with its status: resizes in place
  return InternBuilt(std::move(shape));
}

Shape Cluster::BuildShape(const kube::PodSpec& spec, std::string_view namespace_name) {
  Shape shape;
  shape.namespace_ = std::string(namespace_name);
  shape.scheduler_nodes = scheduler_nodes_;
  shape.node_selector = spec.node_selector;
  shape.node_affinity = spec.affinity.required_node;
  shape.tolerations = spec.tolerations;
  shape.host_ports = HostPortsOf(spec);
  shape.affinity = spec.affinity.required_pod;
  shape.anti_affinity = spec.affinity.required_anti_pod;
  for (const kube::TopologySpreadConstraint& constraint : spec.topology_spread) {
    if (constraint.do_not_schedule) shape.spread.push_back(constraint);
  }
  for (const std::string& claim_name : spec.claim_names) {
    const auto claim = claims_.find(shape.namespace_ + "/" + claim_name);
    if (claim == claims_.end() || claim->second->volume_name.empty()) {
      shape.missing_claims.push_back(claim_name);
      continue;
    }
    const auto volume = volumes_.find(claim->second->volume_name);
    if (volume == volumes_.end()) {
      shape.missing_claims.push_back(claim_name);
    } else if (volume->second->node_affinity) {
      shape.volume_affinities.push_back(*volume->second->node_affinity);
    }
  }
  return shape;
}

ShapeId Cluster::InternBuilt(Shape shape) {
  std::string text = CanonicalText(shape);
  const auto found = shape_ids_.find(text);
  if (found != shape_ids_.end()) return found->second;
  for (const auto& [name, amount] : shape.request_list) {
    if (amount > 0) shape.requests.push_back({resources_.Intern(name), amount});
  }
  std::sort(shape.requests.begin(), shape.requests.end(),
            [](const Amount& a, const Amount& b) { return a.resource < b.resource; });
  const ShapeId id(shapes_.size());
  shapes_.push_back(std::move(shape));
  shape_ids_.emplace(std::move(text), id);
  return id;
}

}  // namespace cadre::model
