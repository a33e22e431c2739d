// Creation, and loading of a dump.
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/validate.h"
#include "sim/json_util.h"
#include "sim/verbs.h"
#include "sim/verbs_internal.h"

namespace cadre::sim {

using drive::Outcome;

namespace {

constexpr std::string_view kDefaultNamespace = "default";
constexpr int kNameTries = 8;  // the API server's own bound

}  // namespace

Verbs::Verdict Verbs::DoCreate(Time now, const drive::Create& create) {
  const kube::KindInfo& info = kube::Info(create.kind);
  Document document(create.body);
  json::object& body = *document;
  body["apiVersion"] = kube::ApiVersion(create.kind);
  body["kind"] = info.name;
  json::object& metadata = MakeObject(body, "metadata");
  std::string namespace_ = info.namespaced ? create.namespace_ : "";
  if (info.namespaced && namespace_.empty()) namespace_ = StringOf(metadata, "namespace");
  if (info.namespaced && namespace_.empty()) namespace_ = kDefaultNamespace;
  if (!Name(create.kind, namespace_, metadata)) {
    return std::unexpected(
        Refusal{Outcome::kRejected,
                fmt::format("{} is invalid: metadata.name: Required value: name or generateName is "
                            "required",
                            verbs::KindName(create.kind))});
  }
  const std::string name(StringOf(metadata, "name"));
  if (const kube::Object* existing = store_.Find(create.kind, Store::Key(namespace_, name))) {
    if (create.kind == kube::Kind::kNamespace) return CreateMadeNamespace(now, *existing, body);
    return std::unexpected(Refusal{
        Outcome::kConflict, fmt::format("{} \"{}\" already exists", verbs::ResourceName(create.kind), name)});
  }
  if (info.namespaced) metadata["namespace"] = namespace_;
  for (const std::string_view field : {"deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"}) {
    metadata.erase(field);
  }
  metadata["uid"] = identities_.NextUid();
  metadata["creationTimestamp"] = FormatRfc3339(now);
  if (verbs::HasGeneration(create.kind)) metadata["generation"] = 1;
  return CreateAdmitted(now, create.kind, namespace_, std::move(document));
}

Verbs::Verdict Verbs::CreateAdmitted(Time now, kube::Kind kind, std::string_view namespace_, Document body) {
  const std::string name(StringOf(body->at("metadata").get_object(), "name"));
  if (const Result<void> admitted = admission_.AdmitCreate(now, kind, *body); !admitted) {
    return std::unexpected(Refusal{Outcome::kRejected, admitted.error().message});
  }
  const bool needs_namespace =
      !namespace_.empty() && store_.Find(kube::Kind::kNamespace, std::string(namespace_)) == nullptr;
  Document copy = needs_namespace ? Document(*body) : Document();
  const Result<kube::Object> draft = store_.Draft(kind, std::move(body));
  if (!draft) return std::unexpected(Refusal{Outcome::kRejected, draft.error().message});
  const std::vector<std::string> complaints = kube::Validate(*draft);
  if (!complaints.empty()) {
    return std::unexpected(Refusal{Outcome::kRejected, verbs::Invalid(kind, name, complaints)});
  }
  if (needs_namespace) {
    MakeNamespace(now, namespace_);
    auto object = Save(now, kind, std::move(copy));  // the namespace took the draft's revision
    if (!object) return std::unexpected(std::move(object.error()));
    return Done{std::nullopt, *object, *object};
  }
  store_.Commit(now, *draft);
  return Done{std::nullopt, *draft, *draft};
}

// False when there is neither a name nor a generateName.
bool Verbs::Name(kube::Kind kind, std::string_view namespace_, json::object& metadata) {
  if (!StringOf(metadata, "name").empty()) return true;
  const std::string base(StringOf(metadata, "generateName"));
  if (base.empty()) return false;
  for (int i = 0; i < kNameTries; ++i) {
    metadata["name"] = identities_.NextName(base);
    if (store_.Find(kind, Store::Key(namespace_, StringOf(metadata, "name"))) == nullptr) break;
  }
  return true;
}

// True when it had to be made.
bool Verbs::MakeNamespace(Time now, std::string_view name) {
  if (store_.Find(kube::Kind::kNamespace, std::string(name)) != nullptr) return false;
  const json::object body{{"apiVersion", "v1"},
                          {"kind", "Namespace"},
                          {"metadata",
                           {{"name", name},
                            {"uid", identities_.NextUid()},
                            {"creationTimestamp", FormatRfc3339(now)},
                            {"labels", {{"kubernetes.io/metadata.name", name}}}}}};
  const auto made = Save(now, kube::Kind::kNamespace, Document(body));
  if (!made) return false;
  made_namespaces_.emplace(name);
  return true;
}

// A namespace that only appeared because something was created in it may still be created by a manifest,
// once.
Verbs::Verdict Verbs::CreateMadeNamespace(Time now, const kube::Object& existing, const json::object& body) {
  // A copy: the store replaces what `existing` refers to.
  const kube::Object before = existing;  // NOLINT(performance-unnecessary-copy-initialization)
  const auto made = made_namespaces_.find(before.Meta().name);
  if (made == made_namespaces_.end()) {
    return std::unexpected(
        Refusal{Outcome::kConflict, fmt::format("namespaces \"{}\" already exists", before.Meta().name)});
  }
  made_namespaces_.erase(made);
  Document draft(before.raw->get_object());
  const json::object& metadata = body.at("metadata").get_object();
  for (const std::string_view field : {"labels", "annotations"}) {
    if (const json::value* value = FieldOf(metadata, field))
      MergePatch(MakeObject(*draft, "metadata")[field], *value);
  }
  auto after = Save(now, kube::Kind::kNamespace, std::move(draft));
  if (!after) return std::unexpected(std::move(after.error()));
  return Done{before, *after, *after};
}

Result<void> Verbs::Load(Time now, const kube::Object& object) {
  const kube::KindInfo& info = kube::Info(object.kind);
  CADRE_ASSERT(object.raw != nullptr && object.raw->is_object(),
               "only objects with their JSON can be loaded");
  Document document(object.raw->get_object());
  json::object& body = *document;
  body["apiVersion"] = kube::ApiVersion(object.kind);
  body["kind"] = info.name;
  json::object& metadata = MakeObject(body, "metadata");
  std::string namespace_(info.namespaced ? std::string_view(object.Meta().namespace_) : std::string_view());
  if (info.namespaced && namespace_.empty()) namespace_ = kDefaultNamespace;
  if (info.namespaced) metadata["namespace"] = namespace_;
  if (object.Meta().name.empty()) {
    return std::unexpected(Error{fmt::format("{}: metadata.name is missing", kube::Describe(object))});
  }
  if (store_.Find(object.kind, Store::Key(namespace_, object.Meta().name)) != nullptr) {
    return std::unexpected(
        Error{fmt::format("{} is there already: it was given twice", kube::Describe(object))});
  }
  if (object.Meta().uid.empty()) metadata["uid"] = identities_.NextUid();
  if (!object.Meta().creation_timestamp) metadata["creationTimestamp"] = FormatRfc3339(now);
  if (verbs::HasGeneration(object.kind) && object.Meta().generation == 0) metadata["generation"] = 1;
  if (!namespace_.empty()) MakeNamespace(now, namespace_);
  const auto loaded = Save(now, object.kind, std::move(document));
  if (!loaded) return std::unexpected(Error{loaded.error().message});
  return {};
}

}  // namespace cadre::sim
