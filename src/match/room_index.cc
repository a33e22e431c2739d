#include "match/room_index.h"

#include <algorithm>
#include <utility>

namespace cadre::match {

RoomIndex::RoomIndex(const model::Cluster& cluster) : cluster_(&cluster) {}

void RoomIndex::Sync() {
  ++syncs_;
  DropLeastRecentlyUsed();
  if (NeedsRebuild()) {
    Rebuild();
  } else {
    for (const model::NodeChange& change : cluster_->node_changes().Since(nodes_read_)) {
      const NodeIndex node = nodes_->IndexOf(change.node);
      if (node == kNoNode) continue;  // only pods name it
      const bool terms = change.news == model::NodeNews::kTerms;
      if (terms || read_in_[node] != syncs_) UpdateNode(node, terms);
    }
    nodes_read_ = cluster_->node_changes().End();
  }
  SyncClaims();
}

// Whatever changes what a position means, or what waste is measured by.
bool RoomIndex::NeedsRebuild() const {
  if (nodes_ == nullptr || resource_count_ != cluster_->resources().size()) return true;
  const auto& log = cluster_->node_changes();
  if (!log.Remembers(nodes_read_)) return true;
  return std::ranges::any_of(log.Since(nodes_read_), [&](const model::NodeChange& change) {
    return change.news == model::NodeNews::kPlace ||
           (change.news == model::NodeNews::kTerms && ChangesLargest(change.node));
  });
}

bool RoomIndex::ChangesLargest(model::NodeId id) const {
  const NodeIndex node = nodes_->IndexOf(id);
  if (node == kNoNode) return false;
  for (std::size_t r = 0; r < resource_count_; ++r) {
    const model::ResourceId resource(r);
    const std::int64_t now = CapacityOf(node, resource);
    if (now > largest_[r]) return true;
    if (now < largest_[r] && capacity_[node * resource_count_ + r] == largest_[r]) return true;
  }
  return false;
}

void RoomIndex::Rebuild() {
  nodes_ = std::make_unique<NodeTable>(*cluster_);
  largest_ = nodes_->Largest();
  resource_count_ = cluster_->resources().size();
  extended_.clear();
  for (std::size_t r = 0; r < resource_count_; ++r) {
    if (kube::IsExtended(cluster_->resources().Name(model::ResourceId(r)))) extended_.emplace_back(r);
  }
  const std::size_t size = nodes_->size();
  free_.assign(size * resource_count_, 0);
  free_when_empty_.assign(size * resource_count_, 0);
  capacity_.assign(size * resource_count_, 0);
  sums_.assign(resource_count_, {});
  gang_pods_.assign(size, 0);
  lone_pods_.assign(size, 0);
  open_.assign(size, 0);
  claims_.assign(size, {});
  read_in_.assign(size, syncs_);
  held_.clear();
  domain_by_path_.clear();
  occupancies_.clear();
  nestings_.clear();
  shapes_.clear();
  touched_.Forget();
  for (NodeIndex node = 0; node < size; ++node) {
    ReadNode(node);
    ReadOpen(node);
  }
  ++terms_version_;
  ++empty_version_;
  nodes_read_ = cluster_->node_changes().End();
  for (const auto& [holder, claim] : cluster_->domain_claims())
    ReadClaim(holder);
  claims_read_ = cluster_->claim_changes().End();
}

// False: nothing changed of what an empty node has free.
bool RoomIndex::ReadNode(NodeIndex node) {
  const model::NodeEntry& entry = nodes_->entry(node);
  const std::size_t row = node * resource_count_;
  bool empty_changed = false;
  for (std::size_t r = 0; r < resource_count_; ++r) {
    const model::ResourceId resource(r);
    const auto put = [&](std::vector<std::int64_t>& rows, std::int64_t value, std::int64_t& sum) {
      const std::int64_t before = std::exchange(rows[row + r], value);
      sum = SaturatingAdd(sum, std::max<std::int64_t>(0, value) - std::max<std::int64_t>(0, before));
      return before != value;
    };
    put(free_, entry.Free(resource), sums_[r].free);
    empty_changed |= put(free_when_empty_, entry.FreeWhenEmpty(resource), sums_[r].free_when_empty);
    put(capacity_, model::NodeEntry::At(entry.allocatable, resource), sums_[r].capacity);
  }
  gang_pods_[node] = entry.gang_pods;
  lone_pods_[node] = entry.lone_pods;
  return empty_changed;
}

void RoomIndex::ReadOpen(NodeIndex node) {
  const kube::NodeSpec& spec = nodes_->node(node).spec;
  open_[node] = spec.taints.empty() && !spec.unschedulable ? 1 : 0;
}

void RoomIndex::UpdateNode(NodeIndex node, bool terms) {
  read_in_[node] = syncs_;
  const std::int32_t gang_pods = gang_pods_[node];
  const std::int32_t lone_pods = lone_pods_[node];
  if (ReadNode(node) || terms) ++empty_version_;
  if (terms) {
    ReadOpen(node);
    ++terms_version_;
  }
  for (auto& [domains, occupancy] : occupancies_) {
    if (domains->of[node] == kNoDomain) continue;
    const auto d = static_cast<std::size_t>(domains->of[node]);
    occupancy.gang_pods[d] += gang_pods_[node] - gang_pods;
    occupancy.lone_pods[d] += lone_pods_[node] - lone_pods;
  }
  Touch(node, terms);
}

void RoomIndex::Touch(NodeIndex node, bool terms) {
  touched_.Note({node, terms}, std::max<std::size_t>(size(), 1024));
}

void RoomIndex::SyncClaims() {
  const auto& log = cluster_->claim_changes();
  if (log.Remembers(claims_read_)) {
    for (const model::Tenant& holder : log.Since(claims_read_))
      ReadClaim(holder);
  } else {
    std::vector<model::Tenant> holders;
    for (const auto& [holder, held] : held_)
      holders.push_back(holder);
    for (const auto& [holder, claim] : cluster_->domain_claims())
      holders.push_back(holder);
    for (const model::Tenant& holder : holders)
      ReadClaim(holder);
  }
  claims_read_ = log.End();
}

void RoomIndex::ReadClaim(const model::Tenant& holder) {
  if (const auto held = held_.find(holder); held != held_.end()) {
    AddClaim(held->second, -1);
    held_.erase(held);
  }
  const auto claim = cluster_->domain_claims().find(holder);
  if (claim == cluster_->domain_claims().end()) return;
  const Domains& domains = nodes_->PathDomains(claim->second.key);
  const std::int32_t domain = DomainOf(domains, claim->second.path);
  if (domain == kNoDomain) return;  // its nodes are gone
  const Held held{&domains, domain, claim->second.scope == model::ExclusiveScope::kAll};
  AddClaim(held, +1);
  held_.emplace(holder, held);
}

void RoomIndex::AddClaim(const Held& held, std::int32_t sign) {
  for (const NodeIndex node : held.domains->NodesOf(held.domain)) {
    const bool before = claims_[node].any > 0;
    claims_[node].any += sign;
    if (held.all) claims_[node].all += sign;
    Touch(node, false);
    const std::int32_t change = (claims_[node].any > 0 ? 1 : 0) - (before ? 1 : 0);
    for (auto& [domains, occupancy] : occupancies_) {
      if (domains->of[node] != kNoDomain)
        occupancy.claimed[static_cast<std::size_t>(domains->of[node])] += change;
    }
  }
}

std::int32_t RoomIndex::DomainOf(const Domains& domains, const std::vector<std::string>& path) {
  const auto [by_path, added] = domain_by_path_.try_emplace(&domains);
  if (added) {
    for (std::size_t d = 0; d < domains.size(); ++d) {
      const auto domain = static_cast<std::int32_t>(d);
      by_path->second.emplace(nodes_->PathValues(domains, domain), domain);
    }
  }
  const auto found = by_path->second.find(path);
  return found == by_path->second.end() ? kNoDomain : found->second;
}

std::int64_t RoomIndex::SumFree(model::ResourceId resource, View view) const {
  if (resource.Index() >= sums_.size()) return 0;
  const Sums& sums = sums_[resource.Index()];
  return view == View::kNow ? sums.free : sums.free_when_empty;
}

std::int64_t RoomIndex::SumCapacity(model::ResourceId resource) const {
  return resource.Index() < sums_.size() ? sums_[resource.Index()].capacity : 0;
}

std::int32_t RoomIndex::FreeExtended(NodeIndex node, View view) const {
  const std::int64_t* free = Free(node, view);
  std::int32_t count = 0;
  for (const model::ResourceId resource : extended_)
    count += free[resource.Index()] > 0 ? 1 : 0;
  return count;
}

ShapeRooms& RoomIndex::Rooms(model::ShapeId shape, Newcomer who, View view) {
  const auto [entry, added] = shapes_.try_emplace(ShapeKey{shape, who, view});
  Kept& kept = entry->second;
  if (added) {
    kept.rooms = std::make_unique<ShapeRooms>(*this, shape, who, view);
  } else {
    kept.rooms->Sync();
  }
  kept.last_use = ++uses_;
  return *kept.rooms;
}

void RoomIndex::DropLeastRecentlyUsed() {
  while (shapes_.size() > kMostShapes) {
    shapes_.erase(
        std::ranges::min_element(shapes_, {}, [](const auto& entry) { return entry.second.last_use; }));
  }
}

const Occupancy& RoomIndex::OccupancyOf(const Domains& domains) {
  const auto [entry, added] = occupancies_.try_emplace(&domains);
  Occupancy& occupancy = entry->second;
  if (!added) return occupancy;
  occupancy.domains = &domains;
  occupancy.claimed.assign(domains.size(), 0);
  occupancy.gang_pods.assign(domains.size(), 0);
  occupancy.lone_pods.assign(domains.size(), 0);
  for (NodeIndex node = 0; node < size(); ++node) {
    if (domains.of[node] == kNoDomain) continue;
    const auto d = static_cast<std::size_t>(domains.of[node]);
    occupancy.claimed[d] += claims_[node].any > 0 ? 1 : 0;
    occupancy.gang_pods[d] += gang_pods_[node];
    occupancy.lone_pods[d] += lone_pods_[node];
  }
  return occupancy;
}

const Nesting& RoomIndex::NestingOf(const Domains& coarse, const Domains& fine) {
  const auto [entry, added] = nestings_.try_emplace({&coarse, &fine});
  Nesting& nesting = entry->second;
  if (!added) return nesting;
  nesting.inner.resize(coarse.size());
  for (std::size_t d = 0; d < fine.size(); ++d) {
    const auto domain = static_cast<std::int32_t>(d);
    const auto members = fine.NodesOf(domain);
    const std::int32_t around = coarse.of[members.front()];
    if (std::ranges::any_of(members, [&](NodeIndex node) { return coarse.of[node] != around; })) {
      nesting.exact = false;
      continue;
    }
    if (around != kNoDomain) nesting.inner[static_cast<std::size_t>(around)].push_back(domain);
  }
  return nesting;
}

std::size_t RoomIndex::MemoryBytes() const {
  std::size_t bytes = sizeof(*this) + sizeof(std::int64_t) * (free_.capacity() * 3) +
                      (gang_pods_.capacity() + lone_pods_.capacity()) * sizeof(std::int32_t) +
                      claims_.capacity() * sizeof(ClaimCount) + read_in_.capacity() * sizeof(std::uint64_t);
  for (const auto& [key, rooms] : shapes_)
    bytes += rooms.rooms->MemoryBytes();
  for (const auto& [domains, occupancy] : occupancies_)
    bytes += 3 * sizeof(std::int32_t) * occupancy.claimed.capacity() + domains->of.capacity() * 8;
  return bytes;
}

}  // namespace cadre::match
