#include "jobset/message_pattern.h"

#include <string>

#include <gtest/gtest.h>

namespace cadre::jobset {
namespace {

bool IsFound(std::string_view pattern, std::string_view text) {
  const Result<MessagePattern> parsed = MessagePattern::Parse(pattern);
  EXPECT_TRUE(parsed.has_value()) << pattern;
  return parsed && parsed->IsIn(text);
}

TEST(MessagePattern, IsFoundAnywhereInTheMessage) {
  EXPECT_TRUE(IsFound("back.?off", "Job has reached the specified backoff limit"));
  EXPECT_FALSE(IsFound("^backoff", "Job has reached the specified backoff limit"));
}

TEST(MessagePattern, KnowsTheFlagsAndClassesOfRe2) {
  EXPECT_TRUE(IsFound("(?i)oomkilled", "Container main was OOMKilled"));
  EXPECT_TRUE(IsFound(R"(exit code \d{3}\b)", "exit code 137"));
  EXPECT_TRUE(IsFound(R"(\p{Greek})", "the \u03bb pod"));
}

TEST(MessagePattern, ThatRe2DoesNotKnowIsRefusedWithTheReason) {
  const Result<MessagePattern> look_ahead = MessagePattern::Parse("(?=oom)");
  ASSERT_FALSE(look_ahead.has_value());
  EXPECT_NE(look_ahead.error().message.find("(?="), std::string::npos) << look_ahead.error().message;
}

TEST(MessagePattern, ThatOthersTakeForEverOverIsDecidedAtOnce) {
  EXPECT_FALSE(IsFound("^(a+)+$", std::string(20'000, 'a') + "b"));
}

}  // namespace
}  // namespace cadre::jobset
