#include "topology/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::topology {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Imported Load(std::string_view text) {
  Result<Imported> imported = ImportSlurm(text);
  EXPECT_TRUE(imported) << imported.error().message;
  return imported.value_or(Imported{});
}

std::string ErrorOf(std::string_view text) {
  const Result<Imported> imported = ImportSlurm(text);
  return imported ? "" : imported.error().message;
}

constexpr std::string_view kTree =
    "SwitchName=root Switches=s[0-1] LinkSpeed=100\n"
    "SwitchName=s0 Nodes=n[0-1]\n"
    "SwitchName=s1 Nodes=n2\n";

TEST(SlurmTree, GivesEachNodeItsSwitchesFromTheTop) {
  EXPECT_EQ(Load(kTree).labels.at("n2"),
            (kube::StringMap{{"cadre.dev/switch-1", "root"}, {"cadre.dev/switch-2", "s1"}}));
}

TEST(SlurmTree, NamesItsKeysCoarseToFine) {
  EXPECT_THAT(Load(kTree).keys, ElementsAre("cadre.dev/switch-1", "cadre.dev/switch-2"));
}

TEST(SlurmTree, OfARegularFileNeedsNoNote) {
  EXPECT_THAT(Load(kTree).notes, IsEmpty());
}

TEST(SlurmTree, MayBeUneven) {
  const Imported imported = Load("SwitchName=a Switches=b Nodes=x\nSwitchName=b Nodes=y\n");
  EXPECT_EQ(imported.labels.at("x"), (kube::StringMap{{"cadre.dev/switch-1", "a"}}));
}

TEST(SlurmTree, MayBeDescribedFromTheLeaves) {
  EXPECT_EQ(Load("SwitchName=s Nodes=n\nSwitchName=root Switches=s\n").labels.at("n").size(), 2U);
}

TEST(SlurmTree, WithSeveralRootsIsAForestAndSaysSo) {
  EXPECT_THAT(Load("SwitchName=a Nodes=x\nSwitchName=b Nodes=y\n").notes,
              ElementsAre("2 top switches with nothing above them, which is taken for a forest: a, b"));
}

TEST(SlurmTree, DropsEmptySwitchesAndSaysSo) {
  const Imported imported = Load("SwitchName=r Switches=a,b\nSwitchName=a Nodes=x\nSwitchName=b Nodes=\n");
  EXPECT_THAT(imported.notes, ElementsAre("1 switch without nodes dropped: b"));
}

TEST(SlurmText, JoinsLinesThatABackslashContinues) {
  EXPECT_EQ(Load("SwitchName=a \\\n Nodes=n[1-2],\\\nn3\n").labels.size(), 3U);
}

TEST(SlurmText, SkipsComments) {
  EXPECT_EQ(Load("# Nodes=x\nSwitchName=a Nodes=y # and \\\n").labels.size(), 1U);
}

TEST(SlurmText, TakesParameterNamesInAnyCase) {
  EXPECT_EQ(Load("SWITCHNAME=a nodes=y").labels.size(), 1U);
}

TEST(SlurmText, TakesQuotesAndWindowsLineEnds) {
  EXPECT_EQ(Load("SwitchName=a Nodes=\"x,y\"\r\n").labels.size(), 2U);
}

TEST(SlurmBlocks, GiveEachNodeItsBlock) {
  EXPECT_EQ(Load("BlockName=b1 Nodes=n[1-2]\n").labels.at("n2"),
            (kube::StringMap{{"cadre.dev/block", "b1"}}));
}

TEST(SlurmBlocks, HaveALevelForEachLargerSize) {
  EXPECT_THAT(Load("BlockName=b1 Nodes=n[1-2]\nBlockSizes=2,4,8\n").keys,
              ElementsAre("cadre.dev/block-x4", "cadre.dev/block-x2", "cadre.dev/block"));
}

TEST(SlurmBlocks, AggregateInTheOrderOfTheFile) {
  const Imported imported =
      Load("BlockSizes=1,2\nBlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\nBlockName=b3 Nodes=n3\n");
  EXPECT_EQ(imported.labels.at("n1").at("cadre.dev/block-x2"), "b1-x2");
  EXPECT_EQ(imported.labels.at("n2").at("cadre.dev/block-x2"), "b1-x2");
  EXPECT_EQ(imported.labels.at("n3").at("cadre.dev/block-x2"), "b3-x2");
}

TEST(SlurmBlocks, WithoutNodesAreDroppedAndSaySo) {
  EXPECT_THAT(Load("BlockName=b1 Nodes=n1\nBlockName=b2\n").notes,
              ElementsAre("line 2: block b2 without nodes dropped"));
}

TEST(SlurmBlocks, SmallerThanTheBlockSizeAreNoted) {
  EXPECT_THAT(Load("BlockSizes=4\nBlockName=b1 Nodes=n1\n").notes,
              ElementsAre("line 2: block b1 has 1 node, fewer than the block size 4"));
}

