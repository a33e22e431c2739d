#include "drive/informer.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cadre::drive {

namespace {

bool ByKey(const kube::Object& a, const kube::Object& b) {
  const kube::ObjectMeta& x = a.Meta();
  const kube::ObjectMeta& y = b.Meta();
  return std::tie(x.namespace_, x.name, x.uid) < std::tie(y.namespace_, y.name, y.uid);
}

}  // namespace

Informer::Informer(kube::Kind kind, Api& api, Clock& clock, InformerBackoff backoff, Sink sink)
    : kind_(kind), api_(api), clock_(clock), backoff_(backoff), sink_(std::move(sink)) {
  StartList();
}

Informer::~Informer() {
  if (timer_) clock_.Cancel(*timer_);
}

void Informer::StartList() {
  api_.List(kind_, [this, alive = std::weak_ptr(alive_)](Result<ListResult> result) {
    if (!alive.expired()) OnListed(std::move(result));
  });
}

void Informer::OnListed(Result<ListResult> result) {
  if (!result) {
    last_trouble_ = result.error().message;
    ++barren_;
    Later(&Informer::StartList);
    return;
  }
  if (listed_) ++relists_;
  position_ = std::max(position_, result->resource_version);
  TakeList(std::move(result->objects));
  if (!listed_) sink_(Listed{kind_});
  listed_ = true;
  StartWatch();
}

// Deletions go first: of a name that now belongs to another UID, the old object must end before the new one
// appears.
void Informer::TakeList(std::vector<kube::Object> objects) {
  std::sort(objects.begin(), objects.end(), ByKey);
  boost::unordered_flat_map<std::string, kube::Object> before = std::move(known_);
  known_ = {};
  known_.reserve(objects.size());
  std::vector<kube::Object> changed;
  for (kube::Object& object : objects) {
    const std::string uid = object.Meta().uid;
    const auto old = before.find(uid);
    const bool is_news =
        old == before.end() || old->second.Meta().resource_version < object.Meta().resource_version;
    if (is_news) changed.push_back(object);
    known_.emplace(uid, is_news ? std::move(object) : std::move(old->second));
    if (old != before.end()) before.erase(old);
  }
  std::vector<kube::Object> vanished;
  for (auto& [uid, object] : before)
    vanished.push_back(std::move(object));
  std::sort(vanished.begin(), vanished.end(), ByKey);
  for (kube::Object& object : vanished)
    sink_(Changed{std::move(object), true});
  for (kube::Object& object : changed)
    sink_(Changed{std::move(object), false});
}

void Informer::StartWatch() {
  fruitful_ = false;
  const std::uint64_t number = ++watch_number_;
  watch_ = api_.Watch(kind_, position_, [this, number, alive = std::weak_ptr(alive_)](WatchEvent event) {
    if (!alive.expired() && number == watch_number_) OnWatch(std::move(event));
  });
}

void Informer::OnWatch(WatchEvent event) {
  if (const auto* end = std::get_if<WatchEnd>(&event)) return OnEnd(*end);
  fruitful_ = true;
  if (const auto* bookmark = std::get_if<WatchBookmark>(&event)) {
    position_ = std::max(position_, bookmark->resource_version);
    return;
  }
  OnChange(std::move(std::get<WatchChange>(event)));
}

// Streams repeat themselves after a resume, and under faults. What is not newer than what we know is not
// news; of an object that we do not know, anything from before our position is about one that is gone
// already.
void Informer::OnChange(WatchChange change) {
  const kube::ObjectMeta& meta = change.object.Meta();
  const auto known = known_.find(meta.uid);
  const bool is_known = known != known_.end();
  const std::uint64_t old_version = is_known ? known->second.Meta().resource_version : position_;
  const bool repeats =
      change.deleted ? meta.resource_version < old_version : meta.resource_version <= old_version;
  position_ = std::max(position_, meta.resource_version);
  if (repeats || (change.deleted && !is_known)) return;
  if (change.deleted) {
    known_.erase(known);
  } else if (is_known) {
    known->second = change.object;
  } else {
    known_.emplace(meta.uid, change.object);
  }
  sink_(Changed{std::move(change.object), change.deleted});
}

// Runs inside the stream's own callback, so the handle is let go only when the next list or watch replaces
// it.
void Informer::OnEnd(const WatchEnd& end) {
  ++watch_number_;
  last_trouble_ = end.reason;
  barren_ = fruitful_ ? 0 : barren_ + 1;
  Later(end.expired ? &Informer::StartList : &Informer::StartWatch);
}

void Informer::Later(void (Informer::*what)()) {
  Duration wait{0};
  if (barren_ > 0) wait = backoff_.first;
  for (int i = 1; i < barren_ && wait < backoff_.max; ++i)
    wait *= 2;
  timer_ = clock_.CallAt(clock_.Now() + std::min(wait, backoff_.max), [this, what] {
    timer_.reset();
    (this->*what)();
  });
}

}  // namespace cadre::drive
