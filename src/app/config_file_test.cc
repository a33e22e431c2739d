#include "app/config_file.h"

#include <array>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kFields = std::to_array<ConfigField>({
    {"client.qps", "--qps"},
    {"client.file", "--file"},
    {"leads", "--leads"},
    {"names", "--name"},
    {"labels", "--labels"},
});
constexpr ConfigFormat kFormat = {.api_version = "cadre.dev/v1", .kind = "Test", .fields = kFields};

class ConfigFileTest : public testing::Test {
 protected:
  ConfigFileTest() {
    app_.add_option("--qps", qps_)->check(CLI::NonNegativeNumber);
    app_.add_option("--file", file_);
    app_.add_flag("--leads", leads_);
    app_.add_option("--name", names_);
    app_.add_option("--labels", labels_);
  }
  Result<void> Apply(std::string_view fields, const std::string& line = "") {
    app_.parse(line);
    return ApplyConfig("apiVersion: cadre.dev/v1\nkind: Test\n" + std::string(fields), kFormat, app_);
  }
  std::string ErrorOf(std::string_view fields) {
    const Result<void> applied = Apply(fields);
    return applied ? "" : applied.error().message;
  }

  CLI::App app_;
  double qps_ = 1;
  std::string file_ = "default";
  bool leads_ = true;
  std::vector<std::string> names_;
  std::string labels_;
};

TEST_F(ConfigFileTest, EachFieldSetsItsFlag) {
  ASSERT_TRUE(
      Apply("client: {qps: 2.5, file: a.yaml}\nleads: false\nnames: [a, b]\nlabels: {pool: x, zone: a}"));
  EXPECT_EQ(qps_, 2.5);
  EXPECT_EQ(file_, "a.yaml");
  EXPECT_FALSE(leads_);
  EXPECT_THAT(names_, ElementsAre("a", "b"));
  EXPECT_EQ(labels_, "pool=x,zone=a");
}

TEST_F(ConfigFileTest, WhatIsNotInItKeepsItsDefault) {
  ASSERT_TRUE(Apply("client: {qps: 2.5}"));
  EXPECT_EQ(file_, "default");
}

TEST_F(ConfigFileTest, AFlagOnTheCommandLineWins) {
  ASSERT_TRUE(Apply("client: {qps: 2.5, file: a.yaml}", "--qps 7"));
  EXPECT_EQ(qps_, 7);
  EXPECT_EQ(file_, "a.yaml");
}

TEST_F(ConfigFileTest, JsonIsYaml) {
  app_.parse("");
  ASSERT_TRUE(
      ApplyConfig(R"({"apiVersion": "cadre.dev/v1", "kind": "Test", "names": ["a"]})", kFormat, app_));
  EXPECT_THAT(names_, ElementsAre("a"));
}

TEST_F(ConfigFileTest, AFieldThatIsUnknownIsAnErrorWithTheNearest) {
  EXPECT_EQ(ErrorOf("client: {qsp: 2}"), "client.qsp: no such field, did you mean client.qps?");
}

TEST_F(ConfigFileTest, AValueThatTheFlagRefusesNamesTheField) {
  EXPECT_THAT(ErrorOf("client: {qps: -1}"), StartsWith("client.qps: "));
  EXPECT_THAT(ErrorOf("client: {qps: fast}"), StartsWith("client.qps: "));
}

TEST_F(ConfigFileTest, AValueOfAnotherTypeNamesTheField) {
  EXPECT_THAT(ErrorOf("client: 7"), StartsWith("client: found 7"));
  EXPECT_THAT(ErrorOf("names: [{a: b}]"), StartsWith("names: found"));
  EXPECT_THAT(ErrorOf("names: []"), StartsWith("names: an empty list"));
}

TEST_F(ConfigFileTest, AFileOfAnotherKindIsRefused) {
  app_.parse("");
  const auto error_of = [&](std::string_view text) {
    return ApplyConfig(text, kFormat, app_).error().message;
  };
  EXPECT_THAT(error_of("apiVersion: cadre.dev/v1\nkind: Other\n"), StartsWith("kind: found \"Other\""));
  EXPECT_THAT(error_of("kind: Test\n"), StartsWith("apiVersion: missing"));
  EXPECT_THAT(error_of(""), HasSubstr("Test"));
  EXPECT_THAT(error_of("apiVersion: [\n"), StartsWith("line "));
  EXPECT_THAT(error_of("apiVersion: cadre.dev/v1\nkind: Test\n---\nkind: Test\n"),
              StartsWith("line 4: a second document"));
}

}  // namespace
}  // namespace cadre::app
