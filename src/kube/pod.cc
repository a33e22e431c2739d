#include "kube/pod.h"

namespace cadre::kube {

bool IsTerminal(const Pod& pod) {
  return pod.status.phase == PodPhase::kSucceeded || pod.status.phase == PodPhase::kFailed;
}

}  // namespace cadre::kube
