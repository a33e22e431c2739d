// `cadre kubelets`: the kubelets of the simulator on a real API server, for trying Cadre on a control plane
// whose nodes are objects and nothing else.
#pragma once

#include <ostream>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// The flags as given.
struct KubeletsFlags {
  std::string kubeconfig;
  std::string context;
  std::string default_run_time = "1m";
};

// Adds the subcommand; parsing fills `flags`, which must outlive `app`.
CLI::App* AddKubeletsCommand(CLI::App& app, KubeletsFlags& flags);

// Runs until SIGINT or SIGTERM. Returns the exit code: 0 ended by a signal, 2 bad flags or no way to the
// cluster.
int RunKubelets(const KubeletsFlags& flags, std::ostream& err);

}  // namespace cadre::app
