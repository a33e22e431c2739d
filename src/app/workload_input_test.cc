#include "app/workload_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Trace files of its own.
class TraceFiles : public ::testing::Test {
 protected:
  void Give(std::string_view text, const std::string& name) {
    flags_.files.push_back(folder_.Write(name, text));
  }

  TraceInput Load() { return LoadTraces(flags_, manifests_); }

  testing::TemporaryFolder folder_;
  TraceFlags flags_;
  kube::Manifests manifests_;
};

constexpr std::string_view kSwfLine = "1 0 -1 60 2 -1 -1 2 100 -1 1 1 1 1 1 1 -1 -1\n";

TEST(TraceNames, EndInTheirFormatAlsoBehindGz) {
  for (const char* trace : {"a.swf", "a.swf.gz", "b/c.csv", "c.csv.gz", "d.tsv"})
    EXPECT_TRUE(IsTraceName(trace)) << trace;
  for (const char* other : {"a.yaml", "swf", "a.swf.yaml", "-", "a.json.gz", "csv.gz"})
    EXPECT_FALSE(IsTraceName(other)) << other;
}

TEST_F(TraceFiles, AreReadAccordingToTheirNames) {
  Give(kSwfLine, "a.swf");
  Give("submit,duration\n0,10\n", "b.txt");
  EXPECT_THAT(Load().notes, ElementsAre(HasSubstr("b.txt: 1 job without any request")));
  EXPECT_THAT(manifests_.problems, IsEmpty());
  EXPECT_THAT(manifests_.objects, SizeIs(2));
}

TEST_F(TraceFiles, MayUseTheSameJobNumbers) {
  Give(kSwfLine, "a.swf");
  Give(kSwfLine, "b.swf");
  Load();
  ASSERT_THAT(manifests_.objects, SizeIs(2));
  EXPECT_NE(kube::Describe(manifests_.objects[0].object), kube::Describe(manifests_.objects[1].object));
}

TEST_F(TraceFiles, TellTheEarliestDateAndTheMachine) {
  Give(fmt::format("; UnixStartTime: 2000\n; MaxNodes: 4\n; MaxProcs: 8\n{}", kSwfLine), "a.swf");
  Give(fmt::format("; UnixStartTime: 1000\n{}", kSwfLine), "b.swf");
  const TraceInput input = Load();
  EXPECT_EQ(input.start, Time(std::chrono::seconds(1000)));
  EXPECT_THAT(input.machine, HasSubstr("a.swf: a trace of a machine of 4 nodes with 2 processors each"));
}

TEST_F(TraceFiles, AreNamedWhereTheyCannotBeOpened) {
  flags_.files = {"no/such.swf"};
  Load();
  ASSERT_THAT(manifests_.problems, SizeIs(1));
  EXPECT_THAT(kube::ToString(manifests_.problems[0]), HasSubstr("no/such.swf: cannot be opened"));
}

TEST_F(TraceFiles, AreNamedWhereALineCannotBeRead) {
  Give(fmt::format("{}1 2 3\n", kSwfLine), "a.swf");
  Load();
  ASSERT_THAT(manifests_.problems, SizeIs(1));
  EXPECT_THAT(kube::ToString(manifests_.problems[0]), HasSubstr("a.swf: line 2: found 3 fields"));
}

TEST_F(TraceFiles, AreAProblemWithoutAnyJob) {
  Give("; only a header\n", "a.swf");
  Load();
  ASSERT_THAT(manifests_.problems, SizeIs(1));
  EXPECT_THAT(kube::ToString(manifests_.problems[0]), HasSubstr("a.swf: holds no job that can be run"));
}

TEST_F(TraceFiles, AreAProblemWhereTheirGzipIsCutOff) {
  Give("\x1f\x8b\x08", "a.csv.gz");
  Load();
  ASSERT_THAT(manifests_.problems, SizeIs(1));
  EXPECT_THAT(kube::ToString(manifests_.problems[0]), HasSubstr("a.csv.gz"));
}

}  // namespace
}  // namespace cadre::app
