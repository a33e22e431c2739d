#include "topology/topograph.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "topology/hostlist.h"
#include "topology/ibnetdiscover.h"
#include "topology/levels.h"
#include "topology/slurm.h"
#include "topology/switches.h"

namespace cadre::topology {
namespace {

constexpr std::string_view kAccelerator = "network.topology.nvidia.com/accelerator";
// From the switch with the nodes upwards; what is above has no label in Topograph either.
constexpr auto kTiers =
    std::to_array<std::string_view>({"network.topology.nvidia.com/leaf", "network.topology.nvidia.com/spine",
                                     "network.topology.nvidia.com/core"});
// Annotations and attributes that name an accelerator domain, in models of different ages.
constexpr auto kDomainNames = std::to_array<std::string_view>({"accelerator.topology.test/domain", "nvlink"});
constexpr std::size_t kMostEntries = 1'000'000;

using Entries = std::vector<std::pair<std::string, const json::value*>>;

std::string_view TypeName(const json::value& value) {
  if (value.is_object()) return "a mapping";
  if (value.is_array()) return "a list";
  return "a single value";
}

// `switches: {core: {…}}` and `switches: [{name: core, …}]` mean the same.
Result<Entries> EntriesOf(const json::value& model, std::string_view field) {
  Entries entries;
  const json::value* value = Find(model, {field});
  if (value == nullptr || value->is_null()) return entries;
  if (const json::object* object = value->if_object()) {
    for (const auto& [name, entry] : *object)
      entries.emplace_back(std::string(name), &entry);
  } else if (const json::array* array = value->if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      std::string name(FindString((*array)[i], {"name"}));
      entries.emplace_back(name.empty() ? fmt::format("[{}]", i) : std::move(name), &(*array)[i]);
    }
  } else {
    return Err("{}: expected a mapping or a list, found {}", field, TypeName(*value));
  }
  return entries;
}

// A list of names or host lists below a field.
Result<std::vector<std::string>> NamesIn(const json::value& entry, std::string_view where,
                                         std::string_view field) {
  std::vector<std::string> names;
  const json::value* value = Find(entry, {field});
  if (value == nullptr || value->is_null()) return names;
  if (!value->is_array()) return Err("{}.{}: expected a list, found {}", where, field, TypeName(*value));
  for (const json::value& item : value->get_array()) {
    const std::string text = item.is_string() ? std::string(item.get_string()) : json::serialize(item);
    if (!item.is_string() && !item.is_number()) return Err("{}.{}: expected names", where, field);
    const Result<std::vector<std::string>> expanded = ExpandHosts(text);
    if (!expanded) return Err("{}.{}: {}", where, field, expanded.error().message);
    names.insert(names.end(), expanded->begin(), expanded->end());
    if (names.size() > kMostHosts) return Err("{}.{}: more than {} names", where, field, kMostHosts);
  }
  return names;
}

std::string DomainIn(const json::value& entry) {
  for (const std::string_view name : kDomainNames) {
    for (const std::string_view field : {"annotations", "attributes"}) {
      if (const std::string_view domain = FindString(entry, {field, name}); !domain.empty())
        return std::string(domain);
    }
    if (const std::string_view domain = FindString(entry, {name}); !domain.empty())
      return std::string(domain);
  }
  return {};
}

class Model {
 public:
  Result<Imported> Import(const json::value& model) {
    CADRE_TRY_VOID(TakeSwitches(model));
    AddNamedSwitches();
    CADRE_TRY_VOID(TakeBlocks(model, "blocks"));
    CADRE_TRY_VOID(TakeBlocks(model, "capacity_blocks"));
    CADRE_TRY_VOID(TakeNodes(model));
    if (switches_.empty()) return Err("switches: the model has none");
    CADRE_TRY(SwitchPaths paths, ResolveSwitches(switches_));
    Imported imported;
    imported.notes = std::move(paths.notes);
    for (const auto& [node, path] : paths.of)
      Label(node, path, imported.labels[node]);
    if (paths.depth > kTiers.size())
      imported.notes.push_back(
          fmt::format("{} of switches: those above core have no label of Topograph and are left "
                      "out",
                      Quantify(static_cast<std::int64_t>(paths.depth), "level")));
    NoteNodesWithoutSwitch(paths, imported);
    SetKeys(imported);
    imported.what = fmt::format("a Topograph model with {}",
                                Quantify(static_cast<std::int64_t>(imported.keys.size()), "level"));
    return imported;
  }

