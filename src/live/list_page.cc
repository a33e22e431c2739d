#include "live/list_page.h"

#include <charconv>
#include <utility>

#include "base/json.h"
#include "kube/decode.h"

namespace cadre::live {

Result<kube::ObjectList> DecodeJsonList(kube::Kind kind, std::string_view text) {
  boost::system::error_code error;
  json::value list = json::parse(text, error);
  if (error) return Err("the answer is not JSON: {}", error.message());
  json::value* items = list.is_object() ? list.get_object().if_contains("items") : nullptr;
  const std::string version(FindString(list, {"metadata", "resourceVersion"}));
  kube::ObjectList page;
  page.kind = kind;
  const char* end = version.data() + version.size();
  const auto parsed = std::from_chars(version.data(), end, page.metadata.resource_version);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    return Err("metadata.resourceVersion: found \"{}\", expected a number", version);
  page.metadata.continue_token = FindString(list, {"metadata", "continue"});
  if (items == nullptr || items->is_null()) return page;
  if (!items->is_array()) return Err("items: not a list");
  page.items.reserve(items->get_array().size());
  for (json::value& item : items->get_array()) {
    Result<kube::Object> object = kube::Decode(kind, std::move(item));
    if (object) {
      page.items.push_back(*std::move(object));
    } else {
      page.unreadable.push_back(std::move(object).error());
    }
  }
  return page;
}

}  // namespace cadre::live
