// Store: what etcd and the watch cache are to the API server. Objects by kind and name, one revision counter
// for all of them, and per kind a bounded history of changes that watches read.
//
// It keeps JSON, what the wire would carry, and the Object decoded from it by kube::Decode, once per version:
// every watcher gets the same one. It knows nothing of verbs, defaults or rules; see verbs.h. Thread rule:
// one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/object.h"
#include "sim/document.h"

namespace cadre::sim {

// One change of one object. The revision is the object's resourceVersion (of a deletion: its own, with the
// last state).
struct Revision {
  Time at;
  kube::Object object;
  bool deleted = false;

  std::uint64_t number() const { return object.Meta().resource_version; }
};

// The changes of one kind, oldest first. Entries are numbered for ever from 0; old ones are dropped.
class History {
 public:
  std::uint64_t begin() const { return first_; }
  std::uint64_t end() const { return first_ + entries_.size(); }
  const Revision& at(std::uint64_t index) const { return entries_[index - first_]; }
  // The first entry with a revision above `revision`; none when such an entry has been dropped already.
  std::optional<std::uint64_t> After(std::uint64_t revision) const;

  void Append(Revision revision);
  void DropOldest();
  void DropAll();

 private:
  std::deque<Revision> entries_;
  std::uint64_t first_ = 0;
  std::uint64_t dropped_up_to_ = 0;  // revision of the newest entry dropped
};

class Store {
 public:
  using Sink = std::function<void(kube::Kind)>;

  // `history` is how many changes are kept per kind. `on_change` is called after each change.
  Store(std::size_t history, Sink on_change);

  // "namespace/name", or "name" for cluster-scoped kinds.
  static std::string Key(std::string_view namespace_, std::string_view name);

  std::uint64_t revision() const { return revision_; }
  // Null when there is none. Valid until the next change.
  const kube::Object* Find(kube::Kind kind, const std::string& key) const;
  std::size_t Count(kube::Kind kind) const { return Table(kind).size(); }
  // All objects of a kind, sorted by key.
  std::vector<kube::Object> List(kube::Kind kind) const;
  History& history(kube::Kind kind) { return histories_[static_cast<std::size_t>(kind)]; }

  // What `document` would be as the next version of its object; nothing is stored yet. Fails when it cannot
  // be decoded. REQUIRES: an object `metadata` in it.
  Result<kube::Object> Draft(kube::Kind kind, Document document) const;
  // Stores the newest draft. REQUIRES: nothing was stored since it was drafted.
  void Commit(Time at, kube::Object object);
  // Removes an object. What it returns is its last state with the revision of the deletion, as watchers see
  // it. REQUIRES: `last` is in the store.
  kube::Object Remove(Time at, const kube::Object& last);

 private:
  using Objects = boost::unordered_flat_map<std::string, kube::Object>;
  static constexpr std::size_t kKinds = 32;

  const Objects& Table(kube::Kind kind) const { return tables_[static_cast<std::size_t>(kind)]; }
  Objects& Table(kube::Kind kind) { return tables_[static_cast<std::size_t>(kind)]; }
  void Append(Revision revision);

  const std::size_t history_bound_;
  const Sink on_change_;
  std::uint64_t revision_ = 0;
  std::array<Objects, kKinds> tables_;
  std::array<History, kKinds> histories_;
};

}  // namespace cadre::sim
