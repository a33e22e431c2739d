// Patches of objects and of their status: versions, generations, and what may not change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/json_util.h"
#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using kube::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Update : public MemoryApiFixture {
 protected:
  drive::WriteResult Patch(Kind kind, std::string name, json::object merge, std::string uid = {},
                           std::uint64_t version = 0) {
    return Write(drive::Patch{{kind, "ns", std::move(name)}, std::move(merge)}, std::move(uid), version);
  }
  drive::WriteResult PatchStatus(Kind kind, std::string name, json::object merge) {
    return Write(drive::PatchStatus{{kind, "ns", std::move(name)}, std::move(merge)});
  }
  static json::object TemplatePatch(json::object pod_spec) {
    return {{"spec", {{"template", {{"spec", std::move(pod_spec)}}}}}};
  }
};

TEST_F(Update, MergesAndGivesANewVersion) {
  const kube::Object pod = CreatedPod("a");
  const auto result = Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", "1"}}}}}});
  ASSERT_EQ(result.outcome, Outcome::kDone);
  EXPECT_THAT(result.object->Meta().labels, ElementsAre(std::pair("x", "1")));
  EXPECT_EQ(result.object->Meta().resource_version, pod.Meta().resource_version + 1);
}

TEST_F(Update, DeletesWithNull) {
  CreatedPod("a");
  Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", "1"}, {"y", "2"}}}}}});
  Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", nullptr}}}}}});
  EXPECT_THAT(Pod("a").metadata.labels, ElementsAre(std::pair("y", "2")));
}

