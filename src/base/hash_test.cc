#include "base/hash.h"

#include <gtest/gtest.h>

namespace cadre {
namespace {

// Vectors of the FNV reference distribution.
TEST(Fnv1a64, OfNothingIsTheOffset) {
  EXPECT_EQ(Fnv1a64(""), 0xcbf29ce484222325ULL);
}
TEST(Fnv1a64, MatchesTheReferenceForOneLetter) {
  EXPECT_EQ(Fnv1a64("a"), 0xaf63dc4c8601ec8cULL);
}
TEST(Fnv1a64, MatchesTheReferenceForAWord) {
  EXPECT_EQ(Fnv1a64("foobar"), 0x85944171f73967e8ULL);
}

TEST(Fnv1a64, GoesOnFromASeed) {
  EXPECT_EQ(Fnv1a64("bar", Fnv1a64("foo")), Fnv1a64("foobar"));
}

TEST(StableHasher, DistinguishesWhereOneTextEndsAndTheNextBegins) {
  EXPECT_NE(StableHasher().Add("ab").Add("c").Digest(), StableHasher().Add("a").Add("bc").Digest());
}

TEST(StableHasher, ANumberIsHashedAsEightLittleEndianBytes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(StableHasher().Add(0x0102).Digest(), Fnv1a64("\x02\x01\0\0\0\0\0\0"sv));
}

TEST(StableHasher, DependsOnTheOrder) {
  EXPECT_NE(StableHasher().Add(1).Add(2).Digest(), StableHasher().Add(2).Add(1).Digest());
}

TEST(Hex, PadsToSixteenDigits) {
  EXPECT_EQ(Hex(0xABC), "0000000000000abc");
}

// Vectors of FIPS 180-1.
TEST(Sha1Hex, MatchesTheStandardForAbc) {
  EXPECT_EQ(Sha1Hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Sha1Hex, MatchesTheStandardForTwoBlocks) {
  EXPECT_EQ(Sha1Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST(Sha1Hex, MatchesTheStandardForNothing) {
  EXPECT_EQ(Sha1Hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

}  // namespace
}  // namespace cadre
