#include "match/fit.h"

#include <algorithm>
#include <limits>

#include "kube/node.h"

namespace cadre::match {
namespace {

constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";

bool VolumesAllow(const model::Shape& shape, const kube::Node& node) {
  return std::ranges::all_of(shape.volume_affinities, [&](const kube::NodeSelector& selector) {
    return kube::MatchesNodeConstraints({}, selector, node.metadata.labels, node.metadata.name);
  });
}

}  // namespace

const kube::Taint* TaintAgainst(const model::Shape& shape, const kube::Node& node) {
  return kube::UntoleratedTaint(node, shape.tolerations);
}

Misfit StaticMisfit(const model::Shape& shape, const kube::Node& node, const Rules& rules) {
  const kube::StringMap& labels = node.metadata.labels;
  const std::string& name = node.metadata.name;
  if (!shape.scheduler_nodes.empty() &&
      !kube::MatchesNodeConstraints(shape.scheduler_nodes, std::nullopt, labels, name)) {
    return Misfit::kOutside;
  }
  if (rules.node_selector && !shape.node_selector.empty() &&
      !kube::MatchesNodeConstraints(shape.node_selector, std::nullopt, labels, name)) {
    return Misfit::kNodeSelector;
  }
  if (rules.node_affinity && shape.node_affinity &&
      !kube::MatchesNodeConstraints({}, shape.node_affinity, labels, name)) {
    return Misfit::kNodeAffinity;
  }
  if (rules.volumes && !VolumesAllow(shape, node)) return Misfit::kVolume;
  if (const kube::Taint* taint = TaintAgainst(shape, node)) {
    return taint->key == kCordonTaint ? Misfit::kCordon : Misfit::kTaint;
  }
  if (rules.claims && !shape.missing_claims.empty()) return Misfit::kClaim;
  return Misfit::kNone;
}

std::vector<model::HostPort> PortsInUse(const model::Cluster& cluster, const model::NodeEntry& node,
                                        View view) {
  std::vector<model::HostPort> ports;
  const auto add = [&](model::ShapeId shape) {
    const std::vector<model::HostPort>& more = cluster.shape(shape).host_ports;
    ports.insert(ports.end(), more.begin(), more.end());
  };
  for (const model::PodId id : node.pods) {
    const model::PodEntry& pod = cluster.pod(id);
    if (view == View::kNow || model::IsPermanent(*pod.pod)) add(pod.shape);
  }
  if (view == View::kNow) {
    for (const std::string& key : node.reservations)
      add(cluster.reservations().at(key).shape);
  }
  return ports;
}

bool AnyCollide(const std::vector<model::HostPort>& a, const std::vector<model::HostPort>& b) {
  return std::ranges::any_of(a, [&](const model::HostPort& mine) {
    return std::ranges::any_of(b, [&](const model::HostPort& other) { return model::Collide(mine, other); });
  });
}

std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::int64_t SaturatingMultiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max()
                            : std::numeric_limits<std::int64_t>::min();
}

}  // namespace cadre::match
