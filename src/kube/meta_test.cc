#include "kube/meta.h"

#include <gtest/gtest.h>

#include "kube/object.h"
#include "kube/pod.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

TEST(Meta, TheControllerIsTheOwnerMarkedAsSuch) {
  ObjectMeta meta;
  meta.owner_references = {
      {.api_version = "v1", .kind = "ConfigMap", .name = "config", .uid = "1"},
      {.api_version = "batch/v1", .kind = "Job", .name = "job", .uid = "2", .controller = true}};
  ASSERT_NE(meta.Controller(), nullptr);
  EXPECT_EQ(meta.Controller()->name, "job");
}

TEST(Meta, OwnersThatOnlyKeepItAliveAreNotTheController) {
  ObjectMeta meta;
  meta.owner_references = {{.api_version = "v1", .kind = "ConfigMap", .name = "config", .uid = "1"}};
  EXPECT_EQ(meta.Controller(), nullptr);
}

TEST(FindTrue, FindsAConditionThatIsTrue) {
  const std::vector<Condition> conditions = {ConditionOf("Complete", true)};
  EXPECT_EQ(FindTrue(conditions, "Complete"), &conditions.front());
}

TEST(FindTrue, AFalseConditionIsNotFound) {
  EXPECT_EQ(FindTrue({ConditionOf("Complete", false)}, "Complete"), nullptr);
}

TEST(FindTrue, AnotherTypeIsNotFound) {
  EXPECT_EQ(FindTrue({ConditionOf("Failed", true)}, "Complete"), nullptr);
}

TEST(KeyOf, NamespacedObjectsAreNamedWithTheirNamespace) {
  ObjectMeta meta;
  meta.name = "a";
  meta.namespace_ = "team";
  EXPECT_EQ(KeyOf(meta), "team/a");
}

TEST(KeyOf, ClusterScopedObjectsAreNamedAlone) {
  ObjectMeta meta;
  meta.name = "node-1";
  EXPECT_EQ(KeyOf(meta), "node-1");
}

TEST(Describe, NamesKindNamespaceAndName) {
  EXPECT_EQ(Describe(FromYaml("apiVersion: v1\nkind: Pod\nmetadata: {name: web-0}\n")), "Pod default/web-0");
}

TEST(Describe, AnObjectWithoutANameYetIsNamedByItsGenerateName) {
  EXPECT_EQ(Describe(FromYaml("apiVersion: v1\nkind: Pod\nmetadata: {generateName: web-}\n")),
            "Pod default/web-*");
}

TEST(ObjectDeathTest, AskingForAnotherTypeThanItsKindIsAProgrammerError) {
  const Object object = FromYaml("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
  struct Other : Resource {};
  EXPECT_DEATH(object.As<Other>(), "not this object's kind");
}

}  // namespace
}  // namespace cadre::kube
