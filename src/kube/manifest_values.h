// One parsed document of a file -> objects, unknown kinds, problems. Not for use outside of
// kube/manifest*.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "kube/decode.h"
#include "kube/manifest.h"

namespace cadre::kube {

struct ParsedDocument {
  boost::json::value value;
  Source source;
  std::vector<std::size_t> item_lines{};  // lines of the items of a List; empty when the format does not tell
  std::function<std::size_t(const FieldPath&)>
      line_of{};                  // the line of a value in it; null when the format does not tell
  bool has_placeholders = false;  // somewhere in its text
};

// Opens Lists, gives namespaced objects without a namespace the namespace "default", decodes.
void AddDocument(ParsedDocument document, Manifests& out);

// " (this looks like ...)" or nothing.
inline constexpr std::string_view kTemplateHint =
    "this looks like a template with placeholders: render it first";

}  // namespace cadre::kube
