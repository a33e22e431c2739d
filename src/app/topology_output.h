// A topology tree as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "topology/oddities.h"
#include "topology/tree.h"

namespace cadre::app {

struct TopologyReport {
  topology::Tree tree;
  std::vector<topology::Oddity> oddities;
  bool levels_given = false;
  std::vector<std::string> imports;  // "topology.conf: a Slurm tree with …", one for each import
  std::vector<std::string> notes;    // what importing repaired or left out
};

// Levels with their sizes, the tree with capacities, holes and oddities. Without `all`, at most 16 domains
// below one are listed, no single nodes.
std::string ToText(const TopologyReport& report, bool all);

json::value ToJson(const TopologyReport& report);

}  // namespace cadre::app
