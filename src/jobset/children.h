// The child Jobs of a JobSet, sorted into what the policies ask for.
//
// A Job of an earlier attempt (label restart-attempt below status.restarts) is `previous`: it counts nowhere
// and goes.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "kube/jobset.h"
#include "kube/object.h"

namespace cadre::jobset {

struct Child {
  kube::Object object;
  const kube::Job* job = nullptr;   // of `object`
  std::string_view replicated_job;  // its label; views into `object`

  const std::string& name() const { return job->metadata.name; }
  bool deleting() const { return job->metadata.deletion_timestamp.has_value(); }
};

struct Children {
  std::vector<Child> previous;
  // Of the current attempt, each list by name.
  std::vector<Child> active;  // neither Complete nor Failed
  std::vector<Child> succeeded;
  std::vector<Child> failed;
};

// An error when a label that the controller put there is missing or unreadable: then nothing is known for
// sure, and nothing is done until somebody repairs or deletes the Job it names.
Result<Children> SortChildren(const kube::JobSet& jobset, std::span<const kube::Object> jobs);

// When the Job failed, and why; REQUIRES: it has failed.
const kube::Condition& FailureOf(const Child& failed);

// Of those that satisfy `wanted`, the one that failed first (by the condition's time, then by name); null:
// none.
template <class Predicate>
const Child* FirstFailed(const std::vector<Child>& failed, Predicate wanted) {
  const Child* first = nullptr;
  for (const Child& child : failed) {
    if (!wanted(child)) {
      continue;
    }
    const auto when = [](const Child& c) { return FailureOf(c).last_transition_time.value_or(Time::max()); };
    if (first == nullptr || when(child) < when(*first)) {
      first = &child;
    }
  }
  return first;
}

// Whether a list of targets names the replicated job; an empty list names all.
bool Targets(const std::vector<std::string>& targets, std::string_view replicated_job);

}  // namespace cadre::jobset
