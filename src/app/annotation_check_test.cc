#include "app/annotation_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/test_support.h"

namespace cadre::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Misread(std::string_view manifest) {
  return MisreadAnnotations(kube::FromYaml(std::string("---\n").append(manifest)));
}

TEST(MisreadAnnotations, NamesTheKeyThatWasMeant) {
  EXPECT_THAT(Misread("{apiVersion: batch/v1, kind: Job, metadata: {name: a, annotations: "
                      "{cadre.dev/sim-durration: 3m}}, spec: {template: {spec: {containers: [{name: c}]}}}}"),
              ElementsAre("metadata.annotations: cadre.dev/sim-durration is not known; did you mean "
                          "cadre.dev/sim-duration?"));
}

TEST(MisreadAnnotations, SaysWhatAValueShouldHaveBeen) {
  EXPECT_THAT(Misread("{apiVersion: batch/v1, kind: Job, metadata: {name: a, annotations: "
                      "{cadre.dev/max-duration: long, cadre.dev/exclusive-scope: everybody}}, spec: "
                      "{template: {spec: {containers: [{name: c}]}}}}"),
              ElementsAre("metadata.annotations: cadre.dev/max-duration: found \"long\", expected a duration "
                          "such as 45m or 6h",
                          "metadata.annotations: cadre.dev/exclusive-scope: found \"everybody\", expected "
                          "groups or all"));
}

TEST(MisreadAnnotations, LooksIntoTheTemplatesOfAJobSet) {
  EXPECT_THAT(
      Misread(
          "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {replicatedJobs: "
          "[{name: w, template: {metadata: {annotations: {cadre.dev/gnag: none}}, spec: {template: "
          "{metadata: {annotations: {cadre.dev/min-available: most}}, spec: {containers: [{name: "
          "c}]}}}}}]}}"),
      ElementsAre(
          "spec.replicatedJobs[w].template.metadata.annotations: cadre.dev/gnag is not known; did you "
          "mean cadre.dev/gang?",
          "spec.replicatedJobs[w].template.spec.template.metadata.annotations: "
          "cadre.dev/min-available: found \"most\", expected a whole number above 0"));
}

TEST(MisreadAnnotations, LeavesThoseAloneThatCadreWritesAndThoseOfOthers) {
  EXPECT_THAT(
      Misread(
          "{apiVersion: v1, kind: Pod, metadata: {name: a, annotations: {cadre.dev/plan: x, "
          "cadre.dev/plan-id: b, cadre.dev/claims-group-3: z, cadre.dev/idle-since: t, cadre.dev/started: s, "
          "example.com/gnag: none}}, spec: {containers: [{name: c}]}}"),
      IsEmpty());
}

}  // namespace
}  // namespace cadre::app
