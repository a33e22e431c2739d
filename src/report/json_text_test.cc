#include "report/json_text.h"

#include <gtest/gtest.h>

namespace cadre::report {
namespace {

TEST(PrettyJson, WritesWholeNumbersWithoutExponentOrFraction) {
  EXPECT_EQ(PrettyJson(json::value(1463.0)), "1463\n");
}

TEST(PrettyJson, WritesFractionsAsTheyAreRead) {
  EXPECT_EQ(PrettyJson(json::value(0.25)), "0.25\n");
}

TEST(PrettyJson, EscapesWhatJsonAsksFor) {
  EXPECT_EQ(PrettyJson(json::value("a\"b\n")), "\"a\\\"b\\n\"\n");
}

TEST(PrettyJson, IsUtf8WhateverTheBytesOfAName) {
  const std::string text = PrettyJson(json::object{{"caf\xe9", json::array{"\x1b[2J\xff"}}});
  EXPECT_EQ(json::parse(text), (json::object{{"caf\xef\xbf\xbd", json::array{"\x1b[2J\xef\xbf\xbd"}}}));
}

TEST(PrettyJson, KeepsShortListsOnOneLine) {
  EXPECT_EQ(PrettyJson(json::parse(R"({"nodes": ["a", "b"], "n": []})")),
            "{\n  \"nodes\": [\"a\", \"b\"],\n  \"n\": []\n}\n");
}

TEST(PrettyJson, ReadsBackAsTheSameValue) {
  const json::value value = json::parse(
      R"({"groups": [{"name": "a", "start_s": 1.5, "end_s": null, "domains": {}}], "totals": {"groups": 1}})");
  EXPECT_EQ(json::parse(PrettyJson(value)), value);
}

}  // namespace
}  // namespace cadre::report
