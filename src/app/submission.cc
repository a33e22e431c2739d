#include "app/submission.h"

#include <array>

#include "base/check.h"

namespace cadre::app {

namespace {

constexpr auto kServerFields = std::to_array<std::string_view>(
    {"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
     "deletionGracePeriodSeconds", "selfLink", "managedFields", "ownerReferences", "finalizers"});

// Labels by which a Job's selector finds its pods; the API server makes new ones.
constexpr auto kIdentityLabels = std::to_array<std::string_view>(
    {"controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"});

json::object* ObjectIn(json::object& parent, std::string_view key) {
  json::value* value = parent.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

void EraseLabels(json::object& object) {
  json::object* metadata = ObjectIn(object, "metadata");
  json::object* labels = metadata == nullptr ? nullptr : ObjectIn(*metadata, "labels");
  if (labels == nullptr) return;
  for (const std::string_view label : kIdentityLabels)
    labels->erase(label);
}

void ForgetJobIdentity(json::object& job) {
  json::object* spec = ObjectIn(job, "spec");
  if (spec == nullptr) return;
  const json::value* manual = spec->if_contains("manualSelector");
  if (manual != nullptr && manual->is_bool() && manual->get_bool()) return;
  spec->erase("selector");
  EraseLabels(job);
  if (json::object* pod_template = ObjectIn(*spec, "template")) EraseLabels(*pod_template);
}

}  // namespace

json::object AsNewObject(const kube::Object& object) {
  CADRE_ASSERT(object.raw != nullptr && object.raw->is_object(), "an object without its JSON");
  json::object body = object.raw->get_object();
  // A Node brings its own status: that is what its kubelet would write.
  if (object.kind != kube::Kind::kNode) body.erase("status");
  if (json::object* metadata = ObjectIn(body, "metadata")) {
    for (const std::string_view field : kServerFields)
      metadata->erase(field);
  }
  if (object.kind == kube::Kind::kJob) ForgetJobIdentity(body);
  return body;
}

}  // namespace cadre::app
