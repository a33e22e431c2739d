#include "report/html_domains.h"

#include <algorithm>
#include <cctype>
#include <compare>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/run_text.h"

namespace cadre::report {

namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// The run of digits at `at`, without leading zeros; `at` moves behind it.
std::string_view TakeNumber(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == '0')
    ++at;
  const std::size_t from = at;
  while (at < text.size() && IsDigit(text[at]))
    ++at;
  return text.substr(from, at - from);
}

std::strong_ordering NaturalOrder(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const std::string_view left = TakeNumber(a, i);
      const std::string_view right = TakeNumber(b, j);
      if (const auto order = std::pair(left.size(), left) <=> std::pair(right.size(), right); order != 0)
        return order;
    } else {
      if (a[i] != b[j]) return a[i] <=> b[j];
      ++i;
      ++j;
    }
  }
  if (const auto order = (a.size() - i) <=> (b.size() - j); order != 0) return order;
  return a <=> b;  // they differ in leading zeros only
}

struct Natural {
  bool operator()(std::string_view a, std::string_view b) const { return NaturalLess(a, b); }
};

// Values coarse to fine, with the levels that they belong to; levels that the node lacks are left out.
using Step = std::pair<std::size_t, std::string>;  // level, value
using Path = std::vector<Step>;

struct StepLess {
  bool operator()(const Step& a, const Step& b) const {
    return a.first != b.first ? a.first < b.first : NaturalLess(a.second, b.second);
  }
};

struct PathLess {
  bool operator()(const Path& a, const Path& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), StepLess());
  }
};

Path PathOf(const NodeRow& node, std::size_t levels) {
  Path path;
  for (std::size_t level = 0; level < std::min(levels, node.path.size()); ++level) {
    if (!node.path[level].empty()) path.emplace_back(level, node.path[level]);
  }
  return path;
}

std::size_t DifferentPaths(const RunReport& report, std::size_t levels) {
  std::map<Path, int, PathLess> paths;
  for (const NodeRow& node : report.nodes)
    paths.try_emplace(PathOf(node, levels));
  return paths.size();
}

// Indexes of the nodes in natural order of their names.
std::vector<std::size_t> InOrder(const RunReport& report) {
  std::vector<std::size_t> order(report.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return NaturalLess(report.nodes[a].name, report.nodes[b].name);
  });
  return order;
}

class TreeBuilder {
 public:
  TreeBuilder(const RunReport& report, std::size_t most_cells) : report_(report), most_(most_cells) {
    tree_.all.emplace_back();
    tree_.all[0].nodes = report.nodes.size();
    tree_.unit_of_node.assign(report.nodes.size(), 0);
  }

  DomainTree Build() {
    tree_.shows_nodes = report_.nodes.size() <= most_;
    std::size_t levels = report_.levels.size();
    if (!tree_.shows_nodes) {
      while (levels > 0 && DifferentPaths(report_, levels) > most_)
        --levels;
    }
    if (!tree_.shows_nodes && levels == 0) {
      AddRuns();
    } else {
      AddDomains(levels);
    }
    return std::move(tree_);
  }

 private:
  std::size_t Add(std::size_t parent, DomainNode node) {
    node.parent = parent;
    tree_.all.push_back(std::move(node));
    tree_.all[parent].children.push_back(tree_.all.size() - 1);
    return tree_.all.size() - 1;
  }

  void AddDomains(std::size_t levels) {
    std::map<Path, std::vector<std::size_t>, PathLess> by_path;
    for (const std::size_t node : InOrder(report_))
      by_path[PathOf(report_.nodes[node], levels)].push_back(node);
    std::map<Path, std::size_t, PathLess> known = {{Path(), 0}};
    for (const auto& [path, nodes] : by_path)
      AddPath(path, nodes.size(), known);
    for (const auto& [path, nodes] : by_path) {
      for (const std::size_t node : nodes) {
        const std::size_t domain = known.at(path);
        tree_.unit_of_node[node] = tree_.shows_nodes ? Add(domain, {.name = report_.nodes[node].name,
                                                                    .level = {},
                                                                    .is_node = true,
                                                                    .parent = kNoUnit,
                                                                    .children = {},
                                                                    .nodes = 1})
                                                     : domain;
      }
    }
  }

