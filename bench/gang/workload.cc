#include "bench/gang/workload.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cadre::bench {
namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t kCpusPerNode = 16;
constexpr std::string_view kNamespace = "default";

std::string NodeName(std::size_t node) {
  return fmt::format("node-{}", node);
}

std::string GangName(std::size_t gang) {
  return fmt::format("gang-{}", gang);
}

std::string PodName(std::size_t gang, std::size_t member) {
  return fmt::format("gang-{}-{}", gang, member);
}

drive::Effect Creates(kube::Kind kind, std::string_view namespace_, object body) {
  drive::Effect effect;
  effect.what = drive::Create{kind, std::string(namespace_), std::move(body)};
  return effect;
}

object PodBody(const Workload& workload, std::size_t gang, std::size_t member) {
  object spec = {
      {"schedulerName", workload.scheduler_name},
      {"restartPolicy", "Never"},
      {"containers", array{object{{"name", "main"},
                                  {"image", "busybox"},
                                  {"resources", {{"requests", {{"cpu", "1"}, {"memory", "64Mi"}}}}}}}},
      // Bound pods have no kubelet here that would ask for a token.
      {"automountServiceAccountToken", false}};
  if (workload.group) spec["schedulingGroup"] = object{{"podGroupName", GangName(gang)}};
  return {{"metadata", {{"name", PodName(gang, member)}, {"labels", {{"gang", GangName(gang)}}}}},
          {"spec", std::move(spec)}};
}

}  // namespace

std::vector<drive::Effect> NodesOf(const Workload& workload) {
  std::vector<drive::Effect> effects;
  for (std::size_t node = 0; node < workload.nodes; ++node) {
    const object labels = {{"kubernetes.io/hostname", NodeName(node)},
                           {"rack", fmt::format("rack-{}", node / workload.nodes_per_rack)}};
    effects.push_back(
        Creates(kube::Kind::kNode, "", {{"metadata", {{"name", NodeName(node)}, {"labels", labels}}}}));
  }
  return effects;
}

std::vector<drive::Effect> NodeStatusesOf(const Workload& workload) {
  const object offered = {{"cpu", std::to_string(kCpusPerNode)}, {"memory", "64Gi"}, {"pods", "110"}};
  std::vector<drive::Effect> effects;
  for (std::size_t node = 0; node < workload.nodes; ++node) {
    drive::Effect effect;
    effect.what =
        drive::PatchStatus{{kube::Kind::kNode, "", NodeName(node)},
                           {{"status",
                             {{"allocatable", offered},
                              {"capacity", offered},
                              {"conditions", array{object{{"type", "Ready"}, {"status", "True"}}}}}}}};
    effects.push_back(std::move(effect));
  }
  return effects;
}

std::vector<drive::Effect> PodGroupsOf(const Workload& workload) {
  std::vector<drive::Effect> effects;
  for (std::size_t gang = 0; workload.group && gang < workload.gangs; ++gang) {
    object spec = {{"schedulingPolicy", {{"gang", {{"minCount", workload.members}}}}}};
    if (workload.rack) spec["schedulingConstraints"] = object{{"topology", array{object{{"key", "rack"}}}}};
    effects.push_back(Creates(kube::Kind::kPodGroup, kNamespace,
                              {{"metadata", {{"name", GangName(gang)}}}, {"spec", std::move(spec)}}));
  }
  return effects;
}

std::vector<drive::Effect> PodsOf(const Workload& workload) {
  std::vector<drive::Effect> effects;
  for (std::size_t gang = 0; gang < workload.gangs; ++gang) {
    for (std::size_t member = 0; member < workload.members; ++member)
      effects.push_back(Creates(kube::Kind::kPod, kNamespace, PodBody(workload, gang, member)));
  }
  return effects;
}

std::vector<drive::Effect> BindsOf(const Workload& workload) {
  const std::size_t room_of_rack = kCpusPerNode * workload.nodes_per_rack;
  const std::size_t gangs_per_rack = std::max<std::size_t>(1, room_of_rack / workload.members);
  std::vector<drive::Effect> effects;
  for (std::size_t gang = 0; gang < workload.gangs; ++gang) {
    const std::size_t first = (gang / gangs_per_rack) * workload.nodes_per_rack * kCpusPerNode +
                              (gang % gangs_per_rack) * workload.members;
    for (std::size_t member = 0; member < workload.members; ++member) {
      drive::Effect effect;
      effect.what = drive::Bind{{kube::Kind::kPod, std::string(kNamespace), PodName(gang, member)},
                                NodeName((first + member) / kCpusPerNode),
                                {}};
      effects.push_back(std::move(effect));
    }
  }
  return effects;
}

std::size_t GangOf(const std::string& pod_name) {
  constexpr std::string_view kPrefix = "gang-";
  std::size_t gang = 0;
  std::from_chars(pod_name.data() + kPrefix.size(), pod_name.data() + pod_name.size(), gang);
  return gang;
}

}  // namespace cadre::bench
