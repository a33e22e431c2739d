#include "sim/notes.h"

#include <iterator>

#include <fmt/format.h>

namespace cadre::sim {

std::string Notes::Key(const drive::Note& note) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", static_cast<int>(note.regarding.kind),
                     note.regarding.namespace_, note.regarding.name, note.regarding_uid, note.reason,
                     note.message);
}

const NoteRecord& Notes::Add(Time now, std::string_view source, const drive::Note& note) {
  std::string key = Key(note);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    NoteRecord& record = *found->second;
    record.last = now;
    ++record.count;
    return record;
  }
  if (records_.size() >= bound_) {
    by_key_.erase(Key(records_.front().note));
    records_.pop_front();
    ++forgotten_;
  }
  records_.push_back({std::string(source), note, now, now, 1});
  by_key_.emplace(std::move(key), std::prev(records_.end()));
  return records_.back();
}

}  // namespace cadre::sim
