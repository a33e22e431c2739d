// Small readers and writers of JSON objects, for code that edits what the wire carries.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"

namespace cadre::sim {

// The value under `key` when it is there and not null; null otherwise.
inline const json::value* FieldOf(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

inline const json::object* ObjectOf(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

inline const json::array* ArrayOf(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}

// The string under `key`; empty when there is none.
inline std::string_view StringOf(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

// The object under `key`; what is there and is none is replaced by an empty one. Making one may move the
// other members of `object`: references to them do not survive it.
inline json::object& MakeObject(json::object& object, std::string_view key) {
  json::value& value = object[key];
  if (!value.is_object()) value = json::object();
  return value.get_object();
}

inline json::array& MakeArray(json::object& object, std::string_view key) {
  json::value& value = object[key];
  if (!value.is_array()) value = json::array();
  return value.get_array();
}

// An integer of any representation; `fallback` when there is none.
inline std::int64_t IntOf(const json::object& object, std::string_view key, std::int64_t fallback) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return fallback;
  json::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  return error ? fallback : number;
}

}  // namespace cadre::sim
