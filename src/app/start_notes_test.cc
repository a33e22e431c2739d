#include "app/start_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"

namespace cadre::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LonePod;
using testing::Nodes;
using ::testing::Not;

kube::Object PodOn(std::string_view name, std::string_view node, std::string_view cpu) {
  return LonePod(name, cpu, "infinity", fmt::format("\n  nodeName: {}", node));
}

SimulationInput Cluster(std::vector<kube::Object> nodes, const std::vector<kube::Object>& pods) {
  SimulationInput input;
  input.cluster = std::move(nodes);
  input.cluster.insert(input.cluster.end(), pods.begin(), pods.end());
  return input;
}

TEST(StartNotes, SayNothingWhereEveryPodHasItsNodeAndRoom) {
  EXPECT_THAT(StartNotes(Cluster(Nodes(1, "4"), {PodOn("a", "n0", "4")})), IsEmpty());
}

TEST(StartNotes, CountPodsAndNodesThatTheInputDoesNotHave) {
  const auto notes = StartNotes(Cluster(Nodes(1, "4"), {PodOn("a", "gone", "1"), PodOn("b", "gone", "1"),
                                                        PodOn("c", "lost", "1"), PodOn("d", "lost", "1")}));
  EXPECT_THAT(
      notes,
      ElementsAre(
          AllOf(HasSubstr("4 pods are bound to 2 nodes that the input does not have"),
                HasSubstr("(Pod default/a on gone, Pod default/b on gone, Pod default/c on lost and 1 more)"),
                HasSubstr("hold nothing of the cluster that is simulated"),
                HasSubstr("the nodes of the dump may be incomplete"))));
}

TEST(StartNotes, DoNotMissANodeThatIsSubmittedLater) {
  SimulationInput input = Cluster({}, {PodOn("a", "n0", "1")});
  input.submissions.push_back({.object = Nodes(1, "4").front(), .after = std::chrono::seconds(30)});
  EXPECT_THAT(StartNotes(input), IsEmpty());
}

TEST(StartNotes, NameTheNodeThatIsOverCommittedWithWhatIsAskedOfWhat) {
  const auto notes = StartNotes(Cluster(Nodes(2, "4"), {PodOn("a", "n1", "3"), PodOn("b", "n1", "3")}));
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("n1 (6 CPU of 4 CPU)"), Not(HasSubstr("n0")),
                                       Not(HasSubstr("more node")))));
}

TEST(StartNotes, NameTheWorstNodesFirstAndCountTheRest) {
  const auto notes =
      StartNotes(Cluster(Nodes(5, "4"), {PodOn("a", "n0", "5"), PodOn("b", "n1", "6"), PodOn("c", "n2", "9"),
                                         PodOn("d", "n3", "8"), PodOn("e", "n4", "7")}));
  EXPECT_THAT(notes, ElementsAre(HasSubstr(
                         "n2 (9 CPU of 4 CPU), n3 (8 CPU of 4 CPU), n4 (7 CPU of 4 CPU) and 2 more nodes;")));
}

}  // namespace
}  // namespace cadre::app
