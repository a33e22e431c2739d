#include "base/time.h"

#include <array>

#include <gtest/gtest.h>

namespace cadre {
namespace {

using std::chrono::sys_days;
using namespace std::chrono_literals;

// 2026-01-02T03:04:05.250Z, put together from the calendar and not by the code under test.
constexpr Time kMoment = sys_days(2026y / 1 / 2) + 3h + 4min + 5s + 250ms;

TEST(FormatRfc3339, CutsTheFractionOff) {
  EXPECT_EQ(FormatRfc3339(kMoment), "2026-01-02T03:04:05Z");
}

TEST(FormatRfc3339, CutsTowardsThePastBefore1970) {
  EXPECT_EQ(FormatRfc3339(Time(-1ms)), "1969-12-31T23:59:59Z");
}

TEST(FormatRfc3339, ClampsYearsOfMoreThanFourDigits) {
  EXPECT_EQ(FormatRfc3339(Time::max()), "9999-12-31T23:59:59Z");
}

TEST(FormatRfc3339, ClampsYearsBeforeZero) {
  EXPECT_EQ(FormatRfc3339(Time::min()), "0000-01-01T00:00:00Z");
}

TEST(FormatRfc3339Millis, AlwaysShowsThreeDecimals) {
  EXPECT_EQ(FormatRfc3339Millis(kMoment - 200ms), "2026-01-02T03:04:05.050Z");
}

TEST(FormatRfc3339Micros, AlwaysShowsSixDecimals) {
  EXPECT_EQ(FormatRfc3339Micros(kMoment), "2026-01-02T03:04:05.250000Z");
}

TEST(ParseRfc3339, ReadsWholeSeconds) {
  EXPECT_EQ(ParseRfc3339("2026-01-02T03:04:05Z"), kMoment - 250ms);
}

TEST(ParseRfc3339, ReadsOneDecimalAsTenths) {
  EXPECT_EQ(ParseRfc3339("2026-01-02T03:04:05.2Z"), kMoment - 50ms);
}

TEST(ParseRfc3339, CutsNanosecondsToMilliseconds) {
  EXPECT_EQ(ParseRfc3339("2026-01-02T03:04:05.250999999Z"), kMoment);
}

TEST(ParseRfc3339, TurnsAnOffsetEastIntoUtc) {
  EXPECT_EQ(ParseRfc3339("2026-01-02T08:34:05.250+05:30"), kMoment);
}

TEST(ParseRfc3339, TurnsAnOffsetWestIntoUtc) {
  EXPECT_EQ(ParseRfc3339("2026-01-01T19:04:05.250-08:00"), kMoment);
}

TEST(ParseRfc3339, KnowsTheLeapDay) {
  EXPECT_EQ(ParseRfc3339("2024-02-29T00:00:00Z"), Time(sys_days(2024y / 2 / 29)));
}

TEST(ParseRfc3339, ReadsWhatIsFormatted) {
  EXPECT_EQ(ParseRfc3339(FormatRfc3339Millis(kMoment)), kMoment);
}

class BadTime : public testing::TestWithParam<const char*> {};

TEST_P(BadTime, IsRefusedByName) {
  const auto time = ParseRfc3339(GetParam());
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().message,
            fmt::format("\"{}\" is not a time, expected RFC 3339, e.g. 2026-01-02T03:04:05Z", GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    ParseRfc3339, BadTime,
    testing::Values("", "now", "2026-01-02", "2026-01-02T03:04:05", "2026-02-30T03:04:05Z",
                    "2025-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z",
                    "2026-01-02T03:04:60Z", "2026-01-02t03:04:05z", "2026-01-02 03:04:05Z",
                    "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Z ", "26-01-02T03:04:05Z",
                    "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+0200", "+026-01-02T03:04:05Z"));

struct DurationCase {
  const char* text;
  Duration expected;
};

class GoodDuration : public testing::TestWithParam<DurationCase> {};

TEST_P(GoodDuration, IsRead) {
  EXPECT_EQ(ParseDuration(GetParam().text), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(ParseDuration, GoodDuration,
                         testing::Values(DurationCase{"1h30m", 90min}, DurationCase{"30s", 30s},
                                         DurationCase{"250ms", 250ms}, DurationCase{"1.5h", 90min},
                                         DurationCase{"2d", 48h}, DurationCase{"90", 90s},
                                         DurationCase{"0.5", 500ms}, DurationCase{"0", 0s},
                                         DurationCase{".5s", 500ms}, DurationCase{"1.s", 1s},
                                         DurationCase{"0.1d", 8640s}, DurationCase{"0.000000001d", 0ms},
                                         DurationCase{"1500us", 1ms}, DurationCase{"1500\u00b5s", 1ms},
                                         DurationCase{"999999ns", 0ms}, DurationCase{"600us600us", 1ms},
                                         DurationCase{"106751d", 106751 * 24h}));

class BadDuration : public testing::TestWithParam<const char*> {};

TEST_P(BadDuration, IsRefused) {
  EXPECT_FALSE(ParseDuration(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(ParseDuration, BadDuration,
                         testing::Values("", "s", ".", ".s", "-5s", "+5s", "5 s", " 5s", "5sec", "1h30",
                                         "30 1h", "1e3s", "inf", "nan", "5s "));

TEST(ParseDuration, AMalformedTextIsNamedWithExamples) {
  EXPECT_EQ(ParseDuration("soon").error().message,
            "\"soon\" is not a duration, expected e.g. 1h30m, 30s, 250ms or a number of seconds");
}

TEST(ParseDuration, TwoHundredNinetyThreeYearsAreTooLong) {
  EXPECT_EQ(ParseDuration("106945d").error().message,
            "the duration \"106945d\" is too long, it must be below 292 years");
}

TEST(ParseDuration, ALongRowOfDigitsDoesNotOverflow) {
  EXPECT_FALSE(ParseDuration("99999999999999999999999h"));
}

TEST(ParseDuration, ASumThatOverflowsIsTooLong) {
  EXPECT_FALSE(ParseDuration("100000d100000d"));
}

struct ShownDuration {
  Duration duration;
  const char* expected;
};

class DurationForPeople : public testing::TestWithParam<ShownDuration> {};

TEST_P(DurationForPeople, IsShort) {
  EXPECT_EQ(FormatDuration(GetParam().duration), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(FormatDuration, DurationForPeople,
                         testing::Values(ShownDuration{0ms, "0 s"}, ShownDuration{250ms, "250 ms"},
                                         ShownDuration{999ms, "999 ms"}, ShownDuration{1s, "1 s"},
                                         ShownDuration{12500ms, "12.5 s"}, ShownDuration{12040ms, "12 s"},
                                         ShownDuration{59940ms, "59.9 s"}, ShownDuration{59950ms, "1m"},
                                         ShownDuration{150s, "2m 30s"}, ShownDuration{3599499ms, "59m 59s"},
                                         ShownDuration{3599500ms, "1h"}, ShownDuration{90min, "1h 30m"},
                                         ShownDuration{24h - 1s, "1d"}, ShownDuration{76h, "3d 4h"},
                                         ShownDuration{-90s, "-1m 30s"}));

TEST(Seconds, KeepsTheFraction) {
  EXPECT_EQ(Seconds(1250ms), 1.25);
}

}  // namespace
}  // namespace cadre
