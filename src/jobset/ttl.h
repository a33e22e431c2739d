// When a finished JobSet is deleted: spec.ttlSecondsAfterFinished after its terminal condition.
#pragma once

#include <optional>

#include "base/time.h"
#include "kube/jobset.h"

namespace cadre::jobset {

// The time from which on it is to be deleted; none when it is not finished or has no limit. Zero seconds
// means at once.
std::optional<Time> ExpiresAt(const kube::JobSet& jobset);

}  // namespace cadre::jobset
