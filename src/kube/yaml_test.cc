#include "kube/yaml.h"

#include <cmath>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/test_support.h"

namespace cadre::kube {
namespace {

namespace json = boost::json;

// The first document as JSON text, or the error.
std::string ToJson(std::string_view yaml) {
  const auto document = ParseYaml({.text = yaml, .first_line = 1});
  if (!document) return fmt::format("line {}: {}", document.error().line, document.error().message);
  return *document ? json::serialize((*document)->value) : "nothing";
}

struct Scalar {
  std::string yaml;
  std::string json;
};
class PlainScalars : public testing::TestWithParam<Scalar> {};

TEST_P(PlainScalars, AreResolvedAsKubectlResolvesThem) {
  EXPECT_EQ(ToJson(GetParam().yaml), GetParam().json) << GetParam().yaml;
}

INSTANTIATE_TEST_SUITE_P(
    Table, PlainScalars,
    testing::Values(Scalar{"true", "true"}, Scalar{"True", "true"}, Scalar{"yes", "true"},
                    Scalar{"on", "true"}, Scalar{"y", "true"}, Scalar{"no", "false"}, Scalar{"OFF", "false"},
                    Scalar{"n", "false"}, Scalar{"tRue", R"("tRue")"}, Scalar{"nope", R"("nope")"},
                    Scalar{"a: ~", R"({"a":null})"}, Scalar{"a: null", R"({"a":null})"},
                    Scalar{"a:", R"({"a":null})"}, Scalar{"12", "12"}, Scalar{"-12", "-12"},
                    Scalar{"+12", "12"}, Scalar{"010", "8"}, Scalar{"0o17", "15"}, Scalar{"0x1F", "31"},
                    Scalar{"-0x1F", "-31"}, Scalar{"0b101", "5"}, Scalar{"1_000", "1000"},
                    Scalar{"08", "8E0"}, Scalar{"1.5", "1.5E0"}, Scalar{".5", "5E-1"}, Scalar{"1e3", "1E3"},
                    Scalar{"1.", "1E0"}, Scalar{"9223372036854775807", "9223372036854775807"},
                    Scalar{"-9223372036854775808", "-9223372036854775808"},
                    Scalar{"18446744073709551615", "18446744073709551615"}, Scalar{"1e400", R"("1e400")"},
                    Scalar{"500m", R"("500m")"}, Scalar{"64Gi", R"("64Gi")"}, Scalar{"1.2.3", R"("1.2.3")"},
                    Scalar{"12:30:45", R"("12:30:45")"}, Scalar{"2001-01-01", R"("2001-01-01")"},
                    Scalar{"0x", R"("0x")"}, Scalar{"_1", R"("_1")"}, Scalar{"1e", R"("1e")"},
                    Scalar{"=", R"("=")"}));

class QuotedScalars : public testing::TestWithParam<std::string> {};

TEST_P(QuotedScalars, AreStrings) {
  EXPECT_EQ(ToJson("'" + GetParam() + "'"), "\"" + GetParam() + "\"");
  EXPECT_EQ(ToJson("\"" + GetParam() + "\""), "\"" + GetParam() + "\"");
}

INSTANTIATE_TEST_SUITE_P(Table, QuotedScalars,
                         testing::Values("true", "12", "1.5", "null", "~", "yes", "<<", ""));

TEST(Yaml, BlockScalarsAreStrings) {
  EXPECT_EQ(ToJson("a: |\n  12\n"), R"({"a":"12\n"})");
}

TEST(Yaml, ABlockScalarAtTheEndOfAFileWithoutANewlineKeepsOne) {
  EXPECT_EQ(ToJson("a: |\n  done"), R"({"a":"done\n"})");
}

TEST(Yaml, AnExplicitTagSaysTheType) {
  EXPECT_EQ(ToJson("a: !!str 12"), R"({"a":"12"})");
  EXPECT_EQ(ToJson("a: !!int 12"), R"({"a":12})");
}

TEST(Yaml, ATagThatDoesNotFitIsAnError) {
  EXPECT_EQ(ToJson("a: 1\nb: !!int x"), "line 2: \"x\" is tagged !!int, which it is not");
}

TEST(Yaml, MapsAndListsNest) {
  EXPECT_EQ(ToJson("a:\n- b: 1\n  c: [x, {d: 2}]\n"), R"({"a":[{"b":1,"c":["x",{"d":2}]}]})");
}

TEST(Yaml, KeysAreAlwaysStrings) {
  EXPECT_EQ(ToJson("1: a\ntrue: b\n"), R"({"1":"a","true":"b"})");
}

TEST(Yaml, AliasesAreCopies) {
  EXPECT_EQ(ToJson("a: &x {k: 1}\nb: *x\n"), R"({"a":{"k":1},"b":{"k":1}})");
}

TEST(Yaml, MergedKeysDoNotReplaceTheMapsOwn) {
  EXPECT_EQ(ToJson("base: &x {k: 1, l: 2}\nmine: {k: 3, <<: *x}\n"),
            R"({"base":{"k":1,"l":2},"mine":{"k":3,"l":2}})");
}

TEST(Yaml, OfSeveralMergedMapsTheFirstWins) {
  EXPECT_EQ(ToJson("- &x {k: 1}\n- &y {k: 2, l: 3}\n- {<<: [*x, *y]}\n"),
            R"([{"k":1},{"k":2,"l":3},{"k":1,"l":3}])");
}

TEST(YamlError, MergingATextIsRefused) {
  EXPECT_EQ(ToJson("a: {<<: text}"), "line 1: << merges something other than a map or a list of maps");
}

TEST(YamlError, AKeyThatIsThereTwiceIsRefused) {
  EXPECT_EQ(ToJson("a: 1\nb: 2\na: 3\n"), "line 3: the key \"a\" is there twice in one map: remove one");
}

TEST(YamlError, AMapAsAKeyIsRefused) {
  EXPECT_EQ(ToJson("? {a: 1}\n: b\n"), "line 1: a key is a map or a list: expected a name");
}

TEST(YamlError, BrokenSyntaxNamesTheLine) {
  EXPECT_TRUE(ToJson("a: 1\nb: [1, 2\nc: 3\n").starts_with("line 3: not valid YAML: "))
      << ToJson("a: 1\nb: [1, 2\nc: 3\n");
}

TEST(YamlError, InfinityIsRefused) {
  EXPECT_EQ(ToJson("a: .inf"), "line 1: infinity and NaN are no values in JSON");
}

TEST(YamlError, DeepNestingIsRefused) {
  EXPECT_EQ(ToJson(std::string(200, '[') + std::string(200, ']')), "line 1: nested more than 64 levels deep");
}

TEST(YamlError, NestingAsDeepAsTheBoundIsTaken) {
  const std::string nested = std::string(kMaxNesting, '[') + std::string(kMaxNesting, ']');
  EXPECT_EQ(ToJson(nested), nested);
}

TEST(YamlError, AnAliasCannotMakeNestingDeeperThanTheBound) {
  const std::string deep = std::string(40, '[') + std::string(40, ']');
  EXPECT_EQ(ToJson("- &a " + deep + "\n- " + std::string(40, '[') + "*a" + std::string(40, ']')),
            "line 2: nested more than 64 levels deep");
}

TEST(YamlError, AliasesThatExpandWithoutEndAreRefused) {
  std::string bomb = "- &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += fmt::format("- &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n", i, i - 1);
  }
  EXPECT_TRUE(ToJson(bomb).ends_with("aliases expand to more than 1000000 values"))
      << ToJson(bomb).substr(0, 100);
}

TEST(YamlError, AnAliasInsideItsOwnValueIsRefused) {
  EXPECT_EQ(ToJson("&a [*a]"), "line 1: an alias (*name) refers to a value that it is part of");
}

std::vector<std::string> Chunks(std::string_view stream) {
  std::vector<std::string> lines;
  for (const YamlChunk& chunk : SplitYaml(stream))
    lines.push_back(fmt::format("{}: {}", chunk.first_line, chunk.text));
  return lines;
}

TEST(SplitYaml, SplitsAtTheMarksOfDocuments) {
  EXPECT_EQ(Chunks("a\n---\nb\n--- # c\nd"),
            (std::vector<std::string>{"1: a\n", "2: ---\nb\n", "4: --- # c\nd"}));
}
TEST(SplitYaml, SplitsAfterTheEndOfADocument) {
  EXPECT_EQ(Chunks("a\n...\nb"), (std::vector<std::string>{"1: a\n...\n", "3: b"}));
}
TEST(SplitYaml, AMarkMustStandAlone) {
  EXPECT_EQ(Chunks("---a\n ---\n----\n"), (std::vector<std::string>{"1: ---a\n ---\n----\n"}));
}
TEST(SplitYaml, LinesMayEndAsOnWindows) {
  EXPECT_EQ(Chunks("a\r\n---\r\nb"), (std::vector<std::string>{"1: a\r\n", "2: ---\r\nb"}));
}
TEST(SplitYaml, OfNothingIsNothing) {
  EXPECT_TRUE(SplitYaml("").empty());
}

RC_GTEST_PROP(SplitYamlProperties, NothingIsLost, ()) {
  const auto lines = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("---", "...", "a: 1", "", "--- x", "----", "\r"));
  std::string stream;
  for (const std::string& line : lines)
    stream += line + "\n";
  std::string joined;
  for (const YamlChunk& chunk : SplitYaml(stream))
    joined += chunk.text;
  RC_ASSERT(joined == stream);
}