TEST(SlurmBlocks, BeyondTheLargestAggregateAreNoted) {
  EXPECT_THAT(Load("BlockSizes=1,16\nBlockName=b1 Nodes=n1\n").notes,
              Contains(HasSubstr("block size 16 is 16 blocks of 1: no level")));
}

struct Bad {
  const char* text;
  const char* why;
};

class BadTopologyConf : public ::testing::TestWithParam<Bad> {};

TEST_P(BadTopologyConf, IsRefusedWithLineAndReason) {
  EXPECT_THAT(ErrorOf(GetParam().text), ::testing::StartsWith(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Trees, BadTopologyConf,
    ::testing::Values(Bad{"SwitchName=a Nodes=x\nSwitchName=b Nodes=y,x\n",
                          "line 2: node x is below switch a already (line 1): a node hangs below one switch"},
                      Bad{"SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=x\n",
                          "line 2: switch c is below switch a already (line 1)"},
                      Bad{"SwitchName=a Switches=b\nSwitchName=b Switches=a Nodes=x\n",
                          "line 1: the switches a > b > a form a cycle: none of them is the root"},
                      Bad{"SwitchName=r Nodes=y\nSwitchName=c Switches=a\nSwitchName=a "
                          "Switches=b\nSwitchName=b Switches=c\n",
                          "line 2: the switches c > a > b > c form a cycle"},
                      Bad{"SwitchName=a Switches=a Nodes=x\n", "line 1: the switches a > a form a cycle"},
                      Bad{"SwitchName=a Nodes=x\nSwitchName=a Nodes=y\n",
                          "line 2: switch a is described already (line 1)"},
                      Bad{"SwitchName=leaf1 Nodes=x\nSwitchName=r Switches=leaf2\n",
                          "line 2: switch leaf2 is named but not described, did you mean leaf1?"},
                      Bad{"SwitchName=a\n", "there is no node below any switch"},
                      Bad{"\nSwitchName=a Nodes=n[5-3]\n", "line 2: \"n[5-3]\": the range 5-3 is reversed"},
                      Bad{"SwitchName=a Nodes=n[x]\n", "line 1: \"n[x]\": [x] is no range of numbers"},
                      Bad{"SwitchName=a Nodes=n[1-150000]\nSwitchName=b Nodes=m[1-150000]\n",
                          "line 2: more than 200000 hosts and switches in all"},
                      Bad{"SwitchName=a[1-2] Nodes=x\n", "line 1: SwitchName=a[1-2] is 2 names"}));

INSTANTIATE_TEST_SUITE_P(
    Blocks, BadTopologyConf,
    ::testing::Values(
        Bad{"BlockName=a Nodes=x\nBlockName=b Nodes=x\n", "line 2: node x is in block a already (line 1)"},
        Bad{"BlockName=a Nodes=x\nBlockName=a Nodes=y\n", "line 2: block a is described already (line 1)"},
        Bad{"BlockName=a Nodes=x\nBlockSizes=2,6\n", "line 2: BlockSizes: 6 after 2"},
        Bad{"BlockName=a Nodes=x\nBlockSizes=2,2\n", "line 2: BlockSizes: 2 after 2"},
        Bad{"BlockName=a Nodes=x\nBlockSizes=0\n", "line 2: BlockSizes: \"0\" is no number of nodes"},
        Bad{"BlockName=a\n", "there is no node in any block"}));

INSTANTIATE_TEST_SUITE_P(
    Text, BadTopologyConf,
    ::testing::Values(Bad{"", "there is no SwitchName and no BlockName"},
                      Bad{"SwitchName=a Nodes=x\n\nInclude more.conf\n", "line 3: Include is not followed"},
                      Bad{"ClusterName=c\n", "line 1: ClusterName belongs to slurm.conf"},
                      Bad{"SwichName=a Nodes=x\n",
                          "line 1: SwichName is no parameter of topology.conf, did you mean"},
                      Bad{"SwitchName=a Nodes\n", "line 1: \"Nodes\" is no NAME=VALUE"},
                      Bad{"SwitchName=a Nodes=\"x\n", "line 1: the quote of Nodes is not closed"},
                      Bad{"SwitchName=a Nodes=x Nodes=y\n", "line 1: Nodes is given twice"},
                      Bad{"SwitchName=a Rack=x\n", "line 1: Rack does not belong on a line of SwitchName"},
                      Bad{"SwitchName=a Nodes=x\nBlockName=b Nodes=y\n",
                          "line 2: SwitchName and BlockName in one file (the other is in line 1)"}));

TEST(SlurmTree, RefusesMoreSwitchesAboveOneAnotherThanAnyoneHas) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i + 1) + "\n";
  text += "SwitchName=s20 Nodes=n\n";
  EXPECT_THAT(ErrorOf(text), HasSubstr("line 21: more than 16 switches above one another"));
}

}  // namespace
}  // namespace cadre::topology
