// `cadre topology`: the domains of a cluster, what is wrong with their labels, and labels from elsewhere.
// docs/topology.md is its manual.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/cluster_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// The flags as given.
struct TopologyFlags : ClusterFlags {
  std::string topology;              // levels; empty: found
  std::vector<std::string> imports;  // FORMAT:FILE
  std::string import_levels;         // keys for the levels of the import; empty: the import's own
  std::string write_labels;          // "kubectl", "patch", or empty
  bool json = false;
  bool all = false;
};

// Adds the subcommand; parsing fills `flags`, which must outlive `app`.
CLI::App* AddTopologyCommand(CLI::App& app, TopologyFlags& flags);

// The tree (or JSON, or labels) goes to `out`, complaints to `err`. Returns the exit code: 0 done, 2 bad
// input. Oddities are no error.
int RunTopology(const TopologyFlags& flags, std::ostream& out, std::ostream& err);

}  // namespace cadre::app
