#include "app/cluster_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "kube/decode.h"
#include "kube/kind.h"
#include "kube/resources.h"

namespace cadre::app {

namespace {

constexpr auto kFields = std::to_array<std::string_view>(
    {"name", "count", "zones", "racks", "labels", "annotations", "taints", "unschedulable"});
constexpr auto kResources = std::to_array<std::string_view>({"cpu", "memory", "pods", "ephemeral-storage"});

// One entry of `nodes`, read.
struct Entry {
  std::string name;
  std::optional<std::int64_t> count;  // none: one node, named as the entry
  std::vector<std::string> zones;
  std::vector<std::string> racks;  // by name, over all zones
  std::int64_t racks_per_zone = 0;
  json::object labels;
  json::object annotations;
  json::array taints;
  bool unschedulable = false;
  json::object resources;
};

// As it was written, nearly; JSON would write 1.5 as 1.5E0.
std::string Shown(const json::value& value) {
  return value.is_double() ? fmt::format("{}", value.get_double()) : json::serialize(value);
}

Result<std::int64_t> WholeNumber(const json::value& value, std::string_view field, std::int64_t low,
                                 std::int64_t high) {
  std::int64_t number = -1;
  if (value.is_int64()) number = value.get_int64();
  if (!value.is_int64() || number < low || number > high)
    return Err("{}: found {}, expected a whole number from {} to {}", field, Shown(value), low, high);
  return number;
}

Result<std::string> TextOf(const json::value& value, std::string_view field) {
  if (!value.is_string()) return Err("{}: found {}, expected a text", field, Shown(value));
  return std::string(value.get_string());
}

Result<json::object> StringsOf(const json::value& value, std::string_view field) {
  if (!value.is_object()) return Err("{}: found {}, expected a map of texts", field, Shown(value));
  json::object texts;
  for (const json::key_value_pair& pair : value.get_object()) {
    if (!pair.value().is_string())
      return Err("{}.{}: found {}, expected a text (put it in quotes)", field, std::string_view(pair.key()),
                 Shown(pair.value()));
    texts[pair.key()] = pair.value();
  }
  return texts;
}

// "key=value:Effect" or "key:Effect".
Result<json::object> TaintOf(std::string_view text, std::string_view field) {
  static constexpr auto kEffects =
      std::to_array<std::string_view>({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  const std::size_t colon = text.rfind(':');
  const std::string_view effect = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (std::find(kEffects.begin(), kEffects.end(), effect) == kEffects.end())
    return Err(
        "{}: found \"{}\", expected key=value:Effect with the effect NoSchedule, PreferNoSchedule or "
        "NoExecute",
        field, text);
  const std::string_view pair = text.substr(0, colon);
  const std::size_t equals = pair.find('=');
  json::object taint;
  taint["key"] = pair.substr(0, equals);
  if (equals != std::string_view::npos) taint["value"] = pair.substr(equals + 1);
  taint["effect"] = effect;
  return taint;
}

Result<json::array> TaintsOf(const json::value& value, std::string_view field) {
  if (!value.is_array()) return Err("{}: found {}, expected a list", field, Shown(value));
  json::array taints;
  for (const json::value& item : value.get_array()) {
    if (item.is_object()) {  // as in a Node
      taints.push_back(item);
      continue;
    }
    CADRE_TRY(const std::string text, TextOf(item, field));
    CADRE_TRY(json::object taint, TaintOf(text, field));
    taints.push_back(std::move(taint));
  }
  return taints;
}

Result<std::vector<std::string>> NamesOf(const json::array& array, std::string_view field) {
  std::vector<std::string> names;
  for (const json::value& item : array) {
    CADRE_TRY(std::string name, TextOf(item, field));
    names.push_back(std::move(name));
  }
  return names;
}

Result<void> ReadZones(Entry& entry, const json::value& value, std::string_view field) {
  if (value.is_array()) {
    CADRE_TRY(entry.zones, NamesOf(value.get_array(), field));
    return {};
  }
  CADRE_TRY(const std::int64_t count, WholeNumber(value, field, 0, 10'000));
  for (std::int64_t i = 0; i < count; ++i)
    entry.zones.push_back(fmt::format("zone-{}", i));
  return {};
}

Result<void> ReadRacks(Entry& entry, const json::value& value, std::string_view field) {
  if (value.is_array()) {
    CADRE_TRY(entry.racks, NamesOf(value.get_array(), field));
    return {};
  }
  CADRE_TRY(entry.racks_per_zone, WholeNumber(value, field, 0, kMostNodes));
  return {};
}

bool IsResource(std::string_view name) {
  return std::find(kResources.begin(), kResources.end(), name) != kResources.end() ||
         name.starts_with("hugepages-") || kube::IsExtended(name);
}

Result<void> ReadResource(Entry& entry, std::string_view name, const json::value& value,
                          std::string_view field) {
  const std::string text = value.is_string() ? std::string(value.get_string()) : Shown(value);
  const Result<std::int64_t> amount = kube::ParseAmount(name, text);
  if (!amount) return Err("{}: {}", field, amount.error().message);
  if (*amount < 0) return Err("{}: found {}, expected no negative amount", field, text);
  entry.resources[name] = text;
  return {};
}

Result<void> ReadField(Entry& entry, std::string_view name, const json::value& value,
                       const std::string& field) {
  if (name == "name") {
    CADRE_TRY(entry.name, TextOf(value, field));
  } else if (name == "count") {
    CADRE_TRY(entry.count, WholeNumber(value, field, 0, kMostNodes));
  } else if (name == "zones") {
    return ReadZones(entry, value, field);
  } else if (name == "racks") {
    return ReadRacks(entry, value, field);
  } else if (name == "labels") {
    CADRE_TRY(entry.labels, StringsOf(value, field));
  } else if (name == "annotations") {
    CADRE_TRY(entry.annotations, StringsOf(value, field));
  } else if (name == "taints") {
    CADRE_TRY(entry.taints, TaintsOf(value, field));
  } else if (name == "unschedulable") {
    if (!value.is_bool()) return Err("{}: found {}, expected true or false", field, Shown(value));
    entry.unschedulable = value.get_bool();
  } else if (IsResource(name)) {
    return ReadResource(entry, name, value, field);
  } else {
    std::vector<std::string_view> known(kFields.begin(), kFields.end());
    known.insert(known.end(), kResources.begin(), kResources.end());
    const std::string_view close = ClosestTo(name, known);
    return Err("{}: unknown field{}", field, close.empty() ? "" : fmt::format(", did you mean {}?", close));
  }
  return {};
}

Result<Entry> ReadEntry(const json::value& value, std::size_t index) {
  const std::string path = fmt::format("nodes[{}]", index);
  if (!value.is_object())
    return Err("{}: found {}, expected a map such as {{name: gpu, count: 4, cpu: 64}}", path, Shown(value));
  Entry entry;
  for (const json::key_value_pair& pair : value.get_object())
    CADRE_TRY_VOID(
        ReadField(entry, pair.key(), pair.value(), fmt::format("{}.{}", path, std::string_view(pair.key()))));
  if (entry.name.empty()) return Err("{}: name is missing, e.g. name: gpu", path);
  if (!entry.resources.contains(kube::kCpu)) return Err("{}: cpu is missing, e.g. cpu: 64", path);
  return entry;
}

struct Place {
  std::string zone;
  std::string rack;
};

kube::Object MakeNode(const Entry& entry, const std::string& name, const Place& place) {
  json::object labels = entry.labels;
  labels["kubernetes.io/hostname"] = name;
  if (!place.zone.empty()) labels[kZoneLabel] = place.zone;
  if (!place.rack.empty()) labels[kRackLabel] = place.rack;
  json::object resources = entry.resources;
  if (!resources.contains(kube::kPods)) resources[kube::kPods] = "110";

  json::object metadata;
  metadata["name"] = name;
  metadata["labels"] = std::move(labels);
  if (!entry.annotations.empty()) metadata["annotations"] = entry.annotations;
  json::object spec;
  if (!entry.taints.empty()) spec["taints"] = entry.taints;
  if (entry.unschedulable) spec["unschedulable"] = true;
  json::object status;
  status["capacity"] = resources;
  status["allocatable"] = std::move(resources);
  json::object ready;
  ready["type"] = "Ready";
  ready["status"] = "True";
  status["conditions"] = json::array{std::move(ready)};
  json::object node;
  node["apiVersion"] = kube::ApiVersion(kube::Kind::kNode);
  node["kind"] = "Node";
  node["metadata"] = std::move(metadata);
  node["spec"] = std::move(spec);
  node["status"] = std::move(status);
  return *kube::Decode(kube::Kind::kNode, std::move(node));
}

// Equal shares, in blocks: the first nodes are in the first rack of the first zone.
std::size_t ShareOf(std::int64_t index, std::int64_t count, std::size_t shares) {
  return static_cast<std::size_t>(index) * shares / static_cast<std::size_t>(count);
}

void MakeNodes(const Entry& entry, std::vector<kube::Object>& nodes) {
  const std::int64_t count = entry.count.value_or(1);
  const std::size_t digits = std::to_string(std::max<std::int64_t>(count - 1, 0)).size();
  const std::size_t zones = std::max<std::size_t>(entry.zones.size(), 1);
  const std::size_t racks =
      entry.racks.empty() ? zones * static_cast<std::size_t>(entry.racks_per_zone) : entry.racks.size();
  for (std::int64_t i = 0; i < count; ++i) {
    Place place;
    if (!entry.zones.empty()) place.zone = entry.zones[ShareOf(i, count, zones)];
    if (racks > 0) {
      const std::size_t rack = ShareOf(i, count, racks);
      place.rack = entry.racks.empty() ? fmt::format("{}-rack-{}", entry.name, rack) : entry.racks[rack];
    }
    nodes.push_back(
        MakeNode(entry, entry.count ? fmt::format("{}-{:0{}}", entry.name, i, digits) : entry.name, place));
  }
}

}  // namespace

bool IsClusterDescription(const json::value& document) {
  const json::object* object = document.if_object();
  return object != nullptr && object->contains("nodes") && !object->contains("apiVersion") &&
         !object->contains("kind");
}

Result<std::vector<kube::Object>> NodesFromDescription(const json::value& document) {
  const json::object& object = document.get_object();
  for (const json::key_value_pair& pair : object) {
    if (pair.key() != "nodes")
      return Err("{}: unknown field, expected only nodes", std::string_view(pair.key()));
  }
  const json::value& list = object.at("nodes");
  if (!list.is_array()) return Err("nodes: found {}, expected a list", Shown(list));
  std::vector<Entry> entries;
  std::set<std::string> names;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < list.get_array().size(); ++i) {
    CADRE_TRY(Entry entry, ReadEntry(list.get_array()[i], i));
    if (!names.insert(entry.name).second) return Err("nodes[{}].name: \"{}\" is used twice", i, entry.name);
    total += entry.count.value_or(1);
    entries.push_back(std::move(entry));
  }
  if (total > kMostNodes) return Err("nodes: {} nodes in all, at most {} are possible", total, kMostNodes);
  std::vector<kube::Object> nodes;
  for (const Entry& entry : entries)
    MakeNodes(entry, nodes);
  return nodes;
}

Result<std::vector<kube::Object>> NodesFromFlags(const UniformCluster& cluster) {
  if (cluster.nodes < 1 || cluster.nodes > kMostNodes)
    return Err("--nodes: found {}, expected a number from 1 to {}", cluster.nodes, kMostNodes);
  if (cluster.per_rack < 0) return Err("--per-rack: found {}, expected a number above 0", cluster.per_rack);
  if (cluster.racks_per_zone < 0)
    return Err("--racks-per-zone: found {}, expected a number above 0", cluster.racks_per_zone);
  if (cluster.racks_per_zone > 0 && cluster.per_rack == 0)
    return Err("--racks-per-zone needs --per-rack, the number of nodes in each rack");
  Entry entry;
  entry.name = "node";
  entry.count = cluster.nodes;
  for (const std::string_view pair : Split(cluster.node, ',')) {
    const std::size_t equals = pair.find('=');
    const std::string_view name = Trim(pair.substr(0, equals));
    if (equals == std::string_view::npos || !IsResource(name))
      return Err("--node: found \"{}\", expected resources such as cpu=64,memory=256Gi,nvidia.com/gpu=8",
                 pair);
    if (entry.resources.contains(name)) return Err("--node: {} is given twice", name);
    CADRE_TRY_VOID(ReadResource(entry, name, json::string(Trim(pair.substr(equals + 1))),
                                fmt::format("--node {}", name)));
  }
  if (!entry.resources.contains(kube::kCpu))
    return Err("--node: cpu is missing, e.g. --node cpu=64,memory=256Gi");

  const std::size_t digits = std::to_string(cluster.nodes - 1).size();
  std::vector<kube::Object> nodes;
  for (std::int64_t i = 0; i < cluster.nodes; ++i) {
    Place place;
    if (cluster.per_rack > 0) {
      const std::int64_t rack = i / cluster.per_rack;
      place.rack = fmt::format("rack-{}", rack);
      if (cluster.racks_per_zone > 0) place.zone = fmt::format("zone-{}", rack / cluster.racks_per_zone);
    }
    nodes.push_back(MakeNode(entry, fmt::format("node-{:0{}}", i, digits), place));
  }
  return nodes;
}

}  // namespace cadre::app
