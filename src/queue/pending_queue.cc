#include "queue/pending_queue.h"

#include <algorithm>

namespace cadre::queue {
namespace {

constexpr Duration kFirstBackOff{1'000};
constexpr Duration kLongestBackOff{300'000};
constexpr int kMostDoublings = 9;  // beyond that the longest holds anyway

}  // namespace

PendingQueue::Ordered PendingQueue::PlaceOf(const Ticket& ticket) {
  return {!ticket.urgent, -static_cast<std::int64_t>(ticket.priority), ticket.created, ticket.key};
}

void PendingQueue::Put(const Ticket& ticket) {
  Ordered place = PlaceOf(ticket);
  const auto [found, added] = entries_.try_emplace(ticket.key);
  if (!added) {
    if (found->second.place == place) return;
    order_.erase(found->second.place);
    fresh_.erase(found->second.place);
  }
  order_.insert(place);
  if (found->second.tried_at == 0) fresh_.insert(place);
  found->second.place = std::move(place);
}

void PendingQueue::Remove(const model::GroupKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  order_.erase(found->second.place);
  fresh_.erase(found->second.place);
  wakes_.erase({found->second.not_before, key});
  entries_.erase(found);
}

void PendingQueue::Touch(const model::GroupKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.tried_at = 0;
  fresh_.insert(found->second.place);
}

void PendingQueue::Tried(const model::GroupKey& key, std::uint64_t room_version) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.tried_at = room_version;
  fresh_.erase(found->second.place);
}

void PendingQueue::BackOff(const model::GroupKey& key, Time now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  const int doublings = std::min(entry.failures, kMostDoublings);
  ++entry.failures;
  wakes_.erase({entry.not_before, key});
  entry.not_before = now + std::min(kFirstBackOff * (1 << doublings), kLongestBackOff);
  entry.tried_at = 0;
  fresh_.insert(entry.place);
  wakes_.emplace(entry.not_before, key);
}

void PendingQueue::Succeeded(const model::GroupKey& key) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) found->second.failures = 0;
}

std::optional<Time> PendingQueue::NextWake(Time now) const {
  const auto next = wakes_.lower_bound({now + Duration(1), model::GroupKey{}});
  return next == wakes_.end() ? std::nullopt : std::optional<Time>(next->first);
}

std::vector<model::GroupKey> PendingQueue::InOrder() const {
  std::vector<model::GroupKey> keys;
  keys.reserve(order_.size());
  for (const Ordered& ordered : order_) keys.push_back(ordered.key);
  return keys;
}

}  // namespace cadre::queue
