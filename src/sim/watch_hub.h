// WatchHub: the streams of changes. Each watcher has a place in its kind's history and is brought up to its
// end from a timer: all changes of one instant in one go, in order. A watcher that falls behind what the
// history still holds gets "expired", as from the real watch cache. Thread rule: the event loop's thread
// only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "drive/api.h"
#include "drive/clock.h"
#include "sim/faults.h"
#include "sim/store.h"

namespace cadre::sim {

class WatchHub {
 public:
  // Everything is borrowed and must outlive the hub; `faults` may be null. Changes arrive `latency` after
  // they were made. Of what every watcher has seen, the newest `kept` changes per kind stay, for watches that
  // resume.
  WatchHub(Store& store, drive::Clock& clock, Duration latency, std::size_t kept, Faults* faults);
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  std::unique_ptr<drive::WatchHandle> Open(kube::Kind kind, std::uint64_t from,
                                           std::function<void(drive::WatchEvent)> on_event);

  // The store has a new change of this kind.
  void OnChange(kube::Kind kind);
  bool IsWatched(kube::Kind kind) const { return !Of(kind).empty(); }

  // Tells every watcher that is up to date how far it is.
  void SendBookmarks();
  // Drops all history: whoever is not up to date, or resumes from an older version, has expired.
  void Compact();

 private:
  struct Watcher;
  class Handle;
  using Watchers = std::vector<std::shared_ptr<Watcher>>;

  const Watchers& Of(kube::Kind kind) const { return watchers_[static_cast<std::size_t>(kind)]; }
  Watchers& Of(kube::Kind kind) { return watchers_[static_cast<std::size_t>(kind)]; }
  void Schedule(const std::shared_ptr<Watcher>& watcher, Time at);
  void Deliver(const std::shared_ptr<Watcher>& watcher);
  bool DeliverOne(const std::shared_ptr<Watcher>& watcher);
  void End(const std::shared_ptr<Watcher>& watcher, bool expired, const char* reason);
  void Forget(const Watcher& watcher);
  void Trim(kube::Kind kind);

  Store& store_;
  drive::Clock& clock_;
  const Duration latency_;
  const std::size_t kept_;
  Faults* const faults_;
  std::array<Watchers, 32> watchers_;  // by kind, in the order they were opened
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace cadre::sim
