#include "jobset/suspend.h"

#include <gtest/gtest.h>

#include "jobset/jobset_testing.h"

namespace cadre::jobset {
namespace {

using testing::ChildOf;
using testing::ChildWords;
using testing::JobSetWith;
using testing::ReplicatedJobWords;

const std::string kEnded = R"("conditions":[{"type":"Suspended","status":"True"}])";

// The Job as `child` says, resumed under a JobSet whose pods have `pod_spec`.
std::optional<Resumption> Resume(const ChildWords& child, std::string pod_spec = "") {
  const auto jobset = JobSetWith({.jobs = {{.pod_spec = std::move(pod_spec)}}});
  const auto children = testing::Sorted(jobset, {ChildOf(jobset, child)});
  return PlanResumption(children.active.at(0),
                        MakeChildJob(jobset, ChildNumbering(testing::Typed(jobset).spec), 0, 0));
}

json::value PatchOf(const std::optional<Resumption>& resumption) {
  return resumption ? json::value(resumption->patch) : json::value("not yet");
}

TEST(Resumption, OfAnUnchangedJobOnlyUnsuspendsIt) {
  EXPECT_EQ(PatchOf(Resume({.suspended = true})), json::parse(R"({"spec":{"suspend":false}})"));
}

// Trap jobset#1294: a selector of an earlier admission must not stay beside the new one.
TEST(Resumption, ReplacesTheNodeSelectorInsteadOfMergingIt) {
  EXPECT_EQ(
      PatchOf(Resume({.status = kEnded,
                      .suspended = true,
                      .template_patch = R"({"spec":{"nodeSelector":{"zone":"z1","pool":"old"}}})"},
                     R"(,"nodeSelector":{"zone":"z2"})")),
      json::parse(
          R"({"spec":{"suspend":false,"template":{"spec":{"nodeSelector":{"zone":"z2","pool":null}}}}})"));
}

TEST(Resumption, TakesAwayLabelsTolerationsAndGatesThatTheJobSetHasNoMore) {
  EXPECT_EQ(
      PatchOf(Resume(
          {.status = kEnded, .suspended = true, .template_patch = R"({"metadata":{"labels":{"queue":"q"}},
                                "spec":{"tolerations":[{"key":"k","operator":"Exists"}],"schedulingGates":[{"name":"g"}]}})"})),
      json::parse(R"({"spec":{"suspend":false,"template":{"metadata":{"labels":{"queue":null}},
                            "spec":{"tolerations":null,"schedulingGates":null}}}})"));
}

TEST(Resumption, LeavesTheLabelsAloneThatTheApiServerInsistsOn) {
  EXPECT_EQ(PatchOf(Resume({.suspended = true,
                            .template_patch =
                                R"({"metadata":{"labels":{"job-name":"x","batch.kubernetes.io/job-name":"x",
                                "controller-uid":"y","batch.kubernetes.io/controller-uid":"y"}}})"})),
            json::parse(R"({"spec":{"suspend":false}})"));
}

// Trap 6: older API servers refuse a new template while startTime is set.
TEST(Resumption, ClearsTheStartTimeOfAJobThatChanges) {
  const auto resumption = Resume({.status = kEnded + R"(,"startTime":"2026-01-01T00:00:00Z")",
                                  .suspended = true,
                                  .template_patch = R"({"spec":{"nodeSelector":{"zone":"z1"}}})"});
  ASSERT_TRUE(resumption);
  EXPECT_TRUE(resumption->clear_start_time);
}

TEST(Resumption, OfAChangedJobWaitsUntilItsPodsHaveEnded) {
  const ChildWords running{.status = R"("active":2,"startTime":"2026-01-01T00:00:00Z")",
                           .suspended = true,
                           .template_patch = R"({"spec":{"nodeSelector":{"zone":"z1"}}})"};
  EXPECT_FALSE(Resume(running));
  ChildWords unchanged = running;
  unchanged.template_patch = "{}";
  EXPECT_TRUE(Resume(unchanged));
}

}  // namespace
}  // namespace cadre::jobset
