#include "match/shape_rooms.h"

#include <algorithm>

#include "match/room_index.h"

namespace cadre::match {
namespace {

constexpr std::uint32_t kMostStranded = 15;
constexpr std::uint32_t kMostWaste = 4095;
// Beyond this a double no longer holds every integer.
constexpr std::int64_t kExactInDouble = std::int64_t{1} << 52U;

// Whole numbers of `amount` in `free`. REQUIRES: free >= amount > 0.
std::int64_t Quotient(std::int64_t free, std::int64_t amount, double per_unit) {
  if (free >= kExactInDouble) return free / amount;
  // The product is at most one off, and multiplying is several times faster than dividing.
  auto quotient = static_cast<std::int64_t>(static_cast<double>(free) * per_unit);
  if (quotient * amount > free) --quotient;
  if ((quotient + 1) * amount <= free) ++quotient;
  return quotient;
}

}  // namespace

ShapeRooms::ShapeRooms(const RoomIndex& index, model::ShapeId shape, Newcomer who, View view)
    : index_(&index), shape_(shape), who_(who), view_(view) {
  const model::Cluster& cluster = index.cluster();
  const model::Shape& s = cluster.shape(shape);
  for (const model::Amount& request : s.requests) {
    const std::size_t r = request.resource.Index();
    const std::int64_t largest = r < index.Largest().size() ? index.Largest()[r] : 0;
    const bool counts = request.resource != model::ResourceNames::kPods && largest > 0;
    needs_.push_back({.resource = r,
                      .amount = request.amount,
                      .per_unit = 1.0 / static_cast<double>(request.amount),
                      .scale = counts ? WasteScale(largest) : 0});
    extended_ += kube::IsExtended(cluster.resources().Name(request.resource)) ? 1 : 0;
  }
  any_node_ = !s.ChoosesNodes();
  ReadAll();
}

void ShapeRooms::Sync() {
  const auto& log = index_->touched();
  const bool lagging = !log.Remembers(read_) || log.End() - read_ > index_->size() / 2;
  if (lagging) {
    ReadAll();
    return;
  }
  for (const RoomIndex::Touched& touched : log.Since(read_)) {
    if (touched.terms) ReadTerms(touched.node);
    Set(touched.node, WorthOf(touched.node));
  }
  read_ = log.End();
  terms_read_ = index_->terms_version();
}

void ShapeRooms::ReadAll() {
  const std::size_t size = index_->size();
  if (terms_read_ != index_->terms_version()) {
    may_take_.assign(size, 0);
    may_take_count_ = 0;
    for (NodeIndex node = 0; node < size; ++node)
      ReadTerms(node);
  }
  worth_.resize(size);
  total_ = 0;
  for (NodeIndex node = 0; node < size; ++node) {
    worth_[node] = WorthOf(node);
    total_ += Room(node);
  }
  const std::size_t blocks = (size + kBlock - 1) / kBlock;
  highest_.assign(blocks, 0);
  stale_.assign(blocks, 1);
  sums_.clear();
  read_ = index_->touched().End();
  terms_read_ = index_->terms_version();
}

void ShapeRooms::ReadTerms(NodeIndex node) {
  const bool may =
      (any_node_ && index_->IsOpen(node)) ||
      StaticMisfit(index_->cluster().shape(shape_), index_->nodes().node(node), Rules{}) == Misfit::kNone;
  may_take_count_ += (may ? 1U : 0U) - (may_take_[node] != 0 ? 1U : 0U);
  may_take_[node] = may ? 1 : 0;
}

void ShapeRooms::Set(NodeIndex node, std::uint32_t worth) {
  if (worth == worth_[node]) return;
  const std::int64_t before = Room(node);
  worth_[node] = worth;
  stale_[node / kBlock] = 1;
  const std::int64_t more = Room(node) - before;
  if (more == 0) return;
  total_ += more;
  for (auto& [domains, sums] : sums_) {
    if (domains->of[node] != kNoDomain) sums[static_cast<std::size_t>(domains->of[node])] += more;
  }
}

std::uint32_t ShapeRooms::WorthOf(NodeIndex node) {
  if (may_take_[node] == 0 || (view_ == View::kNow && index_->IsClosed(node, who_))) return 0;
  const std::int64_t* free = index_->Free(node, view_);
  std::int64_t room = kMostRoom + 1;
  std::int64_t waste = 0;
  for (const Need& need : needs_) {
    const std::int64_t has = need.resource < index_->resource_count() ? free[need.resource] : 0;
    if (has < need.amount) return 0;
    if (room > 1) room = std::min(room, Quotient(has, need.amount, need.per_unit));
    waste += WasteOf(has, need.scale);
  }
  if (room > kMostRoom) {
    clamped_ = true;
    room = kMostRoom;
  }
  const std::int32_t stranded = std::max(0, index_->FreeExtended(node, view_) - extended_);
  const std::uint32_t tidy = kMostStranded - std::min(static_cast<std::uint32_t>(stranded), kMostStranded);
  const auto tight = static_cast<std::uint32_t>(kMostWaste - std::min<std::int64_t>(waste, kMostWaste));
  return static_cast<std::uint32_t>(room) << kRoomShift | tidy << 12U | tight;
}

const std::vector<std::int64_t>& ShapeRooms::SumsBy(const Domains& domains) {
  const auto [entry, added] = sums_.try_emplace(&domains);
  if (!added) return entry->second;
  entry->second.assign(domains.size(), 0);
  for (NodeIndex node = 0; node < worth_.size(); ++node) {
    if (domains.of[node] != kNoDomain)
      entry->second[static_cast<std::size_t>(domains.of[node])] += Room(node);
  }
  return entry->second;
}

std::uint32_t ShapeRooms::HighestOf(std::size_t block) const {
  const auto first = worth_.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
  const auto last =
      worth_.begin() + static_cast<std::ptrdiff_t>(std::min((block + 1) * kBlock, worth_.size()));
  return *std::max_element(first, last);
}

void ShapeRooms::RefreshBlocks() {
  for (std::size_t block = 0; block < stale_.size(); ++block) {
    if (stale_[block] == 0) continue;
    highest_[block] = HighestOf(block);
    stale_[block] = 0;
  }
}

std::vector<NodeIndex> ShapeRooms::Best(std::int64_t wanted) {
  RefreshBlocks();
  struct Top {
    std::uint32_t worth;
    std::size_t block;
  };
  const auto below = [](const Top& a, const Top& b) {
    return a.worth != b.worth ? a.worth < b.worth : a.block > b.block;
  };
  std::vector<Top> heap;
  for (std::size_t block = 0; block < highest_.size(); ++block) {
    if (highest_[block] > 0) heap.push_back({highest_[block], block});
  }
  std::ranges::make_heap(heap, below);
  std::vector<NodeIndex> best;
  while (wanted > 0 && !heap.empty()) {
    const Top top = heap.front();
    const std::int64_t room = top.worth >> kRoomShift;
    if (room >= wanted) {
      best.push_back(TightestFor(wanted, best));
      return best;
    }
    std::ranges::pop_heap(heap, below);
    heap.pop_back();
    // All of its equals in the block, then the block again with what is left of it.
    std::uint32_t next = 0;
    const std::size_t end = std::min((top.block + 1) * kBlock, worth_.size());
    for (std::size_t node = top.block * kBlock; node < end; ++node) {
      if (worth_[node] < top.worth) next = std::max(next, worth_[node]);
      if (worth_[node] != top.worth || wanted <= 0) continue;
      if (room >= wanted) {
        best.push_back(TightestFor(wanted, best));
        return best;
      }
      best.push_back(static_cast<NodeIndex>(node));
      wanted -= room;
    }
    if (next == 0) continue;
    heap.push_back({next, top.block});
    std::ranges::push_heap(heap, below);
  }
  return best;
}

// Of the nodes that are not taken and take `wanted`: the least stranded, the tightest, the one with the least
// room.
NodeIndex ShapeRooms::TightestFor(std::int64_t wanted, const std::vector<NodeIndex>& taken) {
  const auto least = static_cast<std::uint32_t>(wanted) << kRoomShift;
  std::vector<NodeIndex> sorted = taken;
  std::ranges::sort(sorted);
  NodeIndex best = kNoNode;
  std::uint32_t highest = 0;
  for (std::size_t block = 0; block < highest_.size(); ++block) {
    if (highest_[block] < least) continue;
    const std::size_t end = std::min((block + 1) * kBlock, worth_.size());
    for (std::size_t node = block * kBlock; node < end; ++node) {
      const std::uint32_t worth = worth_[node];
      if (worth < least) continue;
      // The tidiness before the room, and of the rooms the least.
      const std::uint32_t rating = worth << kRoomShift | (kMostRoom - (worth >> kRoomShift));
      if (best != kNoNode && rating <= highest) continue;
      if (std::ranges::binary_search(sorted, static_cast<NodeIndex>(node))) continue;
      best = static_cast<NodeIndex>(node);
      highest = rating;
    }
  }
  return best;
}

// All nodes less the others, which are few as a rule.
ShapeRooms::Amounts ShapeRooms::SumAmounts(model::ResourceId resource) const {
  Amounts sums{index_->SumFree(resource, view_), index_->SumCapacity(resource)};
  if (may_take_count_ == may_take_.size()) return sums;
  for (NodeIndex node = 0; node < may_take_.size(); ++node) {
    if (may_take_[node] != 0) continue;
    sums.free -= std::max<std::int64_t>(0, index_->FreeOf(node, resource, view_));
    sums.total -= index_->CapacityOf(node, resource);
  }
  return sums;
}

std::size_t ShapeRooms::MemoryBytes() const {
  std::size_t bytes = sizeof(*this) + may_take_.capacity() + worth_.capacity() * sizeof(worth_[0]) +
                      highest_.capacity() * sizeof(highest_[0]) + stale_.capacity();
  for (const auto& [domains, sums] : sums_)
    bytes += sums.capacity() * sizeof(sums[0]);
  return bytes;
}

}  // namespace cadre::match
