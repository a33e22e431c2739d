// ShapeRooms: how many pods of one shape each node takes, which nodes take them best, and sums by domain.
//
// A node's worth is one number, compared from its highest bits: the room, then how little is stranded there
// (extended resources that the shape does not ask for), then how tight it is. Blocks of nodes keep their
// highest, so that the best nodes are found without a walk. Follows RoomIndex: each use first reads the nodes
// that were touched since the last one, or all of them when they are many. Rooms of more than kMostRoom are
// not told apart (see Clamped). Thread rule: as RoomIndex.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "match/fit.h"
#include "match/node_table.h"
#include "model/cluster.h"

namespace cadre::match {

class RoomIndex;

// As what a pod comes, to the claims of others.
enum class Newcomer : std::uint8_t { kGang, kAlone };

class ShapeRooms {
 public:
  static constexpr std::uint32_t kMostRoom = 0xffff;

  // REQUIRES: the shape has no host ports and no terms; no volume claim of it is missing.
  ShapeRooms(const RoomIndex& index, model::ShapeId shape, Newcomer who, View view);

  void Sync();

  std::int32_t Room(NodeIndex node) const { return static_cast<std::int32_t>(worth_[node] >> kRoomShift); }
  std::int64_t total() const { return total_; }
  // Some node took more than can be told: totals are too small, and prove nothing.
  bool Clamped() const { return clamped_; }
  // How many nodes may take it, room aside.
  std::size_t may_take() const { return may_take_count_; }
  bool MayTake(NodeIndex node) const { return may_take_[node] != 0; }

  // Σ of rooms by domain; kept up from now on. Valid until the next Sync.
  const std::vector<std::int64_t>& SumsBy(const Domains& domains);

  // Nodes with room for `wanted` of them: the roomiest first, the last of them the tightest that takes the
  // rest; equal ones by order. Fewer when there is no more room.
  std::vector<NodeIndex> Best(std::int64_t wanted);

  // What of a resource is free on the nodes that may take it, and what they have in all.
  struct Amounts {
    std::int64_t free = 0;
    std::int64_t total = 0;
  };
  Amounts SumAmounts(model::ResourceId resource) const;

  std::size_t MemoryBytes() const;

 private:
  static constexpr std::uint32_t kRoomShift = 16;
  static constexpr std::size_t kBlock = 64;  // nodes

  struct Need {
    std::size_t resource;
    std::int64_t amount;
    double per_unit;  // 1 / amount
    double scale;     // of waste: 1024 / what the largest node has; 0: not counted
  };

  void ReadAll();
  void ReadTerms(NodeIndex node);
  void Set(NodeIndex node, std::uint32_t worth);
  std::uint32_t WorthOf(NodeIndex node);
  std::uint32_t HighestOf(std::size_t block) const;
  void RefreshBlocks();
  NodeIndex TightestFor(std::int64_t wanted, const std::vector<NodeIndex>& taken);

  const RoomIndex* index_;
  model::ShapeId shape_;
  Newcomer who_;
  View view_;
  std::vector<Need> needs_;
  std::int32_t extended_ = 0;  // how many extended resources it asks for
  bool any_node_ = false;      // only taints and cordons can keep it off
  std::vector<std::uint8_t> may_take_;
  std::size_t may_take_count_ = 0;
  std::vector<std::uint32_t> worth_;
  std::vector<std::uint32_t> highest_;  // by block
  std::vector<std::uint8_t> stale_;     // by block: highest_ is to be found again
  std::map<const Domains*, std::vector<std::int64_t>> sums_;
  std::int64_t total_ = 0;
  bool clamped_ = false;
  std::uint64_t read_ = 0;  // of RoomIndex::touched
  std::uint64_t terms_read_ = 0;
};

}  // namespace cadre::match
