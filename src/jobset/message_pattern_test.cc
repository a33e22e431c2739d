#include "jobset/message_pattern.h"

#include <string>

#include <gtest/gtest.h>

namespace cadre::jobset {
namespace {

struct Case {
  const char* pattern;
  const char* text;
  bool found;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << "/" << one.pattern << "/ in \"" << one.text << "\"";
}

class Found : public testing::TestWithParam<Case> {};

TEST_P(Found, AsRe2Does) {
  const Result<MessagePattern> pattern = MessagePattern::Parse(GetParam().pattern);
  ASSERT_TRUE(pattern.has_value()) << pattern.error().message;
  EXPECT_EQ(pattern->IsIn(GetParam().text), GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Found,
    testing::Values(
        Case{"", "", true}, Case{"b", "abc", true}, Case{"d", "abc", false},
        Case{".*backoff.*", "reached the backoff limit", true}, Case{"^b", "abc", false},
        Case{"c$", "abc", true}, Case{"^abc$", "abcabc", false}, Case{"a|x", "xyz", true},
        Case{"^(ab|c)+$", "abcab", true}, Case{"^(ab|c)+$", "abb", false}, Case{"^a{2,3}$", "aaaa", false},
        Case{"^a{2,3}$", "aaa", true}, Case{"^a{2,}$", "aaaa", true}, Case{"^a{2}$", "aaa", false},
        Case{"a{", "a{", true}, Case{"^a?b$", "b", true}, Case{"a.c", "a\nc", false},
        Case{"(?s)a.c", "a\nc", true}, Case{"^.$", "\u00e9", true}, Case{"^\u00e9+$", "\u00e9\u00e9", true},
        Case{"[0-9]+ pods", "12 pods", true}, Case{"^[^0-9]$", "1", false}, Case{"^[^0-9]$", "\u00e9", true},
        Case{"^[]a]+$", "]a", true}, Case{"^[a-]+$", "a-", true}, Case{"[[:digit:]]", "x1", true},
        Case{"[[:^digit:]]", "1", false}, Case{"\\d{3}", "exit code 137", true}, Case{"\\D", "137", false},
        Case{"\\.", "a", false}, Case{"\\bexit\\b", "the exit code", true},
        Case{"\\bexit\\b", "exits", false}, Case{"\\Bit", "exit", true}, Case{"\\x41", "A", true},
        Case{"(?i)OOM", "oomKilled", true}, Case{"(?i:O)M", "oM", true}, Case{"(?i:O)M", "om", false},
        Case{"(?i)[a-c]", "B", true}, Case{"(?m)^b$", "a\nb", true}, Case{"^b$", "a\nb", false},
        Case{"(?P<who>job) x", "job x", true}, Case{"a+?b", "aab", true}, Case{"(|a)+b", "ab", true},
        Case{"\\Aab\\z", "ab", true}));

class NotRead : public testing::TestWithParam<const char*> {};

TEST_P(NotRead, IsSaid) {
  const Result<MessagePattern> pattern = MessagePattern::Parse(GetParam());
  ASSERT_FALSE(pattern.has_value());
  EXPECT_FALSE(pattern.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(Table, NotRead,
                         testing::Values("(", ")", "[a", "*", "a**", "\\", "\\1", "\\pN", "(?=a)", "(?<=a)",
                                         "a{2,1}", "a{2000}", "[z-a]", "[[:x:]]", "((a{100}){100}){100}",
                                         "[\u00e9]"));

TEST(MessagePatterns, ThatOthersTakeForEverOverAreDecidedAtOnce) {
  const Result<MessagePattern> pattern = MessagePattern::Parse("^(a+)+$");
  ASSERT_TRUE(pattern.has_value());
  EXPECT_FALSE(pattern->IsIn(std::string(20'000, 'a') + "b"));
}

}  // namespace
}  // namespace cadre::jobset
