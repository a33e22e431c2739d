#include "sim/immutable.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/pod.h"
#include "sim/admission.h"
#include "sim/json_util.h"

namespace cadre::sim {

namespace {

using Complaints = std::vector<std::string>;

const json::value& FieldOrNull(const json::object& object, std::string_view key) {
  static const json::value kNull;
  const json::value* value = object.if_contains(key);
  return value == nullptr ? kNull : *value;
}

bool SameField(const json::object& a, const json::object& b, std::string_view key) {
  return FieldOrNull(a, key) == FieldOrNull(b, key);
}

// Gives `object` the value that `other` has under `key`, absence included.
void CopyField(json::object& object, const json::object& other, std::string_view key) {
  if (const json::value* value = other.if_contains(key)) {
    object[key] = *value;
  } else {
    object.erase(key);
  }
}

void Immutable(std::string_view path, Complaints& out) {
  out.push_back(fmt::format("{}: Invalid value: field is immutable", path));
}

// --- Pods ---

bool OnlyAddsKeys(const json::object& before, const json::object& after, std::string_view key) {
  const json::object* old = ObjectOf(before, key);
  if (old == nullptr) return true;
  const json::object* now = ObjectOf(after, key);
  return now != nullptr && std::ranges::all_of(*old, [&](const json::key_value_pair& entry) {
           const json::value* value = now->if_contains(entry.key());
           return value != nullptr && *value == entry.value();
         });
}

bool KeepsElements(const json::array& before, const json::array& after) {
  return std::ranges::all_of(
      before, [&](const json::value& element) { return std::ranges::find(after, element) != after.end(); });
}

const json::array kNoElements;

const json::array& Elements(const json::object& object, std::string_view key) {
  const json::array* array = ArrayOf(object, key);
  return array == nullptr ? kNoElements : *array;
}

const json::array* NodeTerms(const json::object& spec) {
  const json::object* object = &spec;
  for (const std::string_view key :
       {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"}) {
    object = ObjectOf(*object, key);
    if (object == nullptr) return nullptr;
  }
  return ArrayOf(*object, "nodeSelectorTerms");
}

// While a pod is gated its required node affinity may be set, or narrowed term by term.
bool NarrowsNodeAffinity(const json::object& before, const json::object& after) {
  const json::array* old_terms = NodeTerms(before);
  if (old_terms == nullptr) return true;
  const json::array* new_terms = NodeTerms(after);
  if (new_terms == nullptr || new_terms->size() != old_terms->size()) return false;
  for (std::size_t i = 0; i < old_terms->size(); ++i) {
    const json::object* old_term = (*old_terms)[i].if_object();
    const json::object* new_term = (*new_terms)[i].if_object();
    if (old_term == nullptr || new_term == nullptr) return false;
    for (const std::string_view list : {"matchExpressions", "matchFields"}) {
      if (!KeepsElements(Elements(*old_term, list), Elements(*new_term, list))) return false;
    }
  }
  return true;
}

// Of each container the fields that may change.
void CopyContainerField(json::object& spec, const json::object& other, std::string_view key) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::value* mine = spec.if_contains(list);
    const json::array& theirs = Elements(other, list);
    if (mine == nullptr || !mine->is_array() || mine->get_array().size() != theirs.size()) continue;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      json::object* container = mine->get_array()[i].if_object();
      const json::object* other_container = theirs[i].if_object();
      if (container != nullptr && other_container != nullptr) CopyField(*container, *other_container, key);
    }
  }
}

void CheckGatedPod(const json::object& before, const json::object& after, Complaints& out) {
  if (!OnlyAddsKeys(before, after, "nodeSelector")) {
    out.emplace_back(
        "spec.nodeSelector: Invalid value: only additions to spec.nodeSelector are allowed (no mutations or "
        "deletions)");
  }
  if (!NarrowsNodeAffinity(before, after)) {
    out.emplace_back(
        "spec.affinity.nodeAffinity: Invalid value: while a pod is gated its terms may only be narrowed");
  }
}

