#include "kube/selector.h"

#include <gtest/gtest.h>

namespace cadre::kube {
namespace {

using Op = SelectorOperator;

const StringMap kLabels = {{"cores", "64"}, {"zone", "a"}};

struct Case {
  std::string name;
  Requirement requirement;
  bool matches;
};

class Requirements : public testing::TestWithParam<Case> {};

TEST_P(Requirements, MatchAsKubernetesDocuments) {
  EXPECT_EQ(Matches(GetParam().requirement, kLabels), GetParam().matches);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Requirements,
    testing::Values(Case{"InOneOfTheValues", {"zone", Op::kIn, {"a", "b"}}, true},
                    Case{"InNoneOfTheValues", {"zone", Op::kIn, {"b"}}, false},
                    Case{"InNeedsTheKey", {"rack", Op::kIn, {"a"}}, false},
                    Case{"NotInOtherValue", {"zone", Op::kNotIn, {"b"}}, true},
                    Case{"NotInItsValue", {"zone", Op::kNotIn, {"a"}}, false},
                    Case{"NotInHoldsWithoutTheKey", {"rack", Op::kNotIn, {"a"}}, true},
                    Case{"ExistsWithTheKey", {"zone", Op::kExists, {}}, true},
                    Case{"ExistsWithoutTheKey", {"rack", Op::kExists, {}}, false},
                    Case{"DoesNotExistWithTheKey", {"zone", Op::kDoesNotExist, {}}, false},
                    Case{"DoesNotExistWithoutTheKey", {"rack", Op::kDoesNotExist, {}}, true},
                    Case{"GtLess", {"cores", Op::kGt, {"32"}}, true},
                    Case{"GtComparesNumbersNotText", {"cores", Op::kGt, {"9"}}, true},
                    Case{"GtEqual", {"cores", Op::kGt, {"64"}}, false},
                    Case{"LtMore", {"cores", Op::kLt, {"65"}}, true},
                    Case{"LtEqual", {"cores", Op::kLt, {"64"}}, false},
                    Case{"GtOfALabelThatIsNoNumber", {"zone", Op::kGt, {"1"}}, false},
                    Case{"LtAgainstAValueThatIsNoNumber", {"cores", Op::kLt, {"many"}}, false},
                    Case{"GtWithTwoValues", {"cores", Op::kGt, {"1", "2"}}, false},
                    Case{"GtWithoutTheKey", {"rack", Op::kGt, {"1"}}, false}),
    [](const auto& row) { return row.param.name; });

TEST(LabelSelector, AllRequirementsMustMatch) {
  EXPECT_FALSE(Matches(LabelSelector{{{"zone", Op::kIn, {"a"}}, {"rack", Op::kExists, {}}}}, kLabels));
}

TEST(LabelSelector, AnEmptyOneMatchesEverything) {
  EXPECT_TRUE(Matches(LabelSelector{}, {}));
}

TEST(ToString, PrintsRequirementsAsKubectlDoes) {
  EXPECT_EQ(ToString(Requirement{"zone", Op::kIn, {"a", "b"}}), "zone in (a, b)");
  EXPECT_EQ(ToString(Requirement{"zone", Op::kIn, {"a"}}), "zone=a");
  EXPECT_EQ(ToString(Requirement{"zone", Op::kNotIn, {"a"}}), "zone notin (a)");
  EXPECT_EQ(ToString(Requirement{"gpu", Op::kExists, {}}), "gpu");
  EXPECT_EQ(ToString(Requirement{"gpu", Op::kDoesNotExist, {}}), "!gpu");
  EXPECT_EQ(ToString(Requirement{"cores", Op::kGt, {"4"}}), "cores > 4");
  EXPECT_EQ(ToString(Requirement{"cores", Op::kLt, {"4"}}), "cores < 4");
}

TEST(ToString, ASelectorJoinsItsRequirements) {
  EXPECT_EQ(ToString(LabelSelector{{{"app", Op::kIn, {"web"}}, {"gpu", Op::kExists, {}}}}), "app=web, gpu");
}

}  // namespace
}  // namespace cadre::kube
