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
  Entry& entry = found->second;
  if (added) {
    const auto delay = delays_.find(ticket.key);
    if (delay != delays_.end()) entry.not_before = delay->second.not_before;
  } else {
    if (entry.place == place) return;
    order_.erase(entry.place);
    fresh_.erase(entry.place);
    blocked_.erase(entry.place);
  }
  order_.insert(place);
  if (entry.blocked) blocked_.insert(place);
  if (entry.tried_at == 0) fresh_.insert(place);
  entry.place = std::move(place);
}

void PendingQueue::Remove(const model::GroupKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  order_.erase(found->second.place);
  fresh_.erase(found->second.place);
  blocked_.erase(found->second.place);
  entries_.erase(found);
}

void PendingQueue::Forget(const model::GroupKey& key) {
  Remove(key);
  Succeeded(key);
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

void PendingQueue::Block(const model::GroupKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.blocked = true;
  blocked_.insert(found->second.place);
}

void PendingQueue::Unblock(const model::GroupKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.blocked) return;
  found->second.blocked = false;
  blocked_.erase(found->second.place);
}

void PendingQueue::BackOff(const model::GroupKey& key, Time now) {
  Delay& delay = delays_[key];
  const int doublings = std::min(delay.failures, kMostDoublings);
  ++delay.failures;
  wakes_.erase({delay.not_before, key});
  delay.not_before = now + std::min(kFirstBackOff * (1 << doublings), kLongestBackOff);
  wakes_.emplace(delay.not_before, key);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Unblock(key);
  found->second.not_before = delay.not_before;
  found->second.tried_at = 0;
  fresh_.insert(found->second.place);
}

void PendingQueue::Succeeded(const model::GroupKey& key) {
  const auto delay = delays_.find(key);
  if (delay == delays_.end()) return;
  wakes_.erase({delay->second.not_before, key});
  delays_.erase(delay);
  const auto found = entries_.find(key);
  if (found != entries_.end()) found->second.not_before = Time{};
}

std::optional<Time> PendingQueue::NextWake(Time now) const {
  for (auto next = wakes_.lower_bound({now + Duration(1), model::GroupKey{}}); next != wakes_.end(); ++next) {
    if (Contains(next->second)) return next->first;
  }
  return std::nullopt;
}

std::vector<model::GroupKey> PendingQueue::InOrder() const {
  std::vector<model::GroupKey> keys;
  keys.reserve(order_.size());
  for (const Ordered& ordered : order_)
    keys.push_back(ordered.key);
  return keys;
}

}  // namespace cadre::queue
