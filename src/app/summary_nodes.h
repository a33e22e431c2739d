// The nodes of a run as the report has them: where each is in the topology, and what it offers.
#pragma once

#include <string>
#include <vector>

#include "app/recorder.h"
#include "kube/resources.h"
#include "report/run_report.h"

namespace cadre::app {

// Topology label keys that at least one node has, coarse to fine. Node pools say little about where a node
// is: they count only where nothing finer than a zone is known, or where the levels were given.
std::vector<std::string> LevelsOf(const Recorder& recorder);

// Every node that was ever there, by name.
std::vector<report::NodeRow> NodeRowsOf(const Recorder& recorder, const std::vector<std::string>& levels);

// Without "pods".
report::Amounts AmountsOf(const kube::ResourceList& list);

}  // namespace cadre::app
