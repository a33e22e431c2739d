#include "app/config_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "base/text.h"
#include "kube/yaml.h"

namespace cadre::app {
namespace {

// What stands at one field, as the flag would be given.
struct Given {
  std::string path;
  std::vector<std::string> values;
};

std::string Shown(const json::value& value) {
  return value.is_double() ? fmt::format("{}", value.get_double()) : json::serialize(value);
}

Result<std::string> ScalarText(const json::value& value, std::string_view path) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool() || value.is_number()) return Shown(value);
  return Err("{}: found {}, expected a text, a number, true or false", path, Shown(value));
}

Result<std::vector<std::string>> ValuesOf(const json::value& value, std::string_view path) {
  std::vector<std::string> values;
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) {
      CADRE_TRY(std::string text, ScalarText(item, path));
      values.push_back(std::move(text));
    }
    if (values.empty()) return Err("{}: an empty list; leave the field out", path);
  } else if (value.is_object()) {
    std::string pairs;
    for (const json::key_value_pair& pair : value.get_object()) {
      CADRE_TRY(const std::string text, ScalarText(pair.value(), path));
      pairs += fmt::format("{}{}={}", pairs.empty() ? "" : ",", std::string_view(pair.key()), text);
    }
    values.push_back(std::move(pairs));
  } else {
    CADRE_TRY(std::string text, ScalarText(value, path));
    values.push_back(std::move(text));
  }
  return values;
}

class Reader {
 public:
  explicit Reader(const ConfigFormat& format) : format_(format) {}

  Result<std::vector<Given>> Read(const json::value& document) {
    if (!document.is_object()) return Err("expected an object of kind {}", format_.kind);
    CADRE_TRY_VOID(HasType(document));
    CADRE_TRY_VOID(ReadObject(document.get_object(), ""));
    return std::move(given_);
  }

 private:
  Result<void> HasType(const json::value& document) const {
    const std::pair<std::string_view, std::string_view> types[] = {{"apiVersion", format_.api_version},
                                                                   {"kind", format_.kind}};
    for (const auto& [field, wanted] : types) {
      const json::value* found = Find(document, {field});
      if (found == nullptr) return Err("{}: missing, expected {}", field, wanted);
      if (!found->is_string() || found->get_string() != wanted)
        return Err("{}: found {}, expected {}", field, Shown(*found), wanted);
    }
    return {};
  }

  Result<void> ReadObject(const json::object& object, const std::string& above) {
    for (const json::key_value_pair& pair : object) {
      const std::string path = above + std::string(pair.key());
      if (path == "apiVersion" || path == "kind" || pair.value().is_null()) continue;
      if (std::ranges::find(format_.fields, path, &ConfigField::path) != format_.fields.end()) {
        CADRE_TRY(std::vector<std::string> values, ValuesOf(pair.value(), path));
        given_.push_back({path, std::move(values)});
      } else if (IsSection(path) && pair.value().is_object()) {
        CADRE_TRY_VOID(ReadObject(pair.value().get_object(), path + "."));
      } else if (IsSection(path)) {
        return Err("{}: found {}, expected an object", path, Shown(pair.value()));
      } else {
        return Unknown(path);
      }
    }
    return {};
  }

  bool IsSection(const std::string& path) const {
    return std::ranges::any_of(format_.fields,
                               [&](const ConfigField& field) { return field.path.starts_with(path + "."); });
  }

  std::unexpected<Error> Unknown(const std::string& path) const {
    std::vector<std::string_view> paths;
    for (const ConfigField& field : format_.fields)
      paths.push_back(field.path);
    const std::string_view nearest = ClosestTo(path, paths);
    if (nearest.empty()) return Err("{}: no such field; there are {}", path, fmt::join(paths, ", "));
    return Err("{}: no such field, did you mean {}?", path, nearest);
  }

  const ConfigFormat& format_;
  std::vector<Given> given_;
};

Result<json::value> ParseConfig(std::string_view text) {
  const std::vector<kube::YamlChunk> chunks = kube::SplitYaml(text);
  json::value found;
  for (const kube::YamlChunk& chunk : chunks) {
    auto document = kube::ParseYaml(chunk);
    if (!document) return Err("line {}: {}", document.error().line, document.error().message);
    if (!*document) continue;
    if (!found.is_null()) return Err("line {}: a second document; expected one", (*document)->line);
    found = std::move((*document)->value);
  }
  return found;
}

Result<void> Set(CLI::App& command, std::string_view flag, const Given& given) {
  CLI::Option* option = command.get_option_no_throw(std::string(flag));
  CADRE_ASSERT(option != nullptr, "a field of a configuration without a flag");
  if (option->count() > 0) return {};
  try {
    for (const std::string& value : given.values)
      option->add_result(value);
    option->run_callback();
  } catch (const CLI::ParseError& error) {
    return Err("{}: {}", given.path, error.what());
  }
  return {};
}

}  // namespace

Result<void> ApplyConfig(std::string_view text, const ConfigFormat& format, CLI::App& command) {
  CADRE_TRY(const json::value document, ParseConfig(text));
  CADRE_TRY(const std::vector<Given> all, Reader(format).Read(document));
  for (const Given& given : all) {
    const auto field = std::ranges::find(format.fields, given.path, &ConfigField::path);
    CADRE_TRY_VOID(Set(command, field->flag, given));
  }
  return {};
}

}  // namespace cadre::app
