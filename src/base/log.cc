#include "base/log.h"

#include <algorithm>
#include <array>
#include <atomic>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/check.h"
#include "base/text.h"

namespace cadre {
namespace {

std::atomic<LogLevel> minimum_level = LogLevel::kInfo;

// In the order of LogLevel.
constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warn", "error", "off"};
constexpr std::array kSpdlogLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                      spdlog::level::err};

spdlog::logger& Logger() {
  static spdlog::logger logger = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::automatic);
    spdlog::logger made("cadre", std::move(sink));
    made.set_level(spdlog::level::trace);  // the level is decided in LogEnabled
    made.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%-7l%$ %v");
    made.flush_on(spdlog::level::trace);
    return made;
  }();
  return logger;
}

}  // namespace

void SetLogLevel(LogLevel level) {
  minimum_level.store(level, std::memory_order_relaxed);
}

bool LogEnabled(LogLevel level) {
  return level >= minimum_level.load(std::memory_order_relaxed);
}

void LogLine(LogLevel level, std::string_view message) {
  CADRE_ASSERT(level != LogLevel::kOff, "kOff is a threshold and not the level of a line");
  Logger().log(kSpdlogLevels[static_cast<std::size_t>(level)], message);
}

Result<LogLevel> ParseLogLevel(std::string_view text) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) {
    return Err("\"{}\" is not a log level, expected one of debug, info, warn, error, off", text);
  }
  return static_cast<LogLevel>(found - kNames.begin());
}

}  // namespace cadre
