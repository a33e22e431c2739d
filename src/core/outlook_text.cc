#include "core/outlook_text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "match/node_table.h"
#include "match/wording.h"
#include "queue/foresight.h"

namespace cadre::core {

std::string ClockText(Time at, Time now) {
  const std::string text = FormatRfc3339(at);  // "2026-01-02T14:05:00Z"
  const std::string day = text.substr(0, 10);
  std::string clock = text.substr(11, 8);
  if (clock.ends_with(":00")) clock.resize(5);
  return day == FormatRfc3339(now).substr(0, 10) ? clock + " UTC" : fmt::format("{} {} UTC", day, clock);
}

std::string NodesText(const model::Cluster& cluster, const match::Placement& placement) {
  std::set<std::string> names;
  for (const model::NodeId node : placement.nodes) {
    if (node.Valid()) names.insert(cluster.node(node).name);
  }
  if (names.empty()) return "no node";
  const auto first = names.begin();
  if (names.size() == 1) return *first;
  if (names.size() == 2) return fmt::format("{} and {}", *first, *std::next(first));
  return fmt::format("{}, {} and {} more {}", *first, *std::next(first), names.size() - 2,
                     names.size() == 3 ? "node" : "nodes");
}

std::string DomainText(const model::Cluster& cluster, const match::Request& request,
                       const match::Placement& placement) {
  const std::string key = queue::KeyOfAll(request);
  const auto node = std::ranges::find_if(
      placement.nodes, [&](model::NodeId id) { return id.Valid() && cluster.node(id).Present(); });
  if (key.empty() || node == placement.nodes.end()) return {};
  const std::vector<std::string> path = match::PathValuesOf(*cluster.node(*node).node, key);
  return fmt::format(", in {} {}", match::ShortKey(key), path.back());
}

}  // namespace cadre::core
