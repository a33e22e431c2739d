#include "jobset/child_jobs.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::JobSetWith;
using testing::Typed;

json::value Child(const kube::Object& jobset, std::size_t replicated_job, std::int32_t index) {
  return MakeChildJob(jobset, ChildNumbering(Typed(jobset).spec), replicated_job, index);
}

kube::Object TwoGroups() {
  return JobSetWith({.jobs = {{.name = "leader", .replicas = 1, .pods = 1, .more = R"("groupName":"front",)"},
                              {.name = "workers", .replicas = 3, .pods = 2},
                              {.name = "eval", .replicas = 2, .pods = 1}},
                     .status = R"("restarts":2)"});
}

// Trap 2 of a re-implementation: labels and annotations both, with exactly these values.
TEST(ChildLabels, StandOnTheJobAndOnItsPodsAsLabelAndAsAnnotation) {
  const json::value child = Child(TwoGroups(), 2, 1);
  const json::value expected = json::parse(R"({
    "jobset.sigs.k8s.io/jobset-name": "train", "jobset.sigs.k8s.io/jobset-uid": "set-uid",
    "jobset.sigs.k8s.io/replicatedjob-name": "eval", "jobset.sigs.k8s.io/replicatedjob-replicas": "2",
    "jobset.sigs.k8s.io/global-replicas": "6", "jobset.sigs.k8s.io/job-index": "1",
    "jobset.sigs.k8s.io/job-global-index": "5",
    "jobset.sigs.k8s.io/job-key": "d3b4efe813e3523595679b0e1e77dbb8f085e779",
    "jobset.sigs.k8s.io/restart-attempt": "2", "jobset.sigs.k8s.io/group-name": "default",
    "jobset.sigs.k8s.io/group-replicas": "5", "jobset.sigs.k8s.io/job-group-index": "4"})");
  json::object marks = expected.as_object();
  EXPECT_EQ(*Find(child, {"metadata", "labels"}), marks);
  EXPECT_EQ(*Find(child, {"metadata", "annotations"}), marks);
  EXPECT_EQ(*Find(child, {"spec", "template", "metadata", "annotations"}), marks);
  marks["app"] = "a";
  EXPECT_EQ(*Find(child, {"spec", "template", "metadata", "labels"}), marks);
}

// printf default/train-workers-0 | sha1sum
TEST(ChildLabels, HaveTheSha1OfNamespaceAndNameAsJobKey) {
  EXPECT_EQ(FindString(Child(JobSetWith({}), 0, 0), {"metadata", "labels", "jobset.sigs.k8s.io/job-key"}),
            "bfcf5ebea76efcf5a9add9af4c26c7d637c630a1");
}

TEST(ChildLabels, NameTheCoordinatorByItsDnsName) {
  const auto jobset = JobSetWith(
      {.spec =
           R"("coordinator":{"replicatedJob":"workers","jobIndex":0,"podIndex":1},"network":{"subdomain":"net"},)"});
  EXPECT_EQ(FindString(Child(jobset, 0, 0), {"metadata", "labels", "jobset.sigs.k8s.io/coordinator"}),
            "train-workers-0-1.net");
}

TEST(ChildAnnotations, CarryTheExclusiveTopologyOfTheReplicatedJobRatherThanTheJobSets) {
  const auto jobset = JobSetWith(
      {.jobs = {{.name = "a",
                 .metadata = R"("annotations":{"alpha.jobset.sigs.k8s.io/exclusive-topology":"rack"})"},
                {.name = "b"}},
       .metadata = R"(,"annotations":{"alpha.jobset.sigs.k8s.io/exclusive-topology":"zone"})"});
  const auto topology = [&](std::size_t job) {
    return FindString(Child(jobset, job, 0),
                      {"spec", "template", "metadata", "annotations", kube::kExclusiveTopologyAnnotation}) ==
           (job == 0 ? "rack" : "zone");
  };
  EXPECT_TRUE(topology(0));
  EXPECT_TRUE(topology(1));
}

// Trap 1: foreground deletion needs blockOwnerDeletion.
TEST(ChildJob, IsControlledByItsJobSetAndBlocksItsDeletion) {
  EXPECT_EQ(
      Find(Child(JobSetWith({}), 0, 0), {"metadata", "ownerReferences"})->at(0),
      json::parse(R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","name":"train","uid":"set-uid",
                            "controller":true,"blockOwnerDeletion":true})"));
}

TEST(ChildJob, CopiesFieldsOfTheTemplateThatNobodyHereKnows) {
  const json::value child =
      Child(JobSetWith({.jobs = {{.pod_spec = R"(,"shareProcessNamespace":true)"}}}), 0, 0);
  EXPECT_EQ(*Find(child, {"spec", "template", "spec", "shareProcessNamespace"}), true);
  EXPECT_EQ(*Find(child, {"spec", "parallelism"}), 2);
}

TEST(ChildJob, KeepsLabelsAndAnnotationsOfTheJobTemplate) {
  const json::value child = Child(
      JobSetWith({.jobs = {{.metadata = R"("labels":{"team":"x"},"annotations":{"note":"y"})"}}}), 0, 0);
  EXPECT_EQ(FindString(child, {"metadata", "labels", "team"}), "x");
  EXPECT_EQ(FindString(child, {"metadata", "annotations", "note"}), "y");
  EXPECT_EQ(Find(child, {"spec", "template", "metadata", "labels", "team"}), nullptr);
}

TEST(ChildJob, SaysInEveryCaseWhetherItIsSuspended) {
  EXPECT_EQ(*Find(Child(JobSetWith({}), 0, 0), {"spec", "suspend"}), false);
  EXPECT_EQ(*Find(Child(JobSetWith({.spec = R"("suspend":true,)"}), 0, 0), {"spec", "suspend"}), true);
}

TEST(ChildJob, HasItsPodsInTheSubdomainUnlessHostnamesAreOff) {
  EXPECT_EQ(FindString(Child(JobSetWith({}), 0, 0), {"spec", "template", "spec", "subdomain"}), "train");
  EXPECT_EQ(Find(Child(JobSetWith({.spec = R"("network":{"enableDNSHostnames":false},)"}), 0, 0),
                 {"spec", "template", "spec", "subdomain"}),
            nullptr);
}

}  // namespace
}  // namespace cadre::jobset
