#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cadre::internal {

void FailAssertion(const char* file, int line, const char* condition, std::string_view message) {
  // stdio and not the log: nothing that could fail itself stands between a bug and its message.
  std::fprintf(stderr, "%s:%d: assertion `%s` failed: %.*s\n", file, line, condition,
               static_cast<int>(message.size()), message.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace cadre::internal
