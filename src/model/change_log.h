// ChangeLog: what changed, in order, for those who follow something without walking all of it. Each follower
// keeps the position up to which it has read.
//
// Bounded: when it is full, all that was noted is forgotten, and a follower that had not read it has to look
// at everything once. Thread rule: as its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cadre::model {

template <class T>
class ChangeLog {
 public:
  using Position = std::uint64_t;

  // `most`: how many changes may be kept; more than one.
  void Note(T change, std::size_t most) {
    if (changes_.size() >= most) ForgetHalf();
    changes_.push_back(std::move(change));
  }
  void Forget() {
    first_ += changes_.size();
    changes_.clear();
  }

  Position End() const { return first_ + changes_.size(); }
  // Is everything since then still known?
  bool Remembers(Position position) const { return position >= first_; }
  // REQUIRES: Remembers(position), and it is at most End().
  std::span<const T> Since(Position position) const {
    return std::span(changes_).subspan(static_cast<std::size_t>(position - first_));
  }

 private:
  void ForgetHalf() {
    const std::size_t half = changes_.size() / 2 + 1;
    changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(half));
    first_ += half;
  }

  std::vector<T> changes_;
  Position first_ = 0;
};

}  // namespace cadre::model
