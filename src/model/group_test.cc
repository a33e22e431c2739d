#include "model/group.h"

#include <gtest/gtest.h>

namespace cadre::model {
namespace {

GroupKey KeyWith(std::string part) {
  return {.namespace_ = "default", .name = "train", .kind = "JobSet", .uid = "u1", .part = std::move(part)};
}

TEST(GroupKeyText, NamesKindNamespaceAndName) {
  EXPECT_EQ(ToString(KeyWith("")), "JobSet default/train");
}

TEST(GroupKeyText, NamesThePartInBrackets) {
  EXPECT_EQ(ToString(KeyWith("stage 2")), "JobSet default/train [stage 2]");
}

TEST(GroupKeyOrder, TwoObjectsOfOneNameAreTwoGroups) {
  GroupKey first = KeyWith("");
  GroupKey second = KeyWith("");
  second.uid = "u2";
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace cadre::model
