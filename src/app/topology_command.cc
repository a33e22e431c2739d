#include "app/topology_command.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/input.h"
#include "app/topology_labels.h"
#include "app/topology_output.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "kube/gzip.h"
#include "kube/node.h"
#include "report/json_text.h"
#include "topology/import.h"
#include "topology/levels.h"

namespace cadre::app {
namespace {

constexpr int kBadInput = 2;
constexpr std::size_t kLargestImport = std::size_t{1} << 28;
constexpr std::size_t kNamed = 5;

constexpr const char* kExamples = R"(Examples:
  kubectl get nodes -o json | cadre topology --cluster -
      the tree that the nodes' labels make, and what is odd about it
  cadre topology --cluster nodes.json --topology zone,rack,host
      exactly these levels
  cadre topology --cluster nodes.json --import slurm:topology.conf --write-labels kubectl > label.sh
      labels from a Slurm configuration (ec2:FILE and topograph:FILE likewise), as commands

Exit codes: 0 done, whatever is odd; 2 bad input or bad flags.)";

struct Node {
  topology::NodeIdentity identity;
  kube::StringMap labels;
  kube::ResourceList allocatable;
};

// Everything that the command works on.
struct State {
  std::vector<Node> nodes;  // of the cluster
  bool has_cluster = false;
  std::vector<topology::Imported> imports;
  topology::NodeLabels wanted;  // by node: what the imports give
  TopologyReport report{};
};

Node NodeOf(const kube::Object& object) {
  const kube::Node& node = object.As<kube::Node>();
  Node found{.identity = {.name = node.metadata.name, .hostname = {}, .provider_id = {}},
             .labels = node.metadata.labels,
             .allocatable = node.status.allocatable};
  const auto hostname = found.labels.find(topology::kHostname);
  if (hostname != found.labels.end()) found.identity.hostname = hostname->second;
  if (object.raw != nullptr) found.identity.provider_id = FindString(*object.raw, {"spec", "providerID"});
  return found;
}

Result<void> LoadNodes(const TopologyFlags& flags, State& state, std::ostream& err) {
  state.has_cluster = !flags.cluster_files.empty() || flags.uniform.nodes != 0;
  kube::Manifests manifests;
  CADRE_TRY_VOID(LoadCluster(flags, manifests));
  for (const kube::Problem& problem : manifests.problems)
    err << Printable(kube::ToString(problem)) << '\n';
  // Of a node that is there twice the last one counts, as in a simulation.
  std::map<std::string, Node> by_name;
  for (const kube::LoadedObject& loaded : manifests.objects) {
    if (loaded.object.kind == kube::Kind::kNode)
      by_name.insert_or_assign(loaded.object.Meta().name, NodeOf(loaded.object));
  }
  for (auto& [name, node] : by_name)
    state.nodes.push_back(std::move(node));
  if (state.has_cluster && state.nodes.empty())
    return Err("there are no nodes in {}", fmt::join(flags.cluster_files, ", "));
  return {};
}

Result<std::string> ReadImport(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Err("--import: {} cannot be opened: check that it exists and can be read", path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return Err("--import: {} cannot be read to its end", path);
  if (kube::IsGzip(text)) {
    Result<std::string> unpacked = kube::Gunzip(text, kLargestImport);
    if (!unpacked) return Err("{}: {}", path, unpacked.error().message);
    text = *std::move(unpacked);
  }
  if (const auto checked = CheckUtf8(text); !checked)
    return Err("{}: line {}: {}", path, checked.error().line, checked.error().message);
  return text;
}

// What the import says of hosts, as labels of nodes; without a cluster the hosts are the nodes.
void Bring(const topology::Imported& imported, const std::string& file, State& state) {
  std::vector<std::string>& notes = state.report.notes;
  const auto hosts = static_cast<std::int64_t>(imported.labels.size());
  const std::string_view host = imported.by_instance ? "instance" : "host";
  std::string summary = fmt::format("{}: {}, {}", file, imported.what, Quantify(hosts, host));
  for (const std::string& note : imported.notes)
    notes.push_back(fmt::format("{}: {}", file, note));
  topology::NodeLabels labels = imported.labels;
  if (state.has_cluster) {
    std::vector<topology::NodeIdentity> identities;
    for (const Node& node : state.nodes)
      identities.push_back(node.identity);
    topology::Matched matched = topology::MatchNodes(imported, identities);
    summary += fmt::format("; it places {} of {}", matched.labels.size(),
                           Quantify(static_cast<std::int64_t>(identities.size()), "node"));
    notes.insert(notes.end(), matched.notes.begin(), matched.notes.end());
    if (!matched.unmatched.empty())
      notes.push_back(fmt::format("{}: {} of the file {} no node: {}", file,
                                  Quantify(static_cast<std::int64_t>(matched.unmatched.size()), host),
                                  matched.unmatched.size() == 1 ? "is" : "are",
                                  SomeOf(matched.unmatched, kNamed)));
    if (!matched.unlabelled.empty())
      notes.push_back(fmt::format("{}: {} of the cluster not in the file: {}", file,
                                  Quantify(static_cast<std::int64_t>(matched.unlabelled.size()), "node"),
                                  SomeOf(matched.unlabelled, kNamed)));
    labels = std::move(matched.labels);
  }
  state.report.imports.push_back(std::move(summary));
  for (const auto& [node, values] : labels) {
    for (const auto& [key, value] : values)
      state.wanted[node].insert_or_assign(key, value);
  }
}

Result<void> LoadImports(const TopologyFlags& flags, State& state) {
  if (!flags.import_levels.empty() && flags.imports.size() != 1)
    return Err("--levels names the levels of one --import; {} are given", flags.imports.size());
  for (const std::string& text : flags.imports) {
    CADRE_TRY(const topology::ImportFlag flag, topology::ParseImportFlag(text));
    CADRE_TRY(const std::string file, ReadImport(flag.file));
    Result<topology::Imported> imported = topology::ImportText(flag, file);
    if (!imported) return Err("{}: {}", flag.file, imported.error().message);
    if (!flags.import_levels.empty()) {
      CADRE_TRY(const topology::Levels keys, topology::Levels::Parse(flags.import_levels, "--levels"));
      CADRE_TRY_VOID(topology::RenameKeys(*imported, keys.Keys()));
    }
    Bring(*imported, flag.file, state);
    state.imports.push_back(*std::move(imported));
  }
  return {};
}

// The flag's; else the keys of an import if Cadre does not know them all; else what is found.
Result<topology::Levels> LevelsOf(const TopologyFlags& flags, const State& state) {
  if (!flags.topology.empty()) return topology::Levels::Parse(flags.topology);
  const std::vector<std::string> known = topology::Levels::WellKnown().Keys();
  for (const topology::Imported& imported : state.imports) {
    const bool all_known = std::ranges::all_of(
        imported.keys, [&](const std::string& key) { return std::ranges::find(known, key) != known.end(); });
    if (!all_known) return topology::Levels::Given(imported.keys);
  }
  return topology::Levels::WellKnown();
}

void BuildReport(const topology::Levels& levels, bool given, State& state) {
  std::vector<Node> nodes = state.nodes;
  if (!state.has_cluster) {
    for (const auto& [host, labels] : state.wanted)
      nodes.push_back(
          {.identity = {.name = host, .hostname = {}, .provider_id = {}}, .labels = {}, .allocatable = {}});
  }
  std::vector<topology::NodeView> views;
  for (Node& node : nodes) {
    if (const auto wanted = state.wanted.find(node.identity.name); wanted != state.wanted.end()) {
      for (const auto& [key, value] : wanted->second)
        node.labels.insert_or_assign(key, value);
    }
    views.push_back({node.identity.name, &node.labels, &node.allocatable});
  }
  state.report.levels_given = given;
  state.report.tree = topology::Tree::Build(views, levels);
  state.report.oddities = topology::FindOddities(state.report.tree);
}

Result<void> WriteLabels(const TopologyFlags& flags, const State& state, std::ostream& out) {
  if (flags.imports.empty()) return Err("--write-labels: there is nothing to write without --import");
  const bool instances = std::ranges::any_of(state.imports, &topology::Imported::by_instance);
  if (!state.has_cluster && (flags.write_labels == "patch" || instances))
    return Err("--write-labels: give --cluster FILE, too: {}",
               instances ? "which instance is which node stands in spec.providerID"
                         : "applying the file would make the nodes that do not exist");
  topology::NodeLabels present;
  for (const Node& node : state.nodes)
    present.insert_or_assign(node.identity.name, node.labels);
  const std::vector<LabelChange> changes = ChangesOf(state.wanted, present);
  out << (flags.write_labels == "patch" ? PatchFile(changes) : KubectlCommands(changes));
  return {};
}

Result<void> Run(const TopologyFlags& flags, std::ostream& out, std::ostream& err) {
  State state;
  CADRE_TRY_VOID(LoadNodes(flags, state, err));
  CADRE_TRY_VOID(LoadImports(flags, state));
  if (!state.has_cluster && flags.imports.empty())
    return Err("there are no nodes: give --cluster FILE, --nodes N, or --import FORMAT:FILE");
  if (!flags.write_labels.empty()) {
    for (const std::string& note : state.report.notes)
      err << Printable(note) << '\n';
    return WriteLabels(flags, state, out);
  }
  CADRE_TRY(const topology::Levels levels, LevelsOf(flags, state));
  BuildReport(levels, levels.given(), state);
  if (flags.json)
    out << report::PrettyJson(ToJson(state.report));
  else
    out << ToText(state.report, flags.all);
  return {};
}

}  // namespace

CLI::App* AddTopologyCommand(CLI::App& app, TopologyFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "topology", "The domains of a cluster, what is odd about them, and labels from elsewhere");
  command->footer(kExamples);
  AddClusterOptions(*command, flags);
  command
      ->add_option("--topology", flags.topology,
                   "Levels, coarse to fine: short names (zone,rack,host) or label keys; default: those found")
      ->type_name("LEVELS");
  command
      ->add_option("--import", flags.imports,
                   "Labels from slurm:FILE (topology.conf), ec2:FILE (describe-instance-topology) or "
                   "topograph:FILE; repeatable")
      ->type_name("FORMAT:FILE");
  command
      ->add_option("--levels", flags.import_levels, "Label keys for the levels of --import, coarse to fine")
      ->type_name("LEVELS");
  command
      ->add_option("--write-labels", flags.write_labels,
                   "Instead of the tree: the labels of --import as kubectl commands or as a patch file")
      ->check(CLI::IsMember({"kubectl", "patch"}))
      ->type_name("FORM");
  command->add_flag("--json", flags.json, "The tree as JSON");
  command->add_flag("-v,--verbose", flags.all, "Every domain and every node");
  return command;
}

int RunTopology(const TopologyFlags& flags, std::ostream& out, std::ostream& err) {
  const Result<void> done = Run(flags, out, err);
  if (done) return 0;
  err << "cadre topology: " << Printable(done.error().message) << '\n';
  return kBadInput;
}

}  // namespace cadre::app
