#include "base/base64.h"

#include <utility>

#include <gtest/gtest.h>

namespace cadre {
namespace {

// RFC 4648, section 10.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kVectors = {{{"", ""},
                                                                                    {"f", "Zg=="},
                                                                                    {"fo", "Zm8="},
                                                                                    {"foo", "Zm9v"},
                                                                                    {"foob", "Zm9vYg=="},
                                                                                    {"fooba", "Zm9vYmE="},
                                                                                    {"foobar", "Zm9vYmFy"}}};

TEST(Base64, EncodesTheVectorsOfItsSpecification) {
  for (const auto& [bytes, text] : kVectors)
    EXPECT_EQ(EncodeBase64(bytes), text);
}

TEST(Base64, DecodesTheVectorsOfItsSpecification) {
  for (const auto& [bytes, text] : kVectors)
    EXPECT_EQ(DecodeBase64(text), bytes);
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    bytes += static_cast<char>(i);
  EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
}

TEST(Base64, LineEndsAreSkipped) {
  EXPECT_EQ(DecodeBase64("Zm9v\r\nYmFy\n"), "foobar");
}

TEST(Base64, WhatIsNotBase64IsRefusedWithoutRepeatingIt) {
  for (const std::string_view text : {"Zm9", "Zm9v!mFy", "Zg==Zg==", "Z===", "====", "Zm=v", "Zm 9"}) {
    const Result<std::string> bytes = DecodeBase64(text);
    ASSERT_FALSE(bytes.has_value()) << text;
    EXPECT_TRUE(bytes.error().message.starts_with("not base64: ")) << bytes.error().message;
    EXPECT_EQ(bytes.error().message.find(text), std::string::npos);
  }
}

}  // namespace
}  // namespace cadre
