#include "app/scenario_command.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/scenario_testing.h"

namespace cadre::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Pod web runs on the one node there is; `expect`: what of it at the end.
std::string WriteScenario(std::string_view expect) {
  static int count = 0;
  const std::string path = fmt::format("{}scenario-{}.yaml", testing::TempDir(), ++count);
  std::ofstream(path) << FileWith("  - {at: 0s, apply: Pod/web}",
                                  fmt::format("  - {{at: end, of: Pod/web, {}}}", expect));
  return path;
}

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran RunFiles(const ScenarioFlags& flags) {
  std::ostringstream out;
  std::ostringstream err;
  Ran ran;
  ran.code = RunScenarios(flags, out, err);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

TEST(ScenarioCommand, SaysThatAllIsAsItShouldBe) {
  const Ran ran = RunFiles({.files = {WriteScenario("state: finished")}});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, AllOf(StartsWith("ok "), HasSubstr("A pod runs.")));
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(ScenarioCommand, NamesTheLineThatDoesNotHold) {
  const Ran ran = RunFiles({.files = {WriteScenario("state: pending")}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, AllOf(StartsWith("FAILED"), HasSubstr("line 8:")));
}

TEST(ScenarioCommand, KillsTheSchedulerAtEachOfItsWrites) {
  // The bind and the event that tells of it.
  const Ran ran = RunFiles({.files = {WriteScenario("state: finished")}, .crash = true});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("killed 6 times at 2 writes of the scheduler: all ends as it should"));
}

TEST(ScenarioCommand, KillsTheControllersAtEachOfTheirWrites) {
  const Ran ran = RunFiles({.files = {WriteScenario("state: finished")}, .crash_controllers = true});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("writes of the controllers: all ends as it should"));
}

TEST(ScenarioCommand, KillsAtFewerWritesThanThereAreWhereTheBudgetWouldNotDo) {
  const std::string long_one = (ScenarioFolder() / "own-a-bind-refused-for-good-rolls-back.yaml").string();
  const Ran ran = RunFiles({.files = {long_one}, .crash = true, .budget = 1});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("killed 18 times at 6 of "));
}

TEST(ScenarioCommand, GoesOnAfterAFileThatCannotBeRead) {
  const Ran ran = RunFiles({.files = {"/no/such.yaml", WriteScenario("state: finished")}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("/no/such.yaml"));
  EXPECT_THAT(ran.out, StartsWith("ok "));
}

}  // namespace
}  // namespace cadre::app
