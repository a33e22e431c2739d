#include "topology/tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "topology/found.h"

namespace cadre::topology {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// The run of digits at the front, without its leading zeros, and what comes after it.
std::pair<std::string_view, std::string_view> TakeNumber(std::string_view text) {
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, IsDigit) - text.begin());
  std::string_view digits = text.substr(0, end);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return {digits, text.substr(end)};
}

// <0, 0, >0 with digits as numbers; 0 also for 1 and 01.
int NaturalCompare(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      const auto [left, a_rest] = TakeNumber(a);
      const auto [right, b_rest] = TakeNumber(b);
      if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
      if (const int order = left.compare(right); order != 0) return order;
      a = a_rest;
      b = b_rest;
      continue;
    }
    if (a.front() != b.front())
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front()) ? -1 : 1;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
}

void Add(const kube::ResourceList& offers, Domain& domain) {
  for (const auto& [resource, amount] : offers) {
    std::int64_t& total = domain.total[resource];
    // Amounts come from files: a sum beyond the range stays at its end.
    if (__builtin_add_overflow(total, amount, &total)) total = std::numeric_limits<std::int64_t>::max();
    std::int64_t& largest = domain.largest[resource];
    largest = std::max(largest, amount);
  }
}

using ChildMap = std::map<std::tuple<DomainIndex, std::size_t, std::string_view>, DomainIndex>;

}  // namespace

std::string_view LabelOf(const NodeView& node, std::string_view key) {
  const auto found = node.labels->find(key);
  return found == node.labels->end() ? std::string_view{} : std::string_view(found->second);
}

bool NaturalLess(std::string_view a, std::string_view b) {
  const int order = NaturalCompare(a, b);
  return order != 0 ? order < 0 : a < b;
}

Tree Tree::Build(std::span<const NodeView> given_nodes, const Levels& levels) {
  std::vector<NodeView> nodes(given_nodes.begin(), given_nodes.end());
  std::ranges::sort(nodes, NaturalLess, &NodeView::name);
  Tree tree;
  if (levels.given()) {
    tree.levels_ = levels.Keys();
    std::erase(tree.levels_, kHostname);
  } else {
    Found found = PresentLevels(nodes);
    tree.levels_ = std::move(found.levels);
    tree.left_out_ = std::move(found.left_out);
  }
  ChildMap children;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const NodeView& node = nodes[index];
    tree.nodes_.emplace_back(node.name);
    DomainIndex at = kWhole;
    const auto enter = [&](DomainIndex domain) {
      tree.domains_[domain].nodes.push_back(index);
      if (node.allocatable != nullptr) Add(*node.allocatable, tree.domains_[domain]);
      at = domain;
    };
    enter(kWhole);
    for (std::size_t level = 0; level < tree.levels_.size(); ++level) {
      const std::string_view value = LabelOf(node, tree.levels_[level]);
      if (value.empty()) continue;
      const auto [child, added] = children.try_emplace({at, level, value}, tree.domains_.size());
      if (added) {
        tree.domains_.push_back({.level = level, .value = std::string(value), .parent = at});
        tree.domains_[at].children.push_back(child->second);
      }
      enter(child->second);
    }
    tree.domains_[at].own.push_back(index);
  }
  tree.Sort();
  return tree;
}

void Tree::Sort() {
  std::vector<DomainIndex> order;  // new place -> old
  std::vector<DomainIndex> pending = {kWhole};
  while (!pending.empty()) {
    const DomainIndex at = pending.back();
    pending.pop_back();
    order.push_back(at);
    std::vector<DomainIndex>& children = domains_[at].children;
    std::ranges::sort(children, [&](DomainIndex a, DomainIndex b) {
      if (domains_[a].level != domains_[b].level) return domains_[a].level < domains_[b].level;
      return NaturalLess(domains_[a].value, domains_[b].value);
    });
    pending.insert(pending.end(), children.rbegin(), children.rend());
  }
  CADRE_ASSERT(order.size() == domains_.size(), "every domain hangs below the whole cluster");
  std::vector<DomainIndex> place(domains_.size());
  for (std::size_t index = 0; index < order.size(); ++index)
    place[order[index]] = index;
  std::vector<Domain> sorted;
  sorted.reserve(domains_.size());
  for (const DomainIndex old : order) {
    Domain domain = std::move(domains_[old]);
    domain.parent = place[domain.parent];
    for (DomainIndex& child : domain.children)
      child = place[child];
    sorted.push_back(std::move(domain));
  }
  domains_ = std::move(sorted);
}

std::vector<DomainIndex> Tree::DomainsOf(std::size_t level) const {
  std::vector<DomainIndex> found;
  for (DomainIndex index = 1; index < domains_.size(); ++index) {
    if (domains_[index].level == level) found.push_back(index);
  }
  return found;
}

std::vector<std::size_t> Tree::SizesOf(std::string_view key) const {
  const auto level = static_cast<std::size_t>(std::ranges::find(levels_, key) - levels_.begin());
  std::vector<std::size_t> sizes;
  for (const DomainIndex index : DomainsOf(level))
    sizes.push_back(domains_[index].nodes.size());
  std::ranges::sort(sizes, std::ranges::greater{});
  return sizes;
}

std::string Tree::NameOf(DomainIndex index) const {
  if (index == kWhole) return "the cluster";
  std::vector<std::string_view> values(domains_[index].level + 1, "-");
  for (DomainIndex at = index; at != kWhole; at = domains_[at].parent)
    values[domains_[at].level] = domains_[at].value;
  return fmt::format("{}", fmt::join(values, "/"));
}

}  // namespace cadre::topology
