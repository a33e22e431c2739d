#include "sim/verbs.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "kube/decode.h"
#include "kube/pod.h"
#include "kube/validate.h"
#include "sim/immutable.h"
#include "sim/json_util.h"
#include "sim/verbs_internal.h"

namespace cadre::sim {

using drive::Outcome;

namespace verbs {

std::string ResourceName(kube::Kind kind) {
  const kube::KindInfo& info = kube::Info(kind);
  if (info.group.empty()) return std::string(info.plural);
  return fmt::format("{}.{}", info.plural, info.group);
}

std::string KindName(kube::Kind kind) {
  const kube::KindInfo& info = kube::Info(kind);
  if (info.group.empty()) return std::string(info.name);
  return fmt::format("{}.{}", info.name, info.group);
}

std::string CannotFulfil(std::string_view resource, std::string_view name, std::string_view why) {
  return fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource, name, why);
}

std::string Invalid(kube::Kind kind, std::string_view name, const std::vector<std::string>& complaints) {
  return complaints.size() == 1
             ? fmt::format("{} \"{}\" is invalid: {}", KindName(kind), name, complaints.front())
             : fmt::format("{} \"{}\" is invalid: [{}]", KindName(kind), name, fmt::join(complaints, ", "));
}

bool HasFinalizers(const json::object& body) {
  const json::object* metadata = ObjectOf(body, "metadata");
  const json::array* finalizers = metadata == nullptr ? nullptr : ArrayOf(*metadata, "finalizers");
  return finalizers != nullptr && !finalizers->empty();
}

void BumpGeneration(kube::Kind kind, json::object& draft) {
  json::object& metadata = MakeObject(draft, "metadata");
  if (HasGeneration(kind)) metadata["generation"] = IntOf(metadata, "generation", 0) + 1;
}

bool HasGeneration(kube::Kind kind) {
  switch (kind) {
    case kube::Kind::kPod:
    case kube::Kind::kJob:
    case kube::Kind::kJobSet:
    case kube::Kind::kPodGroup:
    case kube::Kind::kSchedulerPluginsPodGroup:
    case kube::Kind::kLeaderWorkerSet:
    case kube::Kind::kPriorityClass:
      return true;
    default:
      return false;
  }
}

}  // namespace verbs

namespace {

using verbs::CannotFulfil;
using verbs::ResourceName;

// What only the API server writes in metadata; a patch of them is ignored.
constexpr std::array<std::string_view, 9> kServerFields = {"name",
                                                           "namespace",
                                                           "uid",
                                                           "generation",
                                                           "creationTimestamp",
                                                           "deletionTimestamp",
                                                           "deletionGracePeriodSeconds",
                                                           "resourceVersion",
                                                           "managedFields"};

void RestoreServerFields(json::object& draft, const json::object& before) {
  json::object& metadata = MakeObject(draft, "metadata");
  const json::object& old = before.at("metadata").get_object();
  for (const std::string_view field : kServerFields) {
    if (const json::value* value = old.if_contains(field)) {
      metadata[field] = *value;
    } else {
      metadata.erase(field);
    }
  }
}

std::string StaleVersion(const kube::Object& object) {
  return CannotFulfil(
      ResourceName(object.kind), object.Meta().name,
      "the object has been modified; please apply your changes to the latest version and try again");
}

// One field of a merge patch.
void PatchField(json::object& draft, const json::key_value_pair& field) {
  if (field.value().is_null()) {
    draft.erase(field.key());
  } else {
    MergePatch(draft[field.key()], field.value());
  }
}

// Items of `conditions` are merged by their type: what a strategic merge patch does to every condition list
// of built-in kinds. Other lists of a status are replaced whole here; nobody patches those so.
void MergeConditions(json::object& status, const json::array& patch) {
  json::array& conditions = MakeArray(status, "conditions");
  for (const json::value& item : patch) {
    if (!item.is_object()) continue;
    const std::string_view type = StringOf(item.get_object(), "type");
    const auto same = std::ranges::find_if(conditions, [&](const json::value& old) {
      return old.is_object() && StringOf(old.get_object(), "type") == type;
    });
    json::value& target = same == conditions.end() ? conditions.emplace_back(json::object{}) : *same;
    MergePatch(target, item);
  }
}

void PatchStrategically(json::object& draft, const json::object& patch) {
  json::object& status = MakeObject(draft, "status");
  for (const json::key_value_pair& field : patch) {
    if (field.key() == "conditions" && field.value().is_array()) {
      MergeConditions(status, field.value().get_array());
    } else {
      PatchField(status, field);
    }
  }
}

// The API server knows the merge keys of its own types alone.
bool IsBuiltIn(kube::Kind kind) {
  return !kube::Info(kind).group.ends_with(".x-k8s.io");
}

// The uid and resourceVersion inside a patch are preconditions, like the effect's own.
std::optional<std::string> FailedPrecondition(const kube::Object& object, const drive::Effect& effect,
                                              const json::object& merge) {
  const kube::ObjectMeta& meta = object.Meta();
  const json::object* metadata = ObjectOf(merge, "metadata");
  const std::string_view uid_in_patch = metadata == nullptr ? std::string_view() : StringOf(*metadata, "uid");
  const std::string_view version_in_patch =
      metadata == nullptr ? std::string_view() : StringOf(*metadata, "resourceVersion");
  for (const std::string_view uid : {std::string_view(effect.uid), uid_in_patch}) {
    if (!uid.empty() && uid != meta.uid) {
      return CannotFulfil(
          ResourceName(object.kind), meta.name,
          fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, meta.uid));
    }
  }
  const bool stale = effect.resource_version != 0 && effect.resource_version != meta.resource_version;
  if (stale || (!version_in_patch.empty() && version_in_patch != std::to_string(meta.resource_version))) {
    return StaleVersion(object);
  }
  return std::nullopt;
}

