#include "sim/job_pods.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "sim/job_policies.h"

namespace cadre::sim {
namespace {

constexpr std::size_t kMaxNamePrefix = 58;  // 63 characters less the suffix of five
constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";

std::int64_t MostRestarts(const JobPod& pod) {
  std::int64_t most = 0;
  if (pod.object.raw != nullptr) {
    for (const json::value& status : ArrayIn(*pod.object.raw, {"status", "containerStatuses"})) {
      most = std::max<std::int64_t>(most, Int32In(status, {"restartCount"}));
    }
  }
  return most;
}

int PhaseRank(kube::PodPhase phase) {
  switch (phase) {
    case kube::PodPhase::kPending:
      return 0;
    case kube::PodPhase::kUnknown:
      return 1;
    case kube::PodPhase::kRunning:
    case kube::PodPhase::kSucceeded:
    case kube::PodPhase::kFailed:
      return 2;
  }
  return 2;
}

Time ReadySince(const JobPod& pod) {
  const kube::Condition* ready = kube::FindTrue(pod.pod->status.conditions, "Ready");
  return ready == nullptr ? Time::min() : ready->last_transition_time.value_or(Time::max());
}

// Less is removed first: unassigned before assigned, pending before running, not ready before ready, ready
// for a short time before long, often restarted before never, young before old. The name decides what is
// equal.
bool RemovedBefore(const JobPod* a, const JobPod* b) {
  const auto key = [](const JobPod& pod) {
    return std::tuple(!pod.pod->spec.node_name.empty(), PhaseRank(pod.pod->status.phase), IsReady(pod));
  };
  if (key(*a) != key(*b)) {
    return key(*a) < key(*b);
  }
  if (ReadySince(*a) != ReadySince(*b)) {
    return ReadySince(*a) > ReadySince(*b);
  }
  if (const std::int64_t ra = MostRestarts(*a), rb = MostRestarts(*b); ra != rb) {
    return ra > rb;
  }
  const Time created_a = a->pod->metadata.creation_timestamp.value_or(Time::max());
  const Time created_b = b->pod->metadata.creation_timestamp.value_or(Time::max());
  if (created_a != created_b) {
    return created_a > created_b;
  }
  return a->pod->metadata.name < b->pod->metadata.name;
}

// Of an Indexed Job: pods without an index, with one out of range, and all but one of those that share an
// index. The others go to `left`.
std::vector<const JobPod*> TakeMisfits(const std::vector<const JobPod*>& active, std::int32_t completions,
                                       std::vector<const JobPod*>& left) {
  std::vector<const JobPod*> misfits;
  std::map<std::int32_t, std::vector<const JobPod*>> by_index;
  for (const JobPod* pod : active) {
    if (pod->index < 0 || pod->index >= completions) {
      misfits.push_back(pod);
    } else {
      by_index[pod->index].push_back(pod);
    }
  }
  for (auto& [index, pods] : by_index) {
    std::ranges::sort(pods, RemovedBefore);
    misfits.insert(misfits.end(), pods.begin(), pods.end() - 1);
    left.push_back(pods.back());
  }
  return misfits;
}

std::vector<const JobPod*> PodsToRemove(const kube::JobSpec& spec, const std::vector<const JobPod*>& active,
                                        std::size_t at_least) {
  std::vector<const JobPod*> left;
  std::vector<const JobPod*> remove;
  if (spec.indexed) {
    remove = TakeMisfits(active, Completions(spec).value_or(0), left);
  } else {
    left = active;
  }
  if (remove.size() < at_least) {
    std::ranges::sort(left, RemovedBefore);
    const std::size_t more = std::min(at_least - remove.size(), left.size());
    remove.insert(remove.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(more));
  }
  return remove;
}

std::int32_t WantedActive(const kube::JobSpec& spec, const JobCounts& counts) {
  const std::int32_t parallelism = spec.parallelism.value_or(1);
  const auto active = static_cast<std::int32_t>(counts.active.size());
  const std::optional<std::int32_t> completions = Completions(spec);
  if (!completions) {
    return counts.succeeded > 0 ? active
                                : parallelism;  // a work queue: after the first success nothing new starts
  }
  return std::max(0, std::min(*completions - counts.succeeded, parallelism));
}

std::vector<std::int32_t> MissingIndexes(const kube::JobSpec& spec, const JobCounts& counts,
                                         std::span<const JobPod> pods, std::int64_t count) {
  IndexSet taken = counts.succeeded_indexes;
  for (const JobPod& pod : pods) {
    if (pod.index >= 0 && (IsActive(pod) || (ReplacesOnlyFailed(spec) && IsTerminating(pod)))) {
      taken.Add(pod.index);
    }
  }
  if (counts.failed_indexes) {
    taken.AddAll(*counts.failed_indexes);
  }
  return taken.LowestMissing(count, Completions(spec).value_or(0));
}

// With backoffLimitPerIndex each index waits for itself.
void PlanIndexes(const kube::JobSpec& spec, const JobCounts& counts, const std::vector<std::int32_t>& indexes,
                 Time now, const BackoffLimits& limits, PodPlan& plan) {
  std::optional<Duration> shortest;
  for (const std::int32_t index : indexes) {
    const auto replaced = counts.replaced.find(index);
    const JobPod* last = replaced == counts.replaced.end() ? nullptr : replaced->second;
    const Duration wait =
        spec.backoff_limit_per_index ? RemainingIndexBackoff(last, now, limits) : Duration{0};
    if (wait == Duration{0}) {
      plan.create.push_back({.index = index, .replaces = last});
    } else {
      shortest = std::min(shortest.value_or(wait), wait);
    }
  }
  if (plan.create.empty()) {
    plan.wait = shortest.value_or(Duration{0});
  }
}

json::object& ObjectIn(json::object& parent, std::string_view key) {
  json::value& child = parent[key];
  if (!child.is_object()) {
    child = json::object();
  }
  return child.get_object();
}

void AddIndexVariable(json::object& spec) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    json::value* containers = spec.if_contains(list);
    if (containers == nullptr || !containers->is_array()) {
      continue;
    }
    for (json::value& container : containers->get_array()) {
      if (!container.is_object()) {
        continue;
      }
      json::value& env = container.get_object()["env"];
      if (!env.is_array()) {
        env = json::array();
      }
      if (std::ranges::any_of(env.get_array(),
                              [](const json::value& v) { return StringIn(v, {"name"}) == kIndexVariable; })) {
        continue;
      }
      const std::string path = fmt::format("metadata.labels['{}']", kube::kCompletionIndexAnnotation);
      env.get_array().push_back(
          {{"name", kIndexVariable}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}});
    }
  }
}

