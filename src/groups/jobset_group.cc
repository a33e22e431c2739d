// JobSets. Replicated jobs that only wait for others to be Ready are planned together with them; what waits
// for others to be Complete is a group of its own (a further stage), because room kept through a whole run
// would be wasted.
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "groups/annotations.h"
#include "groups/bounds.h"
#include "groups/sources.h"

namespace cadre::groups {
namespace {

// By replicated job, in spec order: how many times it waits for something to complete. dependsOn names
// earlier entries only (the API's own rule); others are ignored.
std::vector<std::int32_t> StagesOf(const kube::JobSetSpec& spec) {
  std::vector<std::int32_t> stages;
  std::map<std::string_view, std::size_t> position;
  for (std::size_t i = 0; i < spec.replicated_jobs.size(); ++i) {
    const kube::ReplicatedJob& replicated = spec.replicated_jobs[i];
    std::int32_t stage = 0;
    for (const kube::DependsOn& dependency : replicated.depends_on) {
      const auto found = position.find(dependency.name);
      if (found == position.end()) continue;
      const bool complete = dependency.status == kube::DependsOnStatus::kComplete;
      stage = std::max(stage, stages[found->second] + (complete ? 1 : 0));
    }
    stages.push_back(stage);
    position.emplace(replicated.name, i);
  }
  return stages;
}

std::string PartOf(const std::vector<std::int32_t>& stages, std::size_t index) {
  const bool one_stage = std::ranges::all_of(stages, [](std::int32_t stage) { return stage == 0; });
  return one_stage ? std::string{} : fmt::format("{}{}", model::kStagePrefix, stages[index] + 1);
}

model::GroupKey KeyFor(const kube::JobSet& jobset, std::string part) {
  return {.namespace_ = jobset.metadata.namespace_,
          .name = jobset.metadata.name,
          .kind = std::string(kJobSetGroup),
          .uid = jobset.metadata.uid,
          .part = std::move(part)};
}

std::int32_t ReadAttempt(const kube::Job& job) {
  const std::string_view text = ValueOf(job.metadata.labels, kube::kRestartAttemptLabel);
  std::int32_t attempt = 0;
  std::from_chars(text.data(), text.data() + text.size(), attempt);
  return attempt;
}

// The part that a replicated job belongs to under its gang mode.
std::string PartUnder(const kube::JobSet& jobset, const std::vector<std::int32_t>& stages,
                      std::size_t index) {
  const kube::ReplicatedJob& replicated = jobset.spec.replicated_jobs[index];
  return ModeOf(jobset, replicated.job.pod_template.annotations) == GangMode::kReplicatedJob
             ? replicated.name
             : PartOf(stages, index);
}

bool IsOnItsOwn(GangMode mode) {
  return mode == GangMode::kJob || mode == GangMode::kNone;
}

// By replicated job: does this one wait for it, directly or through others?
std::vector<bool> WaitsFor(const kube::JobSetSpec& spec, std::size_t index) {
  std::vector<bool> waits(index + 1, spec.in_order);
  waits[index] = true;
  for (std::size_t i = index; i > 0; --i) {
    if (!waits[i]) continue;
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      const std::vector<kube::DependsOn>& names = spec.replicated_jobs[i].depends_on;
      const std::string& name = spec.replicated_jobs[earlier].name;
      if (std::ranges::find(names, name, &kube::DependsOn::name) != names.end()) waits[earlier] = true;
    }
  }
  return waits;
}

// Do its Jobs come only when those of others of the same group are Ready? What it waits for outside of the
// group does not make it later: then nothing of the group is there before it.
bool ComesLater(const kube::JobSet& jobset, const std::vector<std::int32_t>& stages, std::size_t index) {
  const std::vector<bool> waits = WaitsFor(jobset.spec, index);
  const std::string part = PartUnder(jobset, stages, index);
  for (std::size_t i = 0; i < index; ++i) {
    const GangMode mode = ModeOf(jobset, jobset.spec.replicated_jobs[i].job.pod_template.annotations);
    if (waits[i] && !IsOnItsOwn(mode) && PartUnder(jobset, stages, i) == part) return true;
  }
  return false;
}

model::UnitSpec DescribeChild(const kube::StringMap& jobset_annotations,
                              const kube::ReplicatedJob& replicated, const kube::Job* job, std::string name,
                              bool later) {
  model::UnitSpec unit;
  unit.name = std::move(name);
  unit.role = replicated.name;
  // After a suspension the Jobs of all stages are there, and those of later ones stay suspended until their
  // turn comes.
  unit.exists = job != nullptr && !(later && job->spec.suspend);
  unit.expected = job != nullptr ? ExpectedPods(*job) : kube::PodsAtOnce(replicated.job);
  const kube::StringMap& template_annotations = replicated.job.pod_template.annotations;
  if (const auto minimum = ReadMinAvailable(replicated.job_annotations, template_annotations)) {
    unit.minimum = std::min(*minimum, unit.expected);
  }
  unit.topology = ReadJobTopology(replicated.job_annotations, template_annotations, jobset_annotations);
  unit.alone =
      unit.topology.exclusive.empty() && HasOnePod(replicated.job.parallelism, replicated.job.completions);
  if (later) unit.later_template = std::make_shared<const kube::PodTemplate>(replicated.job.pod_template);
  return unit;
}

}  // namespace

