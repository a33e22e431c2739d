#include "app/cluster_options.h"

#include <CLI/CLI.hpp>

#include "app/input.h"

namespace cadre::app {

void AddClusterOptions(CLI::App& command, ClusterFlags& flags) {
  command
      .add_option("--cluster", flags.cluster_files,
                  "Nodes: a NodeList dump or a cluster description, - for standard input; repeatable")
      ->type_name("FILE");
  command
      .add_option("--nodes", flags.uniform.nodes,
                  "This many equal nodes (beside those of --cluster, if given)")
      ->type_name("N");
  command.add_option("--node", flags.uniform.node, "What each of --nodes offers")
      ->type_name("RESOURCES")
      ->capture_default_str();
  command.add_option("--per-rack", flags.uniform.per_rack, "Nodes of --nodes in one rack")->type_name("N");
  command.add_option("--racks-per-zone", flags.uniform.racks_per_zone, "Racks of --nodes in one zone")
      ->type_name("N");
}

Result<void> LoadCluster(const ClusterFlags& flags, kube::Manifests& manifests) {
  for (const std::string& path : flags.cluster_files)
    LoadClusterFile(path, manifests);
  if (flags.uniform.nodes == 0) return {};
  CADRE_TRY(std::vector<kube::Object> nodes, NodesFromFlags(flags.uniform));
  for (kube::Object& node : nodes)
    manifests.objects.push_back({std::move(node), {.file = "--nodes"}});
  return {};
}

}  // namespace cadre::app
