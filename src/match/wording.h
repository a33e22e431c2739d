// The pieces that the sentences of a diagnosis are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// " (of the others, 1 is cordoned)"; empty when all may.
std::string OthersText(NodeTable& nodes, const model::Shape& shape, const std::vector<Misfit>& misfits);

// "the 12 nodes that may take it"
std::string MayTakeText(std::int64_t may);

// "4 fit now on the 8 nodes that may take it; 12 CPU free of 32 CPU". `others` as of OthersText, `scarcest`
// as of ScarcestText.
std::string FitNowText(std::int64_t room, std::int64_t may, std::string_view others,
                       std::string_view scarcest);

// "the 12 nodes that may take it could hold 3 when empty". `ports`: what host ports have to do with it, or
// "".
std::string CouldHoldText(std::int64_t may, std::int64_t room, std::string_view ports,
                          std::string_view others);

// "no node has the label zone"
std::string NoLabelText(std::string_view key);

// What a node has free of the problem's resource with this index.
using FreeOf = std::function<std::int64_t(NodeIndex, std::size_t)>;

// The first resource of which no node that may take the shape has enough for one, with the node that has
// most.
struct TooLarge {
  std::size_t resource;  // of Problem::resources
  NodeIndex largest;
  std::int64_t has;
};
// REQUIRES: some node may take it.
std::optional<TooLarge> FindTooLarge(const Problem& problem, std::size_t shape,
                                     const std::vector<Misfit>& misfits, const FreeOf& free);
// "16 CPU per pod; the largest node, n3, has 8 CPU"
std::string TooLargeText(const NodeTable& nodes, const Problem& problem, std::size_t shape,
                         const TooLarge& too_large);
// "no node has all of it at once: the nearest, n3, has 8 CPU of 16 CPU": the node that lacks the least share
// of something, and of what. REQUIRES: some node may take it.
std::string NearestText(const NodeTable& nodes, const Problem& problem, std::size_t shape,
                        const std::vector<Misfit>& misfits, const FreeOf& free);

// What there is of a resource, and what one pod takes of it.
struct Scarcity {
  std::string_view resource;
  std::int64_t request;
  std::int64_t free;
  std::int64_t total;
};
// "12 CPU free of 32 CPU": of the resource that is free for the fewest pods, the first of equals.
std::string ScarcestText(const std::vector<Scarcity>& amounts);

// "the best rack, r17, has room for 56 of 64 now"
std::string DomainText(std::string_view which, std::string_view name, std::string_view verb,
                       std::int64_t holds, std::int64_t members, std::string_view when);

// "a, b and c"
std::string ListText(const std::vector<std::string>& parts);

}  // namespace cadre::match
