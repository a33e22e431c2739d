#include "base/json.h"

#include <gtest/gtest.h>

namespace cadre {
namespace {

TEST(Find, FollowsAPathOfKeys) {
  const auto pod = json::parse(R"({"spec": {"nodeName": "a"}})");
  const json::value* const found = Find(pod, {"spec", "nodeName"});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, json::value("a"));
}

TEST(Find, AnEmptyPathIsTheRoot) {
  const json::value root(1);
  EXPECT_EQ(Find(root, {}), &root);
}

TEST(Find, AMissingKeyIsNull) {
  EXPECT_EQ(Find(json::parse(R"({"spec": {}})"), {"spec", "nodeName"}), nullptr);
}

TEST(Find, APathThroughATextIsNull) {
  EXPECT_EQ(Find(json::parse(R"({"spec": "x"})"), {"spec", "y"}), nullptr);
}

TEST(FindString, GivesTheText) {
  const auto pod = json::parse(R"({"spec": {"nodeName": "a"}})");
  EXPECT_EQ(FindString(pod, {"spec", "nodeName"}), "a");
}

TEST(FindString, ANumberIsNoText) {
  EXPECT_EQ(FindString(json::parse(R"({"a": 1})"), {"a"}), "");
}

struct MergeCase {
  const char* target;
  const char* patch;
  const char* expected;
};

class MergePatchExample : public testing::TestWithParam<MergeCase> {};

TEST_P(MergePatchExample, OfRfc7386) {
  json::value target = json::parse(GetParam().target);
  MergePatch(target, json::parse(GetParam().patch));
  EXPECT_EQ(target, json::parse(GetParam().expected));
}

// Appendix A of RFC 7386.
INSTANTIATE_TEST_SUITE_P(
    MergePatch, MergePatchExample,
    testing::Values(MergeCase{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
                    MergeCase{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
                    MergeCase{R"({"a":"b"})", R"({"a":null})", R"({})"},
                    MergeCase{R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
                    MergeCase{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
                    MergeCase{R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
                    MergeCase{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
                    MergeCase{R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
                    MergeCase{R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
                    MergeCase{R"({"a":"b"})", R"(["c"])", R"(["c"])"},
                    MergeCase{R"({"a":"foo"})", R"(null)", R"(null)"},
                    MergeCase{R"({"a":"foo"})", R"("bar")", R"("bar")"},
                    MergeCase{R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
                    MergeCase{R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
                    MergeCase{R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}));

TEST(Canonical, SortsKeysAtEveryDepth) {
  EXPECT_EQ(Canonical(json::parse(R"({"b": [{"d": 1, "c": null}], "a": true})")),
            R"({"a":true,"b":[{"c":null,"d":1}]})");
}

TEST(Canonical, KeepsTheOrderOfLists) {
  EXPECT_EQ(Canonical(json::parse("[2, 1]")), "[2,1]");
}

TEST(Canonical, EscapesKeysAndTexts) {
  EXPECT_EQ(Canonical(json::parse(R"({"a\"": "\n"})")), R"({"a\"":"\n"})");
}

}  // namespace
}  // namespace cadre
