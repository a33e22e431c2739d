// The tree of a cluster's domains: what `cadre topology` shows and what importers are checked against.
//
// Built from names and labels alone, so that a dump, a live cluster and an import can all be looked at. The
// matcher does not use it: it keeps its own index, by the same rules (Levels::PathOf).
//
// Values that refer to nothing outside; the result depends on the nodes, not on their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta.h"
#include "kube/resources.h"
#include "topology/levels.h"

namespace cadre::topology {

// One node as it is handed in. The pointers must outlive the call only.
struct NodeView {
  std::string_view name;                            // unique
  const kube::StringMap* labels = nullptr;          // not null
  const kube::ResourceList* allocatable = nullptr;  // null: not known
};

// The value of a label, or "" where the node lacks it. (An empty value places a node nowhere, so that it
// counts as lacking.)
std::string_view LabelOf(const NodeView& node, std::string_view key);

// Digits compare as numbers: r2 before r10. Total: equal only for equal text.
bool NaturalLess(std::string_view a, std::string_view b);

using DomainIndex = std::size_t;
inline constexpr DomainIndex kWhole = 0;  // the domain that is the whole cluster

struct Domain {
  std::size_t level = 0;                // place in Tree::levels(); no meaning for the whole cluster
  std::string value{};                  // of the level's label; empty for the whole cluster
  DomainIndex parent = kWhole;          // the nearest coarser domain; levels that its nodes lack are skipped
  std::vector<DomainIndex> children{};  // by level, then value
  std::vector<std::size_t> nodes{};     // all below, places in Tree::nodes(), ascending
  std::vector<std::size_t> own{};       // those of them that are in no child
  kube::ResourceList total{};           // Σ allocatable
  kube::ResourceList largest{};         // the most of each resource that one node offers
};

class Tree {
 public:
  // With given levels exactly those (the host aside, which is a node); else the well-known keys that nodes
  // carry: PresentLevels (topology/found.h).
  static Tree Build(std::span<const NodeView> nodes, const Levels& levels);

  const std::vector<std::string>& levels() const { return levels_; }  // keys, coarse to fine
  const std::vector<std::string>& nodes() const { return nodes_; }    // names, in natural order
  // The whole cluster first; parents before children, depth first.
  const std::vector<Domain>& domains() const { return domains_; }
  const Domain& whole() const { return domains_.front(); }
  const Domain& domain(DomainIndex index) const { return domains_[index]; }

  // All domains of a level, in the order of domains().
  std::vector<DomainIndex> DomainsOf(std::size_t level) const;

  // How many nodes the domains of a level have, most first; empty when it is no level of the tree.
  std::vector<std::size_t> SizesOf(std::string_view key) const;

  // "us-east-1/us-east-1a/r7": the values from the coarsest to this one; "-" where a level is skipped; "the
  // cluster" for the whole.
  std::string NameOf(DomainIndex index) const;

  // Well-known keys that nodes carry but that are no level, each with the reason, for people. Empty with
  // given levels.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void Sort();

  std::vector<std::string> levels_;
  std::vector<std::string> left_out_;
  std::vector<std::string> nodes_;
  std::vector<Domain> domains_ = std::vector<Domain>(1);
};

}  // namespace cadre::topology
