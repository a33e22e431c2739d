#include "jobset/service.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::JobSetWith;
using testing::Typed;

TEST(HeadlessService, SelectsThePodsOfTheJobSetAndBelongsToIt) {
  EXPECT_EQ(json::value(MakeService(Typed(JobSetWith({})))), json::parse(R"({
    "metadata": {"name": "train", "namespace": "default",
                 "ownerReferences": [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "train",
                                      "uid": "set-uid", "controller": true, "blockOwnerDeletion": true}]},
    "spec": {"clusterIP": "None", "selector": {"jobset.sigs.k8s.io/jobset-name": "train"},
             "publishNotReadyAddresses": true}})"));
}

TEST(HeadlessService, IsNamedLikeTheSubdomain) {
  const auto jobset =
      JobSetWith({.spec = R"("network":{"subdomain":"net","publishNotReadyAddresses":false},)"});
  const json::value service = MakeService(Typed(jobset));
  EXPECT_EQ(FindString(service, {"metadata", "name"}), "net");
  EXPECT_EQ(*Find(service, {"spec", "publishNotReadyAddresses"}), false);
}

}  // namespace
}  // namespace cadre::jobset
