// Which pods are alike, and what volumes and ports make of a shape.
#include <gtest/gtest.h>

#include "model/cluster.h"
#include "model/model_testing.h"

namespace cadre::model {
namespace {

// The shape of a pod with this spec (the inside of a YAML mapping, two blanks in).
const Shape& ShapeWith(Cluster& cluster, std::string_view spec, std::string_view name = "p1") {
  cluster.Apply(
      kube::FromYaml(fmt::format(
          "apiVersion: v1\nkind: Pod\nmetadata: {{name: {0}, uid: uid-{0}}}\nspec:\n{1}", name, spec)),
      false);
  return cluster.shape(EntryOf(cluster, name).shape);
}

TEST(Shapes, PodsOfTheSameSpecShareOne) {
  Cluster cluster;
  cluster.Apply(PodOf({.name = "a"}), false);
  cluster.Apply(PodOf({.name = "b"}), false);
  EXPECT_EQ(EntryOf(cluster, "a").shape, EntryOf(cluster, "b").shape);
}

TEST(Shapes, LabelsDoNotMatter) {
  Cluster cluster;
  cluster.Apply(PodOf({.name = "a", .labels = {{"index", "0"}}}), false);
  cluster.Apply(PodOf({.name = "b", .labels = {{"index", "1"}}}), false);
  EXPECT_EQ(EntryOf(cluster, "a").shape, EntryOf(cluster, "b").shape);
}

TEST(Shapes, TheNamespaceMatters) {
  Cluster cluster;
  cluster.Apply(PodOf({.name = "a", .namespace_ = "blue"}), false);
  cluster.Apply(PodOf({.name = "b", .namespace_ = "green"}), false);
  EXPECT_NE(EntryOf(cluster, "a").shape, EntryOf(cluster, "b").shape);
}

TEST(Shapes, RequestsMatter) {
  Cluster cluster;
  cluster.Apply(PodOf({.name = "a", .requests = {{"cpu", 1000}}}), false);
  cluster.Apply(PodOf({.name = "b", .requests = {{"cpu", 1001}}}), false);
  EXPECT_NE(EntryOf(cluster, "a").shape, EntryOf(cluster, "b").shape);
}

TEST(Shapes, ATemplateHasTheShapeThatItsPodsWillHave) {
  Cluster cluster;
  const kube::Object pod = PodOf({});
  cluster.Apply(pod, false);
  EXPECT_EQ(cluster.InternShape(pod.As<kube::Pod>().spec, "default"), EntryOf(cluster, "p1").shape);
}

TEST(Shapes, TheWayATolerationComparesMatters) {
  Cluster cluster;
  const auto with = [&](std::string_view name, std::string_view op) {
    ShapeWith(cluster,
              fmt::format(R"(  containers: [{{name: main, image: a}}]
  tolerations: [{{key: cores, operator: {}, value: "4", effect: NoSchedule}}])",
                          op),
              name);
    return EntryOf(cluster, name).shape;
  };
  EXPECT_NE(with("greater", "Gt"), with("less", "Lt"));
}

TEST(Shapes, RequestsAreSortedAndLeaveOutZeros) {
  Cluster cluster;
  cluster.Apply(PodOf({.requests = {{"memory", 4096}, {"cpu", 500}, {"nvidia.com/gpu", 0}}}), false);
  const std::vector<Amount> expected = {
      {ResourceNames::kCpu, 500}, {ResourceNames::kMemory, 4096}, {ResourceNames::kPods, 1}};
  EXPECT_EQ(cluster.shape(EntryOf(cluster, "p1").shape).requests, expected);
}

TEST(Shapes, OnlyHardSpreadConstraintsCount) {
  Cluster cluster;
  const Shape& shape = ShapeWith(cluster, R"(  containers: [{name: main, image: a}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}
  - {maxSkew: 2, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {}})");
  ASSERT_EQ(shape.spread.size(), 1U);
  EXPECT_EQ(shape.spread.front().topology_key, "rack");
}

// --- host ports

TEST(ShapeHostPorts, APortWithoutAHostPortIsNone) {
  Cluster cluster;
  EXPECT_TRUE(ShapeWith(cluster, "  containers: [{name: main, image: a, ports: [{containerPort: 80}]}]")
                  .host_ports.empty());
}

TEST(ShapeHostPorts, AHostPortIsOnAllAddressesByDefault) {
  Cluster cluster;
  const Shape& shape = ShapeWith(
      cluster, "  containers: [{name: main, image: a, ports: [{containerPort: 80, hostPort: 8080}]}]");
  EXPECT_EQ(shape.host_ports, (std::vector<HostPort>{{8080, "TCP", "0.0.0.0"}}));
}

TEST(ShapeHostPorts, OnTheHostsNetworkEveryContainerPortIsAHostPort) {
  kube::PodSpec spec;
  spec.host_network = true;
  spec.containers.emplace_back().ports.push_back({.container_port = 9100, .host_port = 0, .host_ip = {}});
  Cluster cluster;
  EXPECT_EQ(cluster.shape(cluster.InternShape(spec, "default")).host_ports,
            (std::vector<HostPort>{{9100, "TCP", "0.0.0.0"}}));
}

TEST(ShapeHostPorts, ASidecarKeepsItsPorts) {
  Cluster cluster;
  const Shape& shape = ShapeWith(cluster, R"(  containers: [{name: main, image: a}]
  initContainers: [{name: proxy, image: a, restartPolicy: Always, ports: [{containerPort: 15001, hostPort: 15001}]}])");
  EXPECT_EQ(shape.host_ports, (std::vector<HostPort>{{15001, "TCP", "0.0.0.0"}}));
}

TEST(ShapeHostPorts, AnInitContainerGivesItsPortsBackBeforeThePodRuns) {
  Cluster cluster;
  const Shape& shape = ShapeWith(cluster, R"(  containers: [{name: main, image: a}]
  initContainers: [{name: once, image: a, ports: [{containerPort: 15001, hostPort: 15001}]}])");
  EXPECT_TRUE(shape.host_ports.empty());
}

TEST(ShapeHostPorts, TheSamePortOfTwoContainersIsOne) {
  Cluster cluster;
  const Shape& shape = ShapeWith(cluster, R"(  containers:
  - {name: a, image: a, ports: [{containerPort: 80, hostPort: 80}]}
  - {name: b, image: a, ports: [{containerPort: 80, hostPort: 80}]})");
  EXPECT_EQ(shape.host_ports.size(), 1U);
}

// --- claims

class ShapeClaims : public testing::Test {
 protected:
  ShapeClaims() { cluster_.Apply(NodeOf({}), false); }
  const Shape& Of(std::string_view pod) const { return cluster_.shape(EntryOf(cluster_, pod).shape); }