  void AddPath(const Path& path, std::size_t nodes, std::map<Path, std::size_t, PathLess>& known) {
    std::size_t at = 0;
    Path prefix;
    for (const Step& step : path) {
      prefix.push_back(step);
      auto found = known.find(prefix);
      if (found == known.end())
        found = known
                    .emplace(prefix, Add(at, {.name = step.second,
                                              .level = report_.levels[step.first],
                                              .is_node = false,
                                              .parent = kNoUnit,
                                              .children = {},
                                              .nodes = 0}))
                    .first;
      at = found->second;
      tree_.all[at].nodes += nodes;
    }
  }

  // Nothing divides so many nodes: neighbours by name stand together.
  void AddRuns() {
    const std::vector<std::size_t> order = InOrder(report_);
    const std::size_t run = (order.size() + most_ - 1) / most_;
    for (std::size_t from = 0; from < order.size(); from += run) {
      const std::size_t to = std::min(from + run, order.size());
      const std::size_t unit = Add(0, {.name = fmt::format("{} … {}", report_.nodes[order[from]].name,
                                                           report_.nodes[order[to - 1]].name),
                                       .level = {},
                                       .is_node = false,
                                       .parent = kNoUnit,
                                       .children = {},
                                       .nodes = to - from});
      for (std::size_t i = from; i < to; ++i)
        tree_.unit_of_node[order[i]] = unit;
    }
  }

  const RunReport& report_;
  const std::size_t most_;
  DomainTree tree_;
};

// Values down to `level`; the last is the level's own.
std::vector<std::string> ValuesTo(const NodeRow& node, std::size_t level) {
  return {node.path.begin(), node.path.begin() + static_cast<std::ptrdiff_t>(level) + 1};
}

std::string Joined(const std::vector<std::string>& values) {
  std::vector<std::string> present;
  std::copy_if(values.begin(), values.end(), std::back_inserter(present),
               [](const std::string& value) { return !value.empty(); });
  return fmt::format("{}", fmt::join(present, " / "));
}

struct ValuesLess {
  bool operator()(const std::vector<std::string>& a, const std::vector<std::string>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), Natural());
  }
};

Division DivideAt(const RunReport& report, std::size_t level) {
  Division division;
  division.title = ShortName(report.levels[level]);
  division.part_of_node.assign(report.nodes.size(), kNoUnit);
  std::map<std::vector<std::string>, std::vector<std::size_t>, ValuesLess> domains;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    if (!report.nodes[i].path[level].empty()) domains[ValuesTo(report.nodes[i], level)].push_back(i);
  }
  for (const auto& [values, nodes] : domains) {
    for (const std::size_t node : nodes)
      division.part_of_node[node] = division.parts.size();
    division.parts.push_back({values.back(), Joined({values.begin(), values.end() - 1}), nodes.size()});
  }
  return division;
}

}  // namespace

bool NaturalLess(std::string_view a, std::string_view b) {
  return NaturalOrder(a, b) < 0;
}

std::vector<std::size_t> DomainTree::Parents() const {
  std::vector<std::size_t> parents;
  parents.reserve(all.size());
  for (const DomainNode& node : all)
    parents.push_back(node.parent);
  return parents;
}

DomainTree TreeOf(const RunReport& report, std::size_t most_cells) {
  return TreeBuilder(report, most_cells).Build();
}

Division DivideByDomain(const RunReport& report, std::size_t most) {
  for (std::size_t level = report.levels.size(); level-- > 0;) {
    Division division = DivideAt(report, level);
    if (division.parts.size() >= 2 && division.parts.size() <= most) return division;
  }
  return {};
}

Division DivideByNode(const RunReport& report, std::size_t most) {
  Division division;
  if (report.nodes.size() > most) return division;
  division.title = "node";
  // Neighbours in the topology stand together.
  std::vector<std::size_t> order = InOrder(report);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ValuesLess()(report.nodes[a].path, report.nodes[b].path);
  });
  division.part_of_node.assign(report.nodes.size(), kNoUnit);
  for (const std::size_t node : order) {
    division.part_of_node[node] = division.parts.size();
    division.parts.push_back({report.nodes[node].name, Joined(report.nodes[node].path), 1});
  }
  return division;
}

}  // namespace cadre::report
