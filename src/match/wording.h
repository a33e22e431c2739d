// The pieces that the sentences of a diagnosis are made of.
#pragma once

#include <string>
#include <string_view>

#include "match/problem.h"

namespace cadre::match {

// "4 CPU, 1 nvidia.com/gpu": requests as people write them, the pods count left out; "no requests".
std::string AmountsText(const model::Shape& shape);

// "needs 2 × (4 CPU, 1 nvidia.com/gpu) in one topology.kubernetes.io/rack": the request, or what is missing
// of it when some members are placed.
std::string NeedText(const NodeTable& nodes, const Problem& problem);

// "pool=x, disk=ssd"
std::string SelectorText(const kube::StringMap& selector);

// "rack" for topology.kubernetes.io/rack
std::string_view ShortKey(std::string_view key);

// The nodes that may not take a shape, by reason: "2 have taint a=b:NoSchedule which the pod does not
// tolerate, 1 is cordoned". Empty when all may.
std::string MisfitText(NodeTable& nodes, const model::Shape& shape, const std::vector<Misfit>& misfits);

// "no node matches node selector pool=x (12 nodes: 12 lack the label)" and the like. REQUIRES: no node may
// take the shape.
std::string NoNodeText(NodeTable& nodes, const model::Shape& shape, const std::vector<Misfit>& misfits);

// "a, b and c"
std::string ListText(const std::vector<std::string>& parts);

}  // namespace cadre::match
