#include "topology/ec2.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "topology/hostlist.h"

namespace cadre::topology {
namespace {

constexpr std::string_view kLayerKey = "topology.k8s.aws/network-node-layer-";
constexpr std::size_t kMostLayers = 4;
constexpr std::size_t kNamed = 5;

struct Instance {
  std::string id;
  std::vector<std::string> nodes;  // topmost first
};

Result<Instance> InstanceOf(const json::value& value, std::size_t index) {
  Instance instance{.id = std::string(FindString(value, {"InstanceId"})), .nodes = {}};
  if (instance.id.empty())
    return Err("Instances[{}].InstanceId: expected a text such as i-0123456789abcdef0", index);
  const json::value* nodes = Find(value, {"NetworkNodes"});
  if (nodes == nullptr || nodes->is_null()) return instance;
  if (!nodes->is_array()) return Err("Instances[{}].NetworkNodes: expected a list", index);
  for (const json::value& node : nodes->get_array()) {
    if (!node.is_string() || node.get_string().empty())
      return Err("Instances[{}].NetworkNodes: expected texts such as nn-0123456789abcdef0", index);
    instance.nodes.emplace_back(node.get_string());
  }
  if (instance.nodes.size() > kMostLayers)
    return Err("Instances[{}].NetworkNodes: {} of them, at most {} layers are known", index,
               instance.nodes.size(), kMostLayers);
  return instance;
}

// A network node below two others is two domains then.
void NoteTwoParents(const std::map<std::string, std::set<std::string>>& parents, Imported& imported) {
  for (const auto& [node, above] : parents) {
    if (above.size() > 1)
      imported.notes.push_back(fmt::format("network node {} is below {} at once: taken for {} domains", node,
                                           fmt::join(above, " and "), above.size()));
  }
}

Result<void> Take(const json::array& instances, Imported& imported) {
  std::map<std::string, std::vector<std::string>> known;
  std::map<std::string, std::set<std::string>> parents;
  std::vector<std::string> nowhere;
  std::size_t layers = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    CADRE_TRY(const Instance instance, InstanceOf(instances[i], i));
    if (const auto [seen, added] = known.try_emplace(instance.id, instance.nodes); !added) {
      if (seen->second == instance.nodes) continue;
      return Err("Instances[{}]: {} is listed before, below {} instead of {}", i, instance.id,
                 fmt::join(seen->second, " > "), fmt::join(instance.nodes, " > "));
    }
    if (instance.nodes.empty()) {
      nowhere.push_back(instance.id);
      continue;
    }
    layers = std::max(layers, instance.nodes.size());
    kube::StringMap& labels = imported.labels[instance.id];
    for (std::size_t layer = 0; layer < instance.nodes.size(); ++layer) {
      labels.insert_or_assign(fmt::format("{}{}", kLayerKey, layer + 1), instance.nodes[layer]);
      if (layer > 0) parents[instance.nodes[layer]].insert(instance.nodes[layer - 1]);
    }
  }
  for (std::size_t layer = 1; layer <= layers; ++layer)
    imported.keys.push_back(fmt::format("{}{}", kLayerKey, layer));
  if (!nowhere.empty())
    imported.notes.push_back(fmt::format(
        "{} without network nodes left out (EC2 tells them for some instance types only): {}",
        Quantify(static_cast<std::int64_t>(nowhere.size()), "instance"), SomeOf(nowhere, kNamed)));
  NoteTwoParents(parents, imported);
  return {};
}

}  // namespace

Result<Imported> ImportEc2(std::string_view text) {
  CADRE_TRY(const json::value document, ParseDocument(text));
  const json::value* instances = Find(document, {"Instances"});
  if (instances == nullptr || !instances->is_array())
    return Err("there is no list Instances: expected the output of `aws ec2 describe-instance-topology`");
  if (instances->get_array().size() > kMostHosts) return Err("Instances: more than {}", kMostHosts);
  Imported imported;
  imported.by_instance = true;
  CADRE_TRY_VOID(Take(instances->get_array(), imported));
  if (imported.labels.empty()) return Err("Instances: none of them has NetworkNodes");
  imported.what = fmt::format("an EC2 instance topology with {}",
                              Quantify(static_cast<std::int64_t>(imported.keys.size()), "layer"));
  if (!FindString(document, {"NextToken"}).empty())
    imported.notes.emplace_back(
        "there is a NextToken: this is one page of the answer, more instances follow");
  return imported;
}

}  // namespace cadre::topology
