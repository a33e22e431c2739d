// From what a request asks for to what the search understands: one label key for each unit, and nothing that
// is only preferred.
//
// A preferred topology is a ladder: its own key, then the next coarser ones, then none. Every step down on
// the ladder of a unit costs one; the requests to try come in order of what they cost in all, so that the
// first that has a placement violates the least. At most kMostTries of them, then the one without
// preferences.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "match/request.h"

namespace cadre::match {

inline constexpr std::size_t kMostTries = 64;

class Preferences {
 public:
  // `request` must outlive it.
  explicit Preferences(const Request& request);

  // The step taken by each unit that prefers something, in the order of the units; best first, at least one.
  std::vector<std::vector<std::size_t>> Tries() const;

  // The request with those steps: no unit has more than one of required and exclusive, none prefers anything.
  Request Apply(const std::vector<std::size_t>& steps) const;

  // The same without any preference.
  Request Plain() const;

  // The request is already as the search wants it.
  bool Trivial() const { return trivial_; }

 private:
  const Request* request_;
  std::vector<std::vector<std::string>> ladders_;  // by unit that prefers something; the last step is ""
  bool trivial_ = true;
};

}  // namespace cadre::match
