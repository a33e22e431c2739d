#include "match/node_table.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

#include "topology/levels.h"

namespace cadre::match {
namespace {

const std::string* LabelOf(const kube::Node& node, const std::string& key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? nullptr : &found->second;
}

void GroupByDomain(Domains& domains, std::size_t count) {
  domains.begin.assign(count + 1, 0);
  for (const std::int32_t domain : domains.of) {
    if (domain != kNoDomain) ++domains.begin[static_cast<std::size_t>(domain) + 1];
  }
  for (std::size_t d = 0; d < count; ++d)
    domains.begin[d + 1] += domains.begin[d];
  domains.members.resize(domains.begin[count]);
  std::vector<std::uint32_t> next(domains.begin.begin(), domains.begin.end() - 1);
  for (NodeIndex node = 0; node < domains.of.size(); ++node) {
    const std::int32_t domain = domains.of[node];
    if (domain != kNoDomain) domains.members[next[static_cast<std::size_t>(domain)]++] = node;
  }
}

// The rules that StaticMisfit looks at, as a number.
std::uint32_t StaticBits(const Rules& rules) {
  return (rules.node_selector ? 1U : 0U) | (rules.node_affinity ? 2U : 0U) | (rules.volumes ? 4U : 0U) |
         (rules.claims ? 8U : 0U);
}

}  // namespace

std::vector<std::string> PathOf(const std::string& key) {
  using topology::kRegion;
  using topology::kZone;
  // Their values name one thing in the whole cluster, so that no path is needed: a node pool may span zones
  // and is still one pool.
  const bool unique = key == topology::kHostname ||
                      std::ranges::find(topology::PoolKeys(), key) != topology::PoolKeys().end();
  if (key == kRegion || unique) return {key};
  if (key == kZone) return {std::string(kRegion), key};
  return {std::string(kRegion), std::string(kZone), key};
}

NodeTable::NodeTable(const model::Cluster& cluster) : cluster_(&cluster) {
  index_of_.assign(cluster.nodes().size(), kNoNode);
  ids_.reserve(cluster.nodes().size());
  for (const auto& [name, id] : cluster.nodes_by_name()) {
    if (!cluster.node(id).Present()) continue;
    index_of_[id.Index()] = static_cast<NodeIndex>(ids_.size());
    ids_.push_back(id);
  }
  FindExtended();
}

NodeTable::NodeTable(const model::Cluster& cluster, std::vector<model::NodeId> nodes,
                     std::vector<std::int64_t> largest)
    : cluster_(&cluster), ids_(std::move(nodes)), largest_(std::move(largest)) {
  some_.reserve(ids_.size());
  for (NodeIndex node = 0; node < ids_.size(); ++node)
    some_.emplace_back(ids_[node], node);
  std::ranges::sort(some_);
  FindExtended();
}

void NodeTable::FindExtended() {
  for (std::size_t r = 0; r < cluster_->resources().size(); ++r) {
    const model::ResourceId resource(r);
    if (kube::IsExtended(cluster_->resources().Name(resource))) extended_.push_back(resource);
  }
}

const std::vector<std::int64_t>& NodeTable::Largest() {
  if (!largest_.empty()) return largest_;
  largest_.assign(cluster_->resources().size(), 0);
  for (NodeIndex node = 0; node < size(); ++node) {
    const std::vector<std::int64_t>& has = entry(node).allocatable;
    for (std::size_t r = 0; r < has.size(); ++r)
      largest_[r] = std::max(largest_[r], has[r]);
  }
  return largest_;
}

NodeIndex NodeTable::IndexOf(model::NodeId id) const {
  if (index_of_.empty()) {
    const auto found = std::ranges::lower_bound(some_, id, {}, &std::pair<model::NodeId, NodeIndex>::first);
    return found != some_.end() && found->first == id ? found->second : kNoNode;
  }
  return id.Valid() && id.Index() < index_of_.size() ? index_of_[id.Index()] : kNoNode;
}

Domains NodeTable::Cut(const std::vector<std::string>& path) const {
  Domains domains;
  domains.key = path.back();
  domains.of.assign(size(), kNoDomain);
  // One map per step of the path: (the step before, value) -> number. A missing coarse label is a value of
  // its own.
  std::vector<boost::unordered_flat_map<std::pair<std::int32_t, std::string_view>, std::int32_t>> steps(
      path.size());
  for (NodeIndex node = 0; node < size(); ++node) {
    const kube::Node& of = this->node(node);
    if (LabelOf(of, path.back()) == nullptr) continue;
    std::int32_t at = 0;
    for (std::size_t step = 0; step < path.size(); ++step) {
      const std::string* value = LabelOf(of, path[step]);
      // No label value holds a space, so this one is nobody's.
      const std::string_view text = value == nullptr ? std::string_view(" ") : std::string_view(*value);
      at = steps[step].try_emplace({at, text}, static_cast<std::int32_t>(steps[step].size())).first->second;
    }
    domains.of[node] = at;
  }
  GroupByDomain(domains, steps.back().size());
  return domains;
}

const Domains& NodeTable::LabelDomains(const std::string& key) {
  const auto found = label_domains_.find(key);
  if (found != label_domains_.end()) return found->second;
  return label_domains_.emplace(key, Cut({key})).first->second;
}

const Domains& NodeTable::PathDomains(const std::string& key) {
  const auto found = path_domains_.find(key);
  if (found != path_domains_.end()) return found->second;
  return path_domains_.emplace(key, Cut(PathOf(key))).first->second;
}

std::vector<std::string> PathValuesOf(const kube::Node& node, const std::string& key) {
  std::vector<std::string> values;
  for (const std::string& step : PathOf(key)) {
    const std::string* value = LabelOf(node, step);
    values.push_back(value == nullptr ? std::string{} : *value);
  }
  return values;
}

std::vector<std::string> NodeTable::PathValues(const Domains& domains, std::int32_t domain) const {
  return PathValuesOf(node(domains.NodesOf(domain).front()), domains.key);
}

std::int32_t NodeTable::FindDomain(const Domains& domains, const std::vector<std::string>& path) const {
  for (std::size_t domain = 0; domain < domains.size(); ++domain) {
    const auto id = static_cast<std::int32_t>(domain);
    if (PathValues(domains, id) == path) return id;
  }
  return kNoDomain;
}

const std::vector<Misfit>& NodeTable::Misfits(model::ShapeId shape, const Rules& rules) {
  const auto [entry, added] = misfits_.try_emplace({shape.value, StaticBits(rules)});
  if (added) {
    entry->second.reserve(size());
    for (NodeIndex node = 0; node < size(); ++node) {
      entry->second.push_back(StaticMisfit(cluster_->shape(shape), this->node(node), rules));
    }
  }
  return entry->second;
}

std::string NodeTable::NameOf(const Domains& domains, std::int32_t domain) const {
  const NodeIndex first = domains.NodesOf(domain).front();
  const std::string& value = *LabelOf(node(first), domains.key);
  bool ambiguous = false;
  for (std::size_t other = 0; other < domains.size() && !ambiguous; ++other) {
    const auto id = static_cast<std::int32_t>(other);
    ambiguous = id != domain && *LabelOf(node(domains.NodesOf(id).front()), domains.key) == value;
  }
  if (!ambiguous) return value;
  std::string text;
  for (const std::string& key : PathOf(domains.key)) {
    const std::string* part = LabelOf(node(first), key);
    if (!text.empty()) text += "/";
    text += part == nullptr ? "-" : *part;
  }
  return text;
}

std::int32_t NodeTable::FreeExtended(NodeIndex node, View view) const {
  const model::NodeEntry& entry = this->entry(node);
  std::int32_t count = 0;
  for (const model::ResourceId resource : extended_) {
    const std::int64_t free = view == View::kNow ? entry.Free(resource) : entry.FreeWhenEmpty(resource);
    if (free > 0) ++count;
  }
  return count;
}

}  // namespace cadre::match
