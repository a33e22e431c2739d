// The cluster and the gangs of the benchmark, as writes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "drive/effect.h"

namespace cadre::bench {

struct Workload {
  std::size_t nodes = 1'000;
  std::size_t nodes_per_rack = 10;
  std::size_t gangs = 30;
  std::size_t members = 100;
  bool rack = false;  // each gang inside one rack
  bool group = true;  // with a PodGroup (scheduling.k8s.io); without: plain pods
  std::string scheduler_name;
};

// Nodes, each with its status: two writes a node. A node has 16 CPUs, a member asks for one.
std::vector<drive::Effect> NodesOf(const Workload& workload);
std::vector<drive::Effect> NodeStatusesOf(const Workload& workload);
std::vector<drive::Effect> PodGroupsOf(const Workload& workload);
std::vector<drive::Effect> PodsOf(const Workload& workload);
// What the bare loop posts: members in order, nodes filled one after the other, each gang within a rack.
std::vector<drive::Effect> BindsOf(const Workload& workload);

// Of the name of a pod.
std::size_t GangOf(const std::string& pod_name);

}  // namespace cadre::bench
