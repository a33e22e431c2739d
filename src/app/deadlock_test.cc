// The deadlock that Fluence's experiment was caught in (shared data: cases/fluence-deadlock-run10.csv),
// replayed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "base/text.h"

namespace cadre::app {
namespace {

using std::chrono::seconds;
using testing::Gang;
using testing::Nodes;

constexpr int kPlaces = 8;  // 8 nodes of 3920m, pods of 2 CPU

struct CapturedJob {
  std::string name;
  int pods = 0;
  int submit_s = 0;
};

std::filesystem::path CaptureFile() {
  const char* folder = std::getenv("CADRE_DATA");
  const std::filesystem::path data = folder != nullptr ? folder : CADRE_SOURCE_DIR "/../shared/data";
  return data / "cases/fluence-deadlock-run10.csv";
}

std::vector<CapturedJob> ReadCapture() {
  std::vector<CapturedJob> jobs;
  std::ifstream file(CaptureFile());
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("job,")) continue;
    const std::vector<std::string_view> fields = Split(line, ',');
    jobs.push_back({std::string(fields.at(0)), std::stoi(std::string(fields.at(1))),
                    std::stoi(std::string(fields.at(3)))});
  }
  return jobs;
}

struct Outcome {
  std::size_t finished = 0;
  double makespan_s = 0;
  double mean_s = 0;  // submit -> done
};

// Whole jobs in order of submission; one that does not fit lets later ones pass if `overtaking`.
Outcome ListSchedule(const std::vector<CapturedJob>& jobs, int run_time_s, bool overtaking) {
  Outcome outcome;
  std::vector<std::size_t> waiting;
  std::multimap<int, std::size_t> running;  // by end
  std::size_t next = 0;
  int free = kPlaces;
  for (int now = 0; next < jobs.size() || !waiting.empty() || !running.empty(); ++now) {
    for (; !running.empty() && running.begin()->first == now; running.erase(running.begin())) {
      const CapturedJob& job = jobs[running.begin()->second];
      free += job.pods;
      outcome.mean_s += now - job.submit_s;
      outcome.makespan_s = now;
      ++outcome.finished;
    }
    for (; next < jobs.size() && jobs[next].submit_s == now; ++next)
      waiting.push_back(next);
    std::vector<std::size_t> still;
    for (const std::size_t index : waiting) {
      if (jobs[index].pods > free || (!overtaking && !still.empty())) {
        still.push_back(index);
        continue;
      }
      free -= jobs[index].pods;
      running.emplace(now + run_time_s, index);
    }
    waiting = std::move(still);
  }
  outcome.mean_s /= static_cast<double>(jobs.size());
  return outcome;
}

class Deadlock : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(CaptureFile()))
      GTEST_SKIP() << "the captured deadlock is not there: " << CaptureFile() << " (set CADRE_DATA)";
    jobs_ = ReadCapture();
    for (const CapturedJob& job : jobs_)
      size_[job.name] = job.pods;
    simulation_.Load(Nodes(8, "3920m"));
    for (const CapturedJob& job : jobs_)
      simulation_.SubmitAt(seconds(job.submit_s), Gang(job.name, job.pods, "2", std::to_string(GetParam())));
  }

  Outcome Measure() {
    simulation_.RunToEnd();
    Outcome outcome;
    for (const CapturedJob& job : jobs_) {
      const GroupRecord& row = testing::Row(simulation_, job.name);
      if (!row.end || row.failed) continue;
      ++outcome.finished;
      outcome.mean_s += static_cast<double>(testing::SecondsOf(*row.end) - job.submit_s) /
                        static_cast<double>(jobs_.size());
      outcome.makespan_s = std::max(outcome.makespan_s, static_cast<double>(testing::SecondsOf(*row.end)));
    }
    return outcome;
  }

  // Jobs of which some, but not all pods are on nodes: counted from the pods in the API alone.
  int HalfPlaced() {
    std::map<std::string, int> placed;
    for (const kube::Object& object : simulation_.api().All(kube::Kind::kPod)) {
      const kube::Pod& pod = object.As<kube::Pod>();
      if (!pod.spec.node_name.empty()) ++placed[pod.metadata.labels.at(std::string(kube::kJobNameLabel))];
    }
    return static_cast<int>(std::count_if(
        placed.begin(), placed.end(), [&](const auto& job) { return job.second != size_.at(job.first); }));
  }

  std::vector<CapturedJob> jobs_;
  std::map<std::string, int> size_;
  Simulation simulation_{SimulationOptions{}};
};

TEST_P(Deadlock, DoesNotHappen) {
  EXPECT_EQ(Measure().finished, 48U);
}

TEST_P(Deadlock, NoJobIsEverPlacedInPart) {
  int instants = 0;
  int half = 0;
  simulation_.OnSettled([&](Simulation&) {
    ++instants;
    half += HalfPlaced();
  });
  simulation_.RunToEnd();
  EXPECT_EQ(half, 0);
  EXPECT_GT(instants, 48);
}

TEST_P(Deadlock, BreaksNoInvariant) {
  simulation_.RunToEnd();
  EXPECT_EQ(simulation_.checker().violations(), std::vector<std::string>{});
}

TEST_P(Deadlock, IsNoSlowerThanGreedyListSchedulingOfWholeJobs) {
  const Outcome cadre = Measure();
  const Outcome greedy = ListSchedule(jobs_, GetParam(), true);
  const Outcome fifo = ListSchedule(jobs_, GetParam(), false);
  const double bound = 195.0 * GetParam() / kPlaces;
  fmt::print(
      "{} s per job: makespan {:.0f} s (bound {:.0f}, greedy {:.0f}, strict FIFO {:.0f}), "
      "mean submit to done {:.1f} s (greedy {:.1f}, strict FIFO {:.1f})\n",
      GetParam(), cadre.makespan_s, bound, greedy.makespan_s, fifo.makespan_s, cadre.mean_s, greedy.mean_s,
      fifo.mean_s);
  EXPECT_LE(cadre.mean_s, greedy.mean_s + 0.5);
  EXPECT_GE(cadre.makespan_s, bound);
}

// The figures that are handed down with the case, so that a change of the data or of the reference is
// noticed.
TEST_P(Deadlock, GreedyReferenceIsTheOneHandedDown) {
  EXPECT_NEAR(ListSchedule(jobs_, GetParam(), true).mean_s, GetParam() == 39 ? 486 : 754, 0.5);
}

INSTANTIATE_TEST_SUITE_P(SecondsPerJob, Deadlock, ::testing::Values(39, 60),
                         [](const auto& run) { return fmt::format("Of{}", run.param); });

}  // namespace
}  // namespace cadre::app
