// What can still become of a state, at best: quick upper bounds that end hopeless branches early, and the
// domains of a unit from the tightest.
//
// A bound never says no where there is a way: it looks at each class alone against the room that is left, at
// units with one domain each, and at sums.
#pragma once

#include <cstdint>
#include <vector>

#include "match/state.h"

namespace cadre::match {

class Bound {
 public:
  explicit Bound(const State& state);

  // False: whatever is done next, some unit that must be placed cannot be.
  bool Hopeful();

  // The domains in which all of an undecided unit's need could be met, best first: those that could hold the
  // most of its members, then the tightest (the fewest of its heaviest members would fit), then by first
  // node.
  std::vector<std::int32_t> RankDomains(std::size_t unit);

  // The domain that could hold the most members of an undecided unit, whether that is enough or not.
  struct BestDomain {
    std::int32_t domain = kNoDomain;  // none: no node has the label, or all are closed to the unit
    std::int64_t members = 0;
  };
  BestDomain FindBestDomain(std::size_t unit);

  // The least of a resource that the unit still takes if it is placed: its cheapest parts, as many as it
  // lacks.
  std::int64_t LeastDemand(std::size_t unit, std::size_t resource) const;

  // The unit counts as placed even if nothing more is placed in it.
  bool NeedsNothing(std::size_t unit) const;

  // How many members of a class could be placed within what its unit's domains leave, if nothing else were
  // placed.
  std::int64_t Reach(std::size_t cls);

  // Nodes looked at since the last call.
  std::uint64_t TakeWork();

 private:
  struct Sums {
    std::vector<std::vector<std::int64_t>> rooms;  // by position in all_classes, by domain
    std::vector<std::vector<std::int64_t>> free;  // by resource, by domain: on nodes with room for some class
  };

  bool CanBePlaced(std::size_t unit);
  std::int64_t UnitsThatFit(std::size_t unit, std::int64_t wanted);
  Sums SumByDomain(std::size_t unit);
  std::int64_t PartsWithin(std::size_t unit, std::size_t top, const Sums& sums, std::size_t domain) const;
  std::int64_t UnitsWithin(std::size_t unit, const Sums& sums, std::size_t domain) const;
  std::int64_t RoomAt(std::size_t cls, NodeIndex node) const;
  std::int64_t DistinctDomains(std::size_t cls, const Domains& apart);
  bool TotalsHold();
  bool DemandFits(std::size_t unit, const Sums& sums, std::size_t domain) const;
  void CollectMusts(std::size_t unit, std::vector<std::int64_t>& musts) const;

  const State& state_;
  const Problem& problem_;
  std::vector<std::vector<const Domains*>> apart_;  // by role
  std::vector<std::uint32_t> seen_;
  std::uint32_t seen_mark_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace cadre::match
