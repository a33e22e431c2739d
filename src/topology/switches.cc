#include "topology/switches.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "topology/levels.h"

namespace cadre::topology {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kNamed = 5;

// " (line 2)", where a line is known.
std::string InLine(const Switch& where) {
  return where.line == 0 ? std::string{} : fmt::format(" (line {})", where.line);
}

class Resolver {
 public:
  explicit Resolver(const std::vector<Switch>& switches) : switches_(switches) {}

  Result<SwitchPaths> Run() {
    CADRE_TRY_VOID(Number());
    CADRE_TRY_VOID(LinkSwitches());
    CADRE_TRY_VOID(FindCycle());
    CADRE_TRY_VOID(LinkNodes());
    if (paths_.of.empty()) return Err("there is no node below any switch");
    NoteEmptySwitches();
    NoteForest();
    return std::move(paths_);
  }

 private:
  Result<void> Number() {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      const auto [known, added] = number_.try_emplace(switches_[i].name, i);
      if (!added)
        return Err("{}switch {} is described already{}", At(switches_[i]), switches_[i].name,
                   InLine(switches_[known->second]));
    }
    parent_.assign(switches_.size(), kNone);
    return {};
  }

  Result<void> LinkSwitches() {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      for (const std::string& child : switches_[i].switches) {
        const auto found = number_.find(child);
        if (found == number_.end()) return Err("{}{}", At(switches_[i]), Undescribed(child));
        std::size_t& parent = parent_[found->second];
        if (parent != kNone && parent != i)
          return Err("{}switch {} is below switch {} already{}: a switch hangs below one other",
                     At(switches_[i]), child, switches_[parent].name, InLine(switches_[parent]));
        parent = i;
      }
    }
    return {};
  }

  std::string Undescribed(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const Switch& known : switches_)
      names.push_back(known.name);
    const std::string_view nearest = ClosestTo(name, names);
    return fmt::format("switch {} is named but not described{}", name,
                       nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest));
  }

  // From each switch up, marked with the number of the walk: a switch met again on the same walk is a cycle.
  Result<void> FindCycle() const {
    std::vector<std::size_t> met(switches_.size(), kNone);
    for (std::size_t start = 0; start < switches_.size(); ++start) {
      std::size_t at = start;
      while (at != kNone && met[at] == kNone) {
        met[at] = start;
        at = parent_[at];
      }
      if (at != kNone && met[at] == start) return Cycle(at);
    }
    return {};
  }

  Result<void> Cycle(std::size_t start) const {
    std::vector<std::size_t> ring = {start};
    for (std::size_t at = parent_[start]; at != start; at = parent_[at])
      ring.push_back(at);
    // Written from the first described, parent before child.
    std::ranges::reverse(ring);
    std::ranges::rotate(ring, std::ranges::min_element(ring));
    std::vector<std::string> names;
    for (const std::size_t at : ring)
      names.push_back(switches_[at].name);
    names.push_back(names.front());
    if (names.size() > 2 * kNamed) {
      names.erase(names.begin() + kNamed, names.end() - 2);
      names.insert(names.end() - 2, "…");
    }
    return Err("{}the switches {} form a cycle: none of them is the root", At(switches_[ring.front()]),
               fmt::join(names, " > "));
  }

  Result<std::vector<std::string>> PathTo(std::size_t at) const {
    std::vector<std::string> path;
    for (std::size_t up = at; up != kNone; up = parent_[up]) {
      path.push_back(switches_[up].name);
      if (path.size() > kMostLevels)
        return Err("{}more than {} switches above one another", At(switches_[at]), kMostLevels);
    }
    std::ranges::reverse(path);
    return path;
  }

  Result<void> LinkNodes() {
    std::map<std::string_view, std::size_t> holder;
    used_.assign(switches_.size(), false);
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (switches_[i].nodes.empty()) continue;
      CADRE_TRY(const std::vector<std::string> path, PathTo(i));
      paths_.depth = std::max(paths_.depth, path.size());
      for (std::size_t up = i; up != kNone && !used_[up]; up = parent_[up])
        used_[up] = true;
      for (const std::string& node : switches_[i].nodes) {
        const auto [known, added] = holder.try_emplace(node, i);
        if (!added && known->second != i)
          return Err("{}node {} is below switch {} already{}: a node hangs below one switch",
                     At(switches_[i]), node, switches_[known->second].name, InLine(switches_[known->second]));
        paths_.of.insert_or_assign(node, path);
      }
    }
    return {};
  }

  void NoteEmptySwitches() {
    std::vector<std::string> empty;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (!used_[i]) empty.push_back(switches_[i].name);
    }
    if (empty.empty()) return;
    paths_.notes.push_back(fmt::format(
        "{} without nodes dropped: {}",
        Quantify(static_cast<std::int64_t>(empty.size()), "switch", "switches"), SomeOf(empty, kNamed)));
  }

  void NoteForest() {
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (parent_[i] == kNone && used_[i]) roots.push_back(switches_[i].name);
    }
    if (roots.size() < 2) return;
    paths_.notes.push_back(
        fmt::format("{} top switches with nothing above them, which is taken for a forest: {}", roots.size(),
                    SomeOf(roots, kNamed)));
  }

  const std::vector<Switch>& switches_;
  std::map<std::string_view, std::size_t> number_;
  std::vector<std::size_t> parent_;
  std::vector<bool> used_;  // has nodes somewhere below
  SwitchPaths paths_;
};

}  // namespace

std::string At(const Switch& where) {
  return where.line == 0 ? fmt::format("switch {}: ", where.name) : fmt::format("line {}: ", where.line);
}

Result<SwitchPaths> ResolveSwitches(const std::vector<Switch>& switches) {
  return Resolver(switches).Run();
}

}  // namespace cadre::topology
