// Topology descriptions of other systems -> labels of nodes.
//
// One file for each source (slurm.h, ec2.h, topograph.h); what they share is here: the result, and how it is
// brought to the nodes of a cluster. Everything is text in and values out; files are read by the caller, who
// also puts the file's name before messages ("topology.conf: line 3: …").
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kube/meta.h"

namespace cadre::topology {

using NodeLabels = std::map<std::string, kube::StringMap, std::less<>>;  // by name

struct Imported {
  std::string what{};                // "a Slurm tree with 3 levels of switches"
  std::vector<std::string> keys{};   // label keys, coarse to fine
  NodeLabels labels{};               // by host name, or by EC2 instance id
  bool by_instance = false;          // the names are instance ids
  std::vector<std::string> notes{};  // what was repaired or left out
};

// "slurm:topology.conf".
struct ImportFlag {
  std::string format;
  std::string file;
};
Result<ImportFlag> ParseImportFlag(std::string_view flag);

// By the name in an import flag; the values are label values afterwards. REQUIRES: from ParseImportFlag.
Result<Imported> ImportText(const ImportFlag& flag, std::string_view text);

// Gives the levels other keys, as many as the import has. For `--levels zone,rack`.
Result<void> RenameKeys(Imported& imported, const std::vector<std::string>& keys);

// Label values have at most 63 of letters, digits, '-', '_', '.'; names that do not fit are changed, no two
// names of a key to the same value, and a note says so. Source: "Labels and Selectors", Kubernetes.
void MakeLabelValues(Imported& imported);

// A node as matching sees it.
struct NodeIdentity {
  std::string name;
  std::string hostname;     // label kubernetes.io/hostname; may be empty
  std::string provider_id;  // "aws:///us-east-2b/i-0e6a…"; may be empty
};

struct Matched {
  NodeLabels labels;                    // by node name
  std::vector<std::string> unmatched;   // names of the import that are no node
  std::vector<std::string> unlabelled;  // nodes that the import does not know
  std::vector<std::string> notes;       // names that fit several nodes: none of them is labelled
};

// A host is the node of its name, or with its hostname label, or the only one whose name up to the first dot
// is the host's; an instance is the node whose provider id ends in it, or whose name begins with it.
Matched MatchNodes(const Imported& imported, std::span<const NodeIdentity> nodes);

// One document of JSON or YAML. For importers.
Result<json::value> ParseDocument(std::string_view text);

}  // namespace cadre::topology
