#include "sim/run_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/shell_words.h"

namespace cadre::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Text(const RunTime& run) {
  if (run.forever) return "for ever";
  return run.known ? fmt::format("{} ms", run.known->count()) : "unknown";
}

struct ScriptCase {
  const char* script;
  const char* expected;
};

class ScriptTable : public ::testing::TestWithParam<ScriptCase> {};

TEST_P(ScriptTable, TakesAsLongAsItSleeps) {
  EXPECT_EQ(Text(ScriptRunTime(GetParam().script)), GetParam().expected) << GetParam().script;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ScriptTable,
    ::testing::Values(
        ScriptCase{"sleep 30", "30000 ms"}, ScriptCase{"sleep 30s", "30000 ms"},
        ScriptCase{"sleep 2m", "120000 ms"}, ScriptCase{"sleep 1h", "3600000 ms"},
        ScriptCase{"sleep 0.5", "500 ms"}, ScriptCase{"sleep 1m 30s", "90000 ms"},
        ScriptCase{"sleep infinity", "for ever"}, ScriptCase{"/bin/sleep 5", "5000 ms"},
        ScriptCase{"sleep \"7\"", "7000 ms"}, ScriptCase{"sleep 3 && echo done", "3000 ms"},
        ScriptCase{"echo start; sleep 3; echo middle; sleep 4", "7000 ms"},
        ScriptCase{"echo 'I sleep 100' && sleep 20", "20000 ms"}, ScriptCase{"echo sleep 100", "unknown"},
        ScriptCase{"# sleep 100\nsleep 2", "2000 ms"},
        ScriptCase{"sleep 10  # Give time to settle", "10000 ms"}, ScriptCase{"python train.py", "unknown"},
        ScriptCase{"", "unknown"}, ScriptCase{"sleep $SECONDS_TO_RUN", "unknown"},
        ScriptCase{"sleep $((RANDOM % 10))", "unknown"}, ScriptCase{"exec sleep 9", "9000 ms"},
        ScriptCase{"bash -c 'sleep 3; sleep 1'", "4000 ms"},
        ScriptCase{"sh -ec \"sleep 3\" && sleep 1", "4000 ms"},
        ScriptCase{"trap 'exit 0' TERM; sleep infinity & wait", "for ever"},
        ScriptCase{"trap : TERM; sleep 9000 & wait", "9000000 ms"},
        ScriptCase{"(sleep 2; sleep 3)", "5000 ms"}, ScriptCase{"{ sleep 2; sleep 3; }", "5000 ms"},
        ScriptCase{"sleep 5 > /dev/null", "5000 ms"}, ScriptCase{"sleep 1 | cat", "1000 ms"},
        ScriptCase{"echo a \\\n && sleep 6", "6000 ms"},
        // Loops over a known number of words.
        ScriptCase{"for i in {1..10}; do echo $i; sleep 1; done", "10000 ms"},
        ScriptCase{"for i in {10..1}\ndo\n  sleep 2\ndone\nexit 1", "20000 ms"},
        ScriptCase{"for i in 1 2 3; do sleep 5; done; sleep 1", "16000 ms"},
        ScriptCase{"for i in $(seq 4); do sleep 5; done", "20000 ms"},
        ScriptCase{"for i in $(seq 1 2 9); do sleep 1; done", "5000 ms"},
        ScriptCase{"for i in `seq 3`; do sleep 1; done", "3000 ms"},
        ScriptCase{"for a in 1 2; do for b in x y z; do sleep 1; done; done", "6000 ms"},
        // What depends on something else takes no time.
        ScriptCase{"for i in $HOSTS; do sleep 5; done; sleep 1", "1000 ms"},
        ScriptCase{"for ((i=0;i<3;i++)); do sleep 5; done; sleep 1", "1000 ms"},
        ScriptCase{"while ! nc -z leader 80; do sleep 1; done; sleep 8", "8000 ms"},
        ScriptCase{"until ping -c1 host; do sleep 1; done", "unknown"},
        ScriptCase{"if [ $X = 0 ]; then sleep 100; fi; sleep 2", "2000 ms"},
        ScriptCase{"if a; then if b; then sleep 9; fi; sleep 9; fi; sleep 2", "2000 ms"},
        ScriptCase{"case $X in a) sleep 100;; esac; sleep 2", "2000 ms"},
        // Endless loops, and those with a way out.
        ScriptCase{"while true; do echo hi; sleep 5; done", "for ever"},
        ScriptCase{"while :; do sleep 5; done", "for ever"},
        ScriptCase{"until false; do sleep 5; done", "for ever"},
        ScriptCase{"while true; do if ready; then break; fi; sleep 5; done; sleep 3", "3000 ms"},
        // Nonsense ends.
        ScriptCase{"done done )", "unknown"}, ScriptCase{"for", "unknown"}, ScriptCase{"while", "unknown"},
        ScriptCase{"if", "unknown"}, ScriptCase{"sleep 'unclosed", "unknown"}, ScriptCase{"$(", "unknown"},
        ScriptCase{"((((((((((((((((((((((((((((((((((((((sleep 1", "unknown"},
        ScriptCase{"sleep 1e99", "for ever"}, ScriptCase{"sleep -5", "unknown"}));

