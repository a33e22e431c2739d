#include "sim/store.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "kube/decode.h"

namespace cadre::sim {

std::optional<std::uint64_t> History::After(std::uint64_t revision) const {
  if (revision < dropped_up_to_) return std::nullopt;
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), revision,
                       [](std::uint64_t wanted, const Revision& entry) { return wanted < entry.number(); });
  return first_ + static_cast<std::uint64_t>(after - entries_.begin());
}

void History::Append(Revision revision) {
  entries_.push_back(std::move(revision));
}

void History::DropOldest() {
  dropped_up_to_ = entries_.front().number();
  entries_.pop_front();
  ++first_;
}

void History::DropAll() {
  while (!entries_.empty())
    DropOldest();
}

Store::Store(std::size_t history, Sink on_change)
    : history_bound_(history), on_change_(std::move(on_change)) {
  for (const kube::KindInfo& info : kube::AllKinds()) {
    CADRE_ASSERT(static_cast<std::size_t>(info.kind) < kKinds, "kKinds must cover every Kind");
  }
}

std::string Store::Key(std::string_view namespace_, std::string_view name) {
  if (namespace_.empty()) return std::string(name);
  std::string key;
  key.reserve(namespace_.size() + 1 + name.size());
  key += namespace_;
  key += '/';
  key += name;
  return key;
}

const kube::Object* Store::Find(kube::Kind kind, const std::string& key) const {
  const Objects& table = Table(kind);
  const auto found = table.find(key);
  return found == table.end() ? nullptr : &found->second;
}

std::vector<kube::Object> Store::List(kube::Kind kind) const {
  std::vector<kube::Object> objects;
  objects.reserve(Table(kind).size());
  for (const auto& [key, object] : Table(kind))
    objects.push_back(object);
  std::sort(objects.begin(), objects.end(), [](const kube::Object& a, const kube::Object& b) {
    return std::tie(a.Meta().namespace_, a.Meta().name) < std::tie(b.Meta().namespace_, b.Meta().name);
  });
  return objects;
}

Result<kube::Object> Store::Draft(kube::Kind kind, Document document) const {
  document->at("metadata").as_object()["resourceVersion"] = std::to_string(revision_ + 1);
  return kube::Decode(kind, std::move(document).Freeze());
}

void Store::Commit(Time at, kube::Object object) {
  CADRE_ASSERT(object.Meta().resource_version == revision_ + 1, "only the newest draft can be committed");
  ++revision_;
  Table(object.kind)[kube::KeyOf(object.Meta())] = object;
  Append({at, std::move(object), false});
}

kube::Object Store::Remove(Time at, const kube::Object& last) {
  Result<kube::Object> gone = Draft(last.kind, Document(last.raw->get_object()));
  CADRE_ASSERT(gone.has_value(), "what could be decoded before can be decoded again");
  ++revision_;
  Table(last.kind).erase(kube::KeyOf(last.Meta()));
  Append({at, *gone, true});
  return *gone;
}

void Store::Append(Revision revision) {
  const kube::Kind kind = revision.object.kind;
  History& history = this->history(kind);
  history.Append(std::move(revision));
  if (history.end() - history.begin() > history_bound_) history.DropOldest();
  on_change_(kind);
}

}  // namespace cadre::sim
