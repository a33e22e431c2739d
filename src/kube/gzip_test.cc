#include "kube/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace cadre::kube {
namespace {

std::string Gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipOnly, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

constexpr std::size_t kLimit = 100 << 20;

TEST(Gzip, IsRecognisedByItsFirstBytes) {
  EXPECT_TRUE(IsGzip(Gzip("x")));
  EXPECT_FALSE(IsGzip("kind: Pod"));
  EXPECT_FALSE(IsGzip(""));
}

TEST(Gunzip, GivesBackWhatWasPacked) {
  EXPECT_EQ(*Gunzip(Gzip("kind: Pod\n"), kLimit), "kind: Pod\n");
}
TEST(Gunzip, AnEmptyFileIsEmpty) {
  EXPECT_EQ(*Gunzip(Gzip(""), kLimit), "");
}

TEST(Gunzip, WhatIsLargerThanOneBufferComesBackWhole) {
  std::string text;
  for (int i = 0; i < 500'000; ++i)
    text += std::to_string(i) + "\n";
  EXPECT_TRUE(*Gunzip(Gzip(text), kLimit) == text);
}

TEST(Gunzip, MembersAreJoined) {
  EXPECT_EQ(*Gunzip(Gzip("a") + Gzip("b"), kLimit), "ab");
}

TEST(Gunzip, ACutFileIsAnError) {
  const std::string whole = Gzip("kind: Pod\nmetadata: {name: something}\n");
  EXPECT_EQ(Gunzip(whole.substr(0, whole.size() - 9), kLimit).error().message,
            "the gzip file is cut off: it ends in the middle of its data");
}

TEST(Gunzip, ABrokenFileIsAnError) {
  std::string broken = Gzip("kind: Pod\nmetadata: {name: something}\n");
  broken[broken.size() - 5] = static_cast<char>(broken[broken.size() - 5] ^ 0x55);  // in its checksum
  EXPECT_EQ(Gunzip(broken, kLimit).error().message, "broken gzip file: incorrect data check");
}

TEST(Gunzip, MoreThanTheLimitIsAnError) {
  EXPECT_EQ(Gunzip(Gzip(std::string(5000, 'x')), 4096).error().message,
            "larger than 4 KiB unpacked, which is the limit");
}

TEST(Gunzip, OtherBytesAfterTheEndAreAnError) {
  EXPECT_EQ(Gunzip(Gzip("a") + "rest", kLimit).error().message,
            "the gzip file has 4 bytes after its end that are not gzip");
}

}  // namespace
}  // namespace cadre::kube
