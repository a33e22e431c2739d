// Finder: Match for one cluster that changes a little at a time. The same rules and answers, from an index
// instead of a walk over all nodes.
//
// What it keeps between two calls (RoomIndex) follows from the cluster alone: a Finder made this instant
// gives the same answer as one that has followed the cluster from its beginning. What the index cannot decide
// (inter-pod terms, members with a place, hints) is handed to the plain search. Bounds: at most kMostShapes
// shapes are indexed at once, the least recently used goes first. Thread rule: as a writer of the cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>

#include "match/match.h"

namespace cadre::match {

class Finder {
 public:
  // `cluster` must outlive it. `limits`: of each search.
  explicit Finder(const model::Cluster& cluster, Limits limits = {});
  ~Finder();
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  // As match::Match and match::Place.
  std::expected<Placement, Diagnosis> Match(const Request& request);
  std::optional<Placement> Place(const Request& request);

  // Changes whenever what could never be placed may have changed: the nodes, or what is always on them.
  std::uint64_t EmptyVersion();

  // How many requests were answered by the index, and how many were handed to the plain search.
  struct Counters {
    std::uint64_t indexed = 0;
    std::uint64_t searched = 0;
  };
  const Counters& counters() const;
  std::size_t MemoryBytes() const;  // of the index

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::match
