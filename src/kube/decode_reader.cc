#include "kube/decode_reader.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cadre::kube {
namespace json = boost::json;
namespace {

constexpr std::size_t kLongestShown = 60;
constexpr std::string_view kExpectedString = "a string";

std::string Shown(const json::value& found) {
  switch (found.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return found.get_bool() ? "true" : "false";
    case json::kind::int64:
      return fmt::format("the number {}", found.get_int64());
    case json::kind::uint64:
      return fmt::format("the number {}", found.get_uint64());
    case json::kind::double_:
      return fmt::format("the number {}", found.get_double());
    case json::kind::string: {
      const std::string_view text = found.get_string();
      if (text.size() <= kLongestShown) return fmt::format("\"{}\"", text);
      return fmt::format("\"{}...\"", text.substr(0, kLongestShown));
    }
    case json::kind::array:
      return found.get_array().empty() ? "an empty list" : "a list";
    case json::kind::object:
      return found.get_object().empty() ? "an empty object {}" : "an object";
  }
  return "something else";
}

std::string Hint(const json::value& found, std::string_view expected) {
  if (const json::string* text = found.if_string()) {
    if (HasPlaceholder(*text)) return " (this looks like a template with placeholders: render it first)";
    return {};
  }
  if (expected == kExpectedString && !found.is_structured()) return " (put it in quotes)";
  return {};
}

// What fits in a FieldError's message when the type is wrong: all of it in one place.
std::string Expectation(const json::value& found, std::string_view expected) {
  return fmt::format("found {}, expected {}{}", Shown(found), expected, Hint(found, expected));
}

template <class Int>
std::string RangeOf() {
  return fmt::format("a whole number from {} to {}", std::numeric_limits<Int>::min(),
                     std::numeric_limits<Int>::max());
}

// 3.0 counts as 3: YAML writes some whole numbers that way (1e3).
std::optional<std::int64_t> WholeNumber(const json::value& found) {
  if (const std::int64_t* number = found.if_int64()) return *number;
  if (const double* number = found.if_double()) {
    constexpr double kExactUpTo = 9007199254740992.0;  // 2^53
    if (std::abs(*number) <= kExactUpTo && std::trunc(*number) == *number)
      return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

bool IsNumber(const json::value& found) {
  return found.is_int64() || found.is_uint64() || found.is_double();
}

}  // namespace

bool HasPlaceholder(std::string_view text) {
  for (const std::string_view mark : {"{{", "${", "{%", "<%"}) {
    if (text.find(mark) != std::string_view::npos) return true;
  }
  return text.size() > 2 && text.starts_with('<') && text.ends_with('>');
}

std::string ToString(const FieldPath& path) {
  std::string text;
  for (const PathStep& step : path) {
    if (step.index) {
      text += fmt::format("[{}]", *step.index);
    } else if (step.key.find_first_of("./ ") != std::string::npos) {
      text += fmt::format("[{}]", step.key);  // metadata.labels[app.kubernetes.io/name]
    } else {
      if (!text.empty()) text += '.';
      text += step.key;
    }
  }
  return text;
}

FieldPath Reader::PathTo(std::string_view key) const {
  FieldPath path;
  if (parent_ != nullptr) {
    path = parent_->PathTo(key_);
    if (index_) path.push_back({.key = {}, .index = index_});
  }
  path.push_back({.key = std::string(key), .index = std::nullopt});
  return path;
}

void Reader::Fail(std::string_view key, std::string message) const {
  if (*error_) return;
  error_->emplace(FieldError{.path = PathTo(key), .message = std::move(message)});
}

void Reader::Wrong(FieldPath path, const json::value& found, std::string_view expected) const {
  if (*error_) return;
  error_->emplace(FieldError{.path = std::move(path), .message = Expectation(found, expected)});
}

void Reader::Wrong(std::string_view key, const json::value& found, std::string_view expected) const {
  if (!*error_) Wrong(PathTo(key), found, expected);
}

void Reader::WrongChoice(std::string_view key, const json::value& found,
                         const std::vector<std::string_view>& all) const {
  Wrong(key, found, fmt::format("{}{}", all.size() > 1 ? "one of " : "", fmt::join(all, ", ")));
}

const json::object* Reader::FindObject(std::string_view key) const {
  const json::value* found = Find(key);
  if (found == nullptr) return nullptr;
  if (!found->is_object()) Wrong(key, *found, "an object (a map of fields)");
  return found->if_object();
}

const json::array* Reader::FindArray(std::string_view key) const {
  const json::value* found = Find(key);
  if (found == nullptr) return nullptr;
  if (!found->is_array()) Wrong(key, *found, "a list");
  return found->if_array();
}

const json::object* Reader::ItemObject(std::string_view key, std::size_t index,
                                       const json::value& item) const {
  if (!item.is_object() && !*error_) {
    FieldPath path = PathTo(key);
    path.push_back({.key = {}, .index = index});
    Wrong(std::move(path), item, "an object (a map of fields)");
  }
  return item.if_object();
}

void Reader::Read(std::string_view key, std::string& out) const {
  const json::value* found = Find(key);
  if (found == nullptr) return;
  if (const json::string* text = found->if_string()) {
    out.assign(text->data(), text->size());
  } else {
    Wrong(key, *found, kExpectedString);
  }
}

void Reader::Read(std::string_view key, std::optional<std::string>& out) const {
  const json::value* found = Find(key);
  if (found == nullptr) return;
  if (const json::string* text = found->if_string()) {
    out.emplace(text->data(), text->size());
  } else {
    Wrong(key, *found, kExpectedString);
  }
}

void Reader::Read(std::string_view key, bool& out) const {
  const json::value* found = Find(key);
  if (found == nullptr) return;
  if (const bool* flag = found->if_bool()) {
    out = *flag;
  } else {
    Wrong(key, *found, "true or false");
  }
}

template <class Int>
bool Reader::ToInteger(std::string_view key, const json::value& found, Int& out) const {
  const std::optional<std::int64_t> number = WholeNumber(found);
  const bool fits =
      number && *number >= std::numeric_limits<Int>::min() && *number <= std::numeric_limits<Int>::max();
  if (fits) {
    out = static_cast<Int>(*number);
  } else {
    Wrong(key, found, IsNumber(found) ? RangeOf<Int>() : "a whole number");
  }
  return fits;
}

void Reader::Read(std::string_view key, std::int32_t& out) const {
  if (const json::value* found = Find(key)) ToInteger(key, *found, out);
}

void Reader::Read(std::string_view key, std::int64_t& out) const {
  if (const json::value* found = Find(key)) ToInteger(key, *found, out);
}

void Reader::Read(std::string_view key, std::optional<std::int32_t>& out) const {
  std::int32_t number = 0;
  const json::value* found = Find(key);
  if (found != nullptr && ToInteger(key, *found, number)) out = number;
}

void Reader::Read(std::string_view key, std::optional<std::int64_t>& out) const {
  std::int64_t number = 0;
  const json::value* found = Find(key);
  if (found != nullptr && ToInteger(key, *found, number)) out = number;
}

void Reader::Read(std::string_view key, std::optional<Time>& out) const {
  const json::value* found = Find(key);
  if (found == nullptr) return;
  if (const json::string* text = found->if_string()) {
    if (const Result<Time> time = ParseRfc3339(*text)) {
      out = *time;
      return;
    }
  }
  Wrong(key, *found, "a time like 2026-01-31T12:00:00Z");
}

void Reader::Read(std::string_view key, StringMap& out) const {
  const json::object* object = FindObject(key);
  if (object == nullptr) return;
  out.reserve(object->size());
  for (const auto& [name, value] : *object) {
    if (const json::string* text = value.if_string()) {
      // The API server writes maps sorted: the hint makes that linear.
      out.emplace_hint(out.end(), std::string_view(name), std::string_view(*text));
    } else if (!value.is_null()) {
      FieldPath path = PathTo(key);
      path.push_back({.key = std::string(name), .index = std::nullopt});
      return Wrong(std::move(path), value, kExpectedString);
    } else {
      out.emplace_hint(out.end(), std::string_view(name), std::string());
    }
  }
}

namespace {

Result<std::int64_t> Amount(std::string_view resource, const json::value& value) {
  if (const json::string* text = value.if_string()) return ParseAmount(resource, *text);
  if (const std::int64_t* number = value.if_int64()) return ParseAmount(resource, fmt::format("{}", *number));
  if (const std::uint64_t* number = value.if_uint64())
    return ParseAmount(resource, fmt::format("{}", *number));
  if (const double* number = value.if_double()) return ParseAmount(resource, fmt::format("{}", *number));
  if (value.is_null()) return 0;
  return ParseAmount(resource, "");
}

}  // namespace

void Reader::Read(std::string_view key, ResourceList& out) const {
  const json::object* object = FindObject(key);
  if (object == nullptr) return;
  out.reserve(object->size());
  for (const auto& [name, value] : *object) {
    const Result<std::int64_t> amount = Amount(name, value);
    if (!amount) {
      FieldPath path = PathTo(key);
      path.push_back({.key = std::string(name), .index = std::nullopt});
      return Wrong(std::move(path), value,
                   IsExtended(name) ? "a whole number, e.g. 8" : "a quantity, e.g. 500m, 2 or 64Gi");
    }
    out.emplace_hint(out.end(), std::string_view(name), *amount);
  }
}

void Reader::Read(std::string_view key, std::vector<std::string>& out) const {
  const json::array* array = FindArray(key);
  if (array == nullptr) return;
  out.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    const json::string* text = (*array)[i].if_string();
    if (text == nullptr) {
      FieldPath path = PathTo(key);
      path.push_back({.key = {}, .index = i});
      return Wrong(std::move(path), (*array)[i], kExpectedString);
    }
    out.emplace_back(text->data(), text->size());
  }
}

void Reader::Read(std::string_view key, std::vector<std::int32_t>& out) const {
  const json::array* array = FindArray(key);
  if (array == nullptr) return;
  for (const json::value& item : *array) {
    std::int32_t number = 0;
    if (!ToInteger(key, item, number)) return;
    out.push_back(number);
  }
}

void Reader::ReadResourceVersion(std::string_view key, std::uint64_t& out) const {
  const json::value* found = Find(key);
  if (found == nullptr) return;
  const json::string* text = found->if_string();
  if (text != nullptr && text->empty()) return;
  std::uint64_t number = 0;
  if (text != nullptr) {
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      out = number;
      return;
    }
  }
  Wrong(key, *found, "a number in quotes");
}

}  // namespace cadre::kube
