// RoomIndex: what the present nodes have free, who is on them and who claims them, kept up from the cluster's
// change logs; and, for each shape that is asked for, how many of it each node takes (ShapeRooms).
//
// All of it follows from the cluster as it is at the last Sync. A change of what is on a node costs that
// node; a node that comes, goes or is relabelled rebuilds everything (linear in the nodes). Bounds:
// kMostShapes shapes, the least recently used goes; memory about 100 B per node and 5 B per node and shape.
// Thread rule: as a writer of the cluster.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "match/node_table.h"
#include "match/shape_rooms.h"
#include "model/change_log.h"
#include "model/cluster.h"

namespace cadre::match {

// Who is in the domains of one key.
struct Occupancy {
  const Domains* domains = nullptr;
  std::vector<std::int32_t> claimed;    // nodes that some claim covers, by domain
  std::vector<std::int32_t> gang_pods;  // as of model::NodeEntry
  std::vector<std::int32_t> lone_pods;

  // No claim and no gang is there, and under kAll nobody else either.
  bool Free(std::int32_t domain, model::ExclusiveScope scope) const {
    const auto d = static_cast<std::size_t>(domain);
    return claimed[d] == 0 && gang_pods[d] == 0 &&
           (scope == model::ExclusiveScope::kGroups || lone_pods[d] == 0);
  }
};

// Which domains of a finer key lie in which of a coarser one.
struct Nesting {
  std::vector<std::vector<std::int32_t>> inner;  // by coarse domain, ascending
  bool exact = true;                             // no fine domain lies in two, or partly outside
};

class RoomIndex {
 public:
  static constexpr std::size_t kMostShapes = 256;

  // `cluster` must outlive it. Empty until the first Sync.
  explicit RoomIndex(const model::Cluster& cluster);

  // Up to the cluster as it is now. Everything below is of that instant.
  void Sync();

  const model::Cluster& cluster() const { return *cluster_; }
  NodeTable& nodes() const { return *nodes_; }
  std::size_t size() const { return nodes_->size(); }
  const std::vector<std::int64_t>& Largest() const { return largest_; }

  // What a node has free, by ResourceId; resource_count() of them.
  const std::int64_t* Free(NodeIndex node, View view) const {
    const std::vector<std::int64_t>& rows = view == View::kNow ? free_ : free_when_empty_;
    return rows.data() + static_cast<std::size_t>(node) * resource_count_;
  }
  std::size_t resource_count() const { return resource_count_; }
  std::int64_t FreeOf(NodeIndex node, model::ResourceId resource, View view) const {
    return resource.Index() < resource_count_ ? Free(node, view)[resource.Index()] : 0;
  }
  std::int64_t CapacityOf(NodeIndex node, model::ResourceId resource) const {
    return model::NodeEntry::At(nodes_->entry(node).allocatable, resource);
  }
  // Over all nodes; what is over-committed counts as 0.
  std::int64_t SumFree(model::ResourceId resource, View view) const;
  std::int64_t SumCapacity(model::ResourceId resource) const;
  // How many extended resources it has free.
  std::int32_t FreeExtended(NodeIndex node, View view) const;
  // Closed to pods of this kind by claims.
  bool IsClosed(NodeIndex node, Newcomer who) const {
    return who == Newcomer::kGang ? claims_[node].any > 0 : claims_[node].all > 0;
  }
  bool AnyClaims() const { return !held_.empty(); }

  // Valid until the next Sync.
  ShapeRooms& Rooms(model::ShapeId shape, Newcomer who, View view);
  const Occupancy& OccupancyOf(const Domains& domains);
  const Nesting& NestingOf(const Domains& coarse, const Domains& fine);

  // Grows with every change that could turn a "never" into something else: nodes, and what is always on them.
  std::uint64_t empty_version() const { return empty_version_; }

  // Takes any pod that asks for no node in particular: not tainted, not cordoned.
  bool IsOpen(NodeIndex node) const { return open_[node] != 0; }

  // For ShapeRooms: nodes whose rooms may have changed, with what changed of them.
  struct Touched {
    NodeIndex node;
    bool terms;  // who may go there, too
  };
  const model::ChangeLog<Touched>& touched() const { return touched_; }
  std::uint64_t terms_version() const { return terms_version_; }  // how often terms changed

  std::size_t MemoryBytes() const;

 private:
  struct ClaimCount {
    std::int32_t any = 0;
    std::int32_t all = 0;  // of those that keep pods on their own out, too
  };
  struct Held {
    const Domains* domains;
    std::int32_t domain;
    bool all;
  };
  struct Kept {
    std::unique_ptr<ShapeRooms> rooms;
    std::uint64_t last_use = 0;
  };
  using ShapeKey = std::tuple<model::ShapeId, Newcomer, View>;

  bool NeedsRebuild() const;
  bool ChangesLargest(model::NodeId node) const;
  void Rebuild();
  bool ReadNode(NodeIndex node);
  void ReadOpen(NodeIndex node);
  void UpdateNode(NodeIndex node, bool terms);
  void SyncClaims();
  void ReadClaim(const model::Tenant& holder);
  void AddClaim(const Held& held, std::int32_t sign);
  std::int32_t DomainOf(const Domains& domains, const std::vector<std::string>& path);
  void Touch(NodeIndex node, bool terms);
  void DropLeastRecentlyUsed();

  const model::Cluster* cluster_;
  std::unique_ptr<NodeTable> nodes_;
  std::vector<std::int64_t> largest_;
  std::size_t resource_count_ = 0;
  std::vector<model::ResourceId> extended_;
  std::vector<std::int64_t> free_;             // node-major
  std::vector<std::int64_t> free_when_empty_;  // the same
  std::vector<std::int64_t> capacity_;         // the same
  struct Sums {
    std::int64_t free = 0;
    std::int64_t free_when_empty = 0;
    std::int64_t capacity = 0;
  };
  std::vector<Sums> sums_;               // by resource
  std::vector<std::int32_t> gang_pods_;  // by node, as counted in occupancies_
  std::vector<std::int32_t> lone_pods_;
  std::vector<std::uint8_t> open_;  // by node; a new shape must not fetch 100,000 Node objects for one bit
  std::vector<ClaimCount> claims_;
  std::map<model::Tenant, Held> held_;
  std::map<const Domains*, std::map<std::vector<std::string>, std::int32_t>> domain_by_path_;
  std::map<const Domains*, Occupancy> occupancies_;
  std::map<std::pair<const Domains*, const Domains*>, Nesting> nestings_;
  std::map<ShapeKey, Kept> shapes_;
  model::ChangeLog<Touched> touched_;
  std::vector<std::uint64_t> read_in_;  // by node: the last Sync that read it
  std::uint64_t syncs_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t terms_version_ = 1;
  std::uint64_t empty_version_ = 1;
  model::ChangeLog<model::NodeChange>::Position nodes_read_ = 0;
  model::ChangeLog<model::Tenant>::Position claims_read_ = 0;
};

}  // namespace cadre::match
