// Neighbours: consecutive members near each other. Which nodes a class of equal members takes is decided by
// then; this says which of them gets which, so that indexes that talk to each other (rings, halos) cross as
// few switches as the nodes allow.
//
// Near is what the well-known topology labels say (topology::Levels): nodes of one rack before the next rack,
// racks of one zone before the next zone, by the first node of each.
#pragma once

#include <span>
#include <vector>

#include "match/node_table.h"

namespace cadre::match {

// `nodes`: one entry for each member, in node order. Reorders them.
void KeepNeighboursTogether(const NodeTable& table, std::vector<NodeIndex>& nodes);

// The metric: the mean, over consecutive members, of the levels that lie between them: 0 on one node, 1 where
// only the node differs, 2 where the finest domain differs, and so on. Levels that none of the nodes has do
// not count.
double NeighbourDistance(const model::Cluster& cluster, std::span<const model::NodeId> nodes);

}  // namespace cadre::match
