#include "kube/manifest_values.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cadre::kube {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostNestedLists = 4;

std::string_view StringAt(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  const json::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::string NameOf(const json::object& object) {
  const json::value* metadata = object.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return {};
  return std::string(StringAt(metadata->get_object(), "name"));
}

// kubectl sends namespaced objects to the context's namespace; "default" is a fresh context's.
void DefaultNamespace(Kind kind, json::object& object) {
  if (!Info(kind).namespaced) return;
  json::value& metadata = object["metadata"];
  if (metadata.is_null()) metadata.emplace_object();
  json::object* fields = metadata.if_object();  // a wrong type is the decoder's to report
  if (fields == nullptr) return;
  json::value& name_space = (*fields)["namespace"];
  if (name_space.is_null() || (name_space.is_string() && name_space.get_string().empty()))
    name_space = "default";
}

class Adder {
 public:
  Adder(const ParsedDocument& document, Manifests& out) : document_(document), out_(out) {}

  void Add(json::value value, const FieldPath& where, std::size_t line, std::size_t depth) {
    json::object* object = value.if_object();
    if (object == nullptr) {
      AddProblem(where, fmt::format("found {}, expected a Kubernetes object (a map with apiVersion and kind)",
                                    value.is_array() ? "a list" : "a single value"));
      return;
    }
    const std::string api_version(StringAt(*object, "apiVersion"));
    const std::string kind_name(StringAt(*object, "kind"));
    if (api_version.empty() || kind_name.empty()) {
      AddProblem(where, MissingType(*object));
    } else if (json::value* items = Items(kind_name, *object)) {
      AddItems(std::move(*items), api_version, kind_name, where, depth);
    } else if (const std::optional<Kind> kind = KindOf(api_version, kind_name)) {
      AddKnown(*kind, std::move(value), where, line);
    } else {
      out_.unknown.push_back(
          {.api_version = api_version, .kind = kind_name, .name = NameOf(*object), .source = SourceAt(line)});
    }
  }

 private:
  Source SourceAt(std::size_t line) const {
    Source source = document_.source;
    source.line = line;
    return source;
  }

  void AddProblem(const FieldPath& path, std::string message) {
    Problem problem{.source = document_.source, .field = ToString(path), .message = std::move(message)};
    if (document_.line_of && !path.empty()) problem.source.line = document_.line_of(path);
    out_.problems.push_back(std::move(problem));
  }

  std::string MissingType(const json::object& object) const {
    std::string found;
    for (const std::string_view key : {"apiVersion", "kind"}) {
      if (StringAt(object, key).empty()) found += fmt::format("{}{}", found.empty() ? "" : " and ", key);
    }
    return fmt::format("not a Kubernetes object: {} missing{}{}", found,
                       document_.has_placeholders ? "; " : "",
                       document_.has_placeholders ? kTemplateHint : "");
  }

  // The items when this is a List of anything ("List", "PodList"), else null.
  static json::value* Items(std::string_view kind_name, json::object& object) {
    if (!kind_name.ends_with("List")) return nullptr;
    json::value* items = object.if_contains("items");
    if (items == nullptr) return nullptr;
    if (items->is_null()) items->emplace_array();  // how Go writes an empty list
    return items->is_array() ? items : nullptr;
  }

  void AddItems(json::value items, const std::string& api_version, std::string kind_name, FieldPath where,
                std::size_t depth) {
    if (depth >= kMostNestedLists) {
      AddProblem(where, fmt::format("Lists inside Lists, more than {} deep", kMostNestedLists));
      return;
    }
    // Items of a typed list do not repeat their type: PodList holds Pods.
    kind_name.resize(kind_name.size() - std::string_view("List").size());
    where.push_back({.key = "items", .index = std::nullopt});
    where.push_back({.key = {}, .index = 0});
    std::size_t index = 0;
    for (json::value& item : items.get_array()) {
      if (json::object* object = item.if_object(); object != nullptr && !kind_name.empty()) {
        object->emplace("apiVersion", api_version);
        object->emplace("kind", kind_name);
      }
      where.back().index = index;
      const bool has_line = depth == 0 && index < document_.item_lines.size();
      Add(std::move(item), where, has_line ? document_.item_lines[index] : document_.source.line, depth + 1);
      ++index;
    }
  }

  void AddKnown(Kind kind, json::value value, const FieldPath& where, std::size_t line) {
    DefaultNamespace(kind, value.get_object());
    const auto raw = std::make_shared<const json::value>(std::move(value));
    std::expected<Object, FieldError> object = DecodeFields(kind, raw);
    if (object) {
      out_.objects.push_back({.object = *std::move(object), .source = SourceAt(line)});
      return;
    }
    FieldPath path = where;
    path.insert(path.end(), object.error().path.begin(), object.error().path.end());
    AddProblem(path, fmt::format("{} (in {})", object.error().message, DescribeRaw(Info(kind).name, *raw)));
  }

  const ParsedDocument& document_;
  Manifests& out_;
};

}  // namespace

void AddDocument(ParsedDocument document, Manifests& out) {
  json::value value = std::move(document.value);
  Adder(document, out).Add(std::move(value), {}, document.source.line, 0);
}

}  // namespace cadre::kube