std::optional<std::string> NewFinalizer(const kube::ObjectMeta& before, const json::object& draft) {
  const json::array* finalizers = ArrayOf(draft.at("metadata").get_object(), "finalizers");
  if (finalizers == nullptr) return std::nullopt;
  for (const json::value& finalizer : *finalizers) {
    const json::string* text = finalizer.if_string();
    if (text != nullptr &&
        std::ranges::find(before.finalizers, std::string_view(*text)) == before.finalizers.end()) {
      return fmt::format(
          "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
          "found new "
          "finalizers [{}]",
          std::string_view(*text));
    }
  }
  return std::nullopt;
}

bool SameField(const json::object& before, const json::object& after, std::string_view key) {
  const json::value* a = before.if_contains(key);
  const json::value* b = after.if_contains(key);
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

// Whether a patch changed nothing. Only the fields that it names are compared.
bool SameWhere(const json::object& patch, const json::object& before, const json::object& after) {
  return std::ranges::all_of(
      patch, [&](const json::key_value_pair& field) { return SameField(before, after, field.key()); });
}

}  // namespace

drive::WriteResult Verbs::Apply(Time now, std::string_view user, const drive::Effect& effect) {
  Verdict verdict = Run(now, effect);
  if (!verdict)
    return {verdict.error().outcome, std::move(verdict.error().message), Duration{0}, std::nullopt};
  const WriteRecord record{now, user, effect, verdict->before ? &*verdict->before : nullptr,
                           verdict->after ? &*verdict->after : nullptr};
  for (const Observer& observer : observers_)
    observer(record);
  return {Outcome::kDone, "", Duration{0}, std::move(verdict->answer)};
}

Verbs::Verdict Verbs::Run(Time now, const drive::Effect& effect) {
  if (const auto* bind = std::get_if<drive::Bind>(&effect.what)) return DoBind(now, effect, *bind);
  if (const auto* create = std::get_if<drive::Create>(&effect.what)) return DoCreate(now, *create);
  if (const auto* patch = std::get_if<drive::Patch>(&effect.what)) return DoPatch(now, effect, *patch);
  if (const auto* patch = std::get_if<drive::PatchStatus>(&effect.what))
    return DoPatchStatus(now, effect, *patch);
  if (const auto* del = std::get_if<drive::Delete>(&effect.what)) return DoDelete(now, effect, *del);
  const auto* evict = std::get_if<drive::Evict>(&effect.what);
  CADRE_ASSERT(evict != nullptr, "notes are not writes of the store");
  return DoEvict(now, effect, *evict);
}

std::expected<const kube::Object*, Verbs::Refusal> Verbs::FindTarget(const drive::Target& target) const {
  const kube::Object* found = store_.Find(target.kind, Store::Key(target.namespace_, target.name));
  if (found != nullptr) return found;
  return std::unexpected(
      Refusal{Outcome::kGone, fmt::format("{} \"{}\" not found", ResourceName(target.kind), target.name)});
}

