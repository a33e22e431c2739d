#include "kube/jobset.h"

namespace cadre::kube {

bool IsFinished(const JobSet& jobset) {
  return FindTrue(jobset.status.conditions, "Completed") != nullptr ||
         FindTrue(jobset.status.conditions, "Failed") != nullptr;
}

}  // namespace cadre::kube
