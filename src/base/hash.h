// Hashes whose values never change, on any machine and in any version: they end up in annotations and names.
// Not for hash tables, and none of them keeps a secret.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre {

inline constexpr std::uint64_t kFnvOffset = 14695981039346656037ULL;

// FNV-1a, 64 bits. Pass the last result as `seed` to go on.
constexpr std::uint64_t Fnv1a64(std::string_view text, std::uint64_t seed = kFnvOffset) {
  for (const char c : text) {
    seed ^= static_cast<unsigned char>(c);
    seed *= 1099511628211ULL;
  }
  return seed;
}

// FNV-1a over a sequence of values. Texts are taken with their length, so {"ab", "c"} and {"a", "bc"} differ.
class StableHasher {
 public:
  constexpr StableHasher& Add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) {  // little-endian whatever the machine is
      const char byte = static_cast<char>(value >> (8 * i));
      digest_ = Fnv1a64(std::string_view(&byte, 1), digest_);
    }
    return *this;
  }

  constexpr StableHasher& Add(std::string_view text) {
    Add(static_cast<std::uint64_t>(text.size()));
    digest_ = Fnv1a64(text, digest_);
    return *this;
  }

  constexpr std::uint64_t Digest() const { return digest_; }

 private:
  std::uint64_t digest_ = kFnvOffset;
};

// 16 lower-case hexadecimal digits.
std::string Hex(std::uint64_t value);

// 40 lower-case hexadecimal digits (JobSet's job-key label).
std::string Sha1Hex(std::string_view text);

}  // namespace cadre
