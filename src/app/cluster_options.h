// The flags by which a command is given its cluster, the same for all commands.
#pragma once

#include <string>
#include <vector>

#include "app/cluster_file.h"
#include "base/result.h"
#include "kube/manifest.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// The flags as given.
struct ClusterFlags {
  std::vector<std::string> cluster_files;  // --cluster
  UniformCluster uniform{.node = "cpu=32,memory=128Gi"};
};

// --cluster, --nodes, --node, --per-rack, --racks-per-zone. Parsing fills `flags`, which must outlive the
// command.
void AddClusterOptions(CLI::App& command, ClusterFlags& flags);

// Reads what the flags name. What is wrong inside of files is a problem of the manifests; an error is about
// the flags.
Result<void> LoadCluster(const ClusterFlags& flags, kube::Manifests& manifests);

}  // namespace cadre::app
