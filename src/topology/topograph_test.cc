#include "topology/topograph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::topology {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Imported Load(std::string_view text) {
  Result<Imported> imported = ImportTopograph(text);
  EXPECT_TRUE(imported) << imported.error().message;
  return imported.value_or(Imported{});
}

std::string ErrorOf(std::string_view text) {
  const Result<Imported> imported = ImportTopograph(text);
  return imported ? "" : imported.error().message;
}

constexpr std::string_view kModel = R"(
switches:
  core: {switches: [spine], labels: {topology.kubernetes.io/region: us}}
  spine: {switches: [leaf1, leaf2, leaf3], labels: {topology.kubernetes.io/zone: z}}
blocks:
- switch: leaf1
  nodes: ["n[1-2]"]
  annotations: {accelerator.topology.test/domain: nvl1}
- switch: leaf2
  nodes: [n3]
)";

TEST(TopographModel, GivesTheLabelsOfTopograph) {
  EXPECT_EQ(Load(kModel).labels.at("n2"),
            (kube::StringMap{{"network.topology.nvidia.com/accelerator", "nvl1"},
                             {"network.topology.nvidia.com/core", "core"},
                             {"network.topology.nvidia.com/leaf", "leaf1"},
                             {"network.topology.nvidia.com/spine", "spine"},
                             {"topology.kubernetes.io/region", "us"},
                             {"topology.kubernetes.io/zone", "z"}}));
}

TEST(TopographModel, NamesItsKeysCoarseToFine) {
  EXPECT_THAT(Load(kModel).keys,
              ElementsAre("topology.kubernetes.io/region", "topology.kubernetes.io/zone",
                          "network.topology.nvidia.com/core", "network.topology.nvidia.com/spine",
                          "network.topology.nvidia.com/leaf", "network.topology.nvidia.com/accelerator"));
}

TEST(TopographModel, LeavesANodeWithoutDomainUnlabelled) {
  EXPECT_FALSE(Load(kModel).labels.at("n3").contains("network.topology.nvidia.com/accelerator"));
}

TEST(TopographModel, MayHaveNodesOnItsSwitches) {
  EXPECT_EQ(Load("switches:\n  s: {nodes: [a, b]}\nnodes:\n  a: {attributes: {nvlink: x}}\n")
                .labels.at("a")
                .at("network.topology.nvidia.com/accelerator"),
            "x");
}

TEST(TopographModel, MayBeOfTheOlderFormWithLists) {
  const Imported imported = Load(R"(
switches:
- {name: top, switches: [s1]}
- {name: s1, capacity_blocks: [cb]}
capacity_blocks:
- {name: cb, nvlink: nv, nodes: [a]}
)");
  EXPECT_EQ(imported.labels.at("a"), (kube::StringMap{{"network.topology.nvidia.com/accelerator", "nv"},
                                                      {"network.topology.nvidia.com/leaf", "s1"},
                                                      {"network.topology.nvidia.com/spine", "top"}}));
}

TEST(TopographModel, SaysWhatIsAboveCore) {
  EXPECT_THAT(
      Load("switches: {a: {switches: [b]}, b: {switches: [c]}, c: {switches: [d]}, d: {nodes: [m]}}").notes,
      Contains(HasSubstr("4 levels of switches: those above core")));
}

TEST(TopographModel, DropsRacksWithoutNodes) {
  EXPECT_THAT(Load(kModel).notes, ElementsAre("1 switch without nodes dropped: leaf3"));
}

TEST(TopographModel, RefusesACycle) {
  EXPECT_THAT(ErrorOf("switches: {a: {switches: [b]}, b: {switches: [a], nodes: [m]}}"),
              HasSubstr("the switches a > b > a form a cycle"));
}

TEST(TopographModel, RefusesANodeUnderTwoSwitches) {
  EXPECT_THAT(ErrorOf("switches: {a: {nodes: [m]}, b: {nodes: [m]}}"),
              HasSubstr("switch b: node m is below switch a already"));
}

TEST(TopographModel, RefusesANodeInTwoDomains) {
  EXPECT_THAT(ErrorOf("switches: {a: {nodes: [m]}}\ncapacity_blocks: {b1: {nvlink: v, nodes: [m]}, "
                      "b2: {nvlink: w, nodes: [m]}}"),
              HasSubstr("capacity_blocks.b2: node m is in accelerator domain v already, not w"));
}

TEST(TopographModel, RefusesALabelThatIsNone) {
  EXPECT_THAT(ErrorOf("switches: {a: {nodes: [m], labels: {'x y': z}}}"),
              HasSubstr("switches.a.labels: \"x y\" is not a label key"));
}

TEST(TopographModel, RefusesABadHostRange) {
  EXPECT_THAT(ErrorOf("switches: {a: {nodes: ['n[3-1]']}}"),
              HasSubstr("switches.a.nodes: \"n[3-1]\": the range"));
}

