#include "sim/admission.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "kube/defaults.h"
#include "kube/job.h"
#include "kube/volume.h"
#include "sim/json_util.h"

namespace cadre::sim {

namespace {

constexpr std::array<std::pair<std::string_view, std::int32_t>, 2> kSystemClasses = {{
    {"system-cluster-critical", 2'000'000'000},
    {"system-node-critical", 2'000'001'000},
}};

json::object* SpecOf(json::object& body) {
  json::value* spec = body.if_contains("spec");
  return spec == nullptr ? nullptr : spec->if_object();
}

bool IsManualSelector(const json::object& spec) {
  const json::value* manual = FieldOf(spec, "manualSelector");
  return manual != nullptr && manual->is_bool() && manual->get_bool();
}

Result<void> AdmitJob(json::object& job) {
  json::object* spec = SpecOf(job);
  if (spec == nullptr || IsManualSelector(*spec)) return {};
  const json::object& metadata = job.at("metadata").as_object();
  if (FieldOf(*spec, "selector") != nullptr) {
    return std::unexpected(
        Error{fmt::format("Job.batch \"{}\" is invalid: spec.selector: Invalid value: `selector` not "
                          "auto-generated; leave it out, or "
                          "set manualSelector",
                          StringOf(metadata, "name"))});
  }
  json::object& labels = MakeObject(MakeObject(MakeObject(*spec, "template"), "metadata"), "labels");
  for (std::size_t i = 0; i < kOwnJobLabels.size(); ++i) {
    labels[kOwnJobLabels[i]] = StringOf(metadata, i < 2 ? "uid" : "name");
  }
  MakeObject(*spec, "selector")["matchLabels"] = {{kube::kControllerUidLabel, StringOf(metadata, "uid")}};
  return {};
}

json::object GatedCondition(Time now) {
  return {
      {"type", "PodScheduled"},      {"status", "False"},
      {"lastProbeTime", nullptr},    {"lastTransitionTime", FormatRfc3339(now)},
      {"reason", "SchedulingGated"}, {"message", "Scheduling is blocked due to non-empty scheduling gates"}};
}

}  // namespace

Result<void> Admission::AdmitCreate(Time now, kube::Kind kind, json::object& body) {
  if (kind != kube::Kind::kNode) body.erase("status");
  kube::ApplyDefaults(kind, body);
  if (kind == kube::Kind::kPod) return AdmitPod(now, body);
  if (kind == kube::Kind::kJob) return AdmitJob(body);
  return {};
}

Result<void> Admission::AdmitPod(Time now, json::object& pod) {
  json::object& status = MakeObject(pod, "status");
  status["phase"] = "Pending";
  json::object* spec = SpecOf(pod);
  if (spec == nullptr) return {};  // the decoder and validation say what is wrong
  const json::array* gates = ArrayOf(*spec, "schedulingGates");
  if (gates != nullptr && !gates->empty()) {
    if (!StringOf(*spec, "nodeName").empty()) {
      return std::unexpected(
          Error{fmt::format("Pod \"{}\" is invalid: spec.nodeName: Forbidden: cannot be set until all "
                            "schedulingGates have been cleared",
                            StringOf(pod.at("metadata").as_object(), "name"))});
    }
    status["conditions"] = json::array{GatedCondition(now)};
  }
  return SetPriority(pod, *spec);
}

Result<void> Admission::SetPriority(json::object& pod, json::object& spec) {
  const std::string_view pod_name = StringOf(pod.at("metadata").as_object(), "name");
  const json::value* given = FieldOf(spec, "priority");
  std::int32_t computed = 0;
  if (const std::string class_name(StringOf(spec, "priorityClassName")); !class_name.empty()) {
    const std::optional<std::int32_t> priority = PriorityOf(class_name);
    if (!priority) {
      WarnOnce(pod_name, class_name);
      if (given == nullptr) spec["priority"] = 0;
      return {};
    }
    computed = *priority;
  } else if (const std::optional<DefaultClass>& fallback = GlobalDefault()) {
    computed = fallback->value;
    spec["priorityClassName"] = fallback->name;
  }
  if (given != nullptr && IntOf(spec, "priority", computed) != computed) {
    return std::unexpected(
        Error{fmt::format("pods \"{}\" is forbidden: the integer value of priority ({}) must not be provided "
                          "in pod spec; priority "
                          "admission controller computed {} from the given PriorityClass name",
                          pod_name, IntOf(spec, "priority", 0), computed)});
  }
  spec["priority"] = computed;
  return {};
}

std::optional<std::int32_t> Admission::PriorityOf(std::string_view class_name) const {
  for (const auto& [name, value] : kSystemClasses) {
    if (name == class_name) return value;
  }
  const kube::Object* found = store_.Find(kube::Kind::kPriorityClass, std::string(class_name));
  if (found == nullptr) return std::nullopt;
  return found->As<kube::PriorityClass>().value;
}

// Of several global defaults the lowest value counts, as in the admission plugin.
const std::optional<Admission::DefaultClass>& Admission::GlobalDefault() {
  const std::uint64_t as_of = store_.history(kube::Kind::kPriorityClass).end();
  if (global_default_as_of_ == as_of) return global_default_;
  global_default_as_of_ = as_of;
  global_default_.reset();
  for (const kube::Object& object : store_.List(kube::Kind::kPriorityClass)) {
    const auto& candidate = object.As<kube::PriorityClass>();
    if (!candidate.global_default) continue;
    if (global_default_ && global_default_->value <= candidate.value) continue;
    global_default_ = DefaultClass{candidate.metadata.name, candidate.value};
  }
  return global_default_;
}

void Admission::WarnOnce(std::string_view pod, std::string_view class_name) {
  if (std::ranges::find(warned_classes_, class_name) != warned_classes_.end()) return;
  warned_classes_.emplace_back(class_name);
  warnings_.push_back(
      fmt::format("PriorityClass \"{}\" (first named by pod {}) is not among the objects: its pods keep the "
                  "priority that they "
                  "give, or get 0. An API server would refuse them; add the PriorityClass to the input.",
                  class_name, pod));
}

void StripServerFields(kube::Kind kind, json::object& body) {
  if (kind != kube::Kind::kNode) body.erase("status");
  json::object& metadata = MakeObject(body, "metadata");
  for (const std::string_view field :
       {"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
        "deletionGracePeriodSeconds", "managedFields", "selfLink"}) {
    metadata.erase(field);
  }
  json::object* spec = SpecOf(body);
  if (kind != kube::Kind::kJob || spec == nullptr || IsManualSelector(*spec)) return;
  spec->erase("selector");
  json::object& labels = MakeObject(MakeObject(MakeObject(*spec, "template"), "metadata"), "labels");
  for (const std::string_view label : kOwnJobLabels) {
    labels.erase(label);
  }
}

}  // namespace cadre::sim
