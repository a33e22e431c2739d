// Dense indexes that cannot be mixed up: Id<struct NodeTag> is no Id<struct PodTag>.
//
// An id made without an index is "none", which sorts after all others.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/check.h"

namespace cadre {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNoValue = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = kNoValue;

  constexpr Id() = default;
  // REQUIRES: index < 2^32 - 1.
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {
    CADRE_ASSERT(index < kNoValue, "an index that does not fit into an id");
  }

  constexpr bool Valid() const { return value != kNoValue; }
  constexpr std::size_t Index() const { return value; }
  constexpr auto operator<=>(const Id&) const = default;

  friend std::size_t hash_value(Id id) { return std::hash<std::uint32_t>{}(id.value); }
};

}  // namespace cadre

template <class Tag>
struct std::hash<cadre::Id<Tag>> {
  std::size_t operator()(cadre::Id<Tag> id) const { return hash_value(id); }
};
