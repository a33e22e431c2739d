// YAML -> JSON the way kubectl does it (sigs.k8s.io/yaml over go-yaml v2): YAML 1.1 scalars, so that unquoted
// yes, on and y are true, 0x10 and 010 are numbers, and everything in quotes is a string.
//
// Stricter than the library below: duplicate keys are an error. `<<` merge keys and aliases are applied.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "kube/decode.h"

namespace cadre::kube {

// Nesting beyond this is refused, in YAML and in JSON.
inline constexpr std::size_t kMaxNesting = 64;

// One document of a stream, unparsed. Splitting first keeps one broken document from hiding those after it.
struct YamlChunk {
  std::string_view text;       // points into the stream; starts with its "---" line if it has one
  std::size_t first_line = 1;  // of `text` within the stream, 1-based
};

std::vector<YamlChunk> SplitYaml(std::string_view stream);

struct YamlDocument {
  boost::json::value value;
  std::size_t line = 1;                 // where it starts
  std::vector<std::size_t> item_lines;  // where the items of its field `items` start, if it has one
};

struct YamlError {
  std::size_t line = 1;
  std::string message;
};

// The document in a chunk; nothing when it holds only comments, or null (only "---").
std::expected<std::optional<YamlDocument>, YamlError> ParseYaml(const YamlChunk& chunk);

// The line of the value at `path` in the document, or of the nearest thing above it that is there. Parses
// again, so that good documents need not keep positions.
std::size_t LineOf(const YamlChunk& chunk, const FieldPath& path);

// What an unquoted scalar is: null, boolean, integer, float (infinities and NaN too) or string.
boost::json::value ResolvePlainScalar(std::string_view text);

}  // namespace cadre::kube
