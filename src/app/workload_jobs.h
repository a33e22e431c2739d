// Jobs of a trace -> Kubernetes Jobs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/workload.h"
#include "kube/manifest.h"

namespace cadre::app {

// Appends to `out` an Indexed Job (completions = parallelism = pods) for each job of the trace, annotated
// with cadre.dev/sim-submit, on its pods cadre.dev/sim-duration, and with cadre.dev/max-duration where the
// trace has the requested time; and one PriorityClass for each priority that occurs. Names are those of the
// trace made valid ("job-42"); `names` holds all that are taken, over all traces, and makes them unique. A
// job that cannot be an object (a request beyond any bound) becomes a problem of `out`.
void AddWorkloadJobs(const Workload& workload, std::set<std::string>& names, kube::Manifests& out);

}  // namespace cadre::app
