// Errors that come from outside of the program: input, API answers, files.
//
// A function that can fail because of its input returns Result<T>. The message of an error is for a person:
// it names the object, the field, what was found and what was expected. What only a bug can cause is
// CADRE_ASSERT.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cadre {

struct Error {
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;

// `return Err("{}: expected a number, found \"{}\"", path, text);` from a function that returns a Result. The
// format string is checked at compile time; a ready-made message goes through "{}".
template <class... Args>
[[nodiscard]] std::unexpected<Error> Err(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

}  // namespace cadre

#define CADRE_INTERNAL_JOIN2(a, b) a##b
#define CADRE_INTERNAL_JOIN(a, b) CADRE_INTERNAL_JOIN2(a, b)
#define CADRE_INTERNAL_TRY(result, declaration, ...)              \
  auto result = (__VA_ARGS__);                                    \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = *std::move(result)
#define CADRE_INTERNAL_TRY_VOID(result, ...) \
  if (auto result = (__VA_ARGS__); !result) return std::unexpected(std::move(result).error())

// CADRE_TRY(auto pod, DecodePod(value)): returns the error to the caller, or binds the value. The first
// argument may also be something assignable. It is two statements: not for an `if` without braces.
#define CADRE_TRY(declaration, ...) \
  CADRE_INTERNAL_TRY(CADRE_INTERNAL_JOIN(cadre_try_, __COUNTER__), declaration, __VA_ARGS__)

// CADRE_TRY_VOID(Check(pod)): the same for a result whose value is void or not wanted.
#define CADRE_TRY_VOID(...) CADRE_INTERNAL_TRY_VOID(CADRE_INTERNAL_JOIN(cadre_try_, __COUNTER__), __VA_ARGS__)
