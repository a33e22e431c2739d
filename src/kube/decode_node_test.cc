#include <gtest/gtest.h>

#include "kube/node.h"
#include "kube/test_support.h"
#include "kube/volume.h"

namespace cadre::kube {
namespace {

TEST(DecodeNode, ReadsTaintsAndWhatItHas) {
  const Object object = FromYaml(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
spec:
  unschedulable: true
  taints: [{key: gpu, value: "yes", effect: NoExecute}]
status:
  capacity: {cpu: "8", memory: 16Gi, pods: "110"}
  allocatable: {cpu: 7900m, memory: 15Gi, pods: "110", nvidia.com/gpu: "8"}
)");
  const Node& node = object.As<Node>();
  EXPECT_TRUE(node.spec.unschedulable);
  EXPECT_EQ(ToString(node.spec.taints.at(0)), "gpu=yes:NoExecute");
  EXPECT_EQ(node.status.capacity.at("cpu"), 8000);
  EXPECT_EQ(node.status.allocatable,
            (ResourceList{
                {"cpu", 7900}, {"memory", std::int64_t{15} << 30}, {"nvidia.com/gpu", 8}, {"pods", 110}}));
}

TEST(DecodeNode, HasNoNamespace) {
  EXPECT_EQ(FromYaml("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n").Meta().namespace_, "");
}

TEST(DecodeNode, WithoutAllocatableAllOfItsCapacityIs) {
  const Object object =
      FromYaml("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {capacity: {cpu: 4}}\n");
  EXPECT_EQ(object.As<Node>().status.allocatable, (ResourceList{{"cpu", 4000}}));
}

TEST(DecodeVolume, ReadsThePlacesOfAPersistentVolume) {
  const Object object = FromYaml(R"(
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}
)");
  const auto& affinity = object.As<PersistentVolume>().node_affinity;
  ASSERT_TRUE(affinity.has_value());
  EXPECT_EQ(ToString(affinity->terms.at(0).match_expressions.at(0)), "zone=a");
}

TEST(DecodeVolume, ReadsWhatAClaimIsBoundTo) {
  const Object object = FromYaml(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec: {volumeName: pv, storageClassName: fast}
)");
  EXPECT_EQ(object.As<PersistentVolumeClaim>().volume_name, "pv");
  EXPECT_EQ(object.As<PersistentVolumeClaim>().storage_class_name, "fast");
}

TEST(DecodeVolume, ReadsWhetherAStorageClassWaitsForThePod) {
  const auto waits = [](std::string_view mode) {
    return FromYaml(fmt::format("apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: s}}\n"
                                "volumeBindingMode: {}\n",
                                mode))
        .As<StorageClass>()
        .wait_for_first_consumer;
  };
  EXPECT_TRUE(waits("WaitForFirstConsumer"));
  EXPECT_FALSE(waits("Immediate"));
}

TEST(DecodePriorityClass, ReadsValueAndDefault) {
  const Object object = FromYaml(R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
globalDefault: true
)");
  EXPECT_EQ(object.As<PriorityClass>().value, 1000);
  EXPECT_TRUE(object.As<PriorityClass>().global_default);
}

}  // namespace
}  // namespace cadre::kube
