// Candidates: where a request could go, by sums of rooms alone: sets of nodes that are worth a search, best
// first, or a proof that it cannot be placed at all.
//
// A set holds whole domains of every key that the request asks for, so that a search within it sees all that
// matters. The proof is one of sums: too little room, or too few domains with enough of it, for something
// that must be placed. REQUIRES of the request: no member has a place or a hint, all members must be placed,
// no terms, no ports, and nothing in the cluster belongs to its group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "match/problem.h"
#include "match/room_index.h"

namespace cadre::match {

class Candidates {
 public:
  static constexpr std::size_t kMostSets = 8;

  // `index` must be in step with the cluster, and stay so while this lives.
  Candidates(RoomIndex& index, const Problem& problem, View view);

  // Not one way is left.
  bool Impossible() const { return impossible_; }
  // The sums prove nothing: rooms that cannot be told apart, or domains that lie across each other.
  bool Unknown() const { return unknown_; }

  // The next set, nodes in order; nullopt when there are no more.
  std::optional<std::vector<NodeIndex>> Next();

 private:
  // So many pods of one shape.
  struct Need {
    ShapeRooms* rooms;
    std::int64_t count;
    bool operator==(const Need&) const = default;
  };
  // A unit with a domain of its own, and what it holds.
  struct Part {
    std::size_t unit;
    const Domains* domains;
    bool exclusive;
    model::ExclusiveScope scope;
    std::vector<Need> needs;  // of all below it, by shape
    std::size_t heaviest = 0;
    bool loose = false;              // has members outside of the parts below
    std::vector<std::size_t> parts;  // the nearest units with domains below it, indexes into parts_
  };

  void MakeParts();
  std::vector<Need> NeedsOf(const std::vector<std::size_t>& classes);
  void CollectParts(std::size_t unit, std::vector<std::size_t>& into);
  bool IsLoose(std::size_t unit) const;
  bool Alike(const Part& a, const Part& b) const;

  const std::vector<std::int32_t>& DomainsWithin(const Part& part, const Domains* around,
                                                 std::int32_t domain);
  bool Holds(const Part& part, std::int32_t domain);
  std::int64_t HowMany(const Part& part, std::int32_t domain) const;
  bool HasEnough(const std::vector<std::size_t>& parts, const Domains* around, std::int32_t domain);
  std::vector<std::int32_t> Ranked(const Part& part, const Domains* around, std::int32_t domain);

  bool Add(const Part& part, std::int32_t domain, std::vector<NodeIndex>& nodes);
  bool AddParts(const std::vector<std::size_t>& parts, const Domains* around, std::int32_t domain,
                std::vector<NodeIndex>& nodes);
  void AddLoose(std::int64_t times, std::vector<NodeIndex>& nodes);
  static void CompleteDomains(const Domains& domains, std::vector<NodeIndex>& nodes);

  RoomIndex& index_;
  const Problem& problem_;
  View view_;
  bool impossible_ = false;
  bool unknown_ = false;
  std::vector<Part> parts_;
  std::vector<std::size_t> top_;      // parts that lie in no other
  bool loose_ = false;                // members that lie in no part
  std::vector<Need> needs_;           // of all
  std::vector<std::int32_t> ranked_;  // domains of the only top part
  std::size_t next_ = 0;
  std::map<const Domains*, std::vector<std::int32_t>> all_;  // 0, 1, ...
};

}  // namespace cadre::match
