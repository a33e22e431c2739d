#include "base/log.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

// Gives back the level that the other tests expect.
class Log : public testing::Test {
 protected:
  void TearDown() override { SetLogLevel(LogLevel::kInfo); }

  static std::string Captured(auto log) {
    testing::internal::CaptureStderr();
    log();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Log, ALineCarriesTimeZoneLevelAndMessage) {
  EXPECT_THAT(
      Captured([] { CADRE_LOG(kWarn, "{} of {} nodes", 3, 4); }),
      MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}[+-][0-9]{2}:[0-9]{2} "
                   "warning 3 of 4 nodes\n"));
}

TEST_F(Log, DebugIsOffAtTheStart) {
  EXPECT_THAT(Captured([] { CADRE_LOG(kDebug, "detail"); }), IsEmpty());
}

TEST_F(Log, ALineBelowTheLevelIsNotFormatted) {
  int formatted = 0;
  const auto count = [&] { return ++formatted; };
  SetLogLevel(LogLevel::kError);
  CADRE_LOG(kWarn, "{}", count());
  EXPECT_EQ(formatted, 0);
}

TEST_F(Log, OffSilencesErrorsToo) {
  SetLogLevel(LogLevel::kOff);
  EXPECT_THAT(Captured([] { CADRE_LOG(kError, "lost"); }), IsEmpty());
}

TEST_F(Log, BracesInAMessageAreNotAFormat) {
  EXPECT_THAT(Captured([] { LogLine(LogLevel::kError, "bad: {}"); }), HasSubstr("bad: {}"));
}

TEST_F(Log, ThereIsNoColourOutsideOfATerminal) {
  EXPECT_THAT(Captured([] { CADRE_LOG(kError, "plain"); }), Not(HasSubstr("\x1b")));
}

TEST(ParseLogLevel, KnowsEveryName) {
  EXPECT_EQ(ParseLogLevel("debug"), LogLevel::kDebug);
  EXPECT_EQ(ParseLogLevel("info"), LogLevel::kInfo);
  EXPECT_EQ(ParseLogLevel("warn"), LogLevel::kWarn);
  EXPECT_EQ(ParseLogLevel("error"), LogLevel::kError);
  EXPECT_EQ(ParseLogLevel("off"), LogLevel::kOff);
}

TEST(ParseLogLevel, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(ParseLogLevel("loud").error().message,
            "\"loud\" is not a log level, expected one of debug, info, warn, error, off");
}

}  // namespace
}  // namespace cadre
