#include "topology/levels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/text.h"

namespace cadre::topology {
namespace {

constexpr std::string_view kLabelPrefix = "label:";
constexpr std::size_t kMostLabelName = 63;
constexpr std::size_t kMostLabelPrefix = 253;

struct Short {
  std::string_view name;
  std::string_view key;
};

// Several rows of one name: the name alone does not say which. The first row of a key is its short name.
constexpr auto kShortNames = std::to_array<Short>({
    {"region", kRegion},
    {"zone", kZone},
    {"rack", kRack},
    {"host", kHostname},
    {"hostname", kHostname},
    {"node", kHostname},
    {"gce-block", "cloud.google.com/gce-topology-block"},
    {"block", "cloud.google.com/gce-topology-block"},
    {"gce-subblock", "cloud.google.com/gce-topology-subblock"},
    {"subblock", "cloud.google.com/gce-topology-subblock"},
    {"gce-host", "cloud.google.com/gce-topology-host"},
    {"datacenter", "network.topology.nvidia.com/datacenter"},
    {"core", "network.topology.nvidia.com/core"},
    {"spine", "network.topology.nvidia.com/spine"},
    {"nvidia-block", "network.topology.nvidia.com/block"},
    {"block", "network.topology.nvidia.com/block"},
    {"leaf", "network.topology.nvidia.com/leaf"},
    {"accelerator", "network.topology.nvidia.com/accelerator"},
    {"layer-1", "topology.k8s.aws/network-node-layer-1"},
    {"layer-2", "topology.k8s.aws/network-node-layer-2"},
    {"layer-3", "topology.k8s.aws/network-node-layer-3"},
    {"layer-4", "topology.k8s.aws/network-node-layer-4"},
    {"switch-1", "cadre.dev/switch-1"},
    {"switch-2", "cadre.dev/switch-2"},
    {"switch-3", "cadre.dev/switch-3"},
    {"switch-4", "cadre.dev/switch-4"},
    {"switch-5", "cadre.dev/switch-5"},
    {"switch-6", "cadre.dev/switch-6"},
    {"block-x8", "cadre.dev/block-x8"},
    {"block-x4", "cadre.dev/block-x4"},
    {"block-x2", "cadre.dev/block-x2"},
    {"slurm-block", "cadre.dev/block"},
    {"block", "cadre.dev/block"},
    {"gke-nodepool", "cloud.google.com/gke-nodepool"},
    {"nodepool", "cloud.google.com/gke-nodepool"},
    {"eks-nodegroup", "eks.amazonaws.com/nodegroup"},
    {"karpenter-nodepool", "karpenter.sh/nodepool"},
    {"nodepool", "karpenter.sh/nodepool"},
    {"aks-agentpool", "kubernetes.azure.com/agentpool"},
    {"agentpool", "agentpool"},
});

// Where a well-known key stands; null family: it is region, zone, hostname or a pool, or not known.
struct Standing {
  const Family* family = nullptr;
  std::size_t at = 0;
};

Standing FindInFamilies(std::string_view key) {
  for (const Family& family : Families()) {
    const auto found = std::ranges::find(family.keys, key);
    if (found != family.keys.end())
      return {&family, static_cast<std::size_t>(std::distance(family.keys.begin(), found))};
  }
  return {};
}

bool IsPool(std::string_view key) {
  return std::ranges::find(PoolKeys(), key) != PoolKeys().end();
}

bool StandsAlone(std::string_view key) {
  return key == kRegion || key == kHostname || IsPool(key);
}

// True when both are well known and `fine` is below `coarse` in every cluster.
bool KnownBelow(std::string_view fine, std::string_view coarse) {
  const std::vector<std::string> path = Levels::WellKnown().PathOf(fine);
  return fine != coarse && std::ranges::find(path, coarse) != path.end();
}

bool IsLabelPart(std::string_view text, std::size_t most, std::string_view extra) {
  const auto alnum = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (text.empty() || text.size() > most || !alnum(text.front()) || !alnum(text.back())) return false;
  return std::ranges::all_of(text, [&](char c) { return alnum(c) || extra.find(c) != extra.npos; });
}

Result<std::string> KeyOfShortName(std::string_view name, std::string_view flag) {
  std::vector<std::string_view> keys;
  std::vector<std::string_view> names;
  for (const Short& row : kShortNames) {
    if (row.name == name) keys.push_back(row.key);
    names.push_back(row.name);
  }
  if (keys.size() == 1) return std::string(keys.front());
  if (keys.size() > 1)
    return Err("{}: \"{}\" may be {}: write the label key", flag, name, fmt::join(keys, " or "));
  const std::string_view nearest = ClosestTo(name, names);
  return Err(
      "{}: \"{}\" is no level{}; expected a short name (region, zone, rack, host, …), a label key such as "
      "example.com/row, or label:{} for a label key without a slash",
      flag, name, nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest),
      IsLabelKey(name) ? name : "KEY");
}

Result<std::string> ParseItem(std::string_view item, std::string_view flag) {
  if (item.empty())
    return Err("{}: an item is empty; expected levels with commas between: zone,rack,host", flag);
  const bool bare = item.starts_with(kLabelPrefix);
  if (bare) item.remove_prefix(kLabelPrefix.size());
  if (!bare && item.find('/') == std::string_view::npos) return KeyOfShortName(item, flag);
  if (!IsLabelKey(item))
    return Err("{}: \"{}\" is not a label key; expected PREFIX/NAME of letters, digits, '-', '_' and '.'",
               flag, item);
  return std::string(item);
}

// What is wrong with appending `key` to the levels so far.
std::optional<std::string> WrongOrder(const std::vector<std::string>& levels, const std::string& key) {
  if (std::ranges::find(levels, key) != levels.end()) return fmt::format("{} is listed twice", key);
  for (const std::string& before : levels) {
    if (before == kHostname || KnownBelow(before, key))
      return fmt::format("{} is listed after {}, which is finer; expected coarse to fine", key, before);
  }
  return std::nullopt;
}

}  // namespace