 private:
  Result<void> TakeSwitches(const json::value& model) {
    CADRE_TRY(const Entries entries, EntriesOf(model, "switches"));
    for (const auto& [name, entry] : entries) {
      const std::string where = "switches." + name;
      Switch found{.name = name};
      CADRE_TRY(found.switches, NamesIn(*entry, where, "switches"));
      CADRE_TRY(found.nodes, NamesIn(*entry, where, "nodes"));
      CADRE_TRY(const std::vector<std::string> blocks, NamesIn(*entry, where, "capacity_blocks"));
      for (const std::string& block : blocks)
        switch_of_block_[block] = name;
      switches_.push_back(std::move(found));
      if (const json::value* labels = Find(*entry, {"labels"}); labels != nullptr && labels->is_object())
        CADRE_TRY_VOID(TakeLabels(where, name, labels->get_object()));
    }
    return {};
  }

  Result<void> TakeLabels(const std::string& where, const std::string& name, const json::object& labels) {
    for (const auto& [key, value] : labels) {
      if (!value.is_string()) return Err("{}.labels.{}: expected a text", where, std::string_view(key));
      if (!IsLabelKey(key)) return Err("{}.labels: \"{}\" is not a label key", where, std::string_view(key));
      labels_[name].insert_or_assign(std::string(key), std::string(value.get_string()));
      label_keys_.insert(std::string(key));
    }
    return {};
  }

  // Models describe the switches that have something below; racks and leaves are only named above them.
  void AddNamedSwitches() {
    std::set<std::string> described;
    std::vector<std::string> named;
    for (const Switch& known : switches_) {
      described.insert(known.name);
      named.insert(named.end(), known.switches.begin(), known.switches.end());
    }
    for (std::string& name : named) {
      if (described.insert(name).second) switches_.push_back({.name = std::move(name)});
    }
  }

  Result<void> TakeBlocks(const json::value& model, std::string_view field) {
    CADRE_TRY(const Entries entries, EntriesOf(model, field));
    for (const auto& [name, entry] : entries) {
      const std::string where = fmt::format("{}{}{}", field, name.starts_with('[') ? "" : ".", name);
      CADRE_TRY(const std::vector<std::string> nodes, NamesIn(*entry, where, "nodes"));
      CADRE_TRY_VOID(SetDomain(where, nodes, DomainIn(*entry)));
      std::string holder(FindString(*entry, {"switch"}));
      if (const auto found = switch_of_block_.find(name); holder.empty() && found != switch_of_block_.end())
        holder = found->second;
      if (holder.empty()) continue;
      const auto found = std::ranges::find(switches_, holder, &Switch::name);
      if (found == switches_.end()) return Err("{}.switch: there is no switch {}", where, holder);
      found->nodes.insert(found->nodes.end(), nodes.begin(), nodes.end());
      mentioned_ += nodes.size();
      if (mentioned_ > kMostEntries) return Err("{}: more than {} nodes in all", where, kMostEntries);
    }
    return {};
  }

  Result<void> TakeNodes(const json::value& model) {
    CADRE_TRY(const Entries entries, EntriesOf(model, "nodes"));
    for (const auto& [name, entry] : entries)
      CADRE_TRY_VOID(SetDomain("nodes." + name, {name}, DomainIn(*entry)));
    return {};
  }

  Result<void> SetDomain(const std::string& where, const std::vector<std::string>& nodes,
                         const std::string& domain) {
    for (const std::string& node : nodes) {
      std::string& known = domain_of_[node];
      if (!known.empty() && !domain.empty() && known != domain)
        return Err("{}: node {} is in accelerator domain {} already, not {}", where, node, known, domain);
      if (!domain.empty()) known = domain;
    }
    return {};
  }

  void Label(const std::string& node, const std::vector<std::string>& path, kube::StringMap& labels) const {
    for (std::size_t tier = 0; tier < std::min(path.size(), kTiers.size()); ++tier)
      labels.insert_or_assign(std::string(kTiers[tier]), path[path.size() - 1 - tier]);
    const auto domain = domain_of_.find(node);
    if (domain != domain_of_.end() && !domain->second.empty())
      labels.insert_or_assign(std::string(kAccelerator), domain->second);
    // The nearest switch has the last word.
    for (const std::string& name : path) {
      const auto found = labels_.find(name);
      if (found == labels_.end()) continue;
      for (const auto& [key, value] : found->second)
        labels.insert_or_assign(key, value);
    }
  }

  void NoteNodesWithoutSwitch(const SwitchPaths& paths, Imported& imported) const {
    std::size_t lost = 0;
    std::string first;
    for (const auto& [node, domain] : domain_of_) {
      if (paths.of.contains(node)) continue;
      if (domain.empty()) {
        if (lost++ == 0) first = node;
      } else {
        imported.labels[node].insert_or_assign(std::string(kAccelerator), domain);
      }
    }
    if (lost > 0)
      imported.notes.push_back(fmt::format("{} below no switch left out: {}{}",
                                           Quantify(static_cast<std::int64_t>(lost), "node"), first,
                                           lost > 1 ? ", …" : ""));
  }

