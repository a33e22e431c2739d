// Assertions for what only a mistake in this program can break. They are on in every build.
#pragma once

#include <string_view>

namespace cadre::internal {

// Prints "file:line: assertion `condition` failed: message" to stderr and aborts.
[[noreturn]] void FailAssertion(const char* file, int line, const char* condition, std::string_view message);

}  // namespace cadre::internal

// The message (anything that a string_view can be made of) is evaluated only on failure. Never for input: a
// bad manifest or API answer is a Result (base/result.h).
#define CADRE_ASSERT(condition, message)                                           \
  do {                                                                             \
    if (!(condition)) [[unlikely]]                                                 \
      ::cadre::internal::FailAssertion(__FILE__, __LINE__, #condition, (message)); \
  } while (false)
