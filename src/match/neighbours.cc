#include "match/neighbours.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "topology/levels.h"

namespace cadre::match {
namespace {

// The well-known keys that name places, coarse to fine, without the host: a node is the finest place there
// is.
const std::vector<std::string>& PlaceKeys() {
  static const std::vector<std::string> kKeys = [] {
    std::vector<std::string> all = topology::Levels::WellKnown().Keys();
    std::erase_if(all, [](const std::string& key) {
      return key == topology::kHostname ||
             std::ranges::find(topology::PoolKeys(), key) != topology::PoolKeys().end();
    });
    return all;
  }();
  return kKeys;
}

std::string_view ValueOf(const kube::Node& node, const std::string& key) {
  const auto label = node.metadata.labels.find(key);
  return label == node.metadata.labels.end() ? std::string_view{} : std::string_view(label->second);
}

// Only those by which the nodes differ, or may: the others are not asked about again.
std::vector<std::string> KeysOn(const kube::Node& node) {
  std::vector<std::string> keys;
  for (const std::string& key : PlaceKeys()) {
    if (node.metadata.labels.contains(key)) keys.push_back(key);
  }
  return keys;
}

}  // namespace

void KeepNeighboursTogether(const NodeTable& table, std::vector<NodeIndex>& nodes) {
  if (nodes.empty() || nodes.front() == nodes.back()) return;
  struct Place {
    std::vector<std::size_t> path;  // numbers of its domains, in order of appearance, coarse to fine
    NodeIndex node;
    std::size_t members;
  };
  const std::vector<std::string> keys = KeysOn(table.node(nodes.front()));
  if (keys.empty()) return;
  std::vector<Place> places;
  std::vector<std::map<std::string_view, std::size_t>> seen(keys.size());
  for (const NodeIndex node : nodes) {
    if (!places.empty() && places.back().node == node) {
      ++places.back().members;
      continue;
    }
    Place place{.path = {}, .node = node, .members = 1};
    place.path.reserve(keys.size());
    for (std::size_t level = 0; level < keys.size(); ++level) {
      std::map<std::string_view, std::size_t>& numbers = seen[level];
      place.path.push_back(
          numbers.try_emplace(ValueOf(table.node(node), keys[level]), numbers.size()).first->second);
    }
    places.push_back(std::move(place));
  }
  std::ranges::stable_sort(places, {}, &Place::path);
  nodes.clear();
  for (const Place& place : places)
    nodes.insert(nodes.end(), place.members, place.node);
}

double NeighbourDistance(const model::Cluster& cluster, std::span<const model::NodeId> nodes) {
  if (nodes.size() < 2) return 0;
  std::vector<std::string> keys;
  for (const std::string& key : PlaceKeys()) {
    const auto has = [&](model::NodeId node) {
      return cluster.node(node).node->metadata.labels.contains(key);
    };
    if (std::ranges::any_of(nodes, has)) keys.push_back(key);
  }
  std::size_t sum = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i] == nodes[i - 1]) continue;
    const kube::Node& before = *cluster.node(nodes[i - 1]).node;
    const kube::Node& after = *cluster.node(nodes[i]).node;
    std::size_t shared = 0;
    while (shared < keys.size() && ValueOf(before, keys[shared]) == ValueOf(after, keys[shared]))
      ++shared;
    sum += 1 + keys.size() - shared;
  }
  return static_cast<double>(sum) / static_cast<double>(nodes.size() - 1);
}

}  // namespace cadre::match
