// Annotations of ours that say nothing to Cadre: a misspelt key, or a value that cannot be read. Kubernetes
// takes any annotation, so that nobody else would say so.
#pragma once

#include <string>
#include <vector>

#include "kube/object.h"

namespace cadre::app {

// Of the object and of the templates in it: "annotation cadre.dev/sim-durration is not known; did you mean
// cadre.dev/sim-duration?". Not those of sim-duration and the like on pods, which the kubelet complains of.
std::vector<std::string> MisreadAnnotations(const kube::Object& object);

}  // namespace cadre::app
