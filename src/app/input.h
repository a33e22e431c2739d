// Input of a simulation: what the user's files hold, sorted into what is there at the start and what is
// submitted when.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/manifest.h"
#include "kube/object.h"
#include "report/run_report.h"

namespace cadre::app {

inline constexpr std::string_view kSubmitAnnotation = "cadre.dev/sim-submit";

struct Submission {
  kube::Object object;
  Duration after{0};  // the start
};

struct SimulationInput {
  std::vector<kube::Object> cluster;    // there at the start, as it is
  std::vector<Submission> submissions;  // in the order read
  std::vector<report::UnknownKind> unknown_kinds;
  std::vector<std::string> problems;  // what is wrong with the input; the rest is used
  std::vector<std::string> notes;     // what was left out on purpose
  std::vector<std::string> misread;   // counts as absent: MisreadAnnotations, kube::UnknownFields
  // LeaderWorkerSets of which the input has no pods: nothing here makes them. In `notes` too.
  std::vector<std::string> without_controller;
};

// Sorts everything that was loaded:
//  - annotation cadre.dev/sim-submit: submitted that long after the start, whatever it is;
//  - nodes, volumes, classes, services…, and pods with a node: there at the start;
//  - a Job or JobSet that has running pods in the input is under way: it and all its pods are there at the
//  start;
//  - a LeaderWorkerSet is there at the start, and its pods are run as they are given: its controller is not
//  simulated;
//  - other Jobs, JobSets, PodGroups and pending pods: submitted at the start as new; what their owner will
//  make again
//    (pods of such a Job, Jobs of such a JobSet) and what has finished is left out.
SimulationInput SortInput(const kube::Manifests& manifests);

// --cluster: the nodes (and whatever else is in the dump) of a Kubernetes file, or those of a small cluster
// description.
void LoadClusterFile(const std::string& path, kube::Manifests& manifests);

}  // namespace cadre::app
