#include "topology/ec2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Imported Load(std::string_view text) {
  Result<Imported> imported = ImportEc2(text);
  EXPECT_TRUE(imported) << imported.error().message;
  return imported.value_or(Imported{});
}

std::string ErrorOf(std::string_view text) {
  const Result<Imported> imported = ImportEc2(text);
  return imported ? "" : imported.error().message;
}

TEST(Ec2Topology, GivesInstancesTheLabelsOfAws) {
  EXPECT_EQ(
      Load(R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["nn-a", "nn-b"]}]})").labels.at("i-1"),
      (kube::StringMap{{"topology.k8s.aws/network-node-layer-1", "nn-a"},
                       {"topology.k8s.aws/network-node-layer-2", "nn-b"}}));
}

TEST(Ec2Topology, MayBeYaml) {
  EXPECT_EQ(Load("Instances:\n- InstanceId: i-1\n  NetworkNodes:\n  - nn-a\n").labels.size(), 1U);
}

TEST(Ec2Topology, LeavesOutInstancesWithoutNetworkNodes) {
  EXPECT_THAT(
      Load(R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["a"]}, {"InstanceId": "i-2"}]})").notes,
      ElementsAre(HasSubstr("1 instance without network nodes left out")));
}

TEST(Ec2Topology, SaysThatItIsOnePage) {
  EXPECT_THAT(
      Load(R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["a"]}], "NextToken": "x"})").notes,
      ElementsAre(HasSubstr("there is a NextToken")));
}

TEST(Ec2Topology, TakesANetworkNodeBelowTwoOthersForTwoDomains) {
  EXPECT_THAT(Load(R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["a", "x"]},
                                     {"InstanceId": "i-2", "NetworkNodes": ["b", "x"]}]})")
                  .notes,
              ElementsAre("network node x is below a and b at once: taken for 2 domains"));
}

TEST(Ec2Topology, RefusesAnInstanceInTwoPlaces) {
  EXPECT_THAT(ErrorOf(R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["a"]},
                                        {"InstanceId": "i-1", "NetworkNodes": ["b"]}]})"),
              HasSubstr("Instances[1]: i-1 is listed before, below a instead of b"));
}

TEST(Ec2Topology, RefusesMoreLayersThanAreKnown) {
  EXPECT_THAT(ErrorOf(R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["a", "b", "c", "d", "e"]}]})"),
              HasSubstr("Instances[0].NetworkNodes: 5 of them"));
}

TEST(Ec2Topology, RefusesAnInstanceWithoutId) {
  EXPECT_THAT(ErrorOf(R"({"Instances": [{"NetworkNodes": []}]})"),
              HasSubstr("Instances[0].InstanceId: expected"));
}

TEST(Ec2Topology, RefusesWhatHasNoInstances) {
  EXPECT_THAT(ErrorOf(R"({"Reservations": []})"), HasSubstr("there is no list Instances"));
}

TEST(Ec2Topology, RefusesBrokenJson) {
  EXPECT_THAT(ErrorOf("{\"Instances\": ["), HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace cadre::topology
