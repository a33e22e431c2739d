// What a person should know of the pods that were bound before the run began: a dump may be incomplete, and a
// cluster may be fuller than it is.
#pragma once

#include <string>
#include <vector>

#include "app/input.h"

namespace cadre::app {

// One note each, where there is something to say:
//  - pods that are bound to nodes which the input does not have (now or later): how many, on which, and what
//    that means;
//  - nodes whose pods ask for more than is allocatable before anything is submitted. That was somebody else's
//    doing, and no violation.
std::vector<std::string> StartNotes(const SimulationInput& input);

}  // namespace cadre::app
