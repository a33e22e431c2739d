// AWS: the answer of `aws ec2 describe-instance-topology`, JSON or YAML.
//
// NetworkNodes[0] is the topmost: it becomes topology.k8s.aws/network-node-layer-1, the label that AWS' own
// cloud provider gives. Instances are brought to nodes by spec.providerID. Refused: an instance listed twice
// with different network nodes, more than four layers. Left out with a note: instances without network nodes.
// Source: EC2 API reference, DescribeInstanceTopology; documentation of cloud-provider-aws.
#pragma once

#include <string_view>

#include "topology/import.h"

namespace cadre::topology {

Result<Imported> ImportEc2(std::string_view text);

}  // namespace cadre::topology
