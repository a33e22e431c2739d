// Why a request has no placement: which of the three noes, with the numbers a person can act on.
//
// Never: no placement even with nothing but DaemonSet and static pods on the nodes. Constraints: one of the
// request's own constraints, or what pods that run ask for, is lifted at a time, and the first without which
// the request fits now is named; taints and cordons are the nodes' business and only counted. Otherwise not
// now. Where a search gave up, nothing is claimed that it did not show. Cost: about one search per kind of
// constraint that the request has, and two more.
#pragma once

#include <cstdint>

#include "match/match.h"
#include "match/solve.h"

namespace cadre::match {

// `outcome`: how the search for a placement ended; not kFound. `steps`: its bound; each search here has the
// same.
Diagnosis Diagnose(NodeTable& nodes, const Request& request, Outcome outcome, std::uint64_t steps);

}  // namespace cadre::match
