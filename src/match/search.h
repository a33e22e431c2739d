// Depth-first search over the items of a problem: start with the best guess, back up where it fails, miss
// nothing.
//
// The first descent is a best-fit placement and usually the answer. From the first failure on, every step is
// checked against Bound. Rounds: where units have domains, a domain that fails again and again is first left
// for the next one, so that the search does not spend all its steps in one place; only a round that left
// nothing out may say "impossible". No recursion: the stack of decisions is as high as there are units and
// members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "match/bound.h"
#include "match/fill.h"
#include "match/order.h"
#include "match/state.h"

namespace cadre::match {

// Steps that may still be taken: one per choice made, one per 64 nodes looked at.
class Budget {
 public:
  explicit Budget(std::uint64_t steps) : left_(steps) {}
  void Spend(std::uint64_t steps) { left_ -= std::min(left_, steps); }
  std::uint64_t left() const { return left_; }
  bool Exhausted() const { return left_ == 0; }

 private:
  std::uint64_t left_;
};

enum class Outcome : std::uint8_t { kFound, kImpossible, kGaveUp };

class Search {
 public:
  // `forced`: a unit that may not be skipped, or kNone. REQUIRES: every unit that `items` open is undecided.
  Search(State& state, std::vector<Item> items, Budget& budget, std::size_t forced = kNone);

  // kFound leaves the placement in the state; otherwise the state is as it was.
  Outcome Run();

  // Tries only as long as no domain fails more often than this; for what is worth a try but no effort.
  Outcome RunBriefly(std::uint64_t failures);

 private:
  enum class Round : std::uint8_t { kFound, kImpossible, kGaveUp, kLeftOut, kFailedOnce };

  struct Frame {
    std::size_t item = 0;
    // A choice is to place something (members at a spot, a unit in a domain) or to stop (no more members, the
    // unit is skipped). What is wanted decides which of the two is tried first.
    bool stop_first = false;
    bool stop_tried = false;
    bool stopped = false;  // the choice now
    std::uint8_t phase = 0;
    // To open a unit:
    bool started = false;  // the choice now
    std::size_t next_domain = 0;
    std::uint64_t failures = 0;  // under the domain chosen now
    // To place members:
    std::size_t spot = 0;
    std::int32_t count = 0;        // the choice now: so many at the spot
    std::int32_t first_count = 0;  // counts are tried from here down to 1, then upwards
    bool rising = false;
    bool dead = false;  // this state was tried before
    StateName name;     // of the state when the frame was made
    std::uint64_t left_out_before = 0;
  };

  Round Explore(std::uint64_t failure_limit, bool check);
  bool Push(std::size_t item);  // false: nothing is left to decide
  bool PushOpen(std::size_t item);
  bool PushFill(std::size_t item);
  bool Next(Frame& frame);  // the next choice; false: there is none, and the last is undone
  void Undo(Frame& frame);
  void Fail(std::uint64_t failure_limit);
  void Pop();
  std::size_t ItemAfter(const Frame& frame) const;

  bool NextOpen(Frame& frame);
  bool StartNext(Frame& frame);
  bool MustStart(std::size_t unit) const;
  bool MaySkip(std::size_t unit) const;
  std::vector<std::int32_t> DomainsToTry(std::size_t unit);

  bool NextFill(Frame& frame);
  bool NextSpot(Frame& frame);
  bool NextCount(Frame& frame);
  void SetClosed(const Item& item, bool closed);
  bool InPlay(std::size_t cls) const {
    return state_.Left(cls) > 0 && state_.Alive(problem_.classes[cls].unit);
  }
  bool MayStop(const Item& item) const;
  bool HasAllWanted(const Item& item) const;
  std::int32_t PlaceUpTo(const Frame& frame, std::int64_t count);
  void TakeBack(Frame& frame, std::int32_t count);

  State& state_;
  const Problem& problem_;
  std::vector<Item> items_;
  Budget& budget_;
  std::size_t forced_;
  Bound bound_;
  bool extras_help_;    // more than the minimum can make a difference: the affinity or spread of others
  bool check_ = false;  // every step is checked against the bound
  std::vector<Frame> stack_;
  std::vector<std::size_t> opens_;  // frames on the stack that choose among domains
  std::vector<Fill> fills_;         // by item, of the frames on the stack
  // By unit, of the frames on the stack: the domains to try and the one chosen; a twin goes on from there.
  std::vector<std::vector<std::int32_t>> domains_;
  std::vector<std::size_t> chosen_;
  boost::unordered_flat_set<StateName> dead_;  // states at free-order items that lead nowhere
  std::uint64_t left_out_ = 0;
};

}  // namespace cadre::match
