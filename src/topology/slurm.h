// Slurm's topology.conf: the plugins topology/tree and topology/block.
//
//   SwitchName=s1 Switches=s[2-3]              switches: cadre.dev/switch-1 is the topmost, and so on
//   SwitchName=s2 Nodes=n[001-064]
//
//   BlockName=b1 Nodes=n[01-08]                blocks: cadre.dev/block
//   BlockSizes=8,16,32                         aggregates: cadre.dev/block-x2 is two blocks, …-x4 four
//
// Parameter names in any case, "#" comments, a backslash at the end of a line continues it, quotes around
// values, LinkSpeed is read over. Levels count from the root, so that a switch of a shallow branch has the
// number of its depth. Refused, with the line: Include and everything else that is not topology, tree and
// blocks in one file, block sizes that are not doublings, bad host lists, and what topology/switches.h
// refuses.
// Source: Slurm's manual pages topology.conf(5) and its topology guide.
#pragma once

#include <string_view>

#include "topology/import.h"

namespace cadre::topology {

Result<Imported> ImportSlurm(std::string_view text);

}  // namespace cadre::topology