GangMode ModeOf(const kube::JobSet& jobset, const kube::StringMap& pod_annotations) {
  const GangMode mode = ReadGangMode(jobset.metadata.annotations, pod_annotations);
  return mode == GangMode::kUnset ? GangMode::kJobSet : mode;
}

bool IsCurrentJob(const kube::JobSet& jobset, const kube::Job& job) {
  return !job.metadata.deletion_timestamp && ReadAttempt(job) >= jobset.status.restarts;
}

model::OwnerObject OwnerOf(const kube::JobSet& jobset) {
  return {.kind = kube::Kind::kJobSet,
          .namespace_ = jobset.metadata.namespace_,
          .name = jobset.metadata.name,
          .uid = jobset.metadata.uid,
          .annotations = jobset.metadata.annotations,
          .suspended = jobset.spec.suspend,
          .finished = kube::IsFinished(jobset),
          .deleting = jobset.metadata.deletion_timestamp.has_value()};
}

std::optional<model::GroupKey> JobSetGroupOf(const kube::JobSet& jobset, const kube::Job& job,
                                             const kube::StringMap& pod_annotations) {
  if (IsOnItsOwn(ModeOf(jobset, pod_annotations))) return std::nullopt;
  const std::vector<std::int32_t> stages = StagesOf(jobset.spec);
  const std::string_view role = ValueOf(job.metadata.labels, kube::kReplicatedJobNameLabel);
  for (std::size_t i = 0; i < jobset.spec.replicated_jobs.size(); ++i) {
    if (jobset.spec.replicated_jobs[i].name == role) return KeyFor(jobset, PartUnder(jobset, stages, i));
  }
  return std::nullopt;
}

std::vector<model::GroupKey> JobSetGroups(const kube::JobSet& jobset) {
  const std::vector<std::int32_t> stages = StagesOf(jobset.spec);
  std::vector<model::GroupKey> keys;
  for (std::size_t i = 0; i < jobset.spec.replicated_jobs.size(); ++i) {
    keys.push_back(KeyFor(jobset, PartUnder(jobset, stages, i)));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

model::GroupSpec DescribeJobSet(const model::GroupKey& key, const kube::JobSet* jobset,
                                const std::vector<const kube::Job*>& jobs) {
  model::GroupSpec spec;
  spec.key = key;
  if (jobset == nullptr) {
    spec.problem = fmt::format("JobSet {}/{} has not been seen yet, or is gone", key.namespace_, key.name);
    return spec;
  }
  spec.created = jobset->metadata.creation_timestamp.value_or(Time{});
  spec.owners.push_back(OwnerOf(*jobset));
  spec.record = spec.owners.front();
  if (const auto minimum = ReadMinAvailable(jobset->metadata.annotations, {})) spec.minimum_units = *minimum;
  spec.topology = ReadTopology(jobset->metadata.annotations, {});
  if (jobset->spec.suspend) spec.problem = fmt::format("JobSet {}/{} is suspended", key.namespace_, key.name);

  std::map<std::string_view, const kube::Job*> current;
  for (const kube::Job* job : jobs) {
    if (IsCurrentJob(*jobset, *job)) current[job->metadata.name] = job;
  }
  const std::vector<std::int32_t> stages = StagesOf(jobset->spec);
  std::vector<ChildJob> children;
  for (std::size_t i = 0; i < jobset->spec.replicated_jobs.size(); ++i) {
    const kube::ReplicatedJob& replicated = jobset->spec.replicated_jobs[i];
    const std::string part = PartUnder(*jobset, stages, i);
    const bool is_of_it = part == key.part || (key.part.empty() && part.starts_with(model::kStagePrefix));
    if (!is_of_it) continue;
    if (IsOnItsOwn(ModeOf(*jobset, replicated.job.pod_template.annotations))) continue;
    for (std::int32_t replica = 0; replica < replicated.replicas; ++replica) {
      std::string name = fmt::format("{}-{}-{}", jobset->metadata.name, replicated.name, replica);
      const auto found = current.find(name);
      const kube::Job* job = found == current.end() ? nullptr : found->second;
      spec.units.push_back(DescribeChild(jobset->metadata.annotations, replicated, job, std::move(name),
                                         ComesLater(*jobset, stages, i)));
      children.push_back({&replicated, job});
    }
  }
  const RunBound bound = BoundOf(*jobset, children);
  spec.max_duration = bound.longest;
  spec.ends_by = bound.ends_by;
  return spec;
}

}  // namespace cadre::groups
