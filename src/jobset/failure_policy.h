// What a JobSet does about a failed Job (spec.failurePolicy).
//
// Rules are asked in order; the first one that matches some failed Job decides, with the earliest of them as
// the cause. A rule with message patterns matches a Job whose failure has one of them in its message.
// No rule matches: RestartJobSet. No policy at all: the JobSet fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobset/children.h"

namespace cadre::jobset {

// Something a person should know: becomes an Event.
struct Remark {
  bool warning = true;
  std::string reason;
  std::string message;
};

struct FailureDecision {
  enum class Action { kFail, kRestart };
  Action action = Action::kFail;
  bool counts_towards_max = true;  // kRestart
  std::string reason;              // of the condition Failed or RestartingJobSet
  std::string message;
  std::vector<Remark> remarks;
};

// REQUIRES: children.failed is not empty.
FailureDecision DecideOnFailure(const kube::JobSet& jobset, const Children& children);

}  // namespace cadre::jobset
