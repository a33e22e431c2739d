// Which fields an update may not change. Source: measured on Kubernetes 1.36 (validation of pod and Job
// updates); the JobSet webhook and the CEL rules of its CRD (0.12).
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "kube/object.h"

namespace cadre::sim {

// All complaints about turning the stored object `before` into `after`, in the API server's form
// ("spec.completions: Invalid value: field is immutable"). Only main-resource updates are meant, not the
// subresources.
std::vector<std::string> ForbiddenChanges(const kube::Object& before, const json::object& after);

// All complaints about a status that was written. Only a Job's is checked, as by the API server.
std::vector<std::string> ForbiddenStatus(const kube::Object& after);

}  // namespace cadre::sim
