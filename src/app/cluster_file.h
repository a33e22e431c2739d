// Clusters from a short description instead of a dump: `--nodes` flags, or a small YAML for mixed clusters.
//
//   nodes:
//     - name: gpu              # gpu-0 … gpu-15
//       count: 16              # without it: one node, named gpu
//       cpu: 96                # resources by name, as in a node's status
//       memory: 1Ti
//       nvidia.com/gpu: 8
//       zones: 2               # spread over so many zones, or a list of names
//       racks: 4               # per zone, or a list of names
//       labels: {pool: gpu}
//       taints: ["nvidia.com/gpu=present:NoSchedule"]
//
// docs/simulate.md has all fields. Nodes get the labels kubernetes.io/hostname, topology.kubernetes.io/zone
// and topology.kubernetes.io/rack (the latter two where they are asked for) and room for 110 pods unless
// `pods` says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kube/object.h"

namespace cadre::app {

inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRackLabel = "topology.kubernetes.io/rack";

// Most nodes a description may make: a typing error should not take all memory.
inline constexpr std::int64_t kMostNodes = 200'000;

// True for the document of a small cluster file: an object with `nodes` that is no Kubernetes object.
bool IsClusterDescription(const json::value& document);

// Errors name the entry and the field: "nodes[2].memory: found …".
Result<std::vector<kube::Object>> NodesFromDescription(const json::value& document);

// The flags --nodes, --per-rack, --racks-per-zone, --node.
struct UniformCluster {
  std::int64_t nodes = 0;
  std::int64_t per_rack = 0;        // 0: no racks
  std::int64_t racks_per_zone = 0;  // 0: no zones
  std::string node;                 // "cpu=64,memory=256Gi,nvidia.com/gpu=8"
};
Result<std::vector<kube::Object>> NodesFromFlags(const UniformCluster& cluster);

}  // namespace cadre::app
