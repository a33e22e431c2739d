#include "kube/decode.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "kube/decode_reader.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

namespace json = boost::json;

std::string ErrorOf(std::string_view text) {
  const Result<Object> object = Decode(json::parse(json::string_view(text.data(), text.size())));
  return object ? "no error" : object.error().message;
}

// A pod whose spec has one more field, as JSON.
std::string PodWith(std::string_view spec_field) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"a","namespace":"default"}},"spec":{{{}}}}})",
      spec_field);
}

TEST(Decode, KeepsTheJsonItCameFrom) {
  const json::value value =
      json::parse(R"({"apiVersion":"v1","kind":"Service","spec":{"clusterIP":"None"}})");
  EXPECT_EQ(*Decode(value)->raw, value);
}

TEST(Decode, OfAKnownKindNeedsNoApiVersion) {
  const Result<Object> object = Decode(Kind::kPod, json::parse(R"({"metadata":{"name":"a"}})"));
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(object->Meta().name, "a");
}

TEST(Decode, AnUnknownKindIsAnError) {
  EXPECT_EQ(ErrorOf(R"({"apiVersion":"apps/v1","kind":"Deployment"})"),
            "Deployment of apps/v1 is not a kind that Cadre knows");
}

TEST(Decode, WithoutKindItIsNoKubernetesObject) {
  EXPECT_EQ(
      ErrorOf(R"({"apiVersion":"v1"})"),
      "not a Kubernetes object: it needs both apiVersion and kind (found apiVersion \"v1\", kind \"\")");
}

TEST(Decode, AListIsNoKubernetesObject) {
  EXPECT_EQ(ErrorOf("[1]"), "not a Kubernetes object: expected a map of fields");
}

TEST(Decode, AnObjectWithoutMetadataIsFine) {
  EXPECT_TRUE(Decode(json::parse(R"({"apiVersion":"v1","kind":"Pod"})")).has_value());
}

TEST(Decode, UnknownFieldsAreIgnored) {
  EXPECT_EQ(ErrorOf(PodWith(R"("dnsPolicy":"Default","brandNew":[1,{"x":2}])")), "no error");
}

TEST(Decode, NullCountsAsAbsentEverywhere) {
  EXPECT_EQ(ErrorOf(PodWith(R"("containers":null,"nodeSelector":null,"priority":null,"affinity":null)")),
            "no error");
}

TEST(DecodeError, NamesTheObjectAndThePath) {
  EXPECT_EQ(ErrorOf(PodWith(R"("containers":[{"resources":{"requests":{"cpu":"1x"}}}])")),
            "Pod default/a: spec.containers[0].resources.requests.cpu: found \"1x\", expected a quantity, "
            "e.g. 500m, 2 or "
            "64Gi");
}

TEST(DecodeError, KeysWithDotsStandInBrackets) {
  EXPECT_EQ(ErrorOf(PodWith(R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":true}}}])")),
            "Pod default/a: spec.containers[0].resources.limits[nvidia.com/gpu]: found true, expected a "
            "whole number, e.g. 8");
}

TEST(DecodeError, OnlyTheFirstIsReported) {
  EXPECT_EQ(ErrorOf(PodWith(R"("priority":"high","hostNetwork":"no")")),
            "Pod default/a: spec.priority: found \"high\", expected a whole number");
}

TEST(DecodeError, APlaceholderOfATemplateIsRecognised) {
  EXPECT_EQ(ErrorOf(PodWith(R"("priority":"${PRIORITY}")")),
            "Pod default/a: spec.priority: found \"${PRIORITY}\", expected a whole number (this looks like a "
            "template "
            "with placeholders: render it first)");
}

TEST(DecodeError, ANumberWhereTextBelongsAsksForQuotes) {
  EXPECT_EQ(
      ErrorOf(PodWith(R"("nodeSelector":{"rack":7})")),
      "Pod default/a: spec.nodeSelector.rack: found the number 7, expected a string (put it in quotes)");
}

TEST(DecodeError, ANumberOutOfRangeSaysTheRange) {
  EXPECT_EQ(ErrorOf(PodWith(R"("priority":3000000000)")),
            "Pod default/a: spec.priority: found the number 3000000000, expected a whole number from "
            "-2147483648 to "
            "2147483647");
}

TEST(DecodeError, ALongTextIsCut) {
  const std::string message = ErrorOf(PodWith(R"("priority":")" + std::string(500, 'x') + R"(")"));
  EXPECT_EQ(message, "Pod default/a: spec.priority: found \"" + std::string(60, 'x') +
                         "...\", expected a whole number");
}

TEST(DecodeError, AnEnumerationNamesItsValues) {
  EXPECT_EQ(
      ErrorOf(PodWith(R"("tolerations":[{"operator":"Exist"}])")),
      "Pod default/a: spec.tolerations[0].operator: found \"Exist\", expected one of Equal, Exists, Gt, Lt");
}

struct WrongType {
  std::string name;
  std::string spec_field;
  std::string message;
};
class WrongTypes : public testing::TestWithParam<WrongType> {};