TEST_F(Update, ThatChangesNothingMakesNoNewVersion) {
  CreatedPod("a");
  Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", "1"}}}}}});
  const std::uint64_t before = api_.revision();
  EXPECT_EQ(Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", "1"}}}}}}).outcome, Outcome::kDone);
  EXPECT_EQ(api_.revision(), before);
}

TEST_F(Update, OfWhatIsNotThereIsGone) {
  const auto result = Patch(Kind::kJob, "nope", {{"spec", {{"suspend", true}}}});
  EXPECT_EQ(result.outcome, Outcome::kGone);
  EXPECT_EQ(result.message, "jobs.batch \"nope\" not found");
}

TEST_F(Update, WithAnotherVersionIsAConflict) {
  const kube::Object pod = CreatedPod("a");
  Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", "1"}}}}}});
  const auto stale =
      Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", "2"}}}}}}, "", pod.Meta().resource_version);
  EXPECT_EQ(stale.outcome, Outcome::kConflict);
  EXPECT_THAT(stale.message, HasSubstr("the object has been modified"));
}

TEST_F(Update, WithAnotherUidIsAConflict) {
  CreatedPod("a");
  EXPECT_EQ(Patch(Kind::kPod, "a", {{"metadata", {{"labels", {{"x", "2"}}}}}}, "other").outcome,
            Outcome::kConflict);
}

TEST_F(Update, TakesUidAndVersionInsideThePatchAsPreconditionsToo) {
  const kube::Object pod = CreatedPod("a");
  EXPECT_EQ(Patch(Kind::kPod, "a", {{"metadata", {{"uid", "other"}, {"labels", {{"x", "1"}}}}}}).outcome,
            Outcome::kConflict);
  EXPECT_EQ(
      Patch(Kind::kPod, "a", {{"metadata", {{"resourceVersion", "1"}, {"labels", {{"x", "1"}}}}}}).outcome,
      Outcome::kConflict);
  EXPECT_EQ(
      Patch(Kind::kPod, "a", {{"metadata", {{"uid", pod.Meta().uid}, {"labels", {{"x", "1"}}}}}}).outcome,
      Outcome::kDone);
}

TEST_F(Update, CannotTouchWhatTheServerKeeps) {
  const kube::Object pod = CreatedPod("a");
  Patch(Kind::kPod, "a",
        {{"metadata",
          {{"creationTimestamp", "2001-01-01T00:00:00Z"}, {"generation", 99}, {"labels", {{"x", "1"}}}}}});
  EXPECT_EQ(Pod("a").metadata.creation_timestamp, pod.Meta().creation_timestamp);
  EXPECT_EQ(Pod("a").metadata.generation, 1);
}

TEST_F(Update, BumpsTheGenerationForTheSpecOnly) {
  CreatedJob("j");
  EXPECT_EQ(Patch(Kind::kJob, "j", {{"metadata", {{"labels", {{"x", "1"}}}}}}).object->Meta().generation, 1);
  EXPECT_EQ(PatchStatus(Kind::kJob, "j", {{"status", {{"active", 1}}}}).object->Meta().generation, 1);
  EXPECT_EQ(Patch(Kind::kJob, "j", {{"spec", {{"suspend", true}}}}).object->Meta().generation, 2);
}

TEST_F(Update, OfTheObjectIgnoresStatus) {
  CreatedJob("j");
  const std::uint64_t before = api_.revision();
  EXPECT_EQ(Patch(Kind::kJob, "j", {{"status", {{"active", 5}}}}).outcome, Outcome::kDone);
  EXPECT_EQ(api_.revision(), before);
}

TEST_F(Update, OfTheStatusIgnoresEverythingElse) {
  CreatedJob("j");
  PatchStatus(Kind::kJob, "j", {{"spec", {{"suspend", true}}}, {"status", {{"active", 5}}}});
  const auto& job = Find(Kind::kJob, "j")->As<kube::Job>();
  EXPECT_FALSE(job.spec.suspend);
  EXPECT_EQ(job.status.active, 5);
}

TEST_F(Update, MergesConditionsByTheirTypeWhereThePatchIsStrategic) {
  CreatedPod("a");
  const auto patch = [&](std::string_view conditions) {
    return Write(drive::PatchStatus{
        {Kind::kPod, "ns", "a"}, {{"status", {{"conditions", json::parse(conditions)}}}}, true});
  };
  patch(
      R"([{"type":"Mine","status":"True"},{"type":"PodScheduled","status":"False","lastTransitionTime":"2026-01-01T00:00:00Z"}])");
  const auto result = patch(R"([{"type":"PodScheduled","status":"False","reason":"Unschedulable"}])");
  ASSERT_EQ(result.outcome, Outcome::kDone);
  EXPECT_EQ(result.object->raw->at("status").at("conditions"), json::parse(R"([
      {"type":"Mine","status":"True"},
      {"type":"PodScheduled","status":"False","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"Unschedulable"}])"));
}

TEST_F(Update, OfTheWrongTypeIsRefusedAndChangesNothing) {
  CreatedJob("j");
  EXPECT_EQ(PatchStatus(Kind::kJob, "j", {{"status", {{"active", "lots"}}}}).outcome, Outcome::kRejected);
  EXPECT_EQ(Find(Kind::kJob, "j")->As<kube::Job>().status.active, 0);
}

TEST_F(Update, ThatMakesTheObjectInvalidIsRefused) {
  CreatedJob("j");
  EXPECT_EQ(Patch(Kind::kJob, "j", {{"spec", {{"parallelism", -3}}}}).outcome, Outcome::kRejected);
}

// --- Immutable fields: a table of patches and whether they are taken

struct ImmutableCase {
  std::string name;
  Kind kind;
  json::object created;  // body
  json::object merge;
  bool taken;
};

class ImmutableFields : public Update, public ::testing::WithParamInterface<ImmutableCase> {};

TEST_P(ImmutableFields, AreKept) {
  const ImmutableCase& row = GetParam();
  Created(row.kind, row.created);
  const auto result = Patch(row.kind, "x", row.merge);
  EXPECT_EQ(result.outcome, row.taken ? Outcome::kDone : Outcome::kRejected) << result.message;
}

json::object Indexed(int parallelism, int completions, bool suspend = false) {
  return JobBody("x", {{"completionMode", "Indexed"},
                       {"parallelism", parallelism},
                       {"completions", completions},
                       {"suspend", suspend}});
}

json::object GatedPod() {
  return PodBody("x",
                 {{"nodeSelector", {{"a", "1"}}}, {"schedulingGates", json::array{{{"name", "x.y/gate"}}}}});
}

json::object PodTemplate(json::object spec) {
  return {{"spec", {{"template", {{"spec", std::move(spec)}}}}}};
}

json::array Toleration(std::string_view key) {
  return {{{"key", key}, {"operator", "Exists"}}};
}

json::object JobSetBody(bool suspend, json::object node_selector, int replicas) {
  return {{"metadata", {{"name", "x"}}},
          {"spec",
           {{"suspend", suspend},
            {"replicatedJobs",
             json::array{{{"name", "w"},
                          {"replicas", replicas},
                          {"groupName", "default"},
                          {"template",
                           {{"spec",
                             {{"completionMode", "Indexed"},
                              {"completions", 1},
                              {"parallelism", 1},
                              {"template",
                               {{"spec",
                                 {{"restartPolicy", "OnFailure"},
                                  {"nodeSelector", std::move(node_selector)},
                                  {"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}}}}}}}}}}}}};
}

json::object JobSetPatch(bool suspend, json::object node_selector, int replicas) {
  return {{"spec", JobSetBody(suspend, std::move(node_selector), replicas)["spec"]}};
}

INSTANTIATE_TEST_SUITE_P(
    Table, ImmutableFields,
    ::testing::Values(
        ImmutableCase{"PodNodeName", Kind::kPod, PodBody("x"), {{"spec", {{"nodeName", "n1"}}}}, false},
        ImmutableCase{
            "PodRestartPolicy", Kind::kPod, PodBody("x"), {{"spec", {{"restartPolicy", "Never"}}}}, false},
        ImmutableCase{"PodImage",
                      Kind::kPod,
                      PodBody("x"),
                      {{"spec", {{"containers", json::array{{{"name", "main"}, {"image", "busybox:2"}}}}}}},
                      true},
        ImmutableCase{"PodMoreTolerations",
                      Kind::kPod,
                      PodBody("x", {{"tolerations", Toleration("a")}}),
                      {{"spec",
                        {{"tolerations", json::array{{{"key", "a"}, {"operator", "Exists"}},
                                                     {{"key", "b"}, {"operator", "Exists"}}}}}}},
                      true},
        ImmutableCase{"PodOtherTolerations",
                      Kind::kPod,
                      PodBody("x", {{"tolerations", Toleration("a")}}),
                      {{"spec", {{"tolerations", Toleration("b")}}}},
                      false},
        ImmutableCase{"PodNewGate",
                      Kind::kPod,
                      PodBody("x"),
                      {{"spec", {{"schedulingGates", json::array{{{"name", "x.y/new"}}}}}}},
                      false},
        ImmutableCase{
            "PodGatesRemoved", Kind::kPod, GatedPod(), {{"spec", {{"schedulingGates", nullptr}}}}, true},
        ImmutableCase{"GatedPodMoreNodeSelector",
                      Kind::kPod,
                      GatedPod(),
                      {{"spec", {{"nodeSelector", {{"b", "2"}}}}}},
                      true},
        ImmutableCase{"GatedPodOtherNodeSelector",
                      Kind::kPod,
                      GatedPod(),
                      {{"spec", {{"nodeSelector", {{"a", "2"}}}}}},
                      false},
        ImmutableCase{"UngatedPodNodeSelector",
                      Kind::kPod,
                      PodBody("x"),
                      {{"spec", {{"nodeSelector", {{"b", "2"}}}}}},
                      false},
        ImmutableCase{"JobParallelism", Kind::kJob, JobBody("x"), {{"spec", {{"parallelism", 3}}}}, true},
        ImmutableCase{"JobBackoffLimit", Kind::kJob, JobBody("x"), {{"spec", {{"backoffLimit", 3}}}}, true},
        ImmutableCase{"JobPodReplacementPolicy",
                      Kind::kJob,
                      JobBody("x"),
                      {{"spec", {{"podReplacementPolicy", "Failed"}}}},
                      true},
        ImmutableCase{"JobCompletions", Kind::kJob, JobBody("x"), {{"spec", {{"completions", 3}}}}, false},
        ImmutableCase{"JobCompletionMode",
                      Kind::kJob,
                      JobBody("x"),
                      {{"spec", {{"completionMode", "Indexed"}}}},
                      false},
        ImmutableCase{
            "JobManagedBy", Kind::kJob, JobBody("x"), {{"spec", {{"managedBy", "me.example/x"}}}}, false},
        ImmutableCase{"ElasticJobInTandem",
                      Kind::kJob,
                      Indexed(2, 2),
                      {{"spec", {{"completions", 5}, {"parallelism", 5}}}},
                      true},
        ImmutableCase{
            "ElasticJobNotInTandem", Kind::kJob, Indexed(2, 2), {{"spec", {{"completions", 5}}}}, false},
        ImmutableCase{"ElasticJobFromUnequalToEqual",
                      Kind::kJob,
                      Indexed(1, 4),
                      {{"spec", {{"completions", 1}, {"parallelism", 1}}}},
                      true},
        ImmutableCase{"RunningJobsNodeSelector", Kind::kJob, Indexed(1, 1),
                      PodTemplate({{"nodeSelector", {{"a", "1"}}}}), false},
        ImmutableCase{"SuspendedJobsNodeSelector", Kind::kJob, Indexed(1, 1, true),
                      PodTemplate({{"nodeSelector", {{"a", "1"}}}}), true},
        ImmutableCase{"SuspendedJobsTolerations", Kind::kJob, Indexed(1, 1, true),
                      PodTemplate({{"tolerations", Toleration("a")}}), true},
        ImmutableCase{
            "SuspendedJobsNodeAffinity", Kind::kJob, Indexed(1, 1, true),
            PodTemplate(
                {{"affinity",
                  {{"nodeAffinity",
                    {{"requiredDuringSchedulingIgnoredDuringExecution",
                      {{"nodeSelectorTerms",
                        json::array{{{"matchFields", json::array{{{"key", "metadata.name"},
                                                                  {"operator", "In"},
                                                                  {"values", json::array{"n1"}}}}}}}}}}}}}}}),
            true},
        ImmutableCase{"SuspendedJobsPodAffinity", Kind::kJob, Indexed(1, 1, true),
                      PodTemplate({{"affinity",
                                    {{"podAntiAffinity",
                                      {{"requiredDuringSchedulingIgnoredDuringExecution",
                                        json::array{{{"topologyKey", "kubernetes.io/hostname"}}}}}}}}}),
                      false},
        ImmutableCase{"SuspendedJobsRestartPolicy", Kind::kJob, Indexed(1, 1, true),
                      PodTemplate({{"restartPolicy", "OnFailure"}}), false},
        ImmutableCase{
            "JobReleasedWithANewPlace",
            Kind::kJob,
            Indexed(1, 1, true),
            {{"spec", {{"suspend", false}, {"template", {{"spec", {{"nodeSelector", {{"a", "1"}}}}}}}}}},
            true},
        ImmutableCase{
            "JobSetSuspend", Kind::kJobSet, JobSetBody(false, {}, 1), {{"spec", {{"suspend", true}}}}, true},
        ImmutableCase{"JobSetReplicas", Kind::kJobSet, JobSetBody(true, {}, 1), JobSetPatch(true, {}, 2),
                      false},
        ImmutableCase{"SuspendedJobSetsNodeSelector", Kind::kJobSet, JobSetBody(true, {}, 1),
                      JobSetPatch(true, {{"a", "1"}}, 1), true},
        ImmutableCase{"RunningJobSetsNodeSelector", Kind::kJobSet, JobSetBody(false, {}, 1),
                      JobSetPatch(false, {{"a", "1"}}, 1), false},
        ImmutableCase{"JobSetSuccessPolicy",
                      Kind::kJobSet,
                      JobSetBody(true, {}, 1),
                      {{"spec", {{"successPolicy", {{"operator", "Any"}}}}}},
                      false}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace cadre::sim
