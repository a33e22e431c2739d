#include "app/workload_swf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// A line of the format; what a test is not about is as most logs have it.
struct Line {
  int number = 1;
  int submit = 0;
  int run = 60;
  int allocated = 4;
  int used_memory = -1;
  int requested = 4;
  int requested_time = 100;
  int requested_memory = -1;
  int status = 1;
};

std::string Text(const Line& line) {
  return fmt::format("{} {} 5 {} {} -1 {} {} {} {} {} 3 1 -1 2 -1 -1 -1\n", line.number, line.submit,
                     line.run, line.allocated, line.used_memory, line.requested, line.requested_time,
                     line.requested_memory, line.status);
}

Workload Read(const std::string& text, std::int64_t procs_per_pod = 1) {
  return ReadSwf(text, "t.swf", {.procs_per_pod = procs_per_pod, .gpus_per_pod = 8});
}

WorkloadJob OneJob(const Line& line, std::int64_t procs_per_pod = 1) {
  const Workload workload = Read(Text(line), procs_per_pod);
  EXPECT_THAT(workload.jobs, SizeIs(1));
  return workload.jobs.empty() ? WorkloadJob() : workload.jobs.front();
}

TEST(Swf, TakesTimesFromTheirFields) {
  const Workload workload = Read(Text({.number = 1, .submit = 0}) +
                                 Text({.number = 2, .submit = 30, .run = 7, .requested_time = 600}));
  ASSERT_THAT(workload.jobs, SizeIs(2));
  EXPECT_EQ(workload.jobs[1].name, "2");
  EXPECT_EQ(workload.jobs[1].line, 2U);
  EXPECT_EQ(workload.jobs[1].submit, Duration(30'000));
  EXPECT_EQ(workload.jobs[1].run, Duration(7'000));
  EXPECT_EQ(workload.jobs[1].requested, Duration(600'000));
}

TEST(Swf, MakesOnePodOfEachProcessor) {
  const WorkloadJob job = OneJob({.requested = 4});
  EXPECT_EQ(job.pods, 4);
  EXPECT_THAT(job.requests, ElementsAre(Pair("cpu", "1")));
}

TEST(Swf, SplitsProcessorsIntoEqualPods) {
  const WorkloadJob job = OneJob({.requested = 9}, 4);
  EXPECT_EQ(job.pods, 3);
  EXPECT_THAT(job.requests, ElementsAre(Pair("cpu", "3")));
}

TEST(Swf, SaysWhenProcessorsDoNotFillEqualPods) {
  const Workload workload = Read(Text({.requested = 10}), 4);
  EXPECT_THAT(workload.jobs.at(0).requests, ElementsAre(Pair("cpu", "4")));
  EXPECT_THAT(workload.notes, Contains(HasSubstr("1 job rounded up")));
}

TEST(Swf, TakesTheProcessorsThatWereGivenWhereThoseAskedForAreUnknown) {
  const Workload workload = Read(Text({.allocated = 6, .requested = -1}));
  EXPECT_EQ(workload.jobs.at(0).pods, 6);
  EXPECT_THAT(workload.notes, Contains(HasSubstr("with the processors they were given")));
}

TEST(Swf, MultipliesMemoryByTheProcessorsOfAPod) {
  EXPECT_THAT(OneJob({.requested = 4, .requested_memory = 1000}, 2).requests,
              ElementsAre(Pair("cpu", "2"), Pair("memory", "2000Ki")));
}

TEST(Swf, TakesUsedMemoryWhereTheMemoryAskedForIsUnknown) {
  EXPECT_THAT(OneJob({.used_memory = 512}).requests, Contains(Pair("memory", "512Ki")));
}

TEST(Swf, LeavesUnknownRequestedTimesOpen) {
  EXPECT_FALSE(OneJob({.requested_time = -1}).requested.has_value());
}

TEST(Swf, KeepsWhatFailedAfterRunning) {
  const Workload workload = Read(Text({.status = 0}));
  EXPECT_THAT(workload.jobs, SizeIs(1));
  EXPECT_THAT(workload.notes, Contains(HasSubstr("1 job kept though they failed")));
}

struct SkipCase {
  const char* name;
  Line line;
  const char* why;
};

class SwfSkips : public ::testing::TestWithParam<SkipCase> {};

TEST_P(SwfSkips, AndSaysSo) {
  const Workload workload = Read(Text({.number = 1}) + Text(GetParam().line) + Text(GetParam().line));
  EXPECT_THAT(workload.jobs, SizeIs(1));
  EXPECT_THAT(workload.problems, IsEmpty());
  EXPECT_THAT(workload.notes, Contains(AllOf(HasSubstr("2 jobs skipped"), HasSubstr(GetParam().why),
                                             HasSubstr("the first: line 2"))));
}

INSTANTIATE_TEST_SUITE_P(
    All, SwfSkips,
    ::testing::Values(SkipCase{"CancelledBeforeStart", {.run = -1, .status = 5}, "cancelled before they"},
                      SkipCase{"FailedWithoutRunning", {.run = 0, .status = 0}, "failed without having run"},
                      SkipCase{"ZeroRunTime", {.run = 0, .status = 1}, "run time is zero or not known"},
                      SkipCase{"PartOfAJob", {.status = 3}, "parts of a job"},
                      SkipCase{"NoProcessors", {.allocated = -1, .requested = 0}, "number of processors"},
                      SkipCase{"NoSubmitTime", {.submit = -1}, "submit time is not known"}),
    [](const auto& skip) { return std::string(skip.param.name); });

TEST(Swf, ReadsTheHeader) {
  const Workload workload = Read(
      "; Version: 2.2\n; MaxNodes: 128 (since 2001)\n;MaxProcs: 256\n"
      "; UnixStartTime: 1000000000\n; Note: anything\n;\n" +
      Text({.submit = 50}));
  EXPECT_EQ(workload.max_nodes, 128);
  EXPECT_EQ(workload.max_procs, 256);
  EXPECT_EQ(workload.zero, Time(std::chrono::seconds(1'000'000'050)));
  EXPECT_THAT(workload.problems, IsEmpty());
}

TEST(Swf, CountsSubmitTimesFromTheEarliestJob) {
  const Workload workload = Read(Text({.submit = 500}) + Text({.submit = 300}));
  ASSERT_THAT(workload.jobs, SizeIs(2));
  EXPECT_EQ(workload.jobs[0].submit, Duration(200'000));
  EXPECT_EQ(workload.jobs[1].submit, Duration(0));
  EXPECT_THAT(workload.notes, Contains(HasSubstr("which came at 300 s")));
}

TEST(Swf, NamesTheFieldThatIsNoNumber) {
  const Workload workload = Read(Text({}) + "2 10 -1 soon 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n");
  EXPECT_THAT(workload.jobs, SizeIs(1));
  EXPECT_THAT(
      workload.problems,
      ElementsAre(
          "line 2: field 4 (run time): found \"soon\", expected a number, or -1 when it is not known"));
}

TEST(Swf, SaysWhenALineHasTooFewFields) {
  EXPECT_THAT(Read("1 2 3\n").problems,
              ElementsAre("line 1: found 3 fields, expected the 18 of the Standard Workload Format"));
}

TEST(Swf, NamesTenBrokenLinesAndCountsTheOthers) {
  std::string text;
  for (int i = 0; i < 25; ++i)
    text += "broken\n";
  const std::vector<std::string> problems = Read(text).problems;
  ASSERT_THAT(problems, SizeIs(11));
  EXPECT_THAT(problems.back(), HasSubstr("15 more lines"));
}

TEST(Swf, RefusesMorePodsThanAnIndexedJobCanHave) {
  EXPECT_THAT(Read(Text({.requested = 200'000})).problems, ElementsAre(HasSubstr("--trace-procs-per-pod")));
}

TEST(Swf, TakesWindowsLineEndsAndAMissingLastOne) {
  std::string text = Text({});
  text.back() = '\r';
  EXPECT_THAT(Read(text + "\n" + text).jobs, SizeIs(2));
}

}  // namespace
}  // namespace cadre::app
