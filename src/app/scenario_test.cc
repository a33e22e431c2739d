#include "app/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/scenario_run.h"
#include "app/scenario_testing.h"

namespace cadre::app {
namespace {

// ---- every file under testdata/scenarios

class ScenarioFile : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioFile, EndsAsItShould) {
  const Result<Scenario> scenario = LoadScenarioNamed(GetParam());
  ASSERT_TRUE(scenario) << scenario.error().message;
  const ScenarioOutcome outcome = RunScenario(*scenario);
  EXPECT_TRUE(outcome.problems.empty()) << scenario->sentence << "\n"
                                        << fmt::format("{}", fmt::join(outcome.problems, "\n"));
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioFile, testing::ValuesIn(AllScenarioNames()),
                         [](const auto& one) { return TestNameOf(one.param); });

// ---- the format

std::string MessageOf(std::string_view text) {
  const Result<Scenario> scenario = ParseScenario(text, "a.yaml");
  return scenario ? "it was read" : scenario.error().message;
}

std::vector<std::string> ProblemsOf(std::string_view text) {
  const Result<Scenario> scenario = ParseScenario(text, "a.yaml");
  if (!scenario) return {scenario.error().message};
  return RunScenario(*scenario).problems;
}

constexpr std::string_view kApplyWeb = "  - {at: 1s, apply: Pod/web}";

TEST(ScenarioFormat, AStepThatIsNotKnownIsNamedWithItsLineAndWhatWasMeant) {
  EXPECT_EQ(MessageOf(FileWith("  - {at: 1s, aply: Pod/web}", "  - {at: end, of: Pod/web, state: finished}")),
            "a.yaml:6: steps[0].aply: not known here; did you mean \"apply\"?");
}

TEST(ScenarioFormat, ATimeThatIsNoneIsNamedWithItsLine) {
  EXPECT_EQ(
      MessageOf(FileWith("  - {at: soon, apply: Pod/web}", "  - {at: end, of: Pod/web, state: finished}")),
      "a.yaml:6: steps[0].at: found \"soon\", expected a length of time such as 30s, 1m30s or 45");
}

TEST(ScenarioFormat, AManifestThatIsNotInTheFileIsNamed) {
  EXPECT_EQ(MessageOf(FileWith("  - {at: 1s, apply: Pod/db}", "  - {at: end, of: Pod/web, state: finished}")),
            "a.yaml:6: steps[0].apply: the file has no manifest of Pod default/db");
}

TEST(ScenarioFormat, AKindThatIsNoneIsNamed) {
  EXPECT_EQ(MessageOf(FileWith(kApplyWeb, "  - {at: end, of: Pot/web, state: finished}")),
            "a.yaml:8: expect[0].of: there is no kind \"Pot\"");
}

TEST(ScenarioFormat, ACheckThatDoesNotSuitItsSubjectIsRefused) {
  EXPECT_EQ(MessageOf(FileWith(kApplyWeb, "  - {at: end, of: scheduler, placed: 3}")),
            "a.yaml:8: expect[0].placed: cannot be asked of this subject");
}

TEST(ScenarioFormat, TwoActsInOneStepAreRefused) {
  EXPECT_EQ(MessageOf(FileWith("  - {at: 1s, apply: Pod/web, delete: Pod/web}",
                               "  - {at: end, of: Pod/web, placed: 0}")),
            "a.yaml:6: steps[0]: has both apply and delete: one act per step");
}

TEST(ScenarioFormat, AnExpectationThatAsksNothingIsRefused) {
  EXPECT_EQ(MessageOf(FileWith(kApplyWeb, "  - {at: end, of: Pod/web}")),
            "a.yaml:8: expect[0]: asks nothing");
}

TEST(ScenarioFormat, ABrokenManifestIsNamedWithItsLineInTheWholeFile) {
  const std::string text =
      FileWith(kApplyWeb, "  - {at: end, of: Pod/web, placed: 0}") +
      "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {parallelism: many}\n";
  EXPECT_TRUE(MessageOf(text).starts_with("a.yaml: document 3, line 20: spec.parallelism"))
      << MessageOf(text);
}

TEST(ScenarioFormat, ANodeThatCannotBeIsNamed) {
  std::string text = FileWith(kApplyWeb, "  - {at: end, of: Pod/web, placed: 0}");
  text.replace(text.find("cpu: 4"), 6, "cpu: x");
  EXPECT_TRUE(MessageOf(text).starts_with("a.yaml:4: cluster: nodes[0].cpu: ")) << MessageOf(text);
}

TEST(ScenarioFormat, CopiesAreNumberedAndSpaced) {
  const Result<Scenario> scenario =
      ParseScenario(FileWith("  - {at: 1s, apply: Pod/web, copies: 3, every: 10s}",
                             "  - {at: end, of: Pod/web-*, state: finished}"),
                    "a.yaml");
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->steps.size(), 3U);
  EXPECT_EQ(scenario->steps[2].at, Duration(21'000));
  EXPECT_EQ(std::get<CreateAct>(scenario->steps[2].act).object.Meta().name, "web-2");
  EXPECT_EQ(scenario->expect.size(), 3U);
}

TEST(ScenarioCounts, HoldWithinTheirBoundsOnly) {
  EXPECT_TRUE((Counts{.one_of = {0, 20}, .at_least = {}, .at_most = {}}.Holds(20)));
  EXPECT_FALSE((Counts{.one_of = {0, 20}, .at_least = {}, .at_most = {}}.Holds(8)));
  EXPECT_TRUE((Counts{.one_of = {}, .at_least = {}, .at_most = 5}.Holds(5)));
  EXPECT_FALSE((Counts{.one_of = {}, .at_least = {}, .at_most = 5}.Holds(6)));
  EXPECT_FALSE((Counts{.one_of = {}, .at_least = 2, .at_most = {}}.Holds(1)));
}

// ---- the runner: what is wrong is found

TEST(ScenarioRun, FindsNothingWrongWithARightExpectation) {
  EXPECT_EQ(
      ProblemsOf(FileWith(kApplyWeb, "  - {at: 5s, of: Pod/web, placed: 1, nodes: node, first-bind: 1}")),
      std::vector<std::string>{});
}

TEST(ScenarioRun, TellsWhatWasFoundWhereAndWhen) {
  EXPECT_EQ(ProblemsOf(FileWith(kApplyWeb, "  - {at: 5s, of: Pod/web, placed: 0}")),
            std::vector<std::string>{"line 8: at 5 s, Pod default/web: placed: is 1, expected 0"});
}

TEST(ScenarioRun, WatchesInvariantsWheneverTimeMovesOn) {
  const std::string text = FileWith(
      kApplyWeb,
      "  - {at: end, of: Pod/web, state: finished}\nalways:\n  - {of: Pod/web, placed: 0, until: 5s}");
  EXPECT_EQ(ProblemsOf(text),
            std::vector<std::string>{"line 10: at 1 s, Pod default/web: placed: is 1, expected 0"});
}

TEST(ScenarioRun, ReportsAStepThatCannotBeDone) {
  const std::vector<std::string> problems =
      ProblemsOf(FileWith("  - {at: 1s, delete: Pod/db}", "  - {at: end, of: Pod/web, state: gone}"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems[0].starts_with("line 6: the step cannot be done: ")) << problems[0];
}

}  // namespace
}  // namespace cadre::app
