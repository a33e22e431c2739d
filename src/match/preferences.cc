#include "match/preferences.h"

#include <algorithm>

#include "match/node_table.h"

namespace cadre::match {
namespace {

std::vector<std::string> LadderOf(const model::TopologyAsk& ask) {
  std::vector<std::string> ladder = PathOf(ask.preferred);
  std::ranges::reverse(ladder);
  // What must be anyway is no preference, and neither is what is coarser than that.
  for (const std::string* held : {&ask.required, &ask.exclusive}) {
    const auto at = std::ranges::find(ladder, *held);
    ladder.erase(at, ladder.end());
  }
  ladder.emplace_back();
  return ladder;
}

// One unit for each key, coarse around fine; the innermost has the parts.
Unit Nest(Unit unit, const std::string& preferred) {
  struct Key {
    std::size_t depth;
    std::string name;
    bool exclusive;
  };
  std::vector<Key> keys;
  const model::TopologyAsk ask = unit.topology;
  for (const std::string* key : {&ask.required, &preferred}) {
    if (!key->empty()) keys.push_back({PathOf(*key).size(), *key, false});
  }
  if (!ask.exclusive.empty()) {
    unit.alone = false;  // it shares no domain
    // A domain of one's own is one domain.
    std::erase_if(keys, [&](const Key& key) { return key.name == ask.exclusive; });
    keys.push_back({PathOf(ask.exclusive).size(), ask.exclusive, true});
  }
  std::ranges::stable_sort(keys, {}, &Key::depth);
  unit.topology = {};
  for (std::size_t i = keys.size(); i-- > 0;) {
    const Key& key = keys[i];
    const bool innermost = i + 1 == keys.size();
    if (!innermost) {
      Unit outer;
      outer.name = unit.name;
      outer.same_tenant = unit.same_tenant;
      unit.same_tenant = true;
      outer.units.push_back(std::move(unit));
      unit = std::move(outer);
    }
    (key.exclusive ? unit.topology.exclusive : unit.topology.required) = key.name;
    unit.topology.scope = ask.scope;
  }
  return unit;
}

class Rewriter {
 public:
  Rewriter(const std::vector<std::vector<std::string>>& ladders, const std::vector<std::size_t>& steps)
      : ladders_(ladders), steps_(steps) {}

  Unit Rewrite(const Unit& source) {
    Unit unit = source;
    std::string preferred;
    if (!source.topology.preferred.empty()) {
      preferred = ladders_[next_][steps_[next_]];
      ++next_;
    }
    for (Unit& child : unit.units)
      child = Rewrite(child);
    return Nest(std::move(unit), preferred);
  }

 private:
  const std::vector<std::vector<std::string>>& ladders_;
  const std::vector<std::size_t>& steps_;
  std::size_t next_ = 0;
};

// All ways to spend exactly `cost` on the ladders from `first` on, those that spend it early first, until
// `tries` is full.
void Spend(const std::vector<std::vector<std::string>>& ladders, std::size_t first, std::size_t cost,
           std::vector<std::size_t>& steps, std::vector<std::vector<std::size_t>>& tries) {
  if (tries.size() >= kMostTries) return;
  if (first == ladders.size()) {
    if (cost == 0) tries.push_back(steps);
    return;
  }
  for (std::size_t step = std::min(cost, ladders[first].size() - 1) + 1; step-- > 0;) {
    steps[first] = step;
    Spend(ladders, first + 1, cost - step, steps, tries);
  }
  steps[first] = 0;
}

}  // namespace

Preferences::Preferences(const Request& request) : request_(&request) {
  const auto visit = [&](const auto& self, const Unit& unit) -> void {
    const model::TopologyAsk& ask = unit.topology;
    if (!ask.preferred.empty()) ladders_.push_back(LadderOf(ask));
    trivial_ &= ask.preferred.empty() && (ask.required.empty() || ask.exclusive.empty());
    for (const Unit& child : unit.units)
      self(self, child);
  };
  visit(visit, request.root);
}

std::vector<std::vector<std::size_t>> Preferences::Tries() const {
  std::vector<std::vector<std::size_t>> tries;
  std::size_t most = 0;
  for (const auto& ladder : ladders_)
    most += ladder.size() - 1;
  std::vector<std::size_t> steps(ladders_.size(), 0);
  for (std::size_t cost = 0; cost <= most && tries.size() < kMostTries; ++cost)
    Spend(ladders_, 0, cost, steps, tries);
  std::vector<std::size_t> none;
  for (const auto& ladder : ladders_)
    none.push_back(ladder.size() - 1);
  if (tries.empty() || tries.back() != none) tries.push_back(none);
  return tries;
}

Request Preferences::Apply(const std::vector<std::size_t>& steps) const {
  Request rewritten{.root = Rewriter(ladders_, steps).Rewrite(request_->root), .group = request_->group};
  return rewritten;
}

Request Preferences::Plain() const {
  std::vector<std::size_t> none;
  for (const auto& ladder : ladders_)
    none.push_back(ladder.size() - 1);
  return Apply(none);
}

}  // namespace cadre::match
