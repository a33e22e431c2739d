#include "groups/annotations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/time.h"
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

namespace {

bool IsGangMode(std::string_view text) {
  return std::ranges::any_of(kModes, [&](const auto& mode) { return mode.first == text; });
}

// An annotation of ours with a value that not every text is.
struct Readable {
  std::string_view key;
  bool (*can_be_read)(std::string_view);
  std::string_view expected;
};

constexpr std::array<Readable, 4> kReadable = {
    {{kGangAnnotation, IsGangMode, "job, replicatedjob, jobset or none"},
     {kMinAvailableAnnotation, [](std::string_view text) { return ParseCount(text).has_value(); },
      "a whole number above 0"},
     {kMaxDurationAnnotation, [](std::string_view text) { return ParseDuration(text).has_value(); },
      "a duration such as 45m or 6h"},
     {kExclusiveScopeAnnotation, [](std::string_view text) { return text == "groups" || text == "all"; },
      "groups or all"}}};

}  // namespace

std::vector<std::string> UnreadAnnotations(const kube::StringMap& annotations) {
  std::vector<std::string> unread;
  for (const Readable& readable : kReadable) {
    const std::string_view value = ValueOf(annotations, readable.key);
    if (!value.empty() && !readable.can_be_read(value))
      unread.push_back(fmt::format("{}: found \"{}\", expected {}", readable.key, value, readable.expected));
  }
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
  if (ask.exclusive.empty()) ask.exclusive = FirstOf(kube::kExclusiveTopologyAnnotation, owner, pod_template);
  if (ask.exclusive.empty()) ask.exclusive = std::string(ValueOf(around, kube::kExclusiveTopologyAnnotation));
  const bool says_scope = !FirstOf(kExclusiveScopeAnnotation, owner, pod_template).empty();
  if (!says_scope) ask.scope = ReadTopology(around, {}).scope;
  return ask;
}

}  // namespace cadre::groups
