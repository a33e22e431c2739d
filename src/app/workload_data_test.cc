// Every file under trace/ of the captured data: it loads as stated here, or says why it is no trace of jobs.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/workload_input.h"
#include "app/workload_jobs.h"

namespace cadre::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct TraceCase {
  const char* file;     // below trace/
  const char* columns;  // --trace-columns
  std::size_t jobs;     // 0: refused
  std::int64_t pods;    // of all jobs
  const char* error;    // of a refusal
};

// Counts by hand: `zcat FILE | wc -l`, and the sum of max(1, ceil(GPUs / 8)), or of the column with the
// workers.
constexpr TraceCase kCases[] = {
    {"S-Lab-System-Group+ChronusArtifact/code__data__exp__trace_job_Philly_MIX1.csv.gz", "", 30'940, 31'110,
     ""},
    {"SymbioticLab+Tiresias/simulator__60_job.csv", "", 60, 60, ""},
    // Its times are milliseconds: iterations × iteration_time (ms) = duration.
    {"Rivendile+Muri/simulator__trace-data__trace1.csv", "submit=submit_time:ms,duration=duration:ms", 1'494,
     1'609, ""},
    {"sultanul-ovi+GPU-Cluster-Spot-Resource-Dataset-Analysis/outputs__tables__heaviest_gpu_jobs_top200.csv",
     "", 200, 7'617, ""},
    {"sultanul-ovi+GPU-Cluster-Spot-Resource-Dataset-Analysis/outputs__tables__worker_count_distribution.csv",
     "", 0, 0, "line 1: the header has no column for submit"},
    {"stanford-futuredata+gavel/scheduler__traces__msr__seed=0__6c71a0.trace.gz", "", 0, 0,
     "line 1: the header has no column for submit"},
};

fs::path DataFolder() {
  const char* data = std::getenv("CADRE_DATA");
  return (data != nullptr ? fs::path(data) : fs::path(CADRE_SOURCE_DIR) / "../shared/data") / "trace";
}

Result<Workload> Read(const TraceCase& trace) {
  const fs::path path = DataFolder() / trace.file;
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  TraceFlags flags;
  flags.columns = trace.columns;
  return ReadTrace(text, path.string(), flags);
}

class TraceData : public ::testing::TestWithParam<TraceCase> {
 protected:
  void SetUp() override {
    if (!fs::exists(DataFolder()))
      GTEST_SKIP() << DataFolder() << " is not there: set CADRE_DATA to the folder with the captured data";
  }
};

TEST_P(TraceData, LoadsOrSaysWhyNot) {
  const TraceCase& trace = GetParam();
  const Result<Workload> workload = Read(trace);
  if (trace.jobs == 0) {
    ASSERT_FALSE(workload);
    EXPECT_THAT(workload.error().message, HasSubstr(trace.error));
    return;
  }
  ASSERT_TRUE(workload) << workload.error().message;
  EXPECT_THAT(workload->problems, IsEmpty());
  EXPECT_EQ(workload->jobs.size(), trace.jobs);
  std::int64_t pods = 0;
  for (const WorkloadJob& job : workload->jobs)
    pods += job.pods;
  EXPECT_EQ(pods, trace.pods);
}

INSTANTIATE_TEST_SUITE_P(All, TraceData, ::testing::ValuesIn(kCases), [](const auto& trace) {
  std::string name = trace.param.file;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
  return name;
});

TEST(TraceDataFolder, HoldsNoFileThatTheTableDoesNotName) {
  if (!fs::exists(DataFolder()))
    GTEST_SKIP() << DataFolder() << " is not there: set CADRE_DATA to the folder with the captured data";
  std::set<std::string> named;
  for (const TraceCase& trace : kCases)
    named.insert(trace.file);
  for (const auto& entry : fs::recursive_directory_iterator(DataFolder())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_TRUE(named.contains(fs::relative(entry.path(), DataFolder()).generic_string())) << entry.path();
  }
}

// The Muri trace without its unit would last for centuries; it must not be taken as it stands.
TEST(TraceDataUnits, OfMuriAreNotTakenForSeconds) {
  if (!fs::exists(DataFolder()))
    GTEST_SKIP() << DataFolder() << " is not there: set CADRE_DATA to the folder with the captured data";
  TraceCase seconds = kCases[2];
  seconds.columns = "";
  const Result<Workload> workload = Read(seconds);
  ASSERT_TRUE(workload);
  ASSERT_FALSE(workload->problems.empty());
  EXPECT_THAT(workload->problems.front(), HasSubstr("check the unit"));
}

}  // namespace
}  // namespace cadre::app
