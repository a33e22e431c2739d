// Random scenarios from a seed: a small cluster with racks, gangs of several kinds, some that can never run,
// nodes that go and come back, members that are deleted or fail, processes that are killed. The same seed
// gives the same scenario.
//
// Everything that can run has run at the end: the cluster holds each of its groups when all nodes are there,
// and Jobs and JobSets may fail often enough.
#pragma once

#include <cstdint>

#include "app/scenario.h"
#include "sim/faults.h"

namespace cadre::app {

Scenario RandomScenario(std::uint64_t seed);

// Faults of the API server, every kind of them now and then, for as long as things happen in such a scenario.
sim::FaultOptions RandomFaults(std::uint64_t seed, Time start);

}  // namespace cadre::app
