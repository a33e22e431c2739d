#include "groups/annotations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "groups/catalog.h"
#include "kube/jobset.h"

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

constexpr std::array<std::pair<std::string_view, GangMode>, 4> kModes = {
    {{"job", GangMode::kJob},
     {"replicatedjob", GangMode::kReplicatedJob},
     {"jobset", GangMode::kJobSet},
     {"none", GangMode::kNone}}};

GangMode ReadGangMode(const kube::StringMap& owner, const kube::StringMap& pod_template) {
  for (const kube::StringMap* map : {&owner, &pod_template}) {
    const std::string_view value = ValueOf(*map, kGangAnnotation);
    for (const auto& [name, mode] : kModes) {
      if (value == name) return mode;
    }
  }
  return GangMode::kUnset;
}

std::vector<std::string> UnreadAnnotations(const kube::StringMap& annotations) {
  std::vector<std::string> unread;
  const std::string_view gang = ValueOf(annotations, kGangAnnotation);
  const auto is_gang = [&](const auto& mode) { return mode.first == gang; };
  if (!gang.empty() && std::ranges::none_of(kModes, is_gang))
    unread.push_back(
        fmt::format("{}: found \"{}\", expected job, replicatedjob, jobset or none; it is ignored",
                    kGangAnnotation, gang));
  const std::string_view minimum = ValueOf(annotations, kMinAvailableAnnotation);
  if (!minimum.empty() && !ParseCount(minimum))
    unread.push_back(fmt::format("{}: found \"{}\", expected a whole number above 0; it is ignored",
                                 kMinAvailableAnnotation, minimum));
  return unread;
}

std::optional<std::int32_t> ReadMinAvailable(const kube::StringMap& owner,
                                             const kube::StringMap& pod_template) {
  for (const kube::StringMap* map : {&owner, &pod_template}) {
    if (const auto count = ParseCount(ValueOf(*map, kMinAvailableAnnotation))) return count;
  }
  return std::nullopt;
}

namespace {

std::string FirstOf(std::string_view key, const kube::StringMap& owner, const kube::StringMap& pod_template) {
  const std::string_view own = ValueOf(owner, key);
  return std::string(own.empty() ? ValueOf(pod_template, key) : own);
}

}  // namespace

model::TopologyAsk ReadTopology(const kube::StringMap& owner, const kube::StringMap& pod_template) {
  model::TopologyAsk ask{.required = FirstOf(kRequiredTopologyAnnotation, owner, pod_template),
                         .preferred = FirstOf(kPreferredTopologyAnnotation, owner, pod_template),
                         .exclusive = FirstOf(kExclusiveTopologyAnnotation, owner, pod_template)};
  if (FirstOf(kExclusiveScopeAnnotation, owner, pod_template) == "all")
    ask.scope = model::ExclusiveScope::kAll;
  return ask;
}

model::TopologyAsk ReadJobTopology(const kube::StringMap& owner, const kube::StringMap& pod_template,
                                   const kube::StringMap& around) {
  model::TopologyAsk ask = ReadTopology(owner, pod_template);
  for (const std::string_view key :
       {kube::kExclusiveTopologyAnnotation, kLeaderWorkerSetExclusiveAnnotation}) {
    if (ask.exclusive.empty()) ask.exclusive = FirstOf(key, owner, pod_template);
  }
  if (ask.exclusive.empty()) ask.exclusive = std::string(ValueOf(around, kube::kExclusiveTopologyAnnotation));
  const bool says_scope = !FirstOf(kExclusiveScopeAnnotation, owner, pod_template).empty();
  if (!says_scope) ask.scope = ReadTopology(around, {}).scope;
  return ask;
}

}  // namespace cadre::groups
