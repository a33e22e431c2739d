// JSON: Boost.JSON trees, and the operations on them that Kubernetes clients need.
//
// MergePatch and Canonical recurse: hand them only trees whose depth a parser has limited (Boost's limit is
// 32).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

namespace cadre {

namespace json = boost::json;

// The value at a path of object keys, or null: Find(pod, {"spec", "nodeName"}).
const json::value* Find(const json::value& root, std::initializer_list<std::string_view> path);

// The string at a path, or "".
std::string_view FindString(const json::value& root, std::initializer_list<std::string_view> path);

// Applies a JSON merge patch (RFC 7386): null deletes a key, objects merge, everything else replaces.
void MergePatch(json::value& target, const json::value& patch);

// The same text for equal values, whatever the order of keys: for hashes and comparisons.
std::string Canonical(const json::value& value);

}  // namespace cadre
