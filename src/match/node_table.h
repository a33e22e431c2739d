// The present nodes of a cluster in name order, with the domains that label keys cut them into.
//
// Everything in `match` counts nodes by their place in this order, so that equal choices are decided by name
// and never by how the cluster came to be. Lives for one call; refers to the cluster.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "match/fit.h"
#include "model/cluster.h"

namespace cadre::match {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xffffffff;

inline constexpr std::int32_t kNoDomain = -1;
// Chosen for a unit that needs nothing more and for which there is no domain: nothing is placed in it.
inline constexpr std::int32_t kNoPlace = -2;

// The nodes by one label key, domains numbered by their first node.
struct Domains {
  std::string key;
  std::vector<std::int32_t> of;      // by node; kNoDomain where the label is missing
  std::vector<std::uint32_t> begin;  // nodes of domain d: members[begin[d]] up to members[begin[d + 1]]
  std::vector<NodeIndex> members;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const NodeIndex> NodesOf(std::int32_t domain) const {
    const auto d = static_cast<std::size_t>(domain);
    return std::span(members).subspan(begin[d], begin[d + 1] - begin[d]);
  }
};

class NodeTable {
 public:
  explicit NodeTable(const model::Cluster& cluster);
  // Only these of them. REQUIRES: present, in name order, each once. `largest`: as of Largest, in the whole
  // cluster, so that what is weighed against it weighs the same.
  NodeTable(const model::Cluster& cluster, std::vector<model::NodeId> nodes,
            std::vector<std::int64_t> largest);

  std::size_t size() const { return ids_.size(); }
  const model::Cluster& cluster() const { return *cluster_; }
  model::NodeId id(NodeIndex node) const { return ids_[node]; }
  const model::NodeEntry& entry(NodeIndex node) const { return cluster_->node(ids_[node]); }
  const kube::Node& node(NodeIndex node) const { return *entry(node).node; }
  NodeIndex IndexOf(model::NodeId id) const;  // kNoNode when it is not present or not valid

  // What the largest node has of each resource in all, by ResourceId.
  const std::vector<std::int64_t>& Largest();

  // Kubernetes' domains: nodes with the same value of the label. For inter-pod affinity and topology spread.
  const Domains& LabelDomains(const std::string& key);

  // Cadre's domains: nodes with the same path of values (docs/placement.md, "Domains"). For required
  // topology.
  const Domains& PathDomains(const std::string& key);

  // The domain with this path of values (PathOf(domains.key), "" for a missing label), or kNoDomain.
  std::int32_t FindDomain(const Domains& domains, const std::vector<std::string>& path) const;
  // Its inverse.
  std::vector<std::string> PathValues(const Domains& domains, std::int32_t domain) const;

  // Why each node may not take a shape; by node.
  const std::vector<Misfit>& Misfits(model::ShapeId shape, const Rules& rules);

  // "r17", or "east/z1/r17" where two domains of the key have the same last value.
  std::string NameOf(const Domains& domains, std::int32_t domain) const;

  // How many extended resources (GPUs and the like) a node has free.
  std::int32_t FreeExtended(NodeIndex node, View view) const;

 private:
  void FindExtended();
  Domains Cut(const std::vector<std::string>& path) const;

  const model::Cluster* cluster_;
  std::vector<model::NodeId> ids_;
  std::vector<NodeIndex> index_of_;                        // by NodeId; of all nodes
  std::vector<std::pair<model::NodeId, NodeIndex>> some_;  // sorted, instead of it; of only some
  std::vector<std::int64_t> largest_;
  std::vector<model::ResourceId> extended_;
  std::map<std::string, Domains> label_domains_;
  std::map<std::string, Domains> path_domains_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Misfit>> misfits_;  // by shape and rules
};

// The label keys whose values, coarse to fine, name a domain of `key`; `key` is the last.
std::vector<std::string> PathOf(const std::string& key);

// The values of a node along that path: what names its domain of `key`. "" where a label is missing.
std::vector<std::string> PathValuesOf(const kube::Node& node, const std::string& key);

}  // namespace cadre::match
