// The log: one line per event on stderr, "2026-01-02T03:04:05.250+00:00 info  message", coloured on a
// terminal only.
//
// For the operator of the program. What the user of a command asked for goes to stdout, and decisions go into
// effects; nothing in a machine may depend on the log. Any thread may log; lines never mix.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "base/result.h"

namespace cadre {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

// Lines below this level are dropped. kInfo at start.
void SetLogLevel(LogLevel level);

bool LogEnabled(LogLevel level);

// REQUIRES: level is not kOff.
void LogLine(LogLevel level, std::string_view message);

// "debug", "info", "warn", "error" or "off".
Result<LogLevel> ParseLogLevel(std::string_view text);

}  // namespace cadre

// CADRE_LOG(kInfo, "{} of {} nodes are ready", ready, total): formats only when the level is on.
#define CADRE_LOG(level, ...)                                                 \
  do {                                                                        \
    if (::cadre::LogEnabled(::cadre::LogLevel::level)) {                      \
      ::cadre::LogLine(::cadre::LogLevel::level, ::fmt::format(__VA_ARGS__)); \
    }                                                                         \
  } while (false)
