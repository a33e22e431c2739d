#include "app/scenario_field.h"

#include <fmt/format.h>

#include "base/text.h"

namespace cadre::app {

namespace {

// What stands there, short enough for a message.
std::string Found(const json::value& value) {
  if (value.is_object()) return "a map";
  if (value.is_array()) return "a list";
  return json::serialize(value);
}

}  // namespace

std::unexpected<Error> Field::Complain(std::string_view message) const {
  const std::string field = kube::ToString(path_);
  return Err("{}:{}: {}{}{}", source_->file, Line(), field, field.empty() ? "" : ": ", message);
}

std::unexpected<Error> Field::Expected(std::string_view what) const {
  return Complain(fmt::format("found {}, expected {}", Found(*value_), what));
}

Result<std::string> Field::Text() const {
  if (!value_->is_string()) return Expected("text");
  return std::string(value_->get_string());
}

Result<std::int64_t> Field::Number() const {
  if (value_->is_int64()) return value_->get_int64();
  return Expected("a whole number");
}

Result<bool> Field::Flag() const {
  if (value_->is_bool()) return value_->get_bool();
  return Expected("true or false");
}

Result<Duration> Field::Length() const {
  constexpr std::string_view kWhat = "a length of time such as 30s, 1m30s or 45";
  if (value_->is_int64() && value_->get_int64() >= 0) return std::chrono::seconds(value_->get_int64());
  if (!value_->is_string()) return Expected(kWhat);
  Result<Duration> parsed = ParseDuration(value_->get_string());
  if (!parsed) return Expected(kWhat);
  return parsed;
}

Result<json::object> Field::Map() const {
  if (!value_->is_object()) return Expected("a map");
  return value_->get_object();
}

std::vector<Field> Field::Items() const {
  if (!value_->is_array()) return {*this};
  std::vector<Field> items;
  std::size_t index = 0;
  for (const json::value& item : value_->get_array()) {
    kube::FieldPath path = path_;
    path.push_back({.key = {}, .index = index++});
    items.emplace_back(*source_, item, std::move(path));
  }
  return items;
}

Field Field::Child(std::string key, const json::value& value) const {
  kube::FieldPath path = path_;
  path.push_back({.key = std::move(key), .index = {}});
  return {*source_, value, std::move(path)};
}

std::optional<Field> Field::Get(std::string_view key) const {
  const json::value* found = value_->get_object().if_contains(key);
  if (found == nullptr) return std::nullopt;
  return Child(std::string(key), *found);
}

Result<Field> Field::Need(std::string_view key) const {
  std::optional<Field> field = Get(key);
  if (!field) return Complain(fmt::format("\"{}\" is missing", key));
  return *std::move(field);
}

Result<void> Field::Only(std::span<const std::string_view> keys) const {
  if (!value_->is_object()) return Expected("a map");
  for (const auto& [key, value] : value_->get_object()) {
    const std::string_view name = key;
    if (std::ranges::find(keys, name) != keys.end()) continue;
    const std::string_view meant = ClosestTo(name, keys);
    if (meant.empty())
      return Child(std::string(name), value)
          .Complain(fmt::format("not known here; there is {}", fmt::join(keys, ", ")));
    return Child(std::string(name), value)
        .Complain(fmt::format("not known here; did you mean \"{}\"?", meant));
  }
  return {};
}

}  // namespace cadre::app