TEST(ParseYaml, ADocumentOfCommentsIsNone) {
  EXPECT_EQ(ToJson("# nothing\n\n"), "nothing");
}
TEST(ParseYaml, AnEmptyDocumentIsNone) {
  EXPECT_EQ(ToJson("---\n"), "nothing");
}
TEST(ParseYaml, DirectivesAloneAreNone) {
  EXPECT_EQ(ToJson("%YAML 1.1\n"), "nothing");
}

TEST(ParseYaml, TellsWhereTheDocumentAndItsItemsStart) {
  const auto document =
      ParseYaml({.text = "---\n# comment\nkind: List\nitems:\n- a: 1\n  b: 2\n- c\n", .first_line = 10});
  ASSERT_TRUE(document.has_value() && document->has_value());
  EXPECT_EQ((*document)->line, 12U);
  EXPECT_EQ((*document)->item_lines, (std::vector<std::size_t>{14, 16}));
}

// yaml-cpp alone finds empty documents for ever in these.
TEST(ParseYaml, WhatBelongsToNothingIsRefused) {
  EXPECT_EQ(ToJson(", a"),
            "line 1: not valid YAML: there is something left that belongs to nothing before it");
}

constexpr std::string_view kForLines =
    "spec:\n"           // 1
    "  containers:\n"   // 2
    "  - name: a\n"     // 3
    "    cpu: 1\n"      // 4
    "  - {name: b,\n"   // 5
    "     cpu: [x]}\n"  // 6
    "  other: |\n"      // 7
    "    cpu: 3\n"      // 8
    "  last: 9\n";      // 9

