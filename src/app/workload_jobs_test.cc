#include "app/workload_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "kube/job.h"
#include "kube/pod.h"
#include "kube/validate.h"

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WorkloadJob SomeJob(std::string name) {
  WorkloadJob job;
  job.name = std::move(name);
  job.line = 5;
  job.submit = Duration(30'000);
  job.run = Duration(1'500);
  job.pods = 3;
  job.requests = {{"cpu", "2"}, {"nvidia.com/gpu", "8"}};
  return job;
}

kube::Manifests Made(std::vector<WorkloadJob> jobs) {
  Workload workload;
  workload.file = "t.csv";
  workload.jobs = std::move(jobs);
  std::set<std::string> names;
  kube::Manifests manifests;
  AddWorkloadJobs(workload, names, manifests);
  return manifests;
}

std::vector<std::string> Names(const kube::Manifests& manifests) {
  std::vector<std::string> names;
  for (const kube::LoadedObject& loaded : manifests.objects)
    names.push_back(kube::Describe(loaded.object));
  return names;
}

TEST(WorkloadJobs, BecomeIndexedJobsWhosePodsRunTogether) {
  const kube::Manifests manifests = Made({SomeJob("42")});
  ASSERT_THAT(Names(manifests), ElementsAre("Job default/job-42"));
  const auto& job = manifests.objects[0].object.As<kube::Job>();
  EXPECT_EQ(job.spec.completions, 3);
  EXPECT_EQ(job.spec.parallelism, 3);
  EXPECT_THAT(kube::PodRequests(job.spec.pod_template.spec),
              ElementsAre(std::pair<const std::string, std::int64_t>("cpu", 2000),
                          std::pair<const std::string, std::int64_t>("nvidia.com/gpu", 8),
                          std::pair<const std::string, std::int64_t>("pods", 1)));
}

TEST(WorkloadJobs, AreManifestsThatAnApiServerTakes) {
  WorkloadJob job = SomeJob("42");
  job.priority = 3;
  for (const kube::LoadedObject& loaded : Made({job}).objects)
    EXPECT_THAT(kube::Validate(loaded.object), IsEmpty());
}

TEST(WorkloadJobs, SayWhenTheyComeHowLongTheyRunAndWhatTheyAskedFor) {
  WorkloadJob job = SomeJob("a");
  job.requested = Duration(600'000);
  const kube::Manifests manifests = Made({job});
  const kube::Object& object = manifests.objects[0].object;
  EXPECT_EQ(object.Meta().annotations.at("cadre.dev/sim-submit"), "30s");
  EXPECT_EQ(object.Meta().annotations.at("cadre.dev/max-duration"), "600s");
  EXPECT_EQ(object.As<kube::Job>().spec.pod_template.annotations.at("cadre.dev/sim-duration"), "1500ms");
}

TEST(WorkloadJobs, HaveNoMaxDurationWhereTheTraceTellsNone) {
  EXPECT_FALSE(Made({SomeJob("a")}).objects[0].object.Meta().annotations.contains("cadre.dev/max-duration"));
}

TEST(WorkloadJobs, GetValidAndUniqueNames) {
  EXPECT_THAT(
      Names(Made({SomeJob("BERT large!"), SomeJob("bert-large"), SomeJob("bert-large"), SomeJob("")})),
      ElementsAre("Job default/bert-large", "Job default/bert-large-line-5",
                  "Job default/bert-large-line-5-2", "Job default/job-line-5"));
}

TEST(WorkloadJobs, ShareAPriorityClass) {
  WorkloadJob high = SomeJob("a");
  high.priority = 10;
  WorkloadJob low = SomeJob("b");
  low.priority = -1;
  EXPECT_THAT(Names(Made({high, high, low})),
              ElementsAre("PriorityClass trace-priority-10", "Job default/a", "Job default/a-line-5",
                          "PriorityClass trace-priority-minus-1", "Job default/b"));
}

}  // namespace
}  // namespace cadre::app
