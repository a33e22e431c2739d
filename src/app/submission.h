// What a user would submit to get an object that was read from a manifest or a dump.
#pragma once

#include "base/json.h"
#include "kube/object.h"

namespace cadre::app {

// The object without what an API server filled in: status, identity, owners, and in a Job the selector and
// the labels that carry its old identity. Finalizers go too: what put them there is not in the simulation.
json::object AsNewObject(const kube::Object& object);

}  // namespace cadre::app