struct LineCase {
  std::string name;
  FieldPath path;
  std::size_t line;
};
class Lines : public testing::TestWithParam<LineCase> {};

TEST_P(Lines, OfAFieldAreThoseOfItsValue) {
  EXPECT_EQ(LineOf({.text = kForLines, .first_line = 1}, GetParam().path), GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Lines,
    testing::Values(
        LineCase{"OfTheDocument", {}, 1}, LineCase{"InAList", {{"spec", {}}, {"containers", {}}, {"", 0}}, 3},
        LineCase{"InAMapInAList", {{"spec", {}}, {"containers", {}}, {"", 0}, {"cpu", {}}}, 4},
        LineCase{"InFlowStyle", {{"spec", {}}, {"containers", {}}, {"", 1}, {"cpu", {}}, {"", 0}}, 6},
        LineCase{"AfterNestedValues", {{"spec", {}}, {"last", {}}}, 9},
        LineCase{
            "OfWhatIsMissingIsThatAboveIt", {{"spec", {}}, {"containers", {}}, {"", 0}, {"gpu", {}}}, 3}),
    [](const auto& row) { return row.param.name; });

TEST(LineOf, CountsFromTheFirstLineOfTheChunk) {
  EXPECT_EQ(LineOf({.text = "a: 1\nb: 2\n", .first_line = 100}, {{"b", {}}}), 101U);
}

TEST(LineOf, OfABrokenDocumentIsAsFarAsItIsGood) {
  EXPECT_EQ(LineOf({.text = "a: 1\nb: [\n", .first_line = 1}, {{"a", {}}}), 1U);
}

// Any JSON tree written as JSON is YAML too and must come back the same.
json::value RandomJson(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 5);
  switch (kind) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
    case 4: {
      const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(32, 126));
      return json::string(text);
    }
    case 5: {
      json::array array;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        array.push_back(RandomJson(depth - 1));
      return array;
    }
    default: {
      json::object object;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        object[fmt::format("key-{}", i)] = RandomJson(depth - 1);
      return object;
    }
  }
}

RC_GTEST_PROP(YamlProperties, JsonIsYaml, ()) {
  const json::value value = json::object{{"root", RandomJson(4)}};
  RC_ASSERT(ToJson(json::serialize(value)) == json::serialize(value));
}

RC_GTEST_PROP(YamlProperties, AnyTextIsReadOrRefusedWithoutFuss, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab:-? \n[]{},&*!|>'\"%#<~0.\t")));
  const auto document = ParseYaml({.text = text, .first_line = 1});
  if (!document) RC_ASSERT(!document.error().message.empty());
}

}  // namespace
}  // namespace cadre::kube
