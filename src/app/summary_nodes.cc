#include "app/summary_nodes.h"

#include <algorithm>
#include <string_view>

#include "kube/node.h"
#include "topology/levels.h"

namespace cadre::app {

namespace {

bool IsPool(const std::string& key) {
  return std::ranges::find(topology::PoolKeys(), key) != topology::PoolKeys().end();
}

bool AnyNodeHas(const Recorder& recorder, const std::string& key) {
  const auto has = [&](const auto& entry) { return entry.second.Meta().labels.contains(key); };
  return std::any_of(recorder.present_nodes().begin(), recorder.present_nodes().end(), has) ||
         std::any_of(recorder.gone_nodes().begin(), recorder.gone_nodes().end(), has);
}

bool IsCoarse(std::string_view key) {
  return key == topology::kRegion || key == topology::kZone;
}

report::NodeRow RowOf(const kube::Object& object, const std::vector<std::string>& levels, bool gone) {
  const kube::Node& node = object.As<kube::Node>();
  report::NodeRow row{.name = node.metadata.name,
                      .path = {},
                      .allocatable = AmountsOf(node.status.allocatable),
                      .gone = gone};
  for (const std::string& key : levels) {
    const auto label = node.metadata.labels.find(key);
    row.path.push_back(label == node.metadata.labels.end() ? "" : label->second);
  }
  return row;
}

}  // namespace

std::vector<std::string> LevelsOf(const Recorder& recorder) {
  std::vector<std::string> levels;
  for (const std::string& key : recorder.topology_keys()) {
    if (AnyNodeHas(recorder, key)) levels.push_back(key);
  }
  if (recorder.levels_given()) return levels;
  const bool any_finer =
      std::ranges::any_of(levels, [](const std::string& key) { return !IsPool(key) && !IsCoarse(key); });
  if (any_finer) std::erase_if(levels, IsPool);
  return levels;
}

std::vector<report::NodeRow> NodeRowsOf(const Recorder& recorder, const std::vector<std::string>& levels) {
  std::vector<report::NodeRow> rows;
  for (const auto& [name, node] : recorder.present_nodes())
    rows.push_back(RowOf(node, levels, false));
  for (const auto& [name, node] : recorder.gone_nodes())
    rows.push_back(RowOf(node, levels, true));
  std::sort(rows.begin(), rows.end(),
            [](const report::NodeRow& a, const report::NodeRow& b) { return a.name < b.name; });
  return rows;
}

report::Amounts AmountsOf(const kube::ResourceList& list) {
  report::Amounts amounts;
  for (const auto& [resource, amount] : list) {
    if (resource != kube::kPods) amounts.emplace(resource, amount);
  }
  return amounts;
}

}  // namespace cadre::app
