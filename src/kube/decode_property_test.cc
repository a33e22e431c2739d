// Whatever JSON comes, decoding it and checking it ends in an object or a message.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/decode.h"
#include "kube/test_support.h"
#include "kube/validate.h"

namespace cadre::kube {
namespace {

namespace json = boost::json;

// Real objects with all the fields that decoders read; the property breaks them.
constexpr std::array<std::string_view, 4> kSeeds = {
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"y"},"resourceVersion":"7",
        "ownerReferences":[{"kind":"Job","name":"j","uid":"u","controller":true}]},
        "spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"},"limits":{"nvidia.com/gpu":8}},
        "ports":[{"containerPort":80}],"args":["sleep","5"]}],"initContainers":[{"name":"i","restartPolicy":"Always"}],
        "tolerations":[{"key":"a","operator":"Exists"}],"nodeSelector":{"a":"b"},"priority":5,
        "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":
        [{"matchExpressions":[{"key":"k","operator":"Gt","values":["1"]}]}]}},"podAntiAffinity":
        {"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z","labelSelector":{"matchLabels":{"a":"b"}}}]}},
        "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}],
        "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"p"}}]},
        "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c"}]}})",
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"parallelism":2,"completions":2,
        "completionMode":"Indexed","podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"operator":"In",
        "values":[1]}}]},"successPolicy":{"rules":[{"succeededIndexes":"0"}]},
        "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c"}]}}},"status":{"active":1}})",
    R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"js"},"spec":{"replicatedJobs":[
        {"name":"a","replicas":2,"template":{"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}}},
        {"name":"b","dependsOn":[{"name":"a","status":"Ready"}],"template":{}}],"failurePolicy":{"maxRestarts":1,
        "rules":[{"name":"r","action":"FailJobSet"}]},"coordinator":{"replicatedJob":"a"},"network":{"subdomain":"s"}}})",
    R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]},
        "status":{"allocatable":{"cpu":"8","memory":"16Gi"},"capacity":{"cpu":"8"}}})"};

json::value OtherValue() {
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return nullptr;
    case 1:
      return true;
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return 0.5;
    case 4: {
      const auto text = *rc::gen::arbitrary<std::string>();
      return json::string(text);
    }
    case 5:
      return json::array{json::object{}};
    default:
      return json::object{{"x", json::array{}}};
  }
}

std::size_t CountChildren(const json::value& value) {
  if (value.is_object()) return value.get_object().size();
  return value.is_array() ? value.get_array().size() : 0;
}

// Replaces one value somewhere below `value`.
void BreakSomething(json::value& value) {
  const std::size_t children = CountChildren(value);
  if (children == 0 || *rc::gen::inRange(0, 6) == 0) {
    value = OtherValue();
    return;
  }
  const auto picked = *rc::gen::inRange<std::size_t>(0, children);
  if (value.is_array()) {
    BreakSomething(value.get_array()[picked]);
  } else {
    BreakSomething((value.get_object().begin() + picked)->value());
  }
}

RC_GTEST_PROP(DecodeProperties, ABrokenObjectIsDecodedOrRefusedWithAMessage, ()) {
  json::value value = json::parse(*rc::gen::elementOf(kSeeds));
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
    BreakSomething(value);
  const Result<Object> object = Decode(value);
  if (!object) {
    RC_ASSERT(!object.error().message.empty());
    return;
  }
  for (const std::string& complaint : Validate(*object))
    RC_ASSERT(!complaint.empty());
}

RC_GTEST_PROP(DecodeProperties, DecodingTwiceGivesTheSameAnswer, ()) {
  json::value value = json::parse(*rc::gen::elementOf(kSeeds));
  BreakSomething(value);
  const Result<Object> first = Decode(value);
  const Result<Object> second = Decode(value);
  RC_ASSERT(first.has_value() == second.has_value());
  if (!first) RC_ASSERT(first.error().message == second.error().message);
}

TEST(DecodeProperties, TheSeedsThemselvesAreGood) {
  for (const std::string_view seed : kSeeds) {
    const Result<Object> object = Decode(json::parse(seed));
    ASSERT_TRUE(object.has_value()) << object.error().message;
  }
}

}  // namespace
}  // namespace cadre::kube
