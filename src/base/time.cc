#include "base/time.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace cadre {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Calendar time down to the second, without fraction and zone.
std::string FormatSeconds(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

Time ClampToFourDigitYears(Time time) {
  constexpr Time kFirst = std::chrono::sys_days(std::chrono::year(0) / 1 / 1);
  constexpr Time kLast = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1) - Duration(1);
  return std::clamp(time, kFirst, kLast);
}

std::int64_t MillisOfSecond(Time time) {
  return (time - std::chrono::floor<seconds>(time)).count();
}

// Takes characters off the front of a text, in the pieces that times and durations are made of.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool Done() const { return rest_.empty(); }

  bool Take(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly `count` digits.
  std::optional<int> Digits(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i) {
      if (!AtDigit()) return std::nullopt;
      value = value * 10 + TakeDigit();
    }
    return value;
  }

  // As many of the characters in front as satisfy the predicate.
  template <class Predicate>
  std::string_view While(Predicate predicate) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), predicate);
    const auto taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  bool AtDigit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }

  int TakeDigit() {
    const int digit = rest_.front() - '0';
    rest_.remove_prefix(1);
    return digit;
  }

  std::string_view rest_;
};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// The first three decimals of a second as milliseconds; what follows is cut off.
Duration MillisFromDecimals(std::string_view decimals) {
  int millis = 0;
  for (std::size_t i = 0; i < 3; ++i)
    millis = millis * 10 + (i < decimals.size() ? decimals[i] - '0' : 0);
  return Duration(millis);
}

std::optional<std::chrono::sys_days> ScanDate(Scanner& scanner) {
  const auto year = scanner.Digits(4);
  if (!year || !scanner.Take('-')) return std::nullopt;
  const auto month = scanner.Digits(2);
  if (!month || !scanner.Take('-')) return std::nullopt;
  const auto day = scanner.Digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

// "HH:MM", for the clock and for offsets.
std::optional<minutes> ScanHoursAndMinutes(Scanner& scanner) {
  const auto hour = scanner.Digits(2);
  if (!hour || *hour > 23 || !scanner.Take(':')) return std::nullopt;
  const auto minute = scanner.Digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  return hours(*hour) + minutes(*minute);
}

std::optional<Duration> ScanClock(Scanner& scanner) {
  const auto hour_and_minute = ScanHoursAndMinutes(scanner);
  if (!hour_and_minute || !scanner.Take(':')) return std::nullopt;
  const auto second = scanner.Digits(2);
  if (!second || *second > 59) return std::nullopt;
  Duration clock = *hour_and_minute + seconds(*second);
  if (scanner.Take('.')) {
    const auto decimals = scanner.While(IsDigit);
    if (decimals.empty()) return std::nullopt;
    clock += MillisFromDecimals(decimals);
  }
  return clock;
}

std::optional<minutes> ScanOffset(Scanner& scanner) {
  if (scanner.Take('Z')) return minutes(0);
  const bool east = scanner.Take('+');
  if (!east && !scanner.Take('-')) return std::nullopt;
  const auto offset = ScanHoursAndMinutes(scanner);
  if (!offset) return std::nullopt;
  return east ? *offset : -*offset;
}

std::optional<Time> ScanRfc3339(Scanner& scanner) {
  const auto date = ScanDate(scanner);
  if (!date || !scanner.Take('T')) return std::nullopt;
  const auto clock = ScanClock(scanner);
  if (!clock) return std::nullopt;
  const auto offset = ScanOffset(scanner);
  if (!offset || !scanner.Done()) return std::nullopt;
  return *date + *clock - *offset;
}

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};

constexpr std::int64_t kSecondNanos = 1'000'000'000;

