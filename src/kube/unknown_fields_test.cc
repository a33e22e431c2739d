#include "kube/unknown_fields.h"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Unknown(Kind kind, std::string_view text) {
  std::vector<std::string> said;
  for (const UnknownField& field : UnknownFields(kind, boost::json::parse(text)))
    said.push_back(ToString(field));
  return said;
}

TEST(UnknownFields, NamesAMisspeltFieldAndTheOneThatWasMeant) {
  EXPECT_THAT(Unknown(Kind::kPod, R"({"kind":"Pod","spec":{"nodeSelctor":{"a":"b"},"containers":[]}})"),
              ElementsAre("spec.nodeSelctor: PodSpec has no such field; did you mean nodeSelector?"));
}

TEST(UnknownFields, LooksIntoTheTemplatesAndListsOfAJobSet) {
  EXPECT_THAT(
      Unknown(Kind::kJobSet, R"({"spec":{"replicatedJobs":[{"name":"a"},{"template":{"spec":{"paralelism":2,
          "template":{"spec":{"containers":[{"resource":{}}],"tolerations":[{"keys":"x"}]}}}}}]}})"),
      ElementsAre(
          "spec.replicatedJobs[1].template.spec.paralelism: JobSpec has no such field; did you mean "
          "parallelism?",
          "spec.replicatedJobs[1].template.spec.template.spec.containers[0].resource: Container has no "
          "such field; did you mean resources?",
          "spec.replicatedJobs[1].template.spec.template.spec.tolerations[0].keys: Toleration has no "
          "such field; did you mean key?"));
}

TEST(UnknownFields, HoldsAFieldInTheWrongPlaceForUnknown) {
  EXPECT_THAT(Unknown(Kind::kJob, R"({"spec":{"schedulerName":"cadre"}})"),
              ElementsAre("spec.schedulerName: JobSpec has no such field"));
}

TEST(UnknownFields, LeavesLabelsAndWhatCadreDoesNotReadAlone) {
  EXPECT_THAT(Unknown(Kind::kPod, R"({"metadata":{"labels":{"anything":"x"},"annotations":{"some":"y"}},
      "spec":{"nodeSelector":{"disk":"ssd"},"volumes":[{"whatever":1}],"containers":[{"livenessProbe":{"a":1}}]},
      "status":{"unheardOf":1}})"),
              IsEmpty());
}

TEST(UnknownFields, LeavesWhatHasTheWrongShapeToTheDecoder) {
  EXPECT_THAT(Unknown(Kind::kPod, R"({"spec":7})"), IsEmpty());
  EXPECT_THAT(Unknown(Kind::kPod, R"([])"), IsEmpty());
}

TEST(UnknownFields, AreBounded) {
  boost::json::object spec;
  for (std::size_t i = 0; i < kMostUnknownFields + 5; ++i)
    spec["nonsense-" + std::to_string(i)] = 1;
  EXPECT_EQ(UnknownFields(Kind::kPod, boost::json::object{{"spec", spec}}).size(), kMostUnknownFields);
}

}  // namespace
}  // namespace cadre::kube
