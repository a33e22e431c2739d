#include "app/topology_labels.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"

namespace cadre::app {
namespace {

constexpr std::size_t kNodesPerCommand = 50;
constexpr std::size_t kMostNodeName = 253;

bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '/' ||
         c == '=';
}

std::string Quoted(const std::string& text) {
  if (!text.empty() && text.front() != '-' && std::ranges::all_of(text, IsPlain)) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

// A DNS subdomain. Source: "Object Names and IDs", Kubernetes.
bool IsNodeName(const std::string& name) {
  const auto lower = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= kMostNodeName && lower(name.front()) && lower(name.back()) &&
         std::ranges::all_of(name, [&](char c) { return lower(c) || c == '-' || c == '.'; });
}

std::string LabelArguments(const kube::StringMap& labels) {
  std::string text;
  for (const auto& [key, value] : labels)
    text += fmt::format(" {}", Quoted(fmt::format("{}={}", key, value)));
  return text;
}

}  // namespace

std::vector<LabelChange> ChangesOf(const topology::NodeLabels& wanted, const topology::NodeLabels& present) {
  std::vector<LabelChange> changes;
  for (const auto& [node, labels] : wanted) {
    LabelChange change{.node = node, .labels = {}, .overwrites = false, .wanted = labels};
    const auto found = present.find(node);
    for (const auto& [key, value] : labels) {
      const std::string* now = nullptr;
      if (found != present.end()) {
        const auto label = found->second.find(key);
        if (label != found->second.end()) now = &label->second;
      }
      if (now != nullptr && *now == value) continue;
      change.overwrites |= now != nullptr;
      change.labels.insert_or_assign(key, value);
    }
    if (!change.labels.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

std::string KubectlCommands(const std::vector<LabelChange>& changes) {
  struct Command {
    std::string arguments;
    std::vector<std::string> nodes;
  };
  std::vector<Command> commands;  // in the order of their first node
  std::map<std::string, std::size_t> open;
  std::string text;
  for (const LabelChange& change : changes) {
    if (!IsNodeName(change.node)) {
      text += fmt::format("# left out, for no node can have this name: {}\n",
                          json::serialize(json::value(change.node)));
      continue;
    }
    const std::string arguments = LabelArguments(change.labels) + (change.overwrites ? " --overwrite" : "");
    const auto [found, added] = open.try_emplace(arguments, commands.size());
    if (!added && commands[found->second].nodes.size() == kNodesPerCommand) found->second = commands.size();
    if (found->second == commands.size()) commands.push_back({arguments, {}});
    commands[found->second].nodes.push_back(change.node);
  }
  for (const Command& command : commands)
    text += fmt::format("kubectl label node {}{}\n", fmt::join(command.nodes, " "), command.arguments);
  if (changes.empty()) text += "# every node has its labels already\n";
  return text;
}

std::string PatchFile(const std::vector<LabelChange>& changes) {
  const bool overwrites = std::ranges::any_of(changes, &LabelChange::overwrites);
  std::string text = fmt::format("# kubectl apply --server-side --field-manager=cadre-topology{} -f FILE\n",
                                 overwrites ? " --force-conflicts" : "");
  if (changes.empty()) text += "# every node has its labels already\n";
  const auto quoted = [](const std::string& value) { return json::serialize(json::value(value)); };
  for (const LabelChange& change : changes) {
    text += fmt::format("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {}\n  labels:\n",
                        quoted(change.node));
    for (const auto& [key, value] : change.wanted)
      text += fmt::format("    {}: {}\n", quoted(key), quoted(value));
  }
  return text;
}

}  // namespace cadre::app
