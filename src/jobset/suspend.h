// Suspending and resuming child Jobs.
//
// Suspending sets spec.suspend; the Job controller deletes the pods. Resuming gives the Job the scheduling
// directives that the JobSet's template has now: labels, annotations, node selector, tolerations, scheduling
// gates are REPLACED, so that a selector of an earlier admission does not stay behind (reported as
// jobset#1294). A Job that was started before and changes is first rid of its startTime, which servers
// before 1.36 ask for.
#pragma once

#include <optional>

#include "base/json.h"
#include "jobset/child_jobs.h"
#include "jobset/children.h"

namespace cadre::jobset {

// {"spec": {"suspend": true}}.
json::object SuspendPatch();

struct Resumption {
  bool clear_start_time = false;
  json::object patch;
};

// None: not yet, because the API server would refuse the new template before the Job controller has ended the
// pods (condition Suspended, none active). `wanted` is what MakeChildJob makes of the Job now.
std::optional<Resumption> PlanResumption(const Child& child, const json::object& wanted);

}  // namespace cadre::jobset