bool IsLabelKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return IsLabelPart(key, kMostLabelName, "-_.");
  return IsLabelPart(key.substr(0, slash), kMostLabelPrefix, "-.") &&
         IsLabelPart(key.substr(slash + 1), kMostLabelName, "-_.");
}

const std::vector<Family>& Families() {
  static const std::vector<Family> kFamilies = {
      {"NVIDIA Topograph",
       {"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/core",
        "network.topology.nvidia.com/spine", "network.topology.nvidia.com/block",
        "network.topology.nvidia.com/leaf", "network.topology.nvidia.com/accelerator"}},
      {"GKE",
       {"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock",
        "cloud.google.com/gce-topology-host"}},
      {"AWS",
       {"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3", "topology.k8s.aws/network-node-layer-4"}},
      {"Slurm switches",
       {"cadre.dev/switch-1", "cadre.dev/switch-2", "cadre.dev/switch-3", "cadre.dev/switch-4",
        "cadre.dev/switch-5", "cadre.dev/switch-6"}},
      {"Slurm blocks", {"cadre.dev/block-x8", "cadre.dev/block-x4", "cadre.dev/block-x2", "cadre.dev/block"}},
      {"racks", {std::string(kRack)}},
  };
  return kFamilies;
}

const std::vector<std::string>& PoolKeys() {
  static const std::vector<std::string> kPools = {"cloud.google.com/gke-nodepool",
                                                  "eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool",
                                                  "kubernetes.azure.com/agentpool", "agentpool"};
  return kPools;
}

std::string ShortName(std::string_view key) {
  const auto row = std::ranges::find(kShortNames, key, &Short::key);
  if (row != kShortNames.end()) return std::string(row->name);
  return key.find('/') == std::string_view::npos ? fmt::format("{}{}", kLabelPrefix, key) : std::string(key);
}

Levels Levels::Given(std::vector<std::string> keys) {
  CADRE_ASSERT(!keys.empty(), "given levels are at least one");
  Levels levels;
  levels.given_ = std::move(keys);
  return levels;
}

Result<Levels> Levels::Parse(std::string_view text, std::string_view flag) {
  std::vector<std::string> keys;
  for (const std::string_view item : Split(text, ',')) {
    CADRE_TRY(std::string key, ParseItem(Trim(item), flag));
    if (const auto wrong = WrongOrder(keys, key)) return Err("{}: {}", flag, *wrong);
    keys.push_back(std::move(key));
    if (keys.size() > kMostLevels) return Err("{}: more than {} levels", flag, kMostLevels);
  }
  return Given(std::move(keys));
}

std::vector<std::string> Levels::Keys() const {
  if (given()) return given_;
  std::vector<std::string> keys = {std::string(kRegion), std::string(kZone)};
  for (const Family& family : Families())
    keys.insert(keys.end(), family.keys.begin(), family.keys.end());
  keys.insert(keys.end(), PoolKeys().begin(), PoolKeys().end());
  keys.emplace_back(kHostname);
  return keys;
}

std::vector<std::string> Levels::PathOf(std::string_view key) const {
  if (const auto found = std::ranges::find(given_, key); found != given_.end())
    return {given_.begin(), found + 1};
  if (StandsAlone(key)) return {std::string(key)};
  std::vector<std::string> path = {std::string(kRegion)};
  if (key != kZone) path.emplace_back(kZone);
  if (const Standing standing = FindInFamilies(key); standing.family != nullptr) {
    const auto begin = standing.family->keys.begin();
    path.insert(path.end(), begin, begin + static_cast<std::ptrdiff_t>(standing.at));
  }
  path.emplace_back(key);
  return path;
}

std::vector<std::string> Levels::Coarser(std::string_view key) const {
  std::vector<std::string> path;
  if (given()) {
    path.assign(given_.begin(), std::ranges::find(given_, key));
    if (path.size() == given_.size()) path.clear();  // no level of the list
  } else if (key == kHostname) {
    path = {std::string(kRegion), std::string(kZone)};  // its name says no more of where it is
  } else {
    path = PathOf(key);
    path.pop_back();
  }
  std::ranges::reverse(path);
  return path;
}

std::vector<std::string> Levels::Finer(std::string_view key) const {
  if (given()) {
    const auto found = std::ranges::find(given_, key);
    if (found == given_.end()) return {};
    return {found + 1, given_.end()};
  }
  if (key == kHostname) return {};
  const Standing standing = FindInFamilies(key);
  if (standing.family != nullptr) {
    const auto& keys = standing.family->keys;
    std::vector<std::string> finer(keys.begin() + static_cast<std::ptrdiff_t>(standing.at) + 1, keys.end());
    finer.emplace_back(kHostname);
    return finer;
  }
  if (key != kRegion && key != kZone) return {std::string(kHostname)};
  std::vector<std::string> finer = Keys();
  finer.erase(finer.begin(), std::ranges::find(finer, key) + 1);
  return finer;
}

}  // namespace cadre::topology
