// Document: the JSON of one version of one object, while it is being written.
//
// All of it lies in memory of its own that is given back at once. An API server in memory does little else
// than copy objects, change a field and drop the version before; with a heap allocation for every key and
// string that is half of a simulation's time.
#pragma once

#include <memory>
#include <utility>

#include <boost/json/monotonic_resource.hpp>

#include "base/check.h"
#include "base/json.h"

namespace cadre::sim {

class Document {
 public:
  Document() : Document(json::object()) {}
  // A copy. What is put into it later is copied too, unless it was made with its storage().
  explicit Document(const json::object& from) : memory_(std::make_shared<Memory>(from)) {}

  Document(Document&&) = default;
  Document& operator=(Document&&) = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  json::object& operator*() { return memory_->root.get_object(); }
  const json::object& operator*() const { return std::as_const(memory_->root).get_object(); }
  json::object* operator->() { return &**this; }

  json::storage_ptr storage() const { return &memory_->resource; }

  // Ends the writing. The value keeps its memory alive; copies of parts of it have memory elsewhere.
  std::shared_ptr<const json::value> Freeze() && {
    const json::value* root = &memory_->root;
    return {std::move(memory_), root};
  }

 private:
  struct Memory {
    explicit Memory(const json::object& from) : root(from, &resource) {}

    static constexpr std::size_t kFirstChunk = 2048;  // a small pod
    json::monotonic_resource resource{kFirstChunk};
    json::value root;
  };

  std::shared_ptr<Memory> memory_;
};

}  // namespace cadre::sim
