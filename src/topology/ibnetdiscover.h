// The output of ibnetdiscover: an InfiniBand fabric as it was found, every cable of it.
//
// Part of ImportTopograph. Source: the format as documented in ibnetdiscover(8).
#pragma once

#include <string_view>

#include "topology/import.h"

namespace cadre::topology {

bool LooksLikeIbnetdiscover(std::string_view text);

// Hosts are named by the text of their adapters ("node-07 mlx5_0"). Hosts that reach
// one another through switches which have hosts themselves are one unit: network.topology.nvidia.com/leaf,
// named after the first of its switches. Adapters of switches ("Aggregation Node") are no
// hosts; adapters that do not tell their host are left out with a note.
Result<Imported> ImportIbnetdiscover(std::string_view text);

}  // namespace cadre::topology
