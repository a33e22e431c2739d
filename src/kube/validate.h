// What the API server would refuse: checked for manifests and by the API in memory on create and update.
// Only rules that a user can run into with the kinds Cadre runs; each message names the object, the field and
// the remedy.
#pragma once

#include <string>
#include <vector>

#include "kube/object.h"

namespace cadre::kube {

// All complaints, in field order; empty when the API server would take the object.
// Pod: a name or generateName that is a DNS-1123 subdomain, at least one container, requests <= limits, no
// negative amounts. Job: parallelism/completions >= 0, Indexed needs completions, restartPolicy Never or
// OnFailure, generated names fit 63 characters. JobSet: reference rules of v1alpha2 (unique names, dependsOn
// only on earlier ones, not with InOrder, generated Job and pod names fit, success/failure policy targets
// exist...). LeaderWorkerSet: a DNS-1035 name, replicas >= 0, size >= 1. Node: name.
std::vector<std::string> Validate(const Object& object);

}  // namespace cadre::kube
