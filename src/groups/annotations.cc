#include "groups/annotations.h"

#include <array>
#include <charconv>
#include <utility>

#include "groups/catalog.h"

namespace cadre::groups {

std::string_view ValueOf(const kube::StringMap& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string_view{} : std::string_view(found->second);
}

std::optional<std::int32_t> ParseCount(std::string_view text) {
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count <= 0) return std::nullopt;
  return count;
}

GangMode ReadGangMode(const kube::StringMap& owner, const kube::StringMap& pod_template) {
  constexpr std::array<std::pair<std::string_view, GangMode>, 4> kModes = {
      {{"job", GangMode::kJob},
       {"replicatedjob", GangMode::kReplicatedJob},
       {"jobset", GangMode::kJobSet},
       {"none", GangMode::kNone}}};
  for (const kube::StringMap* map : {&owner, &pod_template}) {
    const std::string_view value = ValueOf(*map, kGangAnnotation);
    for (const auto& [name, mode] : kModes) {
      if (value == name) return mode;
    }
  }
  return GangMode::kUnset;
}

std::optional<std::int32_t> ReadMinAvailable(const kube::StringMap& owner,
                                             const kube::StringMap& pod_template) {
  for (const kube::StringMap* map : {&owner, &pod_template}) {
    if (const auto count = ParseCount(ValueOf(*map, kMinAvailableAnnotation))) return count;
  }
  return std::nullopt;
}

std::string ReadRequiredTopology(const kube::StringMap& owner, const kube::StringMap& pod_template) {
  const std::string_view own = ValueOf(owner, kRequiredTopologyAnnotation);
  return std::string(own.empty() ? ValueOf(pod_template, kRequiredTopologyAnnotation) : own);
}

}  // namespace cadre::groups
