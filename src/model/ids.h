// Dense identifiers of the model. They are positions in arrays of one Cluster and mean nothing outside its
// life.
#pragma once

#include <cstdint>

#include "base/strong_id.h"

namespace cadre::model {

using NodeId = Id<struct NodeTag>;
using PodId = Id<struct PodTag>;
using ShapeId = Id<struct ShapeTag>;
using ResourceId = Id<struct ResourceTag>;
using TenantId = Id<struct TenantTag>;

}  // namespace cadre::model
