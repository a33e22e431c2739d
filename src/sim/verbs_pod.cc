// The subresources of pods: binding and eviction.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube/pod.h"
#include "sim/json_util.h"
#include "sim/verbs.h"
#include "sim/verbs_internal.h"

namespace cadre::sim {

using drive::Outcome;

namespace {

std::string StorageConflict(const kube::Object& pod, std::string_view what, std::string_view asked,
                            std::string_view is) {
  const kube::ObjectMeta& meta = pod.Meta();
  return verbs::CannotFulfil(
      "pods", meta.name,
      fmt::format("StorageError: invalid object, Code: 4, Key: /registry/pods/{}/{}, ResourceVersion: 0, "
                  "AdditionalErrorMsg: Precondition failed: {} in precondition: {}, {} in object meta: {}",
                  meta.namespace_, meta.name, what, asked, what, is));
}

// Why the API server would not bind this pod. It asks nothing about the node.
std::optional<std::string> CannotBind(const kube::Object& object, const drive::Effect& effect) {
  const auto& pod = object.As<kube::Pod>();
  const kube::ObjectMeta& meta = pod.metadata;
  if (!effect.uid.empty() && effect.uid != meta.uid)
    return StorageConflict(object, "UID", effect.uid, meta.uid);
  if (effect.resource_version != 0 && effect.resource_version != meta.resource_version) {
    return StorageConflict(object, "ResourceVersion", std::to_string(effect.resource_version),
                           std::to_string(meta.resource_version));
  }
  std::string why;
  if (meta.deletion_timestamp) {
    why = fmt::format("pod {} is being deleted, cannot be assigned to a host", meta.name);
  } else if (!pod.spec.node_name.empty()) {
    why = fmt::format("pod {} is already assigned to node \"{}\"", meta.name, pod.spec.node_name);
  } else if (!pod.spec.scheduling_gates.empty()) {
    why = fmt::format("pod {} has non-empty .spec.schedulingGates", meta.name);
  } else {
    return std::nullopt;
  }
  return verbs::CannotFulfil("pods/binding", meta.name, why);
}

// Takes the place of a condition of the same type, or goes to the end.
void SetCondition(json::object& draft, json::object condition) {
  json::array& conditions = MakeArray(MakeObject(draft, "status"), "conditions");
  const auto same = std::ranges::find_if(conditions, [&](const json::value& old) {
    return old.is_object() && StringOf(old.get_object(), "type") == StringOf(condition, "type");
  });
  if (same == conditions.end()) {
    conditions.emplace_back(std::move(condition));
  } else {
    *same = std::move(condition);
  }
}

}  // namespace

Verbs::Verdict Verbs::DoBind(Time now, const drive::Effect& effect, const drive::Bind& bind) {
  const auto target = FindTarget(bind.pod);
  if (!target) return std::unexpected(target.error());
  const kube::Object before = **target;
  if (auto why = CannotBind(before, effect)) {
    return std::unexpected(Refusal{Outcome::kConflict, *std::move(why)});
  }
  Document draft(before.raw->get_object());
  MakeObject(*draft, "spec")["nodeName"] = bind.node;
  if (!bind.annotations.empty()) {
    json::object& annotations = MakeObject(MakeObject(*draft, "metadata"), "annotations");
    for (const auto& [key, value] : bind.annotations)
      annotations[key] = value;
  }
  SetCondition(*draft, {{"type", "PodScheduled"},
                        {"status", "True"},
                        {"lastProbeTime", nullptr},
                        {"lastTransitionTime", FormatRfc3339(now)}});
  auto after = Save(now, kube::Kind::kPod, std::move(draft));
  if (!after) return std::unexpected(std::move(after.error()));
  return Done{before, *std::move(after), std::nullopt};
}

// The condition is a write of its own, before the deletion. Disruption budgets are not modelled.
Verbs::Verdict Verbs::DoEvict(Time now, const drive::Effect& effect, const drive::Evict& evict) {
  const auto target = FindTarget(evict.pod);
  if (!target) return std::unexpected(target.error());
  const kube::Object before = **target;
  if (auto why = FailedDeletePrecondition(before, effect)) {
    return std::unexpected(Refusal{Outcome::kConflict, *std::move(why)});
  }
  if (before.Meta().deletion_timestamp) return Done{before, before, std::nullopt};
  Document draft(before.raw->get_object());
  SetCondition(*draft, {{"type", "DisruptionTarget"},
                        {"status", "True"},
                        {"lastProbeTime", nullptr},
                        {"lastTransitionTime", FormatRfc3339(now)},
                        {"reason", "EvictionByEvictionAPI"},
                        {"message", "Eviction API: evicting"}});
  auto marked = Save(now, kube::Kind::kPod, std::move(draft));
  if (!marked) return std::unexpected(std::move(marked.error()));
  Verdict deleted = DeleteObject(now, *marked, drive::Delete{evict.pod, drive::Propagation::kBackground, {}});
  if (!deleted) return deleted;
  return Done{before, std::move(deleted->after), std::nullopt};
}

}  // namespace cadre::sim
