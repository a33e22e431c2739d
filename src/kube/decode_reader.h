// What all decoders read JSON with: typed fields out of one object, and the path of the first thing that is
// wrong.
//
// A Reader lives on the stack and knows its parent; the path is put together only when something is wrong, so
// reading a good object costs no path at all. After the first error reading goes on (with defaults) and only
// that error is kept. null counts as absent everywhere, as it does in the API server. Thread rule: none of
// its own; it borrows the JSON and must not outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/time.h"
#include "kube/decode.h"
#include "kube/decode_shared.h"
#include "kube/meta.h"
#include "kube/resources.h"

namespace cadre::kube {

class Reader {
 public:
  // The document itself. An error is stored in `error`, which must be empty and outlive the reader.
  Reader(const boost::json::object& root, std::optional<FieldError>& error)
      : object_(&root), error_(&error) {}

  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Present and not null.
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  // Each leaves `out` alone when the field is absent or of a wrong type.
  void Read(std::string_view key, std::string& out) const;
  void Read(std::string_view key, bool& out) const;
  void Read(std::string_view key, std::int32_t& out) const;
  void Read(std::string_view key, std::int64_t& out) const;
  void Read(std::string_view key, std::optional<std::int32_t>& out) const;
  void Read(std::string_view key, std::optional<std::int64_t>& out) const;
  void Read(std::string_view key, std::optional<std::string>& out) const;
  void Read(std::string_view key, std::optional<Time>& out) const;  // RFC 3339
  void Read(std::string_view key, StringMap& out) const;
  void Read(std::string_view key, ResourceList& out) const;  // quantities: strings or numbers
  void Read(std::string_view key, std::vector<std::string>& out) const;
  void Read(std::string_view key, std::vector<std::int32_t>& out) const;
  void ReadResourceVersion(std::string_view key, std::uint64_t& out) const;  // a number in a string

  // The empty string is the zero value of every enumeration in the API and counts as absent.
  template <class E>
  void ReadChoice(std::string_view key, std::span<const Choice<E>> choices, E& out) const;

  // fields(const Reader&) for the object at `key`, if there is one.
  template <class Fields>
  void ReadObject(std::string_view key, const Fields& fields) const;

  // One T per item; item(const Reader&, T&).
  template <class T, class Item>
  void ReadList(std::string_view key, std::vector<T>& out, const Item& item) const;

  // Records that the field at `key` is wrong.
  void Fail(std::string_view key, std::string message) const;

 private:
  Reader(const Reader& parent, std::string_view key, const boost::json::object& object)
      : object_(&object), parent_(&parent), key_(key), error_(parent.error_) {}
  Reader(const Reader& parent, std::string_view key, std::size_t index, const boost::json::object& object)
      : object_(&object), parent_(&parent), key_(key), index_(index), error_(parent.error_) {}

  const boost::json::value* Find(std::string_view key) const {
    const auto found = object_->find(key);
    return found == object_->end() || found->value().is_null() ? nullptr : &found->value();
  }
  const boost::json::object* FindObject(std::string_view key) const;
  const boost::json::array* FindArray(std::string_view key) const;
  // An item of the list at `key`; null (and recorded) when it is no object.
  const boost::json::object* ItemObject(std::string_view key, std::size_t index,
                                        const boost::json::value& item) const;

  FieldPath PathTo(std::string_view key) const;
  void Wrong(FieldPath path, const boost::json::value& found, std::string_view expected) const;
  void Wrong(std::string_view key, const boost::json::value& found, std::string_view expected) const;
  void WrongChoice(std::string_view key, const boost::json::value& found,
                   const std::vector<std::string_view>& all) const;
  template <class Int>
  bool ToInteger(std::string_view key, const boost::json::value& found, Int& out) const;

  const boost::json::object* object_;
  const Reader* parent_ = nullptr;
  std::string_view key_;
  std::optional<std::size_t> index_;
  std::optional<FieldError>* error_;
};

template <class E>
void Reader::ReadChoice(std::string_view key, std::span<const Choice<E>> choices, E& out) const {
  const boost::json::value* found = Find(key);
  if (found == nullptr) return;
  if (const boost::json::string* text = found->if_string()) {
    if (text->empty()) return;
    for (const Choice<E>& choice : choices) {
      if (choice.text == std::string_view(*text)) {
        out = choice.value;
        return;
      }
    }
  }
  std::vector<std::string_view> all;
  for (const Choice<E>& choice : choices)
    all.push_back(choice.text);
  WrongChoice(key, *found, all);
}

template <class Fields>
void Reader::ReadObject(std::string_view key, const Fields& fields) const {
  if (const boost::json::object* object = FindObject(key)) fields(Reader(*this, key, *object));
}

template <class T, class Item>
void Reader::ReadList(std::string_view key, std::vector<T>& out, const Item& item) const {
  const boost::json::array* array = FindArray(key);
  if (array == nullptr) return;
  out.reserve(out.size() + array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    const boost::json::object* object = ItemObject(key, i, (*array)[i]);
    if (object == nullptr) return;
    item(Reader(*this, key, i, *object), out.emplace_back());
  }
}

// The decoders of the kinds, each in a file of its own (decode_pod.cc …). `root` is the whole object.
struct Pod;
struct PodSpec;
struct PodTemplate;
struct Job;
struct JobSpec;
struct JobSet;
struct Node;
struct NodeSelector;
struct PodGroup;
struct LeaderWorkerSet;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct StorageClass;
struct PriorityClass;
struct Requirement;
struct LabelSelector;

void ReadMetadata(const Reader& root, ObjectMeta& out);
void ReadConditions(const Reader& status, std::vector<Condition>& out);
void ReadPod(const Reader& root, Pod& out);
void ReadPodSpec(const Reader& spec, PodSpec& out);
void ReadPodTemplate(const Reader& parent, std::string_view key, PodTemplate& out);
void ReadNodeSelector(const Reader& selector, NodeSelector& out);
void ReadLabelSelector(const Reader& parent, std::string_view key, std::optional<LabelSelector>& out);
void ReadNode(const Reader& root, Node& out);
void ReadJob(const Reader& root, Job& out);
void ReadJobSpec(const Reader& spec, JobSpec& out);
void ReadJobSet(const Reader& root, JobSet& out);
void ReadNativePodGroup(const Reader& root, PodGroup& out);
void ReadSchedulerPluginsPodGroup(const Reader& root, PodGroup& out);
void ReadLeaderWorkerSet(const Reader& root, LeaderWorkerSet& out);
void ReadPersistentVolume(const Reader& root, PersistentVolume& out);
void ReadPersistentVolumeClaim(const Reader& root, PersistentVolumeClaim& out);
void ReadStorageClass(const Reader& root, StorageClass& out);
void ReadPriorityClass(const Reader& root, PriorityClass& out);

}  // namespace cadre::kube
