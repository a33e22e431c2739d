#include "jobset/suspend.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "jobset/status.h"

namespace cadre::jobset {
namespace {

// Labels that the API server puts on every Job's template and never lets go.
constexpr std::array<std::string_view, 4> kOwnLabels = {"controller-uid", "job-name",
                                                        kube::kControllerUidLabel, kube::kJobNameLabel};

const json::object& ObjectAt(const json::value& root, std::initializer_list<std::string_view> path) {
  static const json::object kEmpty;
  const json::value* found = Find(root, path);
  return found != nullptr && found->is_object() ? found->get_object() : kEmpty;
}

// The merge patch that makes `now` equal `wanted`, own labels apart.
json::object ReplaceMap(const json::object& now, const json::object& wanted) {
  json::object patch;
  for (const auto& [key, value] : wanted) {
    const json::value* current = now.if_contains(key);
    if (current == nullptr || *current != value) {
      patch[key] = value;
    }
  }
  for (const auto& [key, value] : now) {
    if (!wanted.contains(key) && std::ranges::find(kOwnLabels, std::string_view(key)) == kOwnLabels.end()) {
      patch[key] = nullptr;
    }
  }
  return patch;
}

void Put(json::object& to, std::string_view key, json::object patch) {
  if (!patch.empty()) {
    to[key] = std::move(patch);
  }
}

// Lists are replaced whole by a merge patch.
void ReplaceList(const json::object& now, const json::object& wanted, std::string_view key,
                 json::object& to) {
  const json::value* old_list = now.if_contains(key);
  const json::value* new_list = wanted.if_contains(key);
  const auto is_empty = [](const json::value* list) {
    return list == nullptr || list->is_null() || (list->is_array() && list->get_array().empty());
  };
  if (is_empty(old_list) && is_empty(new_list)) {
    return;
  }
  if (is_empty(old_list) || is_empty(new_list) || *old_list != *new_list) {
    to[key] = is_empty(new_list) ? json::value(nullptr) : *new_list;
  }
}

json::object TemplatePatch(const json::value& now, const json::value& wanted) {
  json::object metadata;
  for (const std::string_view key : {"labels", "annotations"}) {
    Put(metadata, key, ReplaceMap(ObjectAt(now, {"metadata", key}), ObjectAt(wanted, {"metadata", key})));
  }
  const json::object& spec_now = ObjectAt(now, {"spec"});
  const json::object& spec_wanted = ObjectAt(wanted, {"spec"});
  json::object spec;
  Put(spec, "nodeSelector",
      ReplaceMap(ObjectAt(now, {"spec", "nodeSelector"}), ObjectAt(wanted, {"spec", "nodeSelector"})));
  ReplaceList(spec_now, spec_wanted, "tolerations", spec);
  ReplaceList(spec_now, spec_wanted, "schedulingGates", spec);
  json::object patch;
  Put(patch, "metadata", std::move(metadata));
  Put(patch, "spec", std::move(spec));
  return patch;
}

}  // namespace

json::object SuspendPatch() {
  return {{"spec", {{"suspend", true}}}};
}

std::optional<Resumption> PlanResumption(const Child& child, const json::object& wanted) {
  const kube::JobStatus& status = child.job->status;
  const json::value* now = Find(*child.object.raw, {"spec", "template"});
  const json::value wanted_body = wanted;
  const json::value* wanted_template = Find(wanted_body, {"spec", "template"});
  json::object changes =
      now == nullptr || wanted_template == nullptr ? json::object() : TemplatePatch(*now, *wanted_template);
  const bool ended = kube::FindTrue(status.conditions, kSuspendedCondition) != nullptr && status.active == 0;
  if (!changes.empty() && status.start_time && !ended) {
    return std::nullopt;
  }
  Resumption resumption{.clear_start_time = status.start_time && !changes.empty(), .patch = {}};
  json::object spec{{"suspend", false}};
  Put(spec, "template", std::move(changes));
  resumption.patch["spec"] = std::move(spec);
  return resumption;
}

}  // namespace cadre::jobset
