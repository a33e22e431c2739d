// Field: a value of a scenario's header together with the way to it, so that every complaint names file, line
// and field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/decode.h"
#include "kube/yaml.h"

namespace cadre::app {

// The file a Field is in. It must outlive its fields.
struct FieldSource {
  std::string file;
  kube::YamlChunk chunk;
};

class Field {
 public:
  // `value` is borrowed.
  Field(const FieldSource& source, const json::value& value, kube::FieldPath path = {})
      : source_(&source), value_(&value), path_(std::move(path)) {}

  const json::value& value() const { return *value_; }
  std::size_t Line() const { return kube::LineOf(source_->chunk, path_); }

  // "jobs.yaml:14: steps[2].at: <message>".
  std::unexpected<Error> Complain(std::string_view message) const;
  // The same with what was found in front: "found 3, expected <what>".
  std::unexpected<Error> Expected(std::string_view what) const;

  Result<std::string> Text() const;
  Result<std::int64_t> Number() const;
  Result<bool> Flag() const;
  // "30s" or a number of seconds.
  Result<Duration> Length() const;
  Result<json::object> Map() const;

  // The items of a list; a single value that is no list counts as a list of one.
  std::vector<Field> Items() const;
  // A field of a map; none when it is absent. REQUIRES: a map (see Only).
  std::optional<Field> Get(std::string_view key) const;
  Result<Field> Need(std::string_view key) const;
  // A map with no other keys than these; the complaint says what was meant, if that can be guessed.
  Result<void> Only(std::span<const std::string_view> keys) const;
  Result<void> Only(std::initializer_list<std::string_view> keys) const {
    return Only(std::span(keys.begin(), keys.size()));
  }

 private:
  Field Child(std::string key, const json::value& value) const;

  const FieldSource* source_;
  const json::value* value_;
  kube::FieldPath path_;
};

}  // namespace cadre::app
