// Notes: the Kubernetes Events that machines wrote, aggregated as the event recorder does: the same words
// about the same object are one note with a count.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/time.h"
#include "drive/effect.h"

namespace cadre::sim {

struct NoteRecord {
  std::string source;  // the machine
  drive::Note note;
  Time first;
  Time last;
  std::uint64_t count = 0;
};

class Notes {
 public:
  // Keeps this many different notes; beyond it the one that was made first goes.
  explicit Notes(std::size_t bound) : bound_(bound) {}

  // The record that it was counted in; valid until the next Add.
  const NoteRecord& Add(Time now, std::string_view source, const drive::Note& note);

  // In the order they were first made.
  const std::list<NoteRecord>& all() const { return records_; }
  std::uint64_t forgotten() const { return forgotten_; }

  // What makes two notes the same.
  static std::string Key(const drive::Note& note);

 private:
  const std::size_t bound_;
  std::list<NoteRecord> records_;
  boost::unordered_flat_map<std::string, std::list<NoteRecord>::iterator> by_key_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace cadre::sim
