#include "base/json.h"

#include <algorithm>
#include <vector>

namespace cadre {
namespace {

void AppendCanonical(const json::value& value, std::string& out) {
  if (const json::object* object = value.if_object()) {
    std::vector<std::string_view> keys;
    for (const auto& member : *object)
      keys.emplace_back(member.key());
    std::sort(keys.begin(), keys.end());
    out += '{';
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) out += ',';
      out += json::serialize(json::string(keys[i]));
      out += ':';
      AppendCanonical(object->at(keys[i]), out);
    }
    out += '}';
  } else if (const json::array* array = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      AppendCanonical((*array)[i], out);
    }
    out += ']';
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

const json::value* Find(const json::value& root, std::initializer_list<std::string_view> path) {
  const json::value* at = &root;
  for (const std::string_view key : path) {
    const json::object* object = at->if_object();
    if (object == nullptr) return nullptr;
    at = object->if_contains(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string_view FindString(const json::value& root, std::initializer_list<std::string_view> path) {
  const json::value* value = Find(root, path);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view{} : std::string_view(text->data(), text->size());
}

void MergePatch(json::value& target, const json::value& patch) {
  const json::object* changes = patch.if_object();
  if (changes == nullptr) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = json::object{};
  json::object& object = target.get_object();
  for (const auto& change : *changes) {
    if (change.value().is_null()) {
      object.erase(change.key());
    } else {
      MergePatch(object[change.key()], change.value());
    }
  }
}

std::string Canonical(const json::value& value) {
  std::string out;
  AppendCanonical(value, out);
  return out;
}

}  // namespace cadre
