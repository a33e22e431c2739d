// Quantities and resource lists, and the one rule of how a pod's requests add up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/container/flat_map.hpp>

#include "base/result.h"

namespace cadre::kube {

struct Pod;
struct PodSpec;

// Resource name -> amount in base units: milli-CPU for "cpu", bytes for memory, ephemeral-storage and
// hugepages, counts for everything else. Amounts are rounded up, as the scheduler of Kubernetes does
// (resource.Quantity Value()).
using ResourceList = boost::container::flat_map<std::string, std::int64_t, std::less<>>;

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kEphemeralStorage = "ephemeral-storage";
inline constexpr std::string_view kPods = "pods";

// A resource that a device or the like gives, not the machine itself: its name is qualified with a domain. It
// comes whole, and the kubelet allocates it. Source: Kubernetes' IsExtendedResourceName, without its
// exceptions for names of kubernetes.io, which no node offers.
inline bool IsExtended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos;
}

// A quantity in thousandths of a unit and in whole units, both rounded up; both saturate at int64's ends.
struct Quantity {
  std::int64_t milli = 0;
  std::int64_t value = 0;
};

// "100m", "1.5", "2Gi", "1e3", "0.5Ki". Source: k8s.io/apimachinery resource.Quantity's documented grammar.
Result<Quantity> ParseQuantity(std::string_view text);

// The amount in the base unit that ResourceList uses for this resource.
Result<std::int64_t> ParseAmount(std::string_view resource, std::string_view text);

// For people: 1500 of "cpu" -> "1.5 CPU", bytes of memory -> "64 GiB memory", 8 of "nvidia.com/gpu" -> "8
// nvidia.com/gpu".
std::string FormatAmount(std::string_view resource, std::int64_t amount);

// "4 CPU, 16 GiB memory and 1 nvidia.com/gpu": the whole list, zero amounts and "pods" left out.
std::string FormatAmounts(const ResourceList& list);

// What the kubelet and the scheduler count for this pod: max over the phases of its life of containers, init
// containers and sidecars, pod-level requests over the sum, plus overhead, plus one of "pods".
// A pod resized in place counts, per container, as the largest of spec, allocated and actual, unless the
// resize was found infeasible (then allocated and actual only). Source: k8s.io/component-helpers
// resource.PodRequests; KEP-753 (sidecars), KEP-2837 (pod level), KEP-1287 (resize).
ResourceList PodRequests(const Pod& pod);
ResourceList PodRequests(const PodSpec& spec);

// Fills in the requests that the API server fills in: a limit without a request is the request, for
// containers and for the pod as a whole. The decoder calls it on every pod spec, manifests having not passed
// the API server; it changes nothing on what has. Nobody else does this defaulting. Source: SetDefaults_Pod
// of the API server; KEP-2837 for the pod level.
void DefaultRequests(PodSpec& spec);

}  // namespace cadre::kube