TEST_P(WrongTypes, AreRefused) {
  EXPECT_EQ(ErrorOf(PodWith(GetParam().spec_field)), "Pod default/a: " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongTypes,
    testing::Values(
        WrongType{"ObjectForList", R"("containers":{})",
                  "spec.containers: found an empty object {}, expected a list"},
        WrongType{"TextForObjectInList", R"("containers":["a"])",
                  "spec.containers[0]: found \"a\", expected an object (a map of fields)"},
        WrongType{"ListForObject", R"("nodeSelector":[])",
                  "spec.nodeSelector: found an empty list, expected an object (a map of fields)"},
        WrongType{"TextForBoolean", R"("hostNetwork":"true")",
                  "spec.hostNetwork: found \"true\", expected true or false"},
        WrongType{
            "FractionForInteger", R"("priority":1.5)",
            "spec.priority: found the number 1.5, expected a whole number from -2147483648 to 2147483647"},
        WrongType{"ObjectForText", R"("nodeName":{"a":1})",
                  "spec.nodeName: found an object, expected a string"},
        WrongType{"NumberInListOfTexts", R"("containers":[{"args":["a",5]}])",
                  "spec.containers[0].args[1]: found the number 5, expected a string (put it in quotes)"}),
    [](const auto& row) { return row.param.name; });

TEST(DecodeLeniency, AWholeNumberMayBeWrittenAsAFraction) {
  EXPECT_EQ(Decode(json::parse(PodWith(R"("priority":3.0)")))->As<Pod>().spec.priority, 3);
}

TEST(DecodeLeniency, AQuantityMayBeANumber) {
  const Result<Object> pod =
      Decode(json::parse(PodWith(R"("containers":[{"resources":{"requests":{"cpu":1.5,"memory":1024}}}])")));
  EXPECT_EQ(pod->As<Pod>().spec.containers[0].requests, (ResourceList{{"cpu", 1500}, {"memory", 1024}}));
}

TEST(DecodeLeniency, AnEmptyEnumerationIsItsDefault) {
  EXPECT_EQ(ErrorOf(PodWith(R"("tolerations":[{"operator":"","key":"a"}])")), "no error");
}

TEST(DecodeMeta, ReadsAllThatIdentifiesAnObject) {
  const Object object = FromYaml(R"(
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: team
  generateName: a-
  uid: 12-34
  resourceVersion: "77"
  generation: 3
  creationTimestamp: "2026-01-02T03:04:05Z"
  deletionTimestamp: "2026-01-02T03:04:06Z"
  labels: {app: web}
  annotations: {note: x}
  finalizers: [batch.kubernetes.io/job-tracking]
  ownerReferences:
  - {apiVersion: batch/v1, kind: Job, name: j, uid: "9", controller: true, blockOwnerDeletion: true}
)");
  const ObjectMeta& meta = object.Meta();
  EXPECT_EQ(KeyOf(meta), "team/a");
  EXPECT_EQ(meta.generate_name, "a-");
  EXPECT_EQ(meta.uid, "12-34");
  EXPECT_EQ(meta.resource_version, 77U);
  EXPECT_EQ(meta.generation, 3);
  EXPECT_EQ(*meta.deletion_timestamp - *meta.creation_timestamp, Duration(1000));
  EXPECT_EQ(meta.labels, (StringMap{{"app", "web"}}));
  EXPECT_EQ(meta.annotations, (StringMap{{"note", "x"}}));
  EXPECT_EQ(meta.finalizers, std::vector<std::string>{"batch.kubernetes.io/job-tracking"});
  ASSERT_NE(meta.Controller(), nullptr);
  EXPECT_EQ(meta.Controller()->name, "j");
  EXPECT_EQ(meta.Controller()->api_version, "batch/v1");
  EXPECT_TRUE(meta.Controller()->block_owner_deletion);
}

TEST(DecodeMeta, ACreationTimestampOfNullIsNone) {
  const Result<Object> pod = Decode(
      json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":null}})"));
  EXPECT_EQ(pod->Meta().creation_timestamp, std::nullopt);
}

TEST(DecodeMeta, ATimeInAnotherFormatIsAnError) {
  EXPECT_EQ(
      ErrorOf(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":"yesterday"}})"),
      "Pod a: metadata.creationTimestamp: found \"yesterday\", expected a time like 2026-01-31T12:00:00Z");
}

TEST(DecodeMeta, AResourceVersionThatIsNoNumberIsAnError) {
  EXPECT_EQ(ErrorOf(R"({"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"abc"}})"),
            "Pod: metadata.resourceVersion: found \"abc\", expected a number in quotes");
}

TEST(DecodeMeta, ConditionsAreTrueOnlyWhenTheySayTrue) {
  const Object object = FromYaml(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  conditions:
  - {type: Ready, status: "True", reason: KubeletReady, message: fine, lastTransitionTime: "2026-01-02T03:04:05Z"}
  - {type: DiskPressure, status: "Unknown"}
)");
  const auto& node = static_cast<const Node&>(*object.body);
  ASSERT_EQ(node.status.conditions.size(), 2U);
  EXPECT_TRUE(node.status.conditions[0].status);
  EXPECT_EQ(node.status.conditions[0].reason, "KubeletReady");
  EXPECT_TRUE(node.status.conditions[0].last_transition_time.has_value());
  EXPECT_FALSE(node.status.conditions[1].status);
}

TEST(HasPlaceholder, RecognisesTheMarksOfTemplates) {
  EXPECT_TRUE(HasPlaceholder("{{ .Values.name }}"));
  EXPECT_TRUE(HasPlaceholder("job-${ID}"));
  EXPECT_TRUE(HasPlaceholder("{% if x %}"));
  EXPECT_TRUE(HasPlaceholder("<your-name>"));
}
TEST(HasPlaceholder, OrdinaryTextHasNone) {
  EXPECT_FALSE(HasPlaceholder("job-1"));
  EXPECT_FALSE(HasPlaceholder("a<b"));
  EXPECT_FALSE(HasPlaceholder("$HOME"));
}

TEST(FieldPath, IsWrittenAsPeopleWriteIt) {
  const FieldPath path = {{"spec", {}}, {"containers", {}}, {"", 2}, {"limits", {}}, {"nvidia.com/gpu", {}}};
  EXPECT_EQ(ToString(path), "spec.containers[2].limits[nvidia.com/gpu]");
}

}  // namespace
}  // namespace cadre::kube
