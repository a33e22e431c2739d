// From a placement to the domains that it takes for itself.
#pragma once

#include <vector>

#include "core/claims.h"
#include "core/request_builder.h"
#include "match/request.h"

namespace cadre::core {

// One entry for each unit that asks for a domain of its own (and for the group, if it does) and has a member
// with a node, sorted by unit. REQUIRES: the placement answers the ask.
std::vector<ClaimEntry> ClaimsOf(const model::Cluster& cluster, const model::GroupSpec& spec, const Ask& ask,
                                 const match::Placement& placement);

}  // namespace cadre::core
