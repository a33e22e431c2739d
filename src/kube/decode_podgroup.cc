#include <array>

#include "kube/decode_reader.h"
#include "kube/podgroup.h"

namespace cadre::kube {

void ReadNativePodGroup(const Reader& root, PodGroup& out) {
  root.ReadObject("spec", [&](const Reader& spec) {
    spec.ReadObject("schedulingPolicy", [&](const Reader& policy) {
      policy.ReadObject("gang", [&](const Reader& gang) { gang.Read("minCount", out.min_count); });
    });
    spec.ReadObject("schedulingConstraints", [&](const Reader& constraints) {
      std::vector<std::string> keys;
      constraints.ReadList("topology", keys,
                           [](const Reader& level, std::string& key) { level.Read("key", key); });
      if (!keys.empty()) out.topology_key = keys.front();  // the API allows one
    });
    spec.Read("priority", out.priority);
    spec.Read("priorityClassName", out.priority_class_name);
  });
  root.ReadObject("status", [&](const Reader& status) { ReadConditions(status, out.conditions); });
}

void ReadSchedulerPluginsPodGroup(const Reader& root, PodGroup& out) {
  root.ReadObject("spec", [&](const Reader& spec) {
    spec.Read("minMember", out.min_count);
    spec.Read("scheduleTimeoutSeconds", out.schedule_timeout_seconds);
  });
}

}  // namespace cadre::kube
