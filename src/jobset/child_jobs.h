// What the child Jobs of a JobSet are called and look like.
//
// A Job is the replicated job's template, copied verbatim from the JobSet's JSON, and on top: its name, the
// labels and annotations of the JobSet API (each key as label and as annotation, on the Job and on its pod
// template), the owner, spec.suspend, and the pods' subdomain. Pure functions. Source: JobSet API reference,
// v1alpha2; label values as upstream writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/jobset.h"
#include "kube/object.h"

namespace cadre::jobset {

// "<jobset>-<replicated job>-<index>".
std::string ChildName(const kube::JobSet& jobset, const kube::ReplicatedJob& job, std::int32_t index);

// {apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true}.
json::object OwnedBy(const kube::JobSet& jobset);

// Where each replicated job stands in the numbering of all Jobs and of those of its group: made once per
// JobSet, so that a label costs no walk over the others.
class ChildNumbering {
 public:
  explicit ChildNumbering(const kube::JobSetSpec& spec);

  struct Place {
    std::int64_t first_index = 0;        // of its Jobs among all
    std::int64_t first_group_index = 0;  // among those of its group
    std::int64_t group_replicas = 0;
  };
  std::int64_t replicas() const { return replicas_; }
  const Place& of(std::size_t replicated_job) const { return places_[replicated_job]; }

 private:
  std::vector<Place> places_;
  std::int64_t replicas_ = 0;
};

// The body of a create. REQUIRES: `jobset` has its JSON; `replicated_job` is a place in its spec.
json::object MakeChildJob(const kube::Object& jobset, const ChildNumbering& numbering,
                          std::size_t replicated_job, std::int32_t index);

}  // namespace cadre::jobset