  // Region and zone, other labels of the model by name, then Topograph's own; those that occur.
  void SetKeys(Imported& imported) const {
    std::vector<std::string> order = {std::string(kRegion), std::string(kZone)};
    for (const std::string& key : label_keys_) {
      if (key != kRegion && key != kZone) order.push_back(key);
    }
    order.insert(order.end(), kTiers.rbegin(), kTiers.rend());
    order.emplace_back(kAccelerator);
    std::set<std::string_view> present;
    for (const auto& [node, labels] : imported.labels) {
      for (const auto& [key, value] : labels)
        present.insert(key);
    }
    for (std::string& key : order) {
      if (present.contains(key)) imported.keys.push_back(std::move(key));
    }
  }

  std::vector<Switch> switches_;
  std::map<std::string, kube::StringMap> labels_;  // by switch
  std::set<std::string> label_keys_;
  std::map<std::string, std::string, std::less<>> switch_of_block_;
  std::map<std::string, std::string, std::less<>> domain_of_;  // by node; empty: none
  std::size_t mentioned_ = 0;
};

// NetQ's list of compute nodes: [{"Name": "node1", "DomainUUID": "3fbf…"}].
Result<Imported> ImportNetq(const json::array& nodes) {
  Imported imported{.keys = {std::string(kAccelerator)}};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string name(FindString(nodes[i], {"Name"}));
    const std::string domain(FindString(nodes[i], {"DomainUUID"}));
    if (name.empty()) return Err("[{}].Name: expected the name of a node", i);
    if (domain.empty()) {
      imported.notes.push_back(fmt::format("{} is in no NVLink domain", name));
      continue;
    }
    std::string& known = imported.labels[name][std::string(kAccelerator)];
    if (!known.empty() && known != domain)
      return Err("[{}]: {} is in domain {} already, not {}", i, name, known, domain);
    known = domain;
  }
  if (imported.labels.empty()) return Err("no node has a DomainUUID");
  std::set<std::string_view> domains;
  for (const auto& [name, labels] : imported.labels)
    domains.insert(labels.begin()->second);
  imported.what = fmt::format("NetQ's list with {}",
                              Quantify(static_cast<std::int64_t>(domains.size()), "NVLink domain"));
  return imported;
}

// A request or a configuration, which tells Topograph how to find a topology but is none.
std::string WhatElse(const json::value& document) {
  const std::string_view provider = FindString(document, {"provider", "name"});
  if (const std::string_view error = FindString(document, {"provider", "params", "errorMessage"});
      !error.empty())
    return fmt::format(
        "this is a request to Topograph whose answer is the error \"{}\": there is no topology in it", error);
  const bool helm = Find(document, {"image"}) != nullptr || Find(document, {"nodeObserver"}) != nullptr;
  if (helm)
    return "these are Helm values for Topograph: import the model or topology.conf that it reads or writes";
  if (!provider.empty()) {
    const std::string_view model = FindString(document, {"provider", "params", "modelFileName"});
    return fmt::format(
        "this is a request to Topograph (provider {}), not a topology: import {}", provider,
        model.empty() ? "what it answers" : fmt::format("the model {} or what it answers", model));
  }
  if (Find(document, {"http"}) != nullptr)
    return "this is Topograph's own configuration, not a topology: import the model or topology.conf that it "
           "reads "
           "or writes";
  return "there is no switches in it: expected a Topograph model, NetQ's compute nodes, ibnetdiscover's "
         "output, or a "
         "topology.conf";
}

bool LooksLikeTopologyConf(std::string_view text) {
  for (std::string_view line : Split(text, '\n')) {
    line = Trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    return line.starts_with("SwitchName=") || line.starts_with("BlockName=") ||
           line.starts_with("BlockSizes=");
  }
  return false;
}

}  // namespace

Result<Imported> ImportTopograph(std::string_view text) {
  if (LooksLikeIbnetdiscover(text)) return ImportIbnetdiscover(text);
  if (LooksLikeTopologyConf(text)) return ImportSlurm(text);
  CADRE_TRY(const json::value document, ParseDocument(text));
  if (const json::array* nodes = document.if_array()) return ImportNetq(*nodes);
  if (Find(document, {"switches"}) != nullptr) return Model().Import(document);
  return Err("{}", WhatElse(document));
}

}  // namespace cadre::topology
