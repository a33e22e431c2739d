// Home: the one domain that all stages of a JobSet lie in, where the JobSet asks for one
// (cadre.dev/required-topology or exclusive-topology on the JobSet).
//
// Stages are placed one after the other, as groups of their own (model::WholeOf). The first to be placed
// takes a domain that could hold each of the others too, were it empty; it is written down with the claims
// (core/claims.h, unit ""). The others go there, and wait for room there. When nothing of the JobSet runs or
// has ended in its present attempt there is no home.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "core/request_builder.h"
#include "core/state.h"
#include "match/finder.h"

namespace cadre::core {

// Does a stage have to keep to what the JobSet asks for with the others?
bool SharesHome(const model::GroupSpec& spec);

// The label keys along the paths of a domain of each asked key, and their values; "" where it must be
// missing.
using DomainLabels = kube::StringMap;

// Where the group must lie because other stages lie there or have; empty: it has the choice.
DomainLabels HomeOf(const State& state, const Group& group);

// "topology.kubernetes.io/zone z0", for people.
std::string ToString(const DomainLabels& home);

// The spec of a pod that may only be in one of these domains. REQUIRES: there is one.
kube::PodSpec Within(kube::PodSpec spec, const std::vector<DomainLabels>& domains);

// The placement of a stage that has the choice, or another in a domain that could hold the later stages too.
// `ask` is what was asked for.
std::expected<match::Placement, match::Diagnosis> PlaceForAllStages(State& state, match::Finder& finder,
                                                                    const Group& group, const Ask& ask,
                                                                    match::Placement placement);

}  // namespace cadre::core
