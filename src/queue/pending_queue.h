// PendingQueue: the groups that want a place, in the order they are tried, and when each is worth a try.
//
// Order: groups that are half placed or lost members first (what holds resources must be made whole), then
// priority, then age of the group, then name. A group is tried again only when something changed that could
// let it in: room was freed, the group itself changed, or its back-off ended. So work per change is bounded
// by the groups that the change concerns. Thread rule: one thread. Bounds: one entry per waiting group, and
// one per group whose last placement failed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"
#include "model/group.h"

namespace cadre::queue {

struct Ticket {
  bool urgent = false;
  std::int32_t priority = 0;
  Time created{};
  model::GroupKey key;
};

class PendingQueue {
 public:
  // Adds the group, or moves it to where its ticket now belongs. What is remembered of its tries stays.
  void Put(const Ticket& ticket);
  // It does not wait any more: it was sent to its place, or cannot start as it is. Its failures are
  // remembered.
  void Remove(const model::GroupKey& key);
  // The group is gone, its failures too.
  void Forget(const model::GroupKey& key);
  bool Contains(const model::GroupKey& key) const { return entries_.contains(key); }

  // The group changed: it is worth a try even if no room was freed.
  void Touch(const model::GroupKey& key);
  // It was tried in vain at this version of the cluster's room.
  void Tried(const model::GroupKey& key, std::uint64_t room_version);
  // Its placement failed on the way (a bind was refused): not before a while, longer each time: 1 s doubling
  // to 5 min. It need not be waiting at this moment.
  void BackOff(const model::GroupKey& key, Time now);
  // All that was sent arrived: back-off starts anew.
  void Succeeded(const model::GroupKey& key);

  // It could start if there were room for it: the first of these is the head, and what comes after it in the
  // order must not delay it. Ends with Unblock, Remove and BackOff (what is away being bound does not wait
  // for room).
  void Block(const model::GroupKey& key);
  void Unblock(const model::GroupKey& key);
  // Null when nothing is blocked.
  const model::GroupKey* Head() const { return blocked_.empty() ? nullptr : &blocked_.begin()->key; }
  // REQUIRES: it waits.
  bool IsBehindHead(const model::GroupKey& key) const {
    return !blocked_.empty() && *blocked_.begin() < entries_.at(key).place;
  }
  // Would a group with this ticket come before that one? Equal groups: no.
  static bool ComesBefore(const Ticket& a, const Ticket& b) { return PlaceOf(a) < PlaceOf(b); }

  // In order: the groups worth a try now. `version_of` gives the version of the cluster that counts for a
  // group. `only_fresh`: no version has moved since the last call, so only what is new, touched or at the end
  // of its back-off counts.
  template <class VersionOf>
  std::vector<model::GroupKey> Due(Time now, bool only_fresh, VersionOf version_of) const {
    std::vector<model::GroupKey> due;
    for (const Ordered& ordered : only_fresh ? fresh_ : order_) {
      const Entry& entry = entries_.at(ordered.key);
      if (entry.not_before > now || entry.tried_at == version_of(ordered.key)) continue;
      due.push_back(ordered.key);
    }
    return due;
  }

  // When the next back-off of a waiting group ends, if any.
  std::optional<Time> NextWake(Time now) const;
  // All waiting groups, in order.
  std::vector<model::GroupKey> InOrder() const;

 private:
  struct Ordered {
    bool calm;  // not urgent: false sorts first
    std::int64_t negative_priority;
    Time created;
    model::GroupKey key;
    auto operator<=>(const Ordered&) const = default;
  };
  struct Entry {
    Ordered place;
    std::uint64_t tried_at = 0;  // 0: never
    Time not_before{};           // copied from its Delay
    bool blocked = false;
  };
  struct Delay {
    Time not_before{};
    int failures = 0;  // in a row
  };
  static Ordered PlaceOf(const Ticket& ticket);

  std::map<model::GroupKey, Entry> entries_;
  std::set<Ordered> order_;
  std::set<Ordered> fresh_;    // those of order_ that have not been tried since they came or were touched
  std::set<Ordered> blocked_;  // those of order_ that wait for room
  std::map<model::GroupKey, Delay> delays_;
  std::set<std::pair<Time, model::GroupKey>> wakes_;  // the delays by their end
};

}  // namespace cadre::queue