TEST(TopographModel, RefusesABlockOnASwitchThatIsNotThere) {
  EXPECT_THAT(ErrorOf("switches: {a: {}}\nblocks: [{switch: b, nodes: [m]}]"),
              HasSubstr("blocks[0].switch: there is no switch b"));
}

TEST(TopographModel, RefusesWhatIsNoMapping) {
  EXPECT_THAT(ErrorOf("switches: 3"),
              HasSubstr("switches: expected a mapping or a list, found a single value"));
}

TEST(TopographConf, IsReadAsSlurms) {
  EXPECT_EQ(Load("# rack1=nvl-1\nBlockName=rack1 Nodes=n[1-2]\nBlockSizes=2\n").labels.size(), 2U);
}

TEST(Netq, GivesAcceleratorDomains) {
  EXPECT_EQ(Load(R"([{"Name": "n1", "DomainUUID": "d"}])").labels.at("n1"),
            (kube::StringMap{{"network.topology.nvidia.com/accelerator", "d"}}));
}

TEST(Netq, RefusesANodeInTwoDomains) {
  EXPECT_THAT(ErrorOf(R"([{"Name": "n", "DomainUUID": "d"}, {"Name": "n", "DomainUUID": "e"}])"),
              HasSubstr("[1]: n is in domain d already, not e"));
}

constexpr std::string_view kFabric = R"(# Topology file
switchguid=0x1(1)
Switch	4 "S-1"		# "MF0;LEAF-1:MQM9701/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-a0"[1](a0) 		# "hosta mlx5_0" lid 10 4xNDR
[2]	"H-b0"[1](b0) 		# "hostb mlx5_0" lid 11 4xNDR
[3]	"S-9"[1]		# "MF0;SPINE:MQM9701/U1" lid 9 4xNDR
[4]	"H-x"[1](x) 		# "Mellanox Technologies Aggregation Node" lid 12 4xNDR

switchguid=0x2(2)
Switch	4 "S-2"		# "MF0;LEAF-2:MQM9701/U1" enhanced port 0 lid 2 lmc 0
[1]	"H-a1"[1](a1) 		# "hosta mlx5_1" lid 20 4xNDR

switchguid=0x3(3)
Switch	4 "S-3"		# "MF0;LEAF-3:MQM9701/U1" enhanced port 0 lid 3 lmc 0
[1]	"H-c0"[1](c0) 		# "hostc mlx5_0" lid 30 4xNDR

switchguid=0x9(9)
Switch	4 "S-9"		# "MF0;SPINE:MQM9701/U1" enhanced port 0 lid 9 lmc 0
[1]	"S-1"[3]		# "MF0;LEAF-1:MQM9701/U1" lid 1 4xNDR

caguid=0xa0
Ca	1 "H-a0"		# "hosta mlx5_0"
[1](a0) 	"S-1"[1]		# lid 10 lmc 0 "MF0;LEAF-1:MQM9701/U1" lid 1 4xNDR
)";

TEST(InfiniBandFabric, MakesOneUnitOfHostsThatShareLeafSwitches) {
  const Imported imported = Load(kFabric);
  const std::string key = "network.topology.nvidia.com/leaf";
  EXPECT_EQ(imported.labels.at("hosta").at(key), "LEAF-1");
  EXPECT_EQ(imported.labels.at("hostb").at(key), "LEAF-1");
  EXPECT_EQ(imported.labels.at("hostc").at(key), "LEAF-3");
}

TEST(InfiniBandFabric, HasNoHostForAdaptersOfSwitches) {
  EXPECT_EQ(Load(kFabric).labels.size(), 3U);
}

TEST(InfiniBandFabric, RefusesAPortWithoutItsOtherEnd) {
  EXPECT_THAT(ErrorOf("switchguid=0x1\nSwitch\t4 \"S-1\" # \"x\"\n[1] H-a\n"),
              HasSubstr("line 3: a port without its other end"));
}

TEST(InfiniBandFabric, RefusesAFabricWithoutHosts) {
  EXPECT_THAT(ErrorOf("switchguid=0x1\nSwitch\t4 \"S-1\" # \"x\"\n"),
              HasSubstr("no switch has a port to a host"));
}

TEST(TopographRequest, IsRefusedAsNoTopology) {
  EXPECT_THAT(
      ErrorOf(R"({"provider": {"name": "test", "params": {"modelFileName": "m.yaml"}}, "engine": {}})"),
      HasSubstr("a request to Topograph (provider test), not a topology: import the model m.yaml"));
}

TEST(TopographRequest, ForAnErrorTellsIt) {
  EXPECT_THAT(ErrorOf(R"({"provider": {"name": "test", "params": {"errorMessage": "no luck"}}})"),
              HasSubstr("whose answer is the error \"no luck\""));
}

}  // namespace
}  // namespace cadre::topology
