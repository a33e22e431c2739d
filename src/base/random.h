// Seeded randomness for tests, faults and synthetic input. Never in a decision.
#pragma once

#include <cstdint>

#include "base/check.h"

namespace cadre {

// splitmix64: the same numbers on every machine and library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }

  // In [0, n), each equally likely. REQUIRES: n > 0.
  std::uint64_t Uniform(std::uint64_t n) {
    CADRE_ASSERT(n > 0, "Random::Uniform of an empty range");
    const std::uint64_t surplus = (0 - n) % n;  // 2^64 mod n: as many numbers would favour the small results
    std::uint64_t drawn = Next();
    while (drawn < surplus)
      drawn = Next();
    return drawn % n;
  }

  // In [low, high]. REQUIRES: low <= high, and not the whole range of the type.
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    CADRE_ASSERT(low <= high, "Random::Between with low > high");
    // Unsigned, where a difference or a sum may pass the ends of the signed range.
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + Uniform(span + 1));
  }

  // True with the given probability, from 0 (never) to 1 (always).
  bool Chance(double probability) { return static_cast<double>(Next() >> 11U) * 0x1.0p-53 < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace cadre
