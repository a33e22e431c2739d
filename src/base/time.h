// Points in time and durations, in whole milliseconds, and the forms in which they are read and written.
//
// Nothing here reads a clock: the present is always handed in (drive/clock.h).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cadre {

using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;

// "2026-01-02T03:04:05Z": the form of metav1.Time. Fractions of a second are cut off, as Kubernetes does.
// Years outside of 0 to 9999 are clamped to the nearest representable instant.
std::string FormatRfc3339(Time time);

// "2026-01-02T03:04:05.250Z": always three decimals. Valid RFC 3339, but metav1.MicroTime wants six.
std::string FormatRfc3339Millis(Time time);

// "2026-01-02T03:04:05.250000Z": the one form that the API server takes for a metav1.MicroTime (Lease,
// Event).
std::string FormatRfc3339Micros(Time time);

// Any RFC 3339 time: with or without a fraction (cut to milliseconds, towards the past), "Z" or an offset
// such as +02:00. As strict as Go's parser: upper-case T and Z, no leap seconds, the day must exist in its
// month.
Result<Time> ParseRfc3339(std::string_view text);

// "1h30m", "1.5h", "30s", "250ms" as in Go, also days ("2d"), and a plain number of seconds ("90", "0.5").
// Not negative, below 292 years; what is finer than a millisecond is cut off.
Result<Duration> ParseDuration(std::string_view text);

// For people: "250 ms", "12.5 s", "2m 30s", "1h 30m", "3d 4h"; rounded to what is shown.
std::string FormatDuration(Duration duration);

inline double Seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace cadre
