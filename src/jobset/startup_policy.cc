#include "jobset/startup_policy.h"

#include <algorithm>

namespace cadre::jobset {
namespace {

bool Started(const kube::ReplicatedJob& job, const Counters& counters) {
  const kube::ReplicatedJobStatus* counter = FindCounter(counters, job.name);
  return counter != nullptr && counter->failed + counter->ready + counter->succeeded == job.replicas;
}

bool IsMet(const kube::DependsOn& dependency, const kube::JobSetSpec& spec, const Counters& counters) {
  const auto job = std::ranges::find(spec.replicated_jobs, dependency.name, &kube::ReplicatedJob::name);
  if (job == spec.replicated_jobs.end()) {
    return false;  // admission refuses this
  }
  if (dependency.status == kube::DependsOnStatus::kReady) {
    return Started(*job, counters);
  }
  const kube::ReplicatedJobStatus* counter = FindCounter(counters, job->name);
  return counter != nullptr && counter->succeeded == job->replicas;
}

}  // namespace

Startup PlanStartup(const kube::JobSetSpec& spec, const Counters& counters) {
  Startup startup;
  const bool ordered = spec.in_order && !spec.suspend;
  bool reached = true;  // everything before this one has started
  for (const kube::ReplicatedJob& job : spec.replicated_jobs) {
    const bool dependencies_met = std::ranges::all_of(
        job.depends_on, [&](const kube::DependsOn& dependency) { return IsMet(dependency, spec, counters); });
    startup.open.push_back(dependencies_met && (!ordered || reached));
    reached = reached && Started(job, counters);
  }
  if (ordered) {
    startup.progress = reached ? StartupProgress::kCompleted : StartupProgress::kInProgress;
  }
  return startup;
}

}  // namespace cadre::jobset
