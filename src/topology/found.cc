#include "topology/found.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

namespace cadre::topology {
namespace {

struct Level {
  std::string key;
  Cut cut;
};

class Finder {
 public:
  explicit Finder(std::span<const NodeView> nodes) : nodes_(nodes) {}

  Found Run() {
    for (const std::string_view key : {kRegion, kZone}) {
      if (Level level = LevelOf(std::string(key)); level.cut.count > 0) chain_.push_back(std::move(level));
    }
    const std::size_t coarse = chain_.size();
    TakeFamilies();
    if (chain_.size() == coarse) TakePool();
    Found found{.left_out = std::move(left_out_)};
    for (Level& level : chain_)
      found.levels.push_back(std::move(level.key));
    return found;
  }

 private:
  Level LevelOf(std::string key) const {
    Cut cut = CutBy(nodes_, Levels::WellKnown().PathOf(key));
    return {std::move(key), std::move(cut)};
  }

  std::vector<Level> PresentOf(const Family& family) const {
    std::vector<Level> present;
    for (const std::string& key : family.keys) {
      if (Level level = LevelOf(key); level.cut.count > 0) present.push_back(std::move(level));
    }
    return present;
  }

  void TakeFamilies() {
    std::vector<std::vector<Level>> families;
    for (const Family& family : Families()) {
      if (std::vector<Level> present = PresentOf(family); !present.empty())
        families.push_back(std::move(present));
    }
    const auto covered = [](const std::vector<Level>& family) {
      std::size_t most = 0;
      for (const Level& level : family)
        most = std::max(most, level.cut.covered);
      return most;
    };
    std::ranges::stable_sort(families, std::ranges::greater{}, covered);
    for (std::size_t i = 0; i < families.size(); ++i) {
      for (Level& level : families[i]) {
        if (i == 0)
          chain_.push_back(std::move(level));
        else
          Insert(std::move(level));
      }
    }
  }

  // As fine as it can stand: everything before it must hold it, everything after it must lie in it.
  void Insert(Level level) {
    for (const Level& other : chain_) {
      if (!CutsAlike(level.cut, other.cut)) continue;
      left_out_.push_back(fmt::format("{} cuts the nodes like {} does", level.key, other.key));
      return;
    }
    std::size_t at = 0;
    while (at < chain_.size() && Nests(level.cut, chain_[at].cut))
      ++at;
    const auto rest = std::ranges::subrange(chain_.begin() + static_cast<std::ptrdiff_t>(at), chain_.end());
    const auto astray =
        std::ranges::find_if(rest, [&](const Level& finer) { return !Nests(finer.cut, level.cut); });
    if (astray == rest.end()) {
      chain_.insert(rest.begin(), std::move(level));
      return;
    }
    left_out_.push_back(
        fmt::format("{} does not nest with {}: {}", level.key, astray->key, Example(level, *astray)));
  }

  // Two nodes that share a domain of `level` but not of `other`.
  std::string Example(const Level& level, const Level& other) const {
    std::map<std::int32_t, std::size_t> first;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (level.cut.of[node] == Cut::kNowhere || other.cut.of[node] == Cut::kNowhere) continue;
      const auto [known, added] = first.try_emplace(level.cut.of[node], node);
      if (added || other.cut.of[known->second] == other.cut.of[node]) continue;
      return fmt::format("{} and {} are both in {} but in {} and {}", nodes_[known->second].name,
                         nodes_[node].name, LabelOf(nodes_[node], level.key),
                         LabelOf(nodes_[known->second], other.key), LabelOf(nodes_[node], other.key));
    }
    return "its domains overlap";
  }

  void TakePool() {
    for (const std::string& key : PoolKeys()) {
      Level level = LevelOf(key);
      if (level.cut.count < 2) continue;
      const bool nests =
          std::ranges::all_of(chain_, [&](const Level& coarser) { return Nests(level.cut, coarser.cut); });
      if (nests) {
        chain_.push_back(std::move(level));
        return;
      }
      left_out_.push_back(fmt::format("{} spans zones: a pool is no place", key));
    }
  }

  std::span<const NodeView> nodes_;
  std::vector<Level> chain_;
  std::vector<std::string> left_out_;
};

}  // namespace

Cut CutBy(std::span<const NodeView> nodes, const std::vector<std::string>& path) {
  Cut cut;
  cut.of.assign(nodes.size(), Cut::kNowhere);
  std::vector<boost::unordered_flat_map<std::pair<std::int32_t, std::string_view>, std::int32_t>> steps(
      path.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (LabelOf(nodes[node], path.back()).empty()) continue;
    std::int32_t at = 0;
    for (std::size_t step = 0; step < path.size(); ++step) {
      const auto next = static_cast<std::int32_t>(steps[step].size());
      at = steps[step].try_emplace({at, LabelOf(nodes[node], path[step])}, next).first->second;
    }
    cut.of[node] = at;
    ++cut.covered;
  }
  cut.count = static_cast<std::int32_t>(steps.back().size());
  return cut;
}

bool Nests(const Cut& fine, const Cut& coarse) {
  std::vector<std::int32_t> holder(static_cast<std::size_t>(fine.count), Cut::kNowhere);
  for (std::size_t node = 0; node < fine.of.size(); ++node) {
    if (fine.of[node] == Cut::kNowhere || coarse.of[node] == Cut::kNowhere) continue;
    std::int32_t& held = holder[static_cast<std::size_t>(fine.of[node])];
    if (held == Cut::kNowhere) held = coarse.of[node];
    if (held != coarse.of[node]) return false;
  }
  return true;
}

bool CutsAlike(const Cut& a, const Cut& b) {
  // Both count domains up in the order of the nodes.
  return a.of == b.of;
}

Found PresentLevels(std::span<const NodeView> nodes) {
  return Finder(nodes).Run();
}

}  // namespace cadre::topology
