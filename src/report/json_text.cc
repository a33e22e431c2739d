#include "report/json_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"
#include "base/utf8.h"

namespace cadre::report {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kShortList = 90;  // characters

// JSON is UTF-8, whatever bytes a file's name is made of.
std::string Quoted(std::string_view text) {
  const bool valid = FindInvalidUtf8(text) == std::string_view::npos;
  return json::serialize(valid ? json::string(text) : json::string(ToValidUtf8(text)));
}

std::string Scalar(const json::value& value) {
  if (const json::string* text = value.if_string()) return Quoted(*text);
  if (value.is_double()) {
    const double number = value.get_double();
    CADRE_ASSERT(std::isfinite(number), "JSON has no infinities");
    if (number == std::floor(number) && std::abs(number) < 1e15) return fmt::format("{:.0f}", number);
    return fmt::format("{}", number);
  }
  return json::serialize(value);
}

bool IsScalar(const json::value& value) {
  return !value.is_structured();
}

std::string OneLine(const json::array& array) {
  std::string text = "[";
  for (const json::value& item : array)
    text += (text.size() == 1 ? "" : ", ") + Scalar(item);
  return text + "]";
}

void Write(const json::value& value, std::size_t depth, std::string& out);

template <class Container, class WriteItem>
void WriteAll(const Container& items, char open, char close, std::size_t depth, std::string& out,
              WriteItem write_item) {
  out += open;
  bool first = true;
  for (const auto& item : items) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append((depth + 1) * kIndent, ' ');
    write_item(item);
  }
  out += '\n';
  out.append(depth * kIndent, ' ');
  out += close;
}

void WriteArray(const json::array& array, std::size_t depth, std::string& out) {
  if (std::all_of(array.begin(), array.end(), IsScalar)) {
    const std::string line = OneLine(array);
    if (line.size() <= kShortList) {
      out += line;
      return;
    }
  }
  WriteAll(array, '[', ']', depth, out, [&](const json::value& item) { Write(item, depth + 1, out); });
}

void WriteObject(const json::object& object, std::size_t depth, std::string& out) {
  if (object.empty()) {
    out += "{}";
    return;
  }
  WriteAll(object, '{', '}', depth, out, [&](const json::key_value_pair& field) {
    out += Quoted(field.key());
    out += ": ";
    Write(field.value(), depth + 1, out);
  });
}

// Recursion is bounded by the depth of what we build ourselves.
void Write(const json::value& value, std::size_t depth, std::string& out) {
  if (const json::array* array = value.if_array()) {
    WriteArray(*array, depth, out);
  } else if (const json::object* object = value.if_object()) {
    WriteObject(*object, depth, out);
  } else {
    out += Scalar(value);
  }
}

}  // namespace

std::string PrettyJson(const json::value& value) {
  std::string text;
  Write(value, 0, text);
  text += '\n';
  return text;
}

}  // namespace cadre::report
