#include <algorithm>

#include <fmt/format.h>

#include "groups/annotations.h"
#include "groups/bounds.h"
#include "groups/sources.h"

namespace cadre::groups {

namespace {

GangMode OwnModeOf(const kube::Job& job, const kube::StringMap& pod_annotations, const kube::JobSet* jobset) {
  const GangMode own = ReadGangMode(job.metadata.annotations, pod_annotations);
  if (jobset == nullptr) return own;
  const GangMode mode = ModeOf(*jobset, pod_annotations);
  return mode == GangMode::kJob || mode == GangMode::kNone ? mode : own;
}

bool IsWhole(const kube::Job& job) {
  const std::int32_t parallelism = kube::Parallelism(job);
  return job.spec.indexed && parallelism > 1 && job.spec.completions == parallelism;
}

}  // namespace

model::TopologyAsk TopologyOf(const kube::Job& job, const kube::StringMap& pod_annotations,
                              const kube::JobSet* jobset) {
  return ReadJobTopology(job.metadata.annotations, pod_annotations,
                         jobset == nullptr ? kube::StringMap{} : jobset->metadata.annotations);
}

model::TopologyAsk TopologyAround(const kube::JobSet* jobset) {
  return jobset == nullptr ? model::TopologyAsk{} : ReadTopology(jobset->metadata.annotations, {});
}

JobMode JobModeOf(const kube::Job& job, const kube::StringMap& pod_annotations, const kube::JobSet* jobset) {
  const GangMode mode = OwnModeOf(job, pod_annotations, jobset);
  const model::TopologyAsk own = TopologyOf(job, pod_annotations, jobset);
  const model::TopologyAsk around = TopologyAround(jobset);
  const bool gang =
      mode != GangMode::kNone &&
      // What holds a domain is a group, however small: its claim is written on its Job.
      (mode != GangMode::kUnset || ReadMinAvailable(job.metadata.annotations, pod_annotations) ||
       !own.exclusive.empty() || !around.exclusive.empty() || IsWhole(job));
  if (gang) return JobMode::kGang;
  // Pods that know nothing of each other could not keep to one domain.
  return own.Empty() && around.Empty() ? JobMode::kPods : JobMode::kOneByOne;
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

model::GroupSpec DescribeJob(const model::GroupKey& key, const kube::Job* job, const kube::JobSet* jobset) {
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
  if (JobModeOf(*job, template_annotations, jobset) == JobMode::kOneByOne) {
    unit.minimum = 1;
    unit.gathers = true;
  }
  unit.topology = TopologyOf(*job, template_annotations, jobset);
  spec.topology = TopologyAround(jobset);
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
