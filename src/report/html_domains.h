// Domains of the nodes in a report: as a tree for the map, and as a flat division for the charts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/html_load.h"
#include "report/run_report.h"

namespace cadre::report {

// "rack-2" before "rack-10": runs of digits compare as numbers. A total order.
bool NaturalLess(std::string_view a, std::string_view b);

// One domain, or one node, of the tree.
struct DomainNode {
  std::string name;      // value of the level's label, or the node's name; empty for the whole cluster
  std::string level;     // topology label key; "" for the cluster, for nodes and for runs of nodes
  bool is_node = false;  // a node of its own
  std::size_t parent = kNoUnit;
  std::vector<std::size_t> children;  // domains first, then nodes, each in natural order
  std::size_t nodes = 0;              // below or at it
};

struct DomainTree {
  std::vector<DomainNode> all;            // parents before children; [0] is the cluster
  std::vector<std::size_t> unit_of_node;  // by index into report.nodes: the smallest part that is shown
  bool shows_nodes = true;
  std::vector<std::size_t> Parents() const;
};

// At most `most_cells` parts without children: nodes while there are not more, else domains of the finest
// level that has not more, else runs of consecutive nodes.
DomainTree TreeOf(const RunReport& report, std::size_t most_cells);

// The nodes divided into rows for a chart.
struct Division {
  std::string title;  // "rack", "node"
  struct Part {
    std::string name;    // "gpu-rack-0"
    std::string within;  // "north": the coarser values, with " / " between; may be empty
    std::size_t nodes = 0;
  };
  std::vector<Part> parts;
  std::vector<std::size_t> part_of_node;  // by index into report.nodes; kNoUnit: it lacks the label
};

// By the finest level that has at most `most` domains; no parts when there is none with at least two.
Division DivideByDomain(const RunReport& report, std::size_t most);
// One part per node; no parts when there are more than `most`.
Division DivideByNode(const RunReport& report, std::size_t most);

}  // namespace cadre::report
