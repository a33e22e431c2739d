// Every published JobSet whose Jobs want domains of their own, on a cluster that has just enough of them:
// each Job in one domain, also after the JobSet restarted, while a second JobSet waits for the same domains;
// and all of that with a scheduler that dies at any write.
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/checker.h"
#include "app/real_manifests_testing.h"
#include "app/simulation.h"
#include "app/testing.h"
#include "base/json.h"

namespace cadre::app {
namespace {

namespace fs = std::filesystem;

using testing::ClusterFor;
using testing::Data;

constexpr Duration kFails{20'000};  // when a pod of the first JobSet fails; all of it runs by then
constexpr std::string_view kRunTime = "60s";
// A run with more writes than this is crashed at a sample of them, unless CADRE_EVERY_WRITE=1.
constexpr std::uint64_t kEveryWriteUpTo = 60;
constexpr std::uint64_t kSampled = 24;

// By Job: the domains that its pods have been bound in, and how many attempts of the JobSet it has had pods
// in.
struct JobRecord {
  std::set<std::string> domains;
  std::set<std::string> attempts;
};

struct Outcome {
  std::map<std::string, JobRecord> jobs;  // of the first JobSet, those that want a domain
  std::vector<std::string> ends;          // of both JobSets: "train Completed"
  std::vector<std::string> violations;
  std::uint64_t writes = 0;
};

// The JobSet with room for one restart, pods that run for a known time, and another name.
kube::Object Variant(const kube::Object& jobset, const std::string& name) {
  json::object object = jobset.raw->as_object();
  json::object& metadata = object["metadata"].as_object();
  metadata["name"] = name;
  json::object& spec = object["spec"].as_object();
  spec["failurePolicy"] = json::object{{"maxRestarts", 1}};
  for (json::value& replicated : spec["replicatedJobs"].as_array()) {
    json::object& job_spec = replicated.as_object()["template"].as_object()["spec"].as_object();
    job_spec["backoffLimit"] = 0;
    json::value& pod_metadata = job_spec["template"].as_object()["metadata"];
    if (!pod_metadata.is_object()) pod_metadata.emplace_object();
    json::value& annotations = pod_metadata.as_object()["annotations"];
    if (!annotations.is_object()) annotations.emplace_object();
    annotations.as_object()["cadre.dev/sim-duration"] = kRunTime;
  }
  return *kube::Decode(kube::Kind::kJobSet, std::move(object));
}

std::string LabelOf(const kube::Object& object, const std::string& key) {
  const auto found = object.Meta().labels.find(key);
  return found == object.Meta().labels.end() ? std::string{} : found->second;
}

class Story {
 public:
  Story(const kube::Object& jobset, std::optional<std::pair<std::uint64_t, drive::CrashPoint>> crash)
      : first_(Variant(jobset, "first")), simulation_(SimulationOptions{}) {
    const auto& typed = first_.As<kube::JobSet>();
    for (const kube::ReplicatedJob& replicated : typed.spec.replicated_jobs) {
      const std::string key = testing::ExclusiveKeyOf(typed, replicated);
      if (!key.empty()) keys_[replicated.name] = key;
    }
    simulation_.Load(ClusterFor(typed));
    simulation_.SubmitAt(Duration{0}, first_);
    simulation_.SubmitAt(Duration{1000}, Variant(jobset, "second"));
    simulation_.At(kFails, [this](Simulation&) { FailOnePod(); });
    simulation_.OnSettled([this](Simulation&) { Look(); });
    if (crash) simulation_.CrashSchedulerAt(crash->first, crash->second);
  }

  Outcome Run() {
    simulation_.RunToEnd();
    for (const std::string name : {"first", "second"}) {
      const kube::Object* jobset = Find(kube::Kind::kJobSet, name);
      outcome_.ends.push_back(jobset == nullptr
                                  ? name + " is gone"
                                  : name + " " + jobset->As<kube::JobSet>().status.terminal_state);
    }
    outcome_.violations = simulation_.checker().violations();
    outcome_.writes = simulation_.scheduler_writes();
    return std::move(outcome_);
  }

 private:
  const kube::Object* Find(kube::Kind kind, const std::string& name) {
    return simulation_.api().Find(
        kind, first_.Meta().namespace_.empty() ? "default" : first_.Meta().namespace_, name);
  }

  bool IsOurs(const kube::Object& pod) const {
    return LabelOf(pod, std::string(kube::kJobSetNameLabel)) == "first" &&
           keys_.contains(LabelOf(pod, std::string(kube::kReplicatedJobNameLabel)));
  }

  void Look() {
    for (const kube::Object& pod : simulation_.api().All(kube::Kind::kPod)) {
      const std::string& node_name = pod.As<kube::Pod>().spec.node_name;
      if (!IsOurs(pod) || node_name.empty()) continue;
      const kube::Object* node = simulation_.api().Find(kube::Kind::kNode, "", node_name);
      JobRecord& job = outcome_.jobs[LabelOf(pod, "batch.kubernetes.io/job-name")];
      job.domains.insert(LabelOf(*node, keys_.at(LabelOf(pod, std::string(kube::kReplicatedJobNameLabel)))));
      job.attempts.insert(LabelOf(pod, std::string(kube::kRestartAttemptLabel)));
    }
  }

  void FailOnePod() {
    for (const kube::Object& pod : simulation_.api().All(kube::Kind::kPod)) {
      if (!IsOurs(pod) || pod.As<kube::Pod>().spec.node_name.empty()) continue;
      drive::Effect effect;
      effect.what = drive::PatchStatus{{kube::Kind::kPod, pod.Meta().namespace_, pod.Meta().name},
                                       {{"status", json::object{{"phase", "Failed"}}}}};
      simulation_.api().WriteNow("user", effect);
      return;
    }
    ADD_FAILURE() << "no pod of the first JobSet runs";
  }

  kube::Object first_;
  std::map<std::string, std::string> keys_;  // by replicated job
  Simulation simulation_;
  Outcome outcome_;
};

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const fs::path& file : testing::FilesBelow("jobset")) {
    const SimulationInput input = SortInput(testing::Load(file));
    const kube::JobSet* jobset = testing::JobSetIn(input);
    if (jobset == nullptr) continue;
    const auto wants = [&](const kube::ReplicatedJob& replicated) {
      return !testing::ExclusiveKeyOf(*jobset, replicated).empty();
    };
    if (std::ranges::any_of(jobset->spec.replicated_jobs, wants)) files.push_back(file);
  }
  return files;
}

kube::Object JobSetOf(const fs::path& file) {
  for (const Submission& submission : SortInput(testing::Load(file)).submissions) {
    if (submission.object.kind == kube::Kind::kJobSet) return submission.object;
  }
  return {};
}

// What must hold, whatever happened; as one text, empty when it does.
std::string ProblemsOf(const Outcome& outcome) {
  std::string problems;
  std::set<std::string> taken;
  for (const auto& [name, job] : outcome.jobs) {
    if (job.domains.size() != 1)
      problems += fmt::format("Job {} was in the domains {}\n", name, fmt::join(job.domains, ", "));
    if (job.attempts != std::set<std::string>{"0", "1"})
      problems += fmt::format("Job {} ran in the attempts {}\n", name, fmt::join(job.attempts, ", "));
    for (const std::string& domain : job.domains) {
      if (!taken.insert(domain).second) problems += fmt::format("domain {} was shared\n", domain);
    }
  }
  if (outcome.jobs.empty()) problems += "no Job was placed\n";
  for (const std::string& end : outcome.ends) {
    if (!end.ends_with(" Completed")) problems += end + "\n";
  }
  for (const std::string& violation : outcome.violations)
    problems += violation + "\n";
  return problems;
}

class RealExclusiveJobSet : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT("jobset");
    const std::vector<fs::path> files = Files();
    ASSERT_LT(GetParam(), files.size()) << "fewer files want domains of their own than expected";
    file_ = files[GetParam()];
    jobset_ = JobSetOf(file_);
  }

  fs::path file_;
  kube::Object jobset_;
};

