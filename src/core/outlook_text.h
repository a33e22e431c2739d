// The words of the outlook.
#pragma once

#include <string>

#include "base/time.h"
#include "match/match.h"

namespace cadre::core {

// "14:05 UTC", "14:05:30 UTC", and with the date when it is not today's: "2026-01-02 14:05 UTC".
std::string ClockText(Time at, Time now);

// "n1", "n1 and n2", "n1, n2 and 5 more nodes": the nodes of a placement, by name.
std::string NodesText(const model::Cluster& cluster, const match::Placement& placement);

// ", in rack r17" where all of the request must be in one domain; else empty.
std::string DomainText(const model::Cluster& cluster, const match::Request& request,
                       const match::Placement& placement);

}  // namespace cadre::core
