#include "app/workload_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::app {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

Result<Workload> Read(std::string_view text, std::string_view mapping = "", std::int64_t gpus_per_pod = 8) {
  return ReadCsv(text, "t.csv", mapping, {.procs_per_pod = 1, .gpus_per_pod = gpus_per_pod});
}

WorkloadJob OneJob(std::string_view text, std::string_view mapping = "") {
  const Result<Workload> workload = Read(text, mapping);
  EXPECT_TRUE(workload) << workload.error().message;
  EXPECT_THAT(workload->problems, IsEmpty());
  EXPECT_THAT(workload->jobs, SizeIs(1));
  return workload->jobs.empty() ? WorkloadJob() : workload->jobs.front();
}

std::string ErrorOf(std::string_view text, std::string_view mapping = "") {
  const Result<Workload> workload = Read(text, mapping);
  return workload ? "no error" : workload.error().message;
}

TEST(CsvTrace, ReadsTheColumnsOfItsManual) {
  const WorkloadJob job = OneJob(
      "name,submit,duration,pods,requests,priority,max_duration\n"
      "train,0,90,4,cpu=2;memory=8Gi;nvidia.com/gpu=1,7,10m\n");
  EXPECT_EQ(job.name, "train");
  EXPECT_EQ(job.run, Duration(90'000));
  EXPECT_EQ(job.pods, 4);
  EXPECT_THAT(job.requests,
              ElementsAre(Pair("cpu", "2"), Pair("memory", "8Gi"), Pair("nvidia.com/gpu", "1")));
  EXPECT_EQ(job.priority, 7);
  EXPECT_EQ(job.requested, Duration(600'000));
}

TEST(CsvTrace, SplitsTheGpusOfAJobIntoPodsOfEight) {
  const WorkloadJob job = OneJob("num_gpu,submit_time,duration\n32,0,10\n");
  EXPECT_EQ(job.pods, 4);
  EXPECT_THAT(job.requests, ElementsAre(Pair("nvidia.com/gpu", "8")));
}

TEST(CsvTrace, MakesPodsEqualWhereGpusAreNoMultipleOfEight) {
  const WorkloadJob job = OneJob("gpus,submit,duration\n12,0,10\n");
  EXPECT_EQ(job.pods, 2);
  EXPECT_THAT(job.requests, ElementsAre(Pair("nvidia.com/gpu", "6")));
}

TEST(CsvTrace, MakesAsManyPodsOfTheGivenSizeAsMakeUpTheGpusOfTheJob) {
  const WorkloadJob job = OneJob("gpus,gpu,submit,duration\n4,2,0,10\n");
  EXPECT_EQ(job.pods, 2);
  EXPECT_THAT(job.requests, ElementsAre(Pair("nvidia.com/gpu", "2")));
}

TEST(CsvTrace, SaysWhenTheGpusOfPodsAndJobDoNotAddUp) {
  const Result<Workload> workload = Read("gpus,gpu,submit,duration\n5,2,0,10\n");
  EXPECT_EQ(workload->jobs.front().pods, 3);
  EXPECT_THAT(workload->notes, Contains(HasSubstr("do not add up")));
}

TEST(CsvTrace, SaysThatAPartOfAGpuIsRoundedUp) {
  const Result<Workload> workload = Read("gpus,submit,duration\n0.5,0,10\n");
  EXPECT_THAT(workload->notes, Contains(HasSubstr("a part of a GPU")));
}

TEST(CsvTrace, SaysWhenGpusDoNotFillEqualPods) {
  const Result<Workload> workload = Read("gpus,submit,duration\n13,0,10\n");
  EXPECT_THAT(workload->jobs.at(0).requests, ElementsAre(Pair("nvidia.com/gpu", "7")));
  EXPECT_THAT(workload->notes, Contains(HasSubstr("their GPUs do not fill equal pods")));
}

TEST(CsvTrace, TakesRequestsOfAPodFromColumnsOfTheirOwn) {
  const WorkloadJob job = OneJob(
      "worker_num,gpu_request,cpu_request,mem,example.com/fpga,submit_time,duration\n3,8.0,1.5,4Gi,2,0,10\n");
  EXPECT_EQ(job.pods, 3);
  EXPECT_THAT(job.requests, ElementsAre(Pair("cpu", "1500m"), Pair("example.com/fpga", "2"),
                                        Pair("memory", "4Gi"), Pair("nvidia.com/gpu", "8")));
}

TEST(CsvTrace, AssumesOneCpuWhereNothingIsAskedFor) {
  const Result<Workload> workload = Read("submit,duration\n0,10\n");
  EXPECT_THAT(workload->jobs.at(0).requests, ElementsAre(Pair("cpu", "1")));
  EXPECT_THAT(workload->notes, Contains(HasSubstr("1 CPU for each pod was assumed")));
}

TEST(CsvTrace, ReadsUnitsFromTheMapping) {
  const WorkloadJob job =
      OneJob("a,len,ram,cores\n0,1500,2,250\n", "submit=a,duration=len:ms,memory=ram:GiB,cpu=cores:percent");
  EXPECT_EQ(job.run, Duration(1500));
  EXPECT_THAT(job.requests, ElementsAre(Pair("cpu", "2500m"), Pair("memory", "2147483648")));
}

TEST(CsvTrace, LetsTheMappingWinOverNames) {
  EXPECT_EQ(OneJob("submit,duration,real\n0,10,20\n", "duration=real").run, Duration(20'000));
}

TEST(CsvTrace, ReadsPointsInTime) {
  const Result<Workload> workload =
      Read("submit,duration\n2017-10-03 05:44:12,10\n2017-10-03T05:44:00Z,10\n");
  ASSERT_THAT(workload->jobs, SizeIs(2));
  EXPECT_EQ(workload->jobs[0].submit, Duration(12'000));
  EXPECT_EQ(workload->zero, *ParseRfc3339("2017-10-03T05:44:00Z"));
}

TEST(CsvTrace, SkipsAndCountsJobsThatNeverRan) {
  const Result<Workload> workload = Read("submit,duration,pods\n0,10,1\n1,0,1\n2,,1\n3,10,0\n,10,1\n");
  EXPECT_THAT(workload->jobs, SizeIs(1));
  EXPECT_THAT(workload->problems, IsEmpty());
  EXPECT_THAT(workload->notes, Contains(HasSubstr("2 jobs skipped: their run time is zero or not given")));
  EXPECT_THAT(workload->notes, Contains(HasSubstr("1 job skipped: they have no pods")));
  EXPECT_THAT(workload->notes, Contains(HasSubstr("1 job skipped: their submit time is not given")));
}

TEST(CsvTrace, NamesColumnsThatAreNotUsed) {
  EXPECT_THAT(Read("submit,duration,user,vc\n0,10,u,v\n")->notes,
              Contains("t.csv: columns not used: user, vc"));
}

TEST(CsvTrace, NamesLineAndColumnOfWhatItCannotRead) {
  const Result<Workload> workload = Read("submit,duration,pods\n0,10,1\n1,soon,1\n2,10,many\n");
  EXPECT_THAT(workload->jobs, SizeIs(1));
  EXPECT_THAT(
      workload->problems,
      ElementsAre("line 3, column 2 (duration): found \"soon\", expected a number of seconds, or a time "
                  "such as 90m",
                  AllOf(HasSubstr("line 4, column 3 (pods): found \"many\""),
                        HasSubstr("expected a number from 0 to"))));
}

TEST(CsvTrace, SaysWhenALineHasAnotherNumberOfFields) {
  EXPECT_THAT(Read("submit,duration\n0,10,3\n")->problems,
              ElementsAre("line 2: found 3 fields, expected 2 as in the header"));
}

TEST(CsvTrace, SuspectsTheUnitWhereAJobRunsForCenturies) {
  EXPECT_THAT(Read("submit,duration\n0,2868294000\n")->problems,
              ElementsAre(HasSubstr("check the unit (--trace-columns duration=COLUMN:ms)")));
}

TEST(CsvTrace, NeedsAHeader) {
  EXPECT_THAT(ErrorOf("0,10,2\n"), AllOf(HasSubstr("line 1: the header has no column for submit"),
                                         HasSubstr("it has 0, 10, 2"), HasSubstr("--trace-columns submit=")));
}

TEST(CsvTrace, RefusesAnEmptyFile) {
  EXPECT_THAT(ErrorOf("\n"), HasSubstr("is empty, expected a header"));
}

TEST(CsvTrace, AsksWhichOfTwoColumnsIsMeant) {
  EXPECT_THAT(ErrorOf("submit,duration,run_time\n0,1,2\n"),
              HasSubstr("columns duration and run_time both look like duration"));
}

TEST(CsvTrace, NamesAMappedColumnThatIsNotThere) {
  EXPECT_THAT(ErrorOf("submit,duration\n0,1\n", "pods=n"),
              HasSubstr("--trace-columns: pods=n: the trace has no such column; it has submit, duration"));
}

TEST(CsvTrace, NamesAMeaningThatDoesNotExist) {
  EXPECT_THAT(ErrorOf("submit,duration\n0,1\n", "colour=submit"),
              HasSubstr("with a meaning of name, submit"));
}

TEST(CsvTrace, NamesAUnitThatDoesNotExist) {
  EXPECT_THAT(ErrorOf("submit,duration\n0,1\n", "duration=duration:GiB"),
              HasSubstr("found the unit \"GiB\", expected one of ms, s, min, h, d"));
}

}  // namespace
}  // namespace cadre::app
