// NVIDIA Topograph: what it reads and what it writes.
//
//   model (YAML)              switches, blocks, accelerator domains -> network.topology.nvidia.com/leaf (the
//                             switch with the nodes), spine and core above it, accelerator; labels on
//                             switches (region, zone) go to the nodes below
//   NetQ compute nodes (JSON) DomainUUID -> …/accelerator
//   ibnetdiscover output      hosts whose adapters reach one another by leaf switches alone are one unit,
//                             …/leaf, named after its first leaf switch: rails of one unit are no levels
//   topology.conf             by ImportSlurm
//
// What it writes into Kubernetes are node labels, which need no import. Requests to Topograph, its
// configuration and Helm values describe no topology: refused with what they are.
// Source: Topograph's documentation and its published examples.
#pragma once

#include <string_view>

#include "topology/import.h"

namespace cadre::topology {

Result<Imported> ImportTopograph(std::string_view text);

}  // namespace cadre::topology