void CheckPod(const json::object& before, const json::object& after, Complaints& out) {
  if (!KeepsElements(Elements(after, "schedulingGates"), Elements(before, "schedulingGates"))) {
    out.emplace_back(
        "spec.schedulingGates: Forbidden: only deletion is allowed, but found a new scheduling gate");
  }
  if (!KeepsElements(Elements(before, "tolerations"), Elements(after, "tolerations"))) {
    out.emplace_back(
        "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds");
  }
  json::object rest = after;
  for (const std::string_view key : {"schedulingGates", "tolerations", "activeDeadlineSeconds"}) {
    CopyField(rest, before, key);
  }
  CopyContainerField(rest, before, "image");
  if (!Elements(before, "schedulingGates").empty()) {
    CheckGatedPod(before, after, out);
    CopyField(rest, before, "nodeSelector");
    CopyField(rest, before, "affinity");
  }
  if (rest == before) return;
  out.emplace_back(
      "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`, "
      "`spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions)");
}

// --- Jobs ---

// The scheduling directives of a template, which a suspended Job (and a suspended JobSet's Jobs) may change.
void CopyDirectives(json::object& pod_template, const json::object& other, bool is_job) {
  static const json::object kEmpty;
  const json::object* other_metadata = ObjectOf(other, "metadata");
  const json::object* other_spec = ObjectOf(other, "spec");
  json::object& metadata = MakeObject(pod_template, "metadata");
  for (const std::string_view key : {"labels", "annotations"}) {
    CopyField(metadata, other_metadata == nullptr ? kEmpty : *other_metadata, key);
  }
  json::object& spec = MakeObject(pod_template, "spec");  // only now: inserting it may move `metadata`
  for (const std::string_view key : {"nodeSelector", "tolerations", "schedulingGates"}) {
    CopyField(spec, other_spec == nullptr ? kEmpty : *other_spec, key);
  }
  if (!is_job) return;
  if (other_spec != nullptr) CopyContainerField(spec, *other_spec, "resources");
  // Only the nodeAffinity part of it may change.
  const json::object* affinity = other_spec == nullptr ? nullptr : ObjectOf(*other_spec, "affinity");
  json::object& mine = MakeObject(spec, "affinity");
  CopyField(mine, affinity == nullptr ? kEmpty : *affinity, "nodeAffinity");
  if (mine.empty() && affinity == nullptr) spec.erase("affinity");
}

bool SameTemplate(const json::object& before, const json::object& after, bool directives_may_change,
                  bool is_job) {
  if (SameField(before, after, "template")) return true;
  const json::object* old = ObjectOf(before, "template");
  const json::object* now = ObjectOf(after, "template");
  if (!directives_may_change || old == nullptr || now == nullptr) return false;
  json::object rest = *now;
  json::object base = *old;
  CopyDirectives(rest, *old, is_job);
  CopyDirectives(base, *old, is_job);
  return rest == base;
}

const json::object& TemplateLabels(const json::object& job_spec) {
  static const json::object kEmpty;
  const json::object* object = &job_spec;
  for (const std::string_view key : {"template", "metadata", "labels"}) {
    object = ObjectOf(*object, key);
    if (object == nullptr) return kEmpty;
  }
  return *object;
}

// The labels that the API server put on the template stay.
void CheckOwnLabels(const json::object& before, const json::object& after, Complaints& out) {
  for (const std::string_view label : kOwnJobLabels) {
    const std::string_view old = StringOf(TemplateLabels(before), label);
    if (old.empty() || StringOf(TemplateLabels(after), label) == old) continue;
    out.push_back(fmt::format("spec.template.metadata.labels[{}]: Required value: must be '{}'", label, old));
  }
}

void CheckJob(const kube::Job& job, const json::object& before, const json::object& after, Complaints& out) {
  for (const std::string_view key : {"completionMode", "selector", "managedBy", "podFailurePolicy",
                                     "backoffLimitPerIndex", "successPolicy"}) {
    if (!SameField(before, after, key)) Immutable(fmt::format("spec.{}", key), out);
  }
  const bool tandem = job.spec.indexed && IntOf(after, "completions", -1) == IntOf(after, "parallelism", -2);
  if (!SameField(before, after, "completions") && !tandem) {
    out.emplace_back(
        job.spec.indexed
            ? "spec.completions: Invalid value: can only be modified in tandem with spec.parallelism"
            : "spec.completions: Invalid value: field is immutable");
  }
  // A Job that was started gives its template free once it is suspended and its controller has taken
  // startTime back.
  const bool rests = job.spec.suspend && !job.status.start_time;
  if (!SameTemplate(before, after, rests, true)) Immutable("spec.template", out);
  CheckOwnLabels(before, after, out);
}

// --- JobSets ---

