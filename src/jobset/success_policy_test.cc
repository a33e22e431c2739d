#include "jobset/success_policy.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::JobSetWith;
using testing::Typed;

kube::ReplicatedJobStatus CounterOf(std::string name, int succeeded) {
  kube::ReplicatedJobStatus counter;
  counter.name = std::move(name);
  counter.succeeded = succeeded;
  return counter;
}

// Two replicated jobs, `workers` (2 Jobs) and `driver` (1 Job), of which so many are complete.
bool Succeeds(std::string policy, int workers, int driver) {
  const auto jobset =
      JobSetWith({.jobs = {{.name = "workers", .replicas = 2}, {.name = "driver", .replicas = 1}},
                  .spec = std::move(policy)});
  const Counters counters = {CounterOf("workers", workers), CounterOf("driver", driver)};
  return HasSucceeded(Typed(jobset).spec, counters);
}

TEST(SuccessPolicy, NeedsEveryJobByDefault) {
  EXPECT_FALSE(Succeeds("", 2, 0));
  EXPECT_TRUE(Succeeds("", 2, 1));
}

TEST(SuccessPolicy, AllLooksOnlyAtItsTargets) {
  const std::string policy = R"("successPolicy":{"operator":"All","targetReplicatedJobs":["driver"]},)";
  EXPECT_FALSE(Succeeds(policy, 2, 0));
  EXPECT_TRUE(Succeeds(policy, 0, 1));
}

TEST(SuccessPolicy, AnyNeedsOneOfItsTargets) {
  const std::string policy = R"("successPolicy":{"operator":"Any","targetReplicatedJobs":["workers"]},)";
  EXPECT_FALSE(Succeeds(policy, 0, 1));
  EXPECT_TRUE(Succeeds(policy, 1, 0));
}

TEST(SuccessPolicy, OfNoJobsAtAllIsNeverReached) {
  const auto jobset = JobSetWith({.jobs = {{.replicas = 0}}});
  EXPECT_FALSE(HasSucceeded(Typed(jobset).spec, {CounterOf("workers", 0)}));
}

}  // namespace
}  // namespace cadre::jobset
