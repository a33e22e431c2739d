// Deletion: marks, grace periods, finalizers.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube/pod.h"
#include "sim/json_util.h"
#include "sim/verbs.h"
#include "sim/verbs_internal.h"

namespace cadre::sim {

using drive::Outcome;
using drive::Propagation;

namespace {

constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
constexpr std::string_view kOrphanFinalizer = "orphan";

// The propagation policy is a finalizer that the garbage collector acts on and takes off; Background takes it
// off here.
void SetPropagation(json::object& draft, Propagation propagation) {
  json::object& metadata = MakeObject(draft, "metadata");
  const json::array* old = ArrayOf(metadata, "finalizers");
  json::array finalizers = old == nullptr ? json::array() : *old;
  const std::string_view wanted = propagation == Propagation::kForeground ? kForegroundFinalizer
                                  : propagation == Propagation::kOrphan   ? kOrphanFinalizer
                                                                          : std::string_view();
  for (const std::string_view policy : {kForegroundFinalizer, kOrphanFinalizer}) {
    const auto found = std::ranges::find(finalizers, json::value(policy));
    if (policy == wanted) {
      if (found == finalizers.end()) finalizers.emplace_back(policy);
    } else if (found != finalizers.end()) {
      finalizers.erase(found);
    }
  }
  if (finalizers.empty()) {
    metadata.erase("finalizers");
  } else {
    metadata["finalizers"] = std::move(finalizers);
  }
}

// Source: the pod strategy of the API server: what never ran, or has ended, needs no time to end.
std::int64_t PodGrace(const kube::Pod& pod, const drive::Delete& del) {
  if (pod.spec.node_name.empty() || kube::IsTerminal(pod)) return 0;
  const std::int64_t grace = del.grace_period_seconds.value_or(pod.spec.termination_grace_period_seconds);
  return grace < 0 ? 1 : grace;
}

void MarkDeleted(kube::Kind kind, json::object& draft, Time end, std::int64_t grace) {
  json::object& metadata = MakeObject(draft, "metadata");
  if (FieldOf(metadata, "deletionTimestamp") == nullptr) verbs::BumpGeneration(kind, draft);
  metadata["deletionTimestamp"] = FormatRfc3339(end);
  metadata["deletionGracePeriodSeconds"] = grace;
}

}  // namespace

std::optional<std::string> Verbs::FailedDeletePrecondition(const kube::Object& object,
                                                           const drive::Effect& effect) {
  const kube::ObjectMeta& meta = object.Meta();
  std::string why;
  if (!effect.uid.empty() && effect.uid != meta.uid) {
    why = fmt::format(
        "the UID in the precondition ({}) does not match the UID in record ({}). The object might have been "
        "deleted "
        "and then recreated",
        effect.uid, meta.uid);
  } else if (effect.resource_version != 0 && effect.resource_version != meta.resource_version) {
    why = fmt::format(
        "the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record ({}). The "
        "object "
        "might have been modified",
        effect.resource_version, meta.resource_version);
  } else {
    return std::nullopt;
  }
  return verbs::CannotFulfil(verbs::KindName(object.kind), meta.name, why);
}

Verbs::Verdict Verbs::DoDelete(Time now, const drive::Effect& effect, const drive::Delete& del) {
  const auto target = FindTarget(del.target);
  if (!target) return std::unexpected(target.error());
  const kube::Object before = **target;
  if (auto why = FailedDeletePrecondition(before, effect)) {
    return std::unexpected(Refusal{Outcome::kConflict, *std::move(why)});
  }
  return DeleteObject(now, before, del);
}

Verbs::Verdict Verbs::DeleteObject(Time now, const kube::Object& before, const drive::Delete& del) {
  Document draft(before.raw->get_object());
  SetPropagation(*draft, del.propagation);
  if (before.kind == kube::Kind::kPod) {
    const std::int64_t grace = PodGrace(before.As<kube::Pod>(), del);
    if (grace > 0) return DeleteGracefully(now, before, std::move(draft), grace);
  }
  return DeleteNow(now, before, std::move(draft));
}

// A bound pod: the kubelet ends it and then deletes it with grace 0. Asking again can only shorten the time.
Verbs::Verdict Verbs::DeleteGracefully(Time now, const kube::Object& before, Document draft,
                                       std::int64_t grace) {
  Time start = now;
  if (const std::optional<Time>& ends = before.Meta().deletion_timestamp) {
    const std::int64_t old_grace = IntOf(draft->at("metadata").get_object(), "deletionGracePeriodSeconds", 0);
    if (grace >= old_grace) return Done{before, before, before};
    start = *ends - std::chrono::seconds(old_grace);
  }
  MarkDeleted(before.kind, *draft, start + std::chrono::seconds(grace), grace);
  auto after = Save(now, before.kind, std::move(draft));
  if (!after) return std::unexpected(std::move(after.error()));
  return Done{before, *after, *after};
}

// Pods show that they are being deleted in a revision of its own before they go; other kinds just go. With
// finalizers everything stays until the last of them is taken off.
Verbs::Verdict Verbs::DeleteNow(Time now, const kube::Object& before, Document draft) {
  const bool waits = verbs::HasFinalizers(*draft);
  const bool is_pod = before.kind == kube::Kind::kPod;
  kube::Object last = before;
  if (waits || is_pod) {
    const bool had_grace = IntOf(draft->at("metadata").get_object(), "deletionGracePeriodSeconds", 0) > 0;
    if (!before.Meta().deletion_timestamp || had_grace) MarkDeleted(before.kind, *draft, now, 0);
    if (draft->at("metadata") != before.raw->get_object().at("metadata")) {
      auto marked = Save(now, before.kind, std::move(draft));
      if (!marked) return std::unexpected(std::move(marked.error()));
      last = *std::move(marked);
    }
    if (waits) return Done{before, last, last};
  }
  kube::Object gone = store_.Remove(now, last);
  return Done{before, std::nullopt, std::move(gone)};
}

}  // namespace cadre::sim
