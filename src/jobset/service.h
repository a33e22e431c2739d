// The headless Service that gives the pods of a JobSet their DNS names.
#pragma once

#include <string>

#include "base/json.h"
#include "kube/jobset.h"
#include "kube/object.h"

namespace cadre::jobset {

// spec.network.subdomain, or the JobSet's name. It is the Service's name and the pods' subdomain.
std::string Subdomain(const kube::JobSet& jobset);

// clusterIP None, no ports, selects the pods by the label jobset-name, owned by the JobSet.
json::object MakeService(const kube::JobSet& jobset);

}  // namespace cadre::jobset
