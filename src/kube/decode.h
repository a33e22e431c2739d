// JSON -> structs. The one decoder for the live API, the API in memory, and manifests (YAML becomes JSON
// first).
//
// Strict about types, lenient about unknown fields: a field of the wrong type is an error that names the
// object and the path ("Pod default/a: spec.containers[0].resources.requests.cpu: found "1x", expected a
// quantity, e.g. 500m or 2"). A missing required field is an error only where Kubernetes itself could not
// have stored the object; manifests are checked further by kube/validate.h.
//
// The structs are what the API server would have stored: its defaulting of the fields they have is applied
// (requests from limits, restartPolicy, ports of the host network; for a JobSet also that of JobSet's
// webhook). On objects read from an API server that changes nothing.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/result.h"
#include "kube/object.h"

namespace cadre::kube {

// REQUIRES: value's apiVersion and kind name a known Kind (else an error).
Result<Object> Decode(boost::json::value value);

// The same when the caller knows the kind (items of a typed list carry no apiVersion or kind).
Result<Object> Decode(Kind kind, boost::json::value value);

// The same for a value that lies elsewhere; the Object shares it.
Result<Object> Decode(Kind kind, const std::shared_ptr<const boost::json::value>& raw);

// One step on the way from the document to a value in it: into a list if `index` is set, else to the field
// `key`.
struct PathStep {
  std::string key;
  std::optional<std::size_t> index;
};
using FieldPath = std::vector<PathStep>;

// "spec.containers[0].resources.requests[nvidia.com/gpu]".
std::string ToString(const FieldPath& path);

// The first thing that is wrong in a document.
struct FieldError {
  FieldPath path;
  std::string message;  // "found "x", expected a whole number": without the path
};

// Decode for callers that show where in a file the error is. The Object shares `raw`.
std::expected<Object, FieldError> DecodeFields(Kind kind,
                                               const std::shared_ptr<const boost::json::value>& raw);

// "Pod default/a" from whatever of its metadata can be read: names what cannot be decoded.
std::string DescribeRaw(std::string_view kind, const boost::json::value& raw);

// Whether text has what templates (Helm, Jinja, envsubst) put values in: "{{ x }}", "${X}", "{% x %}", "<X>".
bool HasPlaceholder(std::string_view text);

}  // namespace cadre::kube