  Cluster cluster_;
};

TEST_F(ShapeClaims, AClaimThatDoesNotExistIsMissing) {
  cluster_.Apply(PodOf({.claims = {"data"}}), false);
  EXPECT_EQ(Of("p1").missing_claims, std::vector<std::string>{"data"});
}

TEST_F(ShapeClaims, AClaimThatIsNotBoundIsMissing) {
  cluster_.Apply(ClaimOf("data", ""), false);
  cluster_.Apply(PodOf({.claims = {"data"}}), false);
  EXPECT_EQ(Of("p1").missing_claims, std::vector<std::string>{"data"});
}

TEST_F(ShapeClaims, AClaimWhoseVolumeIsNotSeenIsMissing) {
  cluster_.Apply(ClaimOf("data", "v1"), false);
  cluster_.Apply(PodOf({.claims = {"data"}}), false);
  EXPECT_EQ(Of("p1").missing_claims, std::vector<std::string>{"data"});
}

TEST_F(ShapeClaims, ABoundClaimBringsTheNodeAffinityOfItsVolume) {
  cluster_.Apply(VolumeOf("v1", "z1"), false);
  cluster_.Apply(ClaimOf("data", "v1"), false);
  cluster_.Apply(PodOf({.claims = {"data"}}), false);
  EXPECT_TRUE(Of("p1").missing_claims.empty());
  ASSERT_EQ(Of("p1").volume_affinities.size(), 1U);
  EXPECT_EQ(Of("p1").volume_affinities.front().terms.front().match_expressions.front().values,
            std::vector<std::string>{"z1"});
}

TEST_F(ShapeClaims, AVolumeThatCanBeReachedFromEverywhereBringsNothing) {
  cluster_.Apply(VolumeOf("v1"), false);
  cluster_.Apply(ClaimOf("data", "v1"), false);
  cluster_.Apply(PodOf({.claims = {"data"}}), false);
  EXPECT_TRUE(Of("p1").missing_claims.empty());
  EXPECT_TRUE(Of("p1").volume_affinities.empty());
}

TEST_F(ShapeClaims, AClaimThatIsBoundLaterChangesThePodThatWaits) {
  cluster_.Apply(PodOf({.claims = {"data"}}), false);
  cluster_.Apply(VolumeOf("v1", "z1"), false);
  cluster_.Apply(ClaimOf("data", "v1"), false);
  EXPECT_TRUE(Of("p1").missing_claims.empty());
  EXPECT_EQ(Of("p1").volume_affinities.size(), 1U);
}

TEST_F(ShapeClaims, ARunningPodHoldsTheSameAfterItsClaimChanged) {
  cluster_.Apply(PodOf({.node = "n1", .claims = {"data"}}), false);
  cluster_.Apply(VolumeOf("v1", "z1"), false);
  cluster_.Apply(ClaimOf("data", "v1"), false);
  EXPECT_EQ(EntryOf(cluster_, "p1").hold, Hold::kBound);
  EXPECT_EQ(FreeCpu(cluster_, "n1"), 7000);
}

TEST_F(ShapeClaims, TheClaimOfAnotherNamespaceIsAnother) {
  cluster_.Apply(VolumeOf("v1"), false);
  cluster_.Apply(ClaimOf("data", "v1"), false);
  cluster_.Apply(PodOf({.claims = {"data"}, .namespace_ = "elsewhere"}), false);
  EXPECT_EQ(Of("p1").missing_claims, std::vector<std::string>{"data"});
}

TEST_F(ShapeClaims, TheLateDeletionOfAClaimDoesNotTakeItsSuccessorAway) {
  cluster_.Apply(VolumeOf("v1"), false);
  cluster_.Apply(ClaimOf("data", "v1", 9), false);
  kube::PersistentVolumeClaim old;
  old.metadata.name = "data";
  old.metadata.namespace_ = "default";
  old.metadata.uid = "uid-of-the-first";
  cluster_.Apply(ObjectOf(kube::Kind::kPersistentVolumeClaim, old), true);
  cluster_.Apply(PodOf({.claims = {"data"}}), false);
  EXPECT_TRUE(Of("p1").missing_claims.empty());
}

}  // namespace
}  // namespace cadre::model
