#include "kube/validate.h"

#include <algorithm>
#include <array>

#include "kube/decode.h"
#include "kube/leaderworkerset.h"
#include "kube/podgroup.h"
#include "kube/validate_rules.h"

namespace cadre::kube {
namespace {

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLowerAlnum(char c) {
  return IsLower(c) || IsDigit(c);
}
bool IsAlnum(char c) {
  return IsLowerAlnum(c) || (c >= 'A' && c <= 'Z');
}

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && IsLowerAlnum(text.front()) && IsLowerAlnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// The part of a label key after the slash, and label values: starts and ends with a letter or digit.
bool IsLabelPart(std::string_view text) {
  return !text.empty() && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestSubdomain = 253;

std::optional<std::string> TooLong(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::nullopt;
  return fmt::format("is {} characters long, at most {} are allowed: shorten it", text.size(), longest);
}

void ValidateMetadata(const Object& object, Complaints& complaints) {
  const ObjectMeta& meta = object.Meta();
  if (meta.name.empty() && meta.generate_name.empty()) {
    complaints.Add("metadata.name", "is missing: give the object a name, or a generateName");
  } else if (!meta.name.empty()) {
    complaints.AddIf("metadata.name", meta.name, WrongAsDnsSubdomain(meta.name));
  } else {
    complaints.AddIf("metadata.generateName", meta.generate_name,
                     WrongAsDnsSubdomain(meta.generate_name + "x"));
  }
  if (!meta.namespace_.empty()) {
    complaints.AddIf("metadata.namespace", meta.namespace_, WrongAsDnsLabel(meta.namespace_));
  }
  ValidateLabels("metadata.labels", meta.labels, complaints);
  ValidateAnnotationKeys("metadata.annotations", meta.annotations, complaints);
}

void ValidatePod(const Pod& pod, Complaints& complaints) {
  ValidatePodSpec("spec", pod.spec, complaints);
  const std::optional<std::int64_t>& deadline = pod.spec.active_deadline_seconds;
  if (deadline && *deadline < 1) {
    complaints.Add("spec.activeDeadlineSeconds", fmt::format("is {}, must be at least 1", *deadline));
  }
}

void ValidatePodGroup(Kind kind, const PodGroup& group, Complaints& complaints) {
  const bool native = kind == Kind::kPodGroup;
  if (group.min_count && *group.min_count < 1) {
    complaints.Add(native ? "spec.schedulingPolicy.gang.minCount" : "spec.minMember",
                   fmt::format("is {}, must be at least 1", *group.min_count));
  }
  if (!group.topology_key.empty()) {
    complaints.AddIf("spec.schedulingConstraints.topology[0].key", group.topology_key,
                     WrongAsQualifiedName(group.topology_key));
  }
}

// What its webhook and its schema refuse. The leaders' StatefulSet and Service take the set's name.
void ValidateLeaderWorkerSet(const LeaderWorkerSet& set, Complaints& complaints) {
  if (!set.metadata.name.empty())
    complaints.AddIf("metadata.name", set.metadata.name, WrongAsDns1035Label(set.metadata.name));
  ValidateNotNegative("spec.replicas", set.spec.replicas, complaints);
  if (set.spec.size < 1) {
    complaints.Add("spec.leaderWorkerTemplate.size",
                   fmt::format("is {}, must be at least 1: it counts the leader too", set.spec.size));
  }
}

}  // namespace

void Complaints::AddIf(std::string_view field, std::string_view value,
                       const std::optional<std::string>& rule) {
  if (!rule) return;
  const std::string_view hint =
      HasPlaceholder(value) ? " (this looks like a template with placeholders: render it first)" : "";
  Add(field, fmt::format("\"{}\" {}{}", value, *rule, hint));
}

std::optional<std::string> WrongAsDnsSubdomain(std::string_view name) {
  if (!IsDnsSubdomain(name)) {
    return "is not a DNS name: use lower-case letters, digits, '-' and '.', a letter or digit at both ends";
  }
  return TooLong(name, kLongestSubdomain);
}

std::optional<std::string> WrongAsDnsLabel(std::string_view name) {
  if (!IsDnsLabel(name))
    return "is not a DNS label: use lower-case letters, digits and '-', not '-' at an end";
  return TooLong(name, kLongestLabel);
}

std::optional<std::string> WrongAsDns1035Label(std::string_view name) {
  if (!IsDnsLabel(name) || !IsLower(name.front())) {
    return "is not a DNS-1035 label: use lower-case letters, digits and '-', starting with a letter, not "
           "ending in '-'";
  }
  return TooLong(name, kLongestLabel);
}

std::optional<std::string> WrongAsQualifiedName(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    if (!IsDnsSubdomain(prefix) || prefix.size() > kLongestSubdomain)
      return "must have a DNS name before the '/'";
    name.remove_prefix(slash + 1);
  }
  if (!IsLabelPart(name)) {
    return "must be letters, digits, '-', '_' or '.', with a letter or digit at both ends, and at most one "
           "'/'";
  }
  return TooLong(name, kLongestLabel);
}

std::optional<std::string> WrongAsLabelValue(std::string_view value) {
  if (!value.empty() && !IsLabelPart(value)) {
    return "is not a label value: use letters, digits, '-', '_' and '.', with a letter or digit at both ends";
  }
  return TooLong(value, kLongestLabel);
}

std::optional<std::string> WrongAsManagedBy(std::string_view value) {
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos || !IsDnsSubdomain(value.substr(0, slash)) ||
      slash + 1 == value.size()) {
    return "must be a domain and a path, e.g. example.com/controller";
  }
  return TooLong(value, kLongestLabel);
}

void ValidateLabels(const std::string& field, const StringMap& labels, Complaints& complaints) {
  for (const auto& [key, value] : labels) {
    complaints.AddIf(field, key, WrongAsQualifiedName(key));
    complaints.AddIf(fmt::format("{}[{}]", field, key), value, WrongAsLabelValue(value));
  }
}

void ValidateAnnotationKeys(const std::string& field, const StringMap& annotations, Complaints& complaints) {
  for (const auto& [key, value] : annotations) {
    std::string lower = key;  // annotations alone may have capitals before the slash
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    complaints.AddIf(field, key, WrongAsQualifiedName(lower));
  }
}

void ValidateNotNegative(const std::string& field, std::optional<std::int64_t> value,
                         Complaints& complaints) {
  if (value && *value < 0) complaints.Add(field, fmt::format("is {}, must not be negative", *value));
}

std::vector<std::string> Validate(const Object& object) {
  Complaints complaints(Describe(object));
  ValidateMetadata(object, complaints);
  switch (object.kind) {
    case Kind::kPod:
      ValidatePod(object.As<Pod>(), complaints);
      break;
    case Kind::kJob:
      ValidateJob(object.As<Job>(), complaints);
      break;
    case Kind::kJobSet:
      ValidateJobSet(object.As<JobSet>(), complaints);
      break;
    case Kind::kPodGroup:
    case Kind::kSchedulerPluginsPodGroup:
      ValidatePodGroup(object.kind, object.As<PodGroup>(), complaints);
      break;
    case Kind::kLeaderWorkerSet:
      ValidateLeaderWorkerSet(object.As<LeaderWorkerSet>(), complaints);
      break;
    default:  // only the metadata of other kinds can be wrong in a way that matters here
      break;
  }
  return complaints.Take();
}

}  // namespace cadre::kube
