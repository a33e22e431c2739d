// WaitClass: why a pod waits, as coarsely as its PodScheduled condition tells it. The numbers change with
// every pod that comes or goes and are told once per group, by an event; a condition is written again only
// when the class changes. What a condition says is recognised by its reason and the first words of its
// message, so that nothing is kept per pod and a restarted scheduler knows what is written already.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/time.h"
#include "kube/pod.h"
#include "match/request.h"

namespace cadre::core {

enum class WaitClass : std::uint8_t {
  kNone,        // it does not wait, or nobody has tried it
  kRoom,        // it would fit an emptier cluster
  kNever,       // the nodes that are there could not hold its group, were they empty
  kIncomplete,  // other members of its group do not exist yet
  kCannot,      // it cannot be placed as it is written (resource claims, a PodGroup that does not exist)
};

WaitClass ClassOf(match::No no);

// What the pod's condition says; kNone where it has none, or somebody else's.
WaitClass ToldClassOf(const kube::Pod& pod);

// "Unschedulable" (cluster autoscalers look for exactly this), or "WaitingForMembers", which no new node
// would help.
std::string_view ReasonOf(WaitClass waits);

// The whole message: at most kMostOfMessage bytes of UTF-8.
inline constexpr std::size_t kMostOfMessage = 1024;
std::string MessageOf(WaitClass waits, std::string_view words);

// A strategic merge patch of the pod's status with this one condition. lastTransitionTime is left alone where
// the condition was False before. REQUIRES: not kNone.
boost::json::object PodScheduledPatch(const kube::Pod& pod, WaitClass waits, std::string_view words,
                                      Time now);

}  // namespace cadre::core
