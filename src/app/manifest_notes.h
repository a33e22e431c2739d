// What manifests ask for and a simulation does not do, or does otherwise than one may expect.
#pragma once

#include <string>
#include <vector>

#include "app/input.h"

namespace cadre::app {

// One note each, where there is something to say:
//  - pod templates with a node of their own (spec.nodeName);
//  - pods that Kubernetes would evict from nodes with NoExecute taints, at once or after tolerationSeconds;
//  - claims that one pod at a time may use (ReadWriteOncePod) and several ask for;
//  - message patterns of failure policy rules that are not read.
std::vector<std::string> ManifestNotes(const SimulationInput& input);

}  // namespace cadre::app
