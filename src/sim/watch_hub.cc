#include "sim/watch_hub.h"

#include <algorithm>
#include <utility>

namespace cadre::sim {

struct WatchHub::Watcher {
  kube::Kind kind{};
  std::uint64_t next = 0;  // in the kind's history
  std::function<void(drive::WatchEvent)> on_event;
  bool open = true;
  bool scheduled = false;
  bool expired_from_the_start = false;
  Time not_before{};  // a delayed stream
};

// Dropping it closes the watcher; the hub may be gone by then.
class WatchHub::Handle final : public drive::WatchHandle {
 public:
  Handle(WatchHub& hub, std::shared_ptr<Watcher> watcher)
      : hub_(hub), alive_(hub.alive_), watcher_(std::move(watcher)) {}
  ~Handle() override {
    watcher_->open = false;
    if (!alive_.expired()) hub_.Forget(*watcher_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  WatchHub& hub_;
  std::weak_ptr<char> alive_;
  std::shared_ptr<Watcher> watcher_;
};

WatchHub::WatchHub(Store& store, drive::Clock& clock, Duration latency, std::size_t kept, Faults* faults)
    : store_(store), clock_(clock), latency_(latency), kept_(kept), faults_(faults) {}

WatchHub::~WatchHub() = default;

std::unique_ptr<drive::WatchHandle> WatchHub::Open(kube::Kind kind, std::uint64_t from,
                                                   std::function<void(drive::WatchEvent)> on_event) {
  auto watcher = std::make_shared<Watcher>();
  watcher->kind = kind;
  watcher->on_event = std::move(on_event);
  const std::optional<std::uint64_t> next = store_.history(kind).After(from);
  watcher->expired_from_the_start = !next;
  watcher->next = next.value_or(store_.history(kind).end());
  Of(kind).push_back(watcher);
  if (!next || watcher->next < store_.history(kind).end()) Schedule(watcher, clock_.Now());
  return std::make_unique<Handle>(*this, std::move(watcher));
}

void WatchHub::OnChange(kube::Kind kind) {
  for (const std::shared_ptr<Watcher>& watcher : Of(kind))
    Schedule(watcher, clock_.Now() + latency_);
  if (Of(kind).empty()) Trim(kind);
}

void WatchHub::Schedule(const std::shared_ptr<Watcher>& watcher, Time at) {
  if (watcher->scheduled) return;
  watcher->scheduled = true;
  clock_.CallAt(at, [this, watcher, alive = std::weak_ptr(alive_)] {
    watcher->scheduled = false;
    if (alive.expired()) return;
    Deliver(watcher);
  });
}

void WatchHub::Deliver(const std::shared_ptr<Watcher>& watcher) {
  if (watcher->open && watcher->expired_from_the_start) {
    return End(watcher, true, "too old resource version: list again");
  }
  while (watcher->open && DeliverOne(watcher)) {
  }
  Trim(watcher->kind);
}

// False when there is nothing (more) to deliver now.
bool WatchHub::DeliverOne(const std::shared_ptr<Watcher>& watcher) {
  const Time now = clock_.Now();
  const History& history = store_.history(watcher->kind);
  if (watcher->next < history.begin()) {
    End(watcher, true, "too old resource version: the watch fell behind the history");
    return false;
  }
  if (watcher->next == history.end()) return false;
  const Revision& revision = history.at(watcher->next);
  if (const Time due = std::max(revision.at + latency_, watcher->not_before); due > now) {
    Schedule(watcher, due);
    return false;
  }
  const Faults::OfWatch fault = faults_ == nullptr ? Faults::OfWatch::kNone : faults_->OnWatchEvent(now);
  switch (fault) {
    case Faults::OfWatch::kDelayed:
      watcher->not_before = now + faults_->Delay();
      Schedule(watcher, watcher->not_before);
      return false;
    case Faults::OfWatch::kEnded:
      End(watcher, false, "the stream ended");
      return false;
    case Faults::OfWatch::kExpired:
      End(watcher, true, "too old resource version (fault)");
      return false;
    case Faults::OfWatch::kNone:
    case Faults::OfWatch::kRepeated:
      break;
  }
  const drive::WatchChange change{revision.object, revision.deleted};
  ++watcher->next;
  watcher->on_event(change);
  if (fault == Faults::OfWatch::kRepeated && watcher->open) watcher->on_event(change);
  return true;
}

void WatchHub::End(const std::shared_ptr<Watcher>& watcher, bool expired, const char* reason) {
  watcher->open = false;
  Forget(*watcher);
  watcher->on_event(drive::WatchEnd{expired, reason});
}

void WatchHub::Forget(const Watcher& watcher) {
  std::erase_if(Of(watcher.kind),
                [&](const std::shared_ptr<Watcher>& other) { return other.get() == &watcher; });
}

void WatchHub::Trim(kube::Kind kind) {
  History& history = store_.history(kind);
  std::uint64_t needed = history.end();
  for (const std::shared_ptr<Watcher>& watcher : Of(kind))
    needed = std::min(needed, watcher->next);
  while (history.end() - history.begin() > kept_ && history.begin() < needed)
    history.DropOldest();
}

void WatchHub::SendBookmarks() {
  for (const Watchers& watchers : watchers_) {
    for (const std::shared_ptr<Watcher>& watcher : watchers) {
      if (watcher->next != store_.history(watcher->kind).end()) continue;
      clock_.CallAt(clock_.Now(), [watcher, revision = store_.revision()] {
        if (watcher->open) watcher->on_event(drive::WatchBookmark{revision});
      });
    }
  }
}

void WatchHub::Compact() {
  for (const kube::KindInfo& info : kube::AllKinds())
    store_.history(info.kind).DropAll();
}

}  // namespace cadre::sim