// How often the index has failed, the replaced pod's own failure included.
void AddFailureCounts(const kube::JobSpec& spec, const JobPod* replaced, json::object& annotations) {
  std::int32_t failures = 0;
  std::int32_t ignored = 0;
  if (replaced != nullptr) {
    failures = IndexFailures(*replaced->pod);
    ignored = IgnoredIndexFailures(*replaced->pod);
    (MatchFailurePolicy(spec, *replaced).counts ? failures : ignored) += 1;
  }
  annotations["batch.kubernetes.io/job-index-failure-count"] = std::to_string(failures);
  if (ignored > 0) {
    annotations["batch.kubernetes.io/job-index-ignored-failure-count"] = std::to_string(ignored);
  }
}

json::object MakeMetadata(const kube::Object& job, const NewPod& pod, const std::string& name) {
  const auto& typed = job.As<kube::Job>();
  json::object metadata;
  metadata["name"] = name;
  metadata["generateName"] = PodNamePrefix(typed.metadata.name, pod.index);
  metadata["namespace"] = typed.metadata.namespace_;
  for (const std::string_view key : {"labels", "annotations"}) {
    const json::value* from = Find(*job.raw, {"spec", "template", "metadata", key});
    if (from != nullptr && from->is_object()) {
      metadata[key] = from->get_object();
    }
  }
  json::object& labels = ObjectIn(metadata, "labels");
  for (const std::string_view key : {std::string_view("controller-uid"), kube::kControllerUidLabel}) {
    labels[key] = typed.metadata.uid;
  }
  for (const std::string_view key : {std::string_view("job-name"), kube::kJobNameLabel}) {
    labels[key] = typed.metadata.name;
  }
  if (pod.index >= 0) {
    labels[kube::kCompletionIndexAnnotation] = std::to_string(pod.index);
    json::object& annotations = ObjectIn(metadata, "annotations");
    annotations[kube::kCompletionIndexAnnotation] = std::to_string(pod.index);
    if (typed.spec.backoff_limit_per_index) {
      AddFailureCounts(typed.spec, pod.replaces, annotations);
    }
  }
  json::array finalizers = ArrayIn(*job.raw, {"spec", "template", "metadata", "finalizers"});
  finalizers.emplace_back(kube::kJobTrackingFinalizer);
  metadata["finalizers"] = std::move(finalizers);
  metadata["ownerReferences"] = json::array{{{"apiVersion", kube::ApiVersion(kube::Kind::kJob)},
                                             {"kind", "Job"},
                                             {"name", typed.metadata.name},
                                             {"uid", typed.metadata.uid},
                                             {"controller", true},
                                             {"blockOwnerDeletion", true}}};
  return metadata;
}

}  // namespace

