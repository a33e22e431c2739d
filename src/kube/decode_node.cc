// Node, the volumes that say where a pod may run, and PriorityClass.
#include <array>

#include "kube/decode_reader.h"
#include "kube/node.h"
#include "kube/volume.h"

namespace cadre::kube {
namespace {

constexpr std::array<Choice<bool>, 2> kBindingModes = {
    {{"WaitForFirstConsumer", true}, {"Immediate", false}}};

}  // namespace

void ReadNode(const Reader& root, Node& out) {
  root.ReadObject("spec", [&](const Reader& spec) {
    spec.Read("unschedulable", out.spec.unschedulable);
    spec.ReadList("taints", out.spec.taints, [](const Reader& taint, Taint& to) {
      taint.Read("key", to.key);
      taint.Read("value", to.value);
      taint.Read("effect", to.effect);
    });
  });
  root.ReadObject("status", [&](const Reader& status) {
    status.Read("capacity", out.status.capacity);
    status.Read("allocatable", out.status.allocatable);
    // The API server's default. An empty map is none: it is not there any more once it has been stored.
    if (out.status.allocatable.empty()) out.status.allocatable = out.status.capacity;
    ReadConditions(status, out.status.conditions);
  });
}

void ReadPersistentVolume(const Reader& root, PersistentVolume& out) {
  root.ReadObject("spec", [&](const Reader& spec) {
    spec.ReadObject("nodeAffinity", [&](const Reader& affinity) {
      affinity.ReadObject("required", [&](const Reader& selector) {
        ReadNodeSelector(selector, out.node_affinity.emplace());
      });
    });
  });
}

void ReadPersistentVolumeClaim(const Reader& root, PersistentVolumeClaim& out) {
  root.ReadObject("spec", [&](const Reader& spec) {
    spec.Read("volumeName", out.volume_name);
    spec.Read("storageClassName", out.storage_class_name);
  });
}

void ReadStorageClass(const Reader& root, StorageClass& out) {
  root.ReadChoice<bool>("volumeBindingMode", kBindingModes, out.wait_for_first_consumer);
}

void ReadPriorityClass(const Reader& root, PriorityClass& out) {
  root.Read("value", out.value);
  root.Read("globalDefault", out.global_default);
}

}  // namespace cadre::kube