TEST(CommandRunTime, ReadsArgv) {
  EXPECT_EQ(Text(CommandRunTime(std::vector<std::string>{"sleep", "30"})), "30000 ms");
  EXPECT_EQ(Text(CommandRunTime(std::vector<std::string>{"/bin/sh", "-c", "sleep 3"})), "3000 ms");
  EXPECT_EQ(Text(CommandRunTime(std::vector<std::string>{"bash", "-x", "-c", "sleep 3"})), "3000 ms");
  EXPECT_EQ(Text(CommandRunTime(std::vector<std::string>{"tini", "--", "sleep", "4"})), "4000 ms");
  EXPECT_EQ(Text(CommandRunTime(std::vector<std::string>{"echo", "sleep 30"})), "unknown");
  EXPECT_EQ(Text(CommandRunTime(std::vector<std::string>{})), "unknown");
}

TEST(ShellWords, KeepQuotesAndSubstitutionsTogether) {
  std::vector<std::string> words;
  for (const ShellToken& token : SplitShell("echo 'a b' \"c $(d e)\" $(f $(g h)) x\\ y"))
    words.push_back(token.text);
  EXPECT_THAT(words, ElementsAre("echo", "a b", "c $(d e)", "$(f $(g h))", "x y"));
}

kube::Container Sleeper(std::string time) {
  kube::Container container;
  container.command = {"sleep", std::move(time)};
  return container;
}

TEST(RunPlanOf, RunsAsLongAsTheLongestContainerAfterTheInitContainers) {
  kube::Pod pod;
  pod.spec.init_containers = {Sleeper("2"), Sleeper("3")};
  pod.spec.containers = {Sleeper("10"), Sleeper("20"), kube::Container{}};
  EXPECT_EQ(RunPlanOf(pod).run.known, seconds(25));
}

TEST(RunPlanOf, LeavesSidecarsOut) {
  kube::Pod pod;
  pod.spec.init_containers = {Sleeper("infinity")};
  pod.spec.init_containers[0].restart_always = true;
  pod.spec.containers = {Sleeper("10")};
  EXPECT_EQ(RunPlanOf(pod).run.known, seconds(10));
}

TEST(RunPlanOf, KnowsNothingOfContainersThatDoNotSleep) {
  kube::Pod pod;
  pod.spec.init_containers = {Sleeper("2")};
  pod.spec.containers = {kube::Container{}};
  EXPECT_EQ(Text(RunPlanOf(pod).run), "unknown");
}

TEST(RunPlanOf, BelievesTheAnnotationFirst) {
  kube::Pod pod;
  pod.spec.containers = {Sleeper("infinity")};
  pod.metadata.annotations["cadre.dev/sim-duration"] = "1h30m";
  const RunPlan plan = RunPlanOf(pod);
  EXPECT_EQ(plan.run.known, hours(1) + minutes(30));
  EXPECT_TRUE(plan.told);
}

TEST(RunPlanOf, ComplainsAboutAnnotationsThatItCannotRead) {
  kube::Pod pod;
  pod.metadata.name = "p";
  pod.metadata.annotations["cadre.dev/sim-duration"] = "soon";
  pod.metadata.annotations["cadre.dev/sim-exit-code"] = "bad";
  EXPECT_THAT(RunPlanOf(pod).complaints, ElementsAre(HasSubstr("sim-exit-code: \"bad\" is ignored"),
                                                     HasSubstr("sim-duration: \"soon\"")));
}

TEST(RunPlanOf, FailsWithExitCodeOneWhenOnlyAttemptsAreGiven) {
  kube::Pod pod;
  pod.metadata.annotations["cadre.dev/sim-fail-attempts"] = "2";
  EXPECT_EQ(RunPlanOf(pod).exit_code, 1);
  EXPECT_EQ(RunPlanOf(pod).fail_attempts, 2);
}

TEST(RunPlanOf, SucceedsWithoutAnnotations) {
  const RunPlan plan = RunPlanOf(kube::Pod{});
  EXPECT_EQ(plan.exit_code, 0);
  EXPECT_THAT(plan.complaints, IsEmpty());
}

}  // namespace
}  // namespace cadre::sim