TEST_P(RealExclusiveJobSet, HasADomainForEachJobAndKeepsItOverARestart) {
  EXPECT_EQ(ProblemsOf(Story(jobset_, std::nullopt).Run()), "") << file_;
}

TEST_P(RealExclusiveJobSet, HasThemThoughTheSchedulerDiesAtAnyWrite) {
  const std::uint64_t writes = Story(jobset_, std::nullopt).Run().writes;
  const bool every = writes <= kEveryWriteUpTo || std::getenv("CADRE_EVERY_WRITE") != nullptr;
  const std::uint64_t step = every ? 1 : writes / kSampled;
  int runs = 0;
  for (std::uint64_t n = 1; n <= writes; n += step) {
    for (const drive::CrashPoint point :
         {drive::CrashPoint::kBefore, drive::CrashPoint::kAfter, drive::CrashPoint::kAfterUnanswered}) {
      ++runs;
      ASSERT_EQ(ProblemsOf(Story(jobset_, std::pair(n, point)).Run()), "")
          << file_ << ": the scheduler died at write " << n << " of " << writes << ", point "
          << static_cast<int>(point);
    }
  }
  RecordProperty("runs", runs);
}

INSTANTIATE_TEST_SUITE_P(Files, RealExclusiveJobSet, ::testing::Range<std::size_t>(0, 6));

TEST(RealExclusiveJobSets, AreAllTried) {
  SKIP_WITHOUT("jobset");
  EXPECT_EQ(Files().size(), 6U);
}

}  // namespace
}  // namespace cadre::app
