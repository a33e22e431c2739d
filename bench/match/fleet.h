// The clusters and pods of the benchmark, and one group's way through model::Cluster, match::Finder and the
// records of core: what the scheduler does with a group, without the watch around it.
//
// A node has 8 cores, 2 GPUs, 32 GiB and room for 110 pods; 32 nodes are a rack, 32 racks a zone. A "worker"
// asks for half a node (4 cores, 1 GPU), a "whole" for all cores and GPUs of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "kube/pod.h"
#include "match/finder.h"
#include "match/request.h"
#include "model/cluster.h"

namespace cadre::bench {

inline constexpr std::size_t kNodesPerRack = 32;
inline constexpr std::size_t kRacksPerZone = 32;
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRack = "topology.kubernetes.io/rack";

// "1k", "10k", "100k"; the number itself where it is no multiple of 1,000.
std::string SizeName(std::size_t nodes);
std::string NodeName(std::size_t index);

// As `kubectl get nodes -o json` prints it, without managedFields.
std::string NodeJson(std::size_t index);
// The NodeList of the nodes first to first + count - 1.
std::string NodeListJson(std::size_t first, std::size_t count);
// What the decoder makes of NodeJson(index).
kube::Object MakeNode(std::size_t index);

// What a pod asks of its group's other pods.
enum class Terms : std::uint8_t {
  kNone,
  kApart,   // anti-affinity: no two on a node
  kSpread,  // hard spread over racks, skew 1
};

struct PodAsk {
  std::int64_t cores = 4;
  std::int64_t gpus = 1;
  std::int64_t memory_mib = 1024;  // what makes one shape differ from another where nothing else does
  Terms terms = Terms::kNone;
};
inline constexpr PodAsk kWorker{.cores = 4, .gpus = 1, .memory_mib = 1024};
inline constexpr PodAsk kWhole{.cores = 8, .gpus = 2, .memory_mib = 1024};

// Pod `index` of an Indexed Job, as the API server has it. Never decoded from text (its `raw` is null).
std::shared_ptr<kube::Pod> MakePod(const std::string& job, std::size_t index, const PodAsk& ask);
inline kube::Object ObjectOf(std::shared_ptr<const kube::Pod> pod) {
  return {.kind = kube::Kind::kPod, .body = std::move(pod), .raw = nullptr};
}

struct UnitAsk {
  std::size_t members = 0;
  PodAsk pod = {};
  model::TopologyAsk topology = {};
};
struct GangAsk {
  std::vector<UnitAsk> units;
  model::TopologyAsk topology = {};
};
std::size_t MemberCount(const GangAsk& ask);

// A group whose pods are in the cluster.
struct Gang {
  std::string name;
  match::Request request;
  std::vector<std::shared_ptr<kube::Pod>> pods;  // by member
  std::vector<model::PodId> ids;
  std::vector<model::Tenant> claimed;
};

class Fleet {
 public:
  explicit Fleet(std::size_t nodes);

  std::size_t size() const { return size_; }
  model::Cluster& cluster() { return cluster_; }
  // Made at the first call: after what is there from the beginning.
  match::Finder& finder();

  // A pod that runs on the node, of a gang of that name.
  void Run(const std::string& gang, std::size_t index, std::size_t node, const PodAsk& ask);

  // The pods appear. `cpu_s`, if given, grows by what the cluster needs for that.
  Gang Arrive(const std::string& name, const GangAsk& ask, double* cpu_s = nullptr);
  // The request of a group of which only the shapes are there: to be refused.
  match::Request RequestOf(const std::string& name, const GangAsk& ask);

  // Decision, state update and record, in seconds of CPU time; nothing when it is refused.
  std::optional<double> Place(Gang& gang);
  // Its pods are deleted and its claims end; seconds of CPU time.
  double Leave(Gang& gang);

  // Of a gang that is placed: the nodes of its members, in order.
  std::vector<model::NodeId> NodesOf(const Gang& gang) const;

 private:
  void Claim(Gang& gang, const match::Placement& placement);

  std::size_t size_;
  model::Cluster cluster_;
  std::optional<match::Finder> finder_;
};

// How good a placement is.
struct Quality {
  double nodes = 0;
  double racks = 0;
  double neighbour_distance = 0;  // mean over consecutive members: 0 same node, 1 rack, 2 zone, 3 neither
};
Quality QualityOf(const model::Cluster& cluster, const std::vector<model::NodeId>& nodes);

}  // namespace cadre::bench