std::expected<kube::Object, Verbs::Refusal> Verbs::Save(Time now, kube::Kind kind, Document draft) {
  Result<kube::Object> object = store_.Draft(kind, std::move(draft));
  if (!object) return std::unexpected(Refusal{Outcome::kRejected, object.error().message});
  store_.Commit(now, *object);
  return *std::move(object);
}

Verbs::Verdict Verbs::DoPatch(Time now, const drive::Effect& effect, const drive::Patch& patch) {
  const auto target = FindTarget(patch.target);
  if (!target) return std::unexpected(target.error());
  const kube::Object before = **target;
  if (auto why = FailedPrecondition(before, effect, patch.merge)) {
    return std::unexpected(Refusal{Outcome::kConflict, *std::move(why)});
  }
  const json::object& old = before.raw->get_object();
  Document draft(old);
  for (const json::key_value_pair& field : patch.merge) {
    if (field.key() != "status" && field.key() != "kind" && field.key() != "apiVersion")
      PatchField(*draft, field);
  }
  RestoreServerFields(*draft, old);
  if (SameWhere(patch.merge, old, *draft)) return Done{before, before, before};
  std::vector<std::string> complaints = ForbiddenChanges(before, *draft);
  if (before.Meta().deletion_timestamp) {
    if (auto added = NewFinalizer(before.Meta(), *draft)) complaints.push_back(*std::move(added));
  }
  if (!complaints.empty()) {
    return std::unexpected(
        Refusal{Outcome::kRejected, verbs::Invalid(before.kind, before.Meta().name, complaints)});
  }
  return Update(now, before, std::move(draft));
}

// Ends the object instead when it was only waiting for its last finalizer.
Verbs::Verdict Verbs::Update(Time now, const kube::Object& before, Document draft) {
  const json::object& old = before.raw->get_object();
  const bool spec_changed = !SameField(old, *draft, "spec");
  if (spec_changed) verbs::BumpGeneration(before.kind, *draft);
  const bool grace_over = IntOf(old.at("metadata").get_object(), "deletionGracePeriodSeconds", 0) == 0;
  if (before.Meta().deletion_timestamp && grace_over && !verbs::HasFinalizers(*draft)) {
    Result<kube::Object> answer = kube::Decode(before.kind, std::move(draft).Freeze());
    if (!answer) return std::unexpected(Refusal{Outcome::kRejected, answer.error().message});
    store_.Remove(now, before);
    return Done{before, std::nullopt, *std::move(answer)};
  }
  Result<kube::Object> after = store_.Draft(before.kind, std::move(draft));
  if (!after) return std::unexpected(Refusal{Outcome::kRejected, after.error().message});
  if (spec_changed) {
    const std::vector<std::string> complaints = kube::Validate(*after);
    if (!complaints.empty()) {
      return std::unexpected(
          Refusal{Outcome::kRejected, verbs::Invalid(before.kind, before.Meta().name, complaints)});
    }
  }
  store_.Commit(now, *after);
  return Done{before, *after, *after};
}

Verbs::Verdict Verbs::DoPatchStatus(Time now, const drive::Effect& effect, const drive::PatchStatus& patch) {
  const auto target = FindTarget(patch.target);
  if (!target) return std::unexpected(target.error());
  const kube::Object before = **target;
  if (auto why = FailedPrecondition(before, effect, patch.merge)) {
    return std::unexpected(Refusal{Outcome::kConflict, *std::move(why)});
  }
  if (patch.strategic && !IsBuiltIn(before.kind)) {
    return std::unexpected(Refusal{Outcome::kRejected,
                                   "the body of the request was in an unknown format - accepted media types "
                                   "include: application/json-patch+json, application/merge-patch+json"});
  }
  Document draft(before.raw->get_object());
  if (const auto status = patch.merge.find("status"); status != patch.merge.end()) {
    if (patch.strategic && status->value().is_object()) {
      PatchStrategically(*draft, status->value().get_object());
    } else {
      PatchField(*draft, *status);
    }
  }
  if (SameField(before.raw->get_object(), *draft, "status")) return Done{before, before, before};
  const Result<kube::Object> after = store_.Draft(before.kind, std::move(draft));
  if (!after) return std::unexpected(Refusal{Outcome::kRejected, after.error().message});
  const std::vector<std::string> complaints = ForbiddenStatus(*after);
  if (!complaints.empty()) {
    return std::unexpected(
        Refusal{Outcome::kRejected, verbs::Invalid(before.kind, before.Meta().name, complaints)});
  }
  store_.Commit(now, *after);
  return Done{before, *after, *after};
}

}  // namespace cadre::sim
