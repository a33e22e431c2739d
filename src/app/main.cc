// The program: picks the command.
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/simulate_command.h"
#include "app/version.h"

namespace {

constexpr int kBadFlags = 2;

int Run(int argc, char** argv) {
  CLI::App app("Cadre places groups of pods on a Kubernetes cluster: all of a group or nothing.", "cadre");
  app.set_version_flag("--version", fmt::format("cadre {}", cadre::app::kVersion));
  app.require_subcommand(1);
  cadre::app::SimulateFlags simulate;
  const CLI::App* simulate_command = cadre::app::AddSimulateCommand(app, simulate);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadFlags;
  }
  if (*simulate_command) return cadre::app::RunSimulate(simulate, std::cout, std::cerr);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    // Running out of memory or disk; our own errors are values.
    std::cerr << "cadre: " << error.what() << '\n';
    return kBadFlags;
  }
}
