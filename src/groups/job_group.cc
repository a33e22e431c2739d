#include <algorithm>

#include <fmt/format.h>

#include "groups/annotations.h"
#include "groups/bounds.h"
#include "groups/sources.h"

namespace cadre::groups {

bool IsGang(const kube::Job& job, const kube::StringMap& pod_annotations) {
  const GangMode mode = ReadGangMode(job.metadata.annotations, pod_annotations);
  if (mode == GangMode::kNone) return false;
  if (mode != GangMode::kUnset || ReadMinAvailable(job.metadata.annotations, pod_annotations)) return true;
  // What holds a domain is a group, however small: its claim is written on its Job.
  if (!ReadJobTopology(job.metadata.annotations, pod_annotations).exclusive.empty()) return true;
  const std::int32_t parallelism = kube::Parallelism(job);
  return job.spec.indexed && parallelism > 1 && job.spec.completions == parallelism;
}

bool HasOnePod(const std::optional<std::int32_t>& parallelism,
               const std::optional<std::int32_t>& completions) {
  return parallelism.value_or(1) <= 1 && completions.value_or(1) <= 1;
}

std::int32_t ExpectedPods(const kube::Job& job) {
  if (kube::IsFinished(job)) return 0;
  const std::int32_t parallelism = kube::Parallelism(job);
  if (!job.spec.completions) {
    // A work queue: once one pod has succeeded no new ones are made.
    return job.status.succeeded > 0 ? 0 : parallelism;
  }
  // Indexes that failed for good (backoffLimitPerIndex) are not made again either.
  const auto failed_indexes =
      static_cast<std::int32_t>(kube::ParseIndexes(job.status.failed_indexes, *job.spec.completions).size());
  return std::clamp(*job.spec.completions - job.status.succeeded - failed_indexes, 0, parallelism);
}

model::OwnerObject OwnerOf(const kube::Job& job) {
  return {.kind = kube::Kind::kJob,
          .namespace_ = job.metadata.namespace_,
          .name = job.metadata.name,
          .uid = job.metadata.uid,
          .annotations = job.metadata.annotations,
          .suspended = job.spec.suspend,
          .finished = kube::IsFinished(job),
          .deleting = job.metadata.deletion_timestamp.has_value()};
}

model::GroupSpec DescribeJob(const model::GroupKey& key, const kube::Job* job) {
  model::GroupSpec spec;
  spec.key = key;
  model::UnitSpec unit;
  unit.name = key.name;
  unit.role = key.name;
  if (job == nullptr) {
    spec.problem = fmt::format("Job {}/{} has not been seen yet", key.namespace_, key.name);
    spec.units.push_back(std::move(unit));
    return spec;
  }
  spec.created = job->metadata.creation_timestamp.value_or(Time{});
  unit.expected = ExpectedPods(*job);
  const kube::StringMap& template_annotations = job->spec.pod_template.annotations;
  if (const auto minimum = ReadMinAvailable(job->metadata.annotations, template_annotations)) {
    unit.minimum = std::min(*minimum, unit.expected);
  }
  unit.topology = ReadJobTopology(job->metadata.annotations, template_annotations);
  unit.alone = HasOnePod(job->spec.parallelism, job->spec.completions);
  spec.units.push_back(std::move(unit));
  const RunBound bound = BoundOf(*job);
  spec.max_duration = bound.longest;
  spec.ends_by = bound.ends_by;
  spec.owners.push_back(OwnerOf(*job));
  spec.record = spec.owners.front();
  if (job->spec.suspend) spec.problem = fmt::format("Job {}/{} is suspended", key.namespace_, key.name);
  return spec;
}

}  // namespace cadre::groups
