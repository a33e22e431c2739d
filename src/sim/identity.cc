#include "sim/identity.h"

#include <fmt/format.h>

namespace cadre::sim {

namespace {

// The finaliser of splitmix64: a bijection, so that different counters never give the same value.
std::uint64_t Scatter(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::string_view kSuffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;
constexpr std::size_t kLongestBase = 58;  // 63 in all: a DNS label

}  // namespace

std::string Identities::NextUid() {
  const std::uint64_t bits = Scatter(++uids_);
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", bits >> 32, (bits >> 16) & 0xffff,
                     (bits >> 4) & 0xfff, (bits & 0xf) << 8, uids_);
}

std::string Identities::NextName(std::string_view base) {
  std::uint64_t bits = Scatter(++names_);
  std::string name(base.substr(0, kLongestBase));
  for (std::size_t i = 0; i < kSuffixLength; ++i) {
    name += kSuffixAlphabet[bits % kSuffixAlphabet.size()];
    bits /= kSuffixAlphabet.size();
  }
  return name;
}

}  // namespace cadre::sim
