// Volumes as far as they say where a pod may run: PersistentVolume, PersistentVolumeClaim, StorageClass;
// PriorityClass too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/kind.h"
#include "kube/meta.h"
#include "kube/pod.h"

namespace cadre::kube {

struct PersistentVolume : Resource {
  static constexpr Kind kKind = Kind::kPersistentVolume;
  std::optional<NodeSelector> node_affinity;  // spec.nodeAffinity.required
};

struct PersistentVolumeClaim : Resource {
  static constexpr Kind kKind = Kind::kPersistentVolumeClaim;
  std::string volume_name;  // empty: not bound yet
  std::optional<std::string> storage_class_name;
};

struct StorageClass : Resource {
  static constexpr Kind kKind = Kind::kStorageClass;
  bool wait_for_first_consumer = false;
};

struct PriorityClass : Resource {
  static constexpr Kind kKind = Kind::kPriorityClass;
  std::int32_t value = 0;
  bool global_default = false;
};

}  // namespace cadre::kube
