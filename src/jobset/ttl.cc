#include "jobset/ttl.h"

#include "jobset/status.h"

namespace cadre::jobset {

std::optional<Time> ExpiresAt(const kube::JobSet& jobset) {
  if (!jobset.spec.ttl_seconds_after_finished) {
    return std::nullopt;
  }
  const Duration ttl(1000 * std::int64_t{*jobset.spec.ttl_seconds_after_finished});
  for (const std::string_view type : {kCompletedCondition, kFailedCondition}) {
    const kube::Condition* condition = kube::FindTrue(jobset.status.conditions, type);
    if (condition != nullptr && condition->last_transition_time) {
      return *condition->last_transition_time + ttl;
    }
  }
  return std::nullopt;
}

}  // namespace cadre::jobset
