#include "match/extend.h"

#include <algorithm>
#include <iterator>

namespace cadre::match {
namespace {

class Extender {
 public:
  Extender(State& state, const std::vector<Item>& items, Budget& budget)
      : state_(state),
        problem_(state.problem()),
        items_(items),
        budget_(budget),
        bound_(state),
        order_matters_(OrderMatters(state.problem(), state.terms())) {
    if (order_matters_) role_order_ = RoleOrder(problem_, state.terms());
    Reopen(0);
  }

  // Units are numbered so that those around come before those within.
  void Run() {
    for (std::size_t unit = 0; unit < problem_.units.size(); ++unit) {
      if (problem_.units[unit].all_classes.empty()) continue;
      const std::size_t parent = problem_.units[unit].parent;
      if (parent != kNone && !state_.Alive(parent)) continue;
      if (state_.StatusOf(unit) == State::Status::kSkipped) TryToStart(unit);
      if (state_.StatusOf(unit) != State::Status::kStarted) continue;
      for (const std::size_t cls : problem_.units[unit].classes)
        AddMembers(cls);
    }
  }

 private:
  void AddMembers(std::size_t cls) {
    if (state_.Left(cls) == 0) return;
    const ProblemClass& c = problem_.classes[cls];
    const Fill fill = MakeFill(state_, bound_, {.classes = {cls}});
    budget_.Spend(bound_.TakeWork() / 64 + state_.nodes().size() / 64 + 1);
    for (const Spot& spot : fill.spots) {
      while (!budget_.Exhausted() && state_.Left(cls) > 0 && state_.Room(c.shape, spot.node) > 0 &&
             TryMember(cls, spot.node)) {
      }
    }
  }

  bool TryMember(std::size_t cls, NodeIndex node) {
    budget_.Spend(1);
    if (!order_matters_ && !state_.terms().Allows(problem_.classes[cls].role, node)) return false;
    state_.Place(cls, node, 1);
    if (Holds()) return true;
    state_.RemoveLast(1);
    return false;
  }

  bool Holds() {
    if (!order_matters_) return true;
    budget_.Spend(problem_.member_count);
    return state_.SequenceHolds(role_order_);
  }

  // What the search has closed in a unit and below is to be had again.
  void Reopen(std::size_t unit) {
    for (const std::size_t cls : problem_.units[unit].all_classes) {
      if (state_.IsClosed(cls)) state_.Reopen(cls);
    }
  }

  void TryToStart(std::size_t unit) {
    constexpr std::uint64_t kSteps = 4096;  // an extra is worth a try, not a long search
    constexpr std::uint64_t kFailures = 64;
    const std::vector<bool> below = Below(unit);
    const std::size_t before = state_.placed().size();
    state_.Undecide(unit);
    Budget brief(std::min(kSteps, budget_.left()));
    Search search(state_, ItemsOf(below), brief, unit);
    const bool found = search.RunBriefly(kFailures) == Outcome::kFound;
    budget_.Spend(std::min(kSteps, budget_.left()) - brief.left());
    if (found) Reopen(unit);
    if (found && Holds()) return;
    if (found) TakeBack(below, before);
    state_.Skip(unit);
  }

  std::vector<bool> Below(std::size_t unit) const {
    std::vector<bool> below(problem_.units.size(), false);
    below[unit] = true;
    for (std::size_t u = unit + 1; u < below.size(); ++u) {
      const std::size_t parent = problem_.units[u].parent;
      below[u] = below[u] || (parent != kNone && below[parent]);
    }
    return below;
  }

  std::vector<Item> ItemsOf(const std::vector<bool>& units) const {
    std::vector<Item> items;
    for (const Item& item : items_) {
      if (item.unit != kNone) {
        if (units[item.unit]) items.push_back(item);
        continue;
      }
      Item part{.classes = {}, .free_order = item.free_order};
      std::ranges::copy_if(item.classes, std::back_inserter(part.classes),
                           [&](std::size_t cls) { return units[problem_.classes[cls].unit]; });
      if (!part.classes.empty()) items.push_back(std::move(part));
    }
    return items;
  }

  void TakeBack(const std::vector<bool>& units, std::size_t height) {
    while (state_.placed().size() > height)
      state_.RemoveLast(state_.placed().back().count);
    for (std::size_t u = units.size(); u-- > 0;) {
      if (units[u] && state_.StatusOf(u) != State::Status::kUndecided) state_.Undecide(u);
    }
  }

  State& state_;
  const Problem& problem_;
  const std::vector<Item>& items_;
  Budget& budget_;
  Bound bound_;
  bool order_matters_;
  std::vector<std::size_t> role_order_;
};

}  // namespace

void Extend(State& state, const std::vector<Item>& items, Budget& budget) {
  Extender(state, items, budget).Run();
}

}  // namespace cadre::match
