// When a JobSet has succeeded (spec.successPolicy).
#pragma once

#include "jobset/status.h"

namespace cadre::jobset {

// All (the default): every Job of the targeted replicated jobs is Complete. Any: one of them is. No target:
// all replicated jobs. A JobSet without a single complete Job has not succeeded, even if it asks for none.
bool HasSucceeded(const kube::JobSetSpec& spec, const Counters& counters);

}  // namespace cadre::jobset