PodPlan PlanPods(const kube::Job& job, const JobCounts& counts, std::span<const JobPod> pods,
                 Duration backoff, Time now, const BackoffLimits& limits, std::size_t max_per_sync) {
  const kube::JobSpec& spec = job.spec;
  PodPlan plan;
  if (spec.suspend) {
    plan.remove = PodsToRemove(spec, counts.active, counts.active.size());
    return plan;
  }
  const auto active = static_cast<std::int32_t>(counts.active.size());
  const std::int32_t wanted = WantedActive(spec, counts);
  plan.remove = PodsToRemove(spec, counts.active, static_cast<std::size_t>(std::max(0, active - wanted)));
  if (!plan.remove.empty()) {
    plan.remove.resize(std::min(plan.remove.size(), max_per_sync));
    return plan;
  }
  const std::int32_t ending = ReplacesOnlyFailed(spec) ? counts.terminating : 0;
  const std::int64_t missing = std::int64_t{wanted} - ending - active;
  if (missing <= 0) {
    return plan;
  }
  if (!spec.backoff_limit_per_index && backoff > Duration{0}) {
    plan.wait = backoff;
    return plan;
  }
  const std::int64_t count = std::min(missing, static_cast<std::int64_t>(max_per_sync));
  if (spec.indexed) {
    PlanIndexes(spec, counts, MissingIndexes(spec, counts, pods, count), now, limits, plan);
  } else {
    plan.create.resize(static_cast<std::size_t>(count));
  }
  return plan;
}

json::object MakePod(const kube::Object& job, const NewPod& pod, const std::string& name) {
  CADRE_ASSERT(job.raw != nullptr,
               "a Job without its JSON: the Job controller copies the pod template from it");
  json::object body;
  body["metadata"] = MakeMetadata(job, pod, name);
  json::object& spec = ObjectIn(body, "spec");
  if (const json::value* from = Find(*job.raw, {"spec", "template", "spec"});
      from != nullptr && from->is_object()) {
    spec = from->get_object();
  }
  if (pod.index >= 0) {
    spec["hostname"] = fmt::format("{}-{}", job.Meta().name, pod.index);
    AddIndexVariable(spec);
  }
  return body;
}

drive::Effect ReleasePod(const kube::Pod& pod) {
  json::array others;
  for (const std::string& finalizer : pod.metadata.finalizers) {
    if (finalizer != kube::kJobTrackingFinalizer) {
      others.emplace_back(finalizer);
    }
  }
  drive::Effect effect;
  effect.uid = pod.metadata.uid;
  // A merge patch replaces the list whole: somebody else's change to it in between must not be lost.
  effect.resource_version = others.empty() ? 0 : pod.metadata.resource_version;
  json::object metadata;
  metadata["finalizers"] = others.empty() ? json::value(nullptr) : json::value(std::move(others));
  effect.what = drive::Patch{.target = TargetOf(kube::Kind::kPod, pod.metadata),
                             .merge = json::object{{"metadata", std::move(metadata)}}};
  return effect;
}

drive::Target TargetOf(kube::Kind kind, const kube::ObjectMeta& meta) {
  return {.kind = kind, .namespace_ = meta.namespace_, .name = meta.name};
}

std::string PodNamePrefix(std::string_view job_name, std::int32_t index) {
  const std::string tail = index >= 0 ? fmt::format("-{}-", index) : "-";
  return fmt::format("{}{}", job_name.substr(0, kMaxNamePrefix - tail.size()), tail);
}

std::string NameSuffix(std::string_view text) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t hash = Fnv1a64(text);  // then mixed, so that near texts get unlike suffixes
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33U;
  std::string suffix;
  for (int i = 0; i < 5; ++i) {
    suffix += kAlphabet[hash % kAlphabet.size()];
    hash /= kAlphabet.size();
  }
  return suffix;
}

}  // namespace cadre::sim