bool IsSuspended(const json::object& spec) {
  const json::value* suspend = FieldOf(spec, "suspend");
  return suspend != nullptr && suspend->is_bool() && suspend->get_bool();
}

// Everything of the replicated Jobs but the directives of their pod templates.
bool SameReplicatedJobs(const json::array& before, const json::array& after, bool directives_may_change) {
  if (before == after) return true;
  if (!directives_may_change || before.size() != after.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const json::object* old = before[i].if_object();
    const json::object* now = after[i].if_object();
    if (old == nullptr || now == nullptr) return false;
    json::object rest = *now;
    json::object& spec = MakeObject(MakeObject(rest, "template"), "spec");
    const json::object* old_template = ObjectOf(*old, "template");
    const json::object* old_spec = old_template == nullptr ? nullptr : ObjectOf(*old_template, "spec");
    if (old_spec == nullptr || !SameTemplate(*old_spec, spec, true, false)) return false;
    CopyField(spec, *old_spec, "template");
    if (rest != *old) return false;
  }
  return true;
}

void CheckJobSet(const json::object& before, const json::object& after, Complaints& out) {
  // CEL transition rules run only where both sides have the field.
  for (const std::string_view key :
       {"network", "successPolicy", "failurePolicy", "startupPolicy", "volumeClaimPolicies"}) {
    if (FieldOf(before, key) != nullptr && FieldOf(after, key) != nullptr && !SameField(before, after, key)) {
      out.push_back(fmt::format("spec.{}: Invalid value: Value is immutable", key));
    }
  }
  if (!SameField(before, after, "managedBy")) Immutable("spec.managedBy", out);
  const bool suspended = IsSuspended(before) || IsSuspended(after);
  if (!SameReplicatedJobs(Elements(before, "replicatedJobs"), Elements(after, "replicatedJobs"), suspended)) {
    Immutable("spec.replicatedJobs", out);
  }
}

// A Job may only be called finished after it was said that it will be.
void CheckJobStatus(const kube::Job& job, Complaints& out) {
  const auto& conditions = job.status.conditions;
  const bool complete = kube::FindTrue(conditions, "Complete") != nullptr;
  const bool failed = kube::FindTrue(conditions, "Failed") != nullptr;
  if (complete && failed)
    out.emplace_back("status.conditions: Invalid value: cannot set both Complete and Failed");
  if (complete && kube::FindTrue(conditions, "SuccessCriteriaMet") == nullptr) {
    out.emplace_back("status.conditions: Invalid value: Complete needs SuccessCriteriaMet before it");
  }
  if (complete && !job.status.completion_time) {
    out.emplace_back("status.completionTime: Required value: completionTime is required for Complete jobs");
  }
  if (failed && kube::FindTrue(conditions, "FailureTarget") == nullptr) {
    out.emplace_back("status.conditions: Invalid value: Failed needs FailureTarget before it");
  }
  if ((complete || failed) && !job.status.start_time) {
    out.emplace_back("status.startTime: Required value: startTime is required for finished jobs");
  }
}

}  // namespace

std::vector<std::string> ForbiddenStatus(const kube::Object& after) {
  Complaints out;
  if (after.kind == kube::Kind::kJob) CheckJobStatus(after.As<kube::Job>(), out);
  return out;
}

std::vector<std::string> ForbiddenChanges(const kube::Object& before, const json::object& after) {
  Complaints out;
  const json::object& old = before.raw->get_object();
  static const json::object kEmpty;
  const json::object* old_spec = ObjectOf(old, "spec");
  const json::object* new_spec = ObjectOf(after, "spec");
  if (old_spec == nullptr) old_spec = &kEmpty;
  if (new_spec == nullptr) new_spec = &kEmpty;
  if (*old_spec == *new_spec && before.kind != kube::Kind::kPriorityClass) return out;
  switch (before.kind) {
    case kube::Kind::kPod:
      CheckPod(*old_spec, *new_spec, out);
      break;
    case kube::Kind::kJob:
      CheckJob(before.As<kube::Job>(), *old_spec, *new_spec, out);
      break;
    case kube::Kind::kJobSet:
      CheckJobSet(*old_spec, *new_spec, out);
      break;
    case kube::Kind::kPodGroup:
      Immutable("spec", out);
      break;
    case kube::Kind::kPriorityClass:
      if (!SameField(old, after, "value")) Immutable("value", out);
      break;
    default:
      break;
  }
  return out;
}

}  // namespace cadre::sim
