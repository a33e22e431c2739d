// QuickNo: the diagnosis of the commonest "no" from the index alone, word for word what Diagnose would say:
// one shape of pods, anywhere or in one domain of a key.
//
// REQUIRES: the index is in step with the cluster, the request has no preference and no place. nullopt: not
// one of these; Diagnose knows.
#pragma once

#include <optional>

#include "match/request.h"
#include "match/room_index.h"

namespace cadre::match {

std::optional<Diagnosis> QuickNo(RoomIndex& index, const Request& request);

}  // namespace cadre::match
