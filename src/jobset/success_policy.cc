#include "jobset/success_policy.h"

#include <cstdint>

namespace cadre::jobset {

bool HasSucceeded(const kube::JobSetSpec& spec, const Counters& counters) {
  std::int64_t succeeded = 0;
  std::int64_t wanted = 0;
  std::int64_t succeeded_anywhere = 0;
  for (const kube::ReplicatedJob& job : spec.replicated_jobs) {
    const kube::ReplicatedJobStatus* counter = FindCounter(counters, job.name);
    const std::int64_t complete = counter == nullptr ? 0 : counter->succeeded;
    succeeded_anywhere += complete;
    if (Targets(spec.success_policy.target_replicated_jobs, job.name)) {
      succeeded += complete;
      wanted += job.replicas;
    }
  }
  if (succeeded_anywhere == 0) {
    return false;
  }
  return spec.success_policy.any ? succeeded >= 1 : succeeded >= wanted;
}

}  // namespace cadre::jobset