constexpr std::array kUnits = {
    Unit{"d", 86400 * kSecondNanos},
    Unit{"h", 3600 * kSecondNanos},
    Unit{"m", 60 * kSecondNanos},
    Unit{"s", kSecondNanos},
    Unit{"ms", 1'000'000},
    Unit{"us", 1'000},
    Unit{"\u00b5s", 1'000},
    Unit{"\u03bcs", 1'000},  // micro sign and Greek mu, both as in Go
    Unit{"ns", 1},
};

// 2^63 nanoseconds, about 292 years: where Go's durations end too.
constexpr std::int64_t kMaxNanos = INT64_MAX;

// whole.decimals × unit in nanoseconds, exact as far as nanoseconds go; nothing when it does not fit.
std::optional<std::int64_t> Scale(std::string_view whole, std::string_view decimals, std::int64_t unit) {
  std::int64_t value = 0;
  for (const char c : whole) {
    if (value > (kMaxNanos / unit - (c - '0')) / 10) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  value *= unit;
  // fraction / scale of a unit. The unit is split at the scale so that no product leaves 64 bits.
  std::int64_t fraction = 0;
  std::int64_t scale = 1;
  for (const char c : decimals.substr(0, 9)) {
    fraction = fraction * 10 + (c - '0');
    scale *= 10;
  }
  const std::int64_t nanos = fraction * (unit / scale) + fraction * (unit % scale) / scale;
  if (value > kMaxNanos - nanos) return std::nullopt;
  return value + nanos;
}

const Unit* FindUnit(std::string_view name) {
  const auto* const found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
  return found == kUnits.end() ? nullptr : &*found;
}

Duration RoundTo(Duration duration, Duration step) {
  return (duration + step / 2) / step * step;
}

std::string FormatPair(std::int64_t big, std::string_view big_unit, std::int64_t small,
                       std::string_view small_unit) {
  if (small == 0) return fmt::format("{}{}", big, big_unit);
  return fmt::format("{}{} {}{}", big, big_unit, small, small_unit);
}

}  // namespace

std::string FormatRfc3339(Time time) {
  return FormatSeconds(std::chrono::floor<seconds>(ClampToFourDigitYears(time))) + "Z";
}

std::string FormatRfc3339Millis(Time time) {
  const Time shown = ClampToFourDigitYears(time);
  return fmt::format("{}.{:03}Z", FormatSeconds(std::chrono::floor<seconds>(shown)), MillisOfSecond(shown));
}

std::string FormatRfc3339Micros(Time time) {
  const Time shown = ClampToFourDigitYears(time);
  return fmt::format("{}.{:03}000Z", FormatSeconds(std::chrono::floor<seconds>(shown)),
                     MillisOfSecond(shown));
}

Result<Time> ParseRfc3339(std::string_view text) {
  Scanner scanner(text);
  const auto time = ScanRfc3339(scanner);
  if (!time) return Err("\"{}\" is not a time, expected RFC 3339, e.g. 2026-01-02T03:04:05Z", text);
  return *time;
}

Result<Duration> ParseDuration(std::string_view text) {
  const auto malformed = [&] {
    return Err("\"{}\" is not a duration, expected e.g. 1h30m, 30s, 250ms or a number of seconds", text);
  };
  Scanner scanner(text);
  if (scanner.Done()) return malformed();
  std::int64_t total = 0;
  for (bool first = true; !scanner.Done(); first = false) {
    const auto whole = scanner.While(IsDigit);
    const auto decimals = scanner.Take('.') ? scanner.While(IsDigit) : std::string_view();
    if (whole.empty() && decimals.empty()) return malformed();
    const auto name = scanner.While([](char c) { return !IsDigit(c) && c != '.'; });
    const bool plain_seconds = name.empty() && first && scanner.Done();
    const Unit* const unit = FindUnit(plain_seconds ? "s" : name);
    if (unit == nullptr) return malformed();
    const auto nanos = Scale(whole, decimals, unit->nanos);
    if (!nanos || total > kMaxNanos - *nanos) {
      return Err("the duration \"{}\" is too long, it must be below 292 years", text);
    }
    total += *nanos;
  }
  return std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(total));
}

std::string FormatDuration(Duration duration) {
  if (duration < Duration(0)) return "-" + FormatDuration(-duration);
  if (duration == Duration(0)) return "0 s";
  if (duration < seconds(1)) return fmt::format("{} ms", duration.count());

  const auto tenths = RoundTo(duration, Duration(100)).count() / 100;
  if (tenths < 600) {
    return tenths % 10 == 0 ? fmt::format("{} s", tenths / 10)
                            : fmt::format("{}.{} s", tenths / 10, tenths % 10);
  }
  const auto whole_seconds = RoundTo(duration, seconds(1)).count() / 1000;
  if (whole_seconds < 3600) return FormatPair(whole_seconds / 60, "m", whole_seconds % 60, "s");
  const auto whole_minutes = RoundTo(duration, minutes(1)).count() / 60'000;
  if (whole_minutes < 24 * 60) return FormatPair(whole_minutes / 60, "h", whole_minutes % 60, "m");
  const auto whole_hours = RoundTo(duration, hours(1)).count() / 3'600'000;
  return FormatPair(whole_hours / 24, "d", whole_hours % 24, "h");
}

}  // namespace cadre
