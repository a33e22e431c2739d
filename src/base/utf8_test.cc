#include "base/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kNone = std::string_view::npos;

TEST(Utf8, TakesTextOfAnyScript) {
  EXPECT_EQ(FindInvalidUtf8("plain, München, 東京, 🚀, and plain again"), kNone);
}

TEST(Utf8, TakesTheEndsOfEachLength) {
  EXPECT_EQ(FindInvalidUtf8("\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
            kNone);
}

TEST(Utf8, FindsTheByteWhereverItStandsInALongText) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    text[at] = '\xe9';
    EXPECT_EQ(FindInvalidUtf8(text), at);
  }
}

class NotUtf8 : public ::testing::TestWithParam<std::string_view> {};

TEST_P(NotUtf8, IsRefusedAtItsFirstByte) {
  EXPECT_EQ(FindInvalidUtf8(std::string("ok ") + std::string(GetParam())), 3U);
}

INSTANTIATE_TEST_SUITE_P(Forms, NotUtf8,
                         ::testing::Values("\x80",              // a continuation without a start
                                           "\xc3",              // cut
                                           "\xe2\x82",          // cut
                                           "\xc0\xaf",          // overlong
                                           "\xe0\x9f\xbf",      // overlong
                                           "\xf0\x8f\xbf\xbf",  // overlong
                                           "\xed\xa0\x80",      // a surrogate
                                           "\xf4\x90\x80\x80",  // beyond U+10FFFF
                                           "\xff"));

TEST(CheckUtf8, NamesLineByteAndOffset) {
  const auto checked = CheckUtf8(
      "one\ntwo\nthr\xe9"
      "e\n");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().line, 3U);
  EXPECT_EQ(checked.error().offset, 11U);
  EXPECT_THAT(checked.error().message, HasSubstr("byte 0xe9 at offset 11 is not UTF-8"));
  EXPECT_THAT(checked.error().message, HasSubstr("iconv -f LATIN1 -t UTF-8"));
}

TEST(CheckUtf8, KnowsUtf16ByItsMark) {
  const auto checked = CheckUtf8(std::string_view("\xff\xfek\0", 4));
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("iconv -f UTF-16 -t UTF-8"));
}

TEST(ToValidUtf8, ReplacesWhatIsNotAndKeepsTheRest) {
  EXPECT_EQ(ToValidUtf8("a\xe9"
                        "b\xff"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
}

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(Printable("Job default/zürich-東京 \\ \"x\""), "Job default/zürich-東京 \\ \"x\"");
}

TEST(Printable, WritesControlCharactersOut) {
  EXPECT_EQ(Printable("a\x1b[2Jb\r\n\tc\x7f"), "a\\x1b[2Jb\\r\\n\\tc\\x7f");
}

TEST(Printable, WritesOutTheOneCharacterFormOfAnEscapeSequence) {
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
}

TEST(Printable, WritesOutWhatTurnsTheDirectionOfReading) {
  EXPECT_EQ(Printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202eb");
}

TEST(Printable, WritesOutBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("caf\xe9"), "caf\\xe9");
}

}  // namespace
}  // namespace cadre
