#include "live/subprocess.h"

#include <csignal>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

namespace cadre::live {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAtOnce{20'000};  // far below the programs' own time, far above a busy machine's

Program Shell(std::string script) {
  Program program;
  program.command = "/bin/sh";
  program.args = {"-c", std::move(script)};
  return program;
}

milliseconds TimeOf(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
}

TEST(RunProgram, TakesWhatIsPrintedAndTheExitCode) {
  const auto end = RunProgram(Shell("echo out; echo err >&2; exit 3"), {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "out\n");
  EXPECT_EQ(end->errors, "err\n");
  EXPECT_EQ(end->exit_code, 3);
}

TEST(RunProgram, AProgramIsLookedForInPath) {
  Program program;
  program.command = "printf";
  program.args = {"%s", "a b; c"};
  const auto end = RunProgram(program, {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "a b; c");
}

TEST(RunProgram, VariablesComeOnTopOfOurOwn) {
  Program program = Shell("echo $PATH $A");
  program.env = {{"A", "1"}, {"PATH", "/here"}, {"A", "2"}};
  const auto end = RunProgram(program, {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "/here 2\n");
}

TEST(RunProgram, TheInputOfAProgramIsEmpty) {
  const auto end = RunProgram(Shell("cat; echo done"), {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "done\n");
}

TEST(RunProgram, NoOtherDescriptorIsHandedDown) {
  const auto end = RunProgram(Shell("ls /proc/self/fd | wc -l"), {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "4\n");  // 0, 1, 2 and that of ls for the folder
}

TEST(RunProgram, AProgramThatIsNotThereIsNotFound) {
  Program program;
  program.command = "/nowhere/plugin";
  const auto end = RunProgram(program, {});
  ASSERT_FALSE(end.has_value());
  EXPECT_TRUE(end.error().not_found);
  EXPECT_EQ(end.error().message, "cannot be started: No such file or directory");
}

TEST(RunProgram, AProgramThatTakesTooLongIsKilled) {
  Program program = Shell("sleep 600");
  program.longest_run = milliseconds(50);
  const milliseconds took = TimeOf([&] {
    const auto end = RunProgram(program, {});
    ASSERT_FALSE(end.has_value());
    EXPECT_EQ(end.error().message, "did not end within 50 ms and was killed");
  });
  EXPECT_LT(took, kAtOnce);
}

TEST(RunProgram, AProgramThatPrintsWithoutEndIsKilled) {
  Program program = Shell("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done");
  program.most_output_bytes = 10'000;
  const auto end = RunProgram(program, {});
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().message, "printed more than 10000 bytes and was killed");
}

TEST(RunProgram, AsManyBytesAsAreAllowedAreTaken) {
  Program program = Shell("printf %s 12345678");
  program.most_output_bytes = 8;
  const auto end = RunProgram(program, {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "12345678");
}

TEST(RunProgram, OfALongStandardErrorTheStartIsKept) {
  const auto end =
      RunProgram(Shell("i=0; while [ $i -lt 2000 ]; do echo 0123456789 >&2; i=$((i+1)); done"), {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->errors.size(), 4096U);
  EXPECT_TRUE(end->errors.starts_with("0123456789\n"));
}

TEST(RunProgram, AStopEndsTheProgram) {
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const milliseconds took = TimeOf([&] {
    const auto end = RunProgram(Shell("sleep 600"), stop.get_token());
    ASSERT_FALSE(end.has_value());
    EXPECT_EQ(end.error().message, "was stopped: it is no longer needed");
  });
  EXPECT_LT(took, kAtOnce);
}

TEST(RunProgram, WhatAProgramLeavesBehindIsNotWaitedFor) {
  const milliseconds took = TimeOf([&] {
    const auto end = RunProgram(Shell("sleep 600 & echo here"), {});
    ASSERT_TRUE(end.has_value()) << end.error().message;
    EXPECT_EQ(end->output, "here\n");
  });
  EXPECT_LT(took, kAtOnce);
}

TEST(RunProgram, ASignalCountsAsItsNumberAnd128) {
  const auto end = RunProgram(Shell("kill -TERM $$"), {});
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->exit_code, 128 + SIGTERM);
}

}  // namespace
}  // namespace cadre::live
