// Creation: what the API server adds, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/volume.h"
#include "sim/json_util.h"
#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using kube::Kind;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

using Create = MemoryApiFixture;

const json::object& SpecOf(const kube::Object& object) {
  return object.raw->at("spec").as_object();
}

TEST_F(Create, GivesAUidAVersionAGenerationAndTheTimeInWholeSeconds) {
  clock_.Run(kStart + Duration{1'999});
  const kube::Object pod = CreatedPod("a");
  EXPECT_THAT(pod.Meta().uid,
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(pod.Meta().resource_version, api_.revision());
  EXPECT_EQ(pod.Meta().generation, 1);
  EXPECT_EQ(pod.Meta().creation_timestamp, kStart + Duration{1'000});
}

TEST_F(Create, GivesNodesNoGeneration) {
  const kube::Object node = Created(Kind::kNode, NodeBody("n1", {{"cpu", "4"}}));
  EXPECT_EQ(node.Meta().generation, 0);
}

TEST_F(Create, TakesTheSameUidsInTheSameOrderOfWrites) {
  VirtualClock clock(kStart);
  MemoryApi other(clock);
  const auto twin = other.CreateNow("someone", Kind::kPod, PodBody("a"), "ns");
  EXPECT_EQ(twin.object->Meta().uid, CreatedPod("a").Meta().uid);
}

TEST_F(Create, CountsRevisionsOverAllKinds) {
  CreatedPod("a");  // and the namespace
  const std::uint64_t before = api_.revision();
  CreatedJob("j");
  Created(Kind::kNode, NodeBody("n", {}));
  EXPECT_EQ(api_.revision(), before + 2);
}

TEST_F(Create, MakesUpANameOfFiveMoreCharacters) {
  const kube::Object pod =
      Created(Kind::kPod, {{"metadata", {{"generateName", "web-"}}}, {"spec", PodBody("")["spec"]}});
  EXPECT_THAT(pod.Meta().name, MatchesRegex("web-[bcdfghjklmnpqrstvwxz2456789]{5}"));
  EXPECT_EQ(pod.Meta().generate_name, "web-");
}

TEST_F(Create, CutsALongBaseOfAGeneratedNameTo58Characters) {
  const std::string base(80, 'x');
  const kube::Object pod =
      Created(Kind::kPod, {{"metadata", {{"generateName", base}}}, {"spec", PodBody("")["spec"]}});
  EXPECT_THAT(pod.Meta().name, SizeIs(63));
}

TEST_F(Create, NeverMakesUpTheSameNameTwice) {
  std::set<std::string> names;
  for (int i = 0; i < 2'000; ++i) {
    const auto result = api_.CreateNow("t", Kind::kConfigMap, {{"metadata", {{"generateName", "c-"}}}}, "ns");
    ASSERT_EQ(result.outcome, Outcome::kDone) << result.message;
    names.insert(result.object->Meta().name);
  }
  EXPECT_THAT(names, SizeIs(2'000));
}

TEST_F(Create, OfANameThatIsTakenIsAConflict) {
  CreatedPod("a");
  const auto again = api_.CreateNow("t", Kind::kPod, PodBody("a"), "ns");
  EXPECT_EQ(again.outcome, Outcome::kConflict);
  EXPECT_EQ(again.message, "pods \"a\" already exists");
  CreatedJob("j");
  EXPECT_EQ(api_.CreateNow("t", Kind::kJob, JobBody("j"), "ns").message, "jobs.batch \"j\" already exists");
}

TEST_F(Create, OfTheSameNameInAnotherNamespaceIsAnotherObject) {
  CreatedPod("a");
  EXPECT_EQ(api_.CreateNow("t", Kind::kPod, PodBody("a"), "other").outcome, Outcome::kDone);
}

TEST_F(Create, WithoutANameIsRefused) {
  const auto result =
      api_.CreateNow("t", Kind::kPod, {{"metadata", json::object()}, {"spec", PodBody("")["spec"]}}, "ns");
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_THAT(result.message, HasSubstr("name or generateName is required"));
}

TEST_F(Create, IgnoresStatusUidAndVersionOfTheClient) {
  json::object body = PodBody("a");
  body["status"] = {{"phase", "Succeeded"}};
  body["metadata"].as_object()["uid"] = "mine";
  body["metadata"].as_object()["resourceVersion"] = "999";
  const kube::Object pod = Created(Kind::kPod, body);
  EXPECT_EQ(pod.As<kube::Pod>().status.phase, kube::PodPhase::kPending);
  EXPECT_NE(pod.Meta().uid, "mine");
  EXPECT_LT(pod.Meta().resource_version, 999U);
}

TEST_F(Create, KeepsTheStatusOfANode) {
  const kube::Object node = Created(Kind::kNode, NodeBody("n1", {{"cpu", "4"}}));
  EXPECT_EQ(node.As<kube::Node>().status.allocatable.at("cpu"), 4'000);
}

TEST_F(Create, OfAnInvalidObjectIsRefusedAndStoresNothing) {
  const auto result = api_.CreateNow("t", Kind::kJob, JobBody("j", {{"parallelism", -1}}), "ns");
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_THAT(result.message, AllOf(HasSubstr("Job.batch \"j\" is invalid"), HasSubstr("parallelism")));
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr);
  EXPECT_EQ(api_.revision(), 0U) << "not even the namespace appears";
}

TEST_F(Create, OfAFieldOfTheWrongTypeIsRefused) {
  const auto result = api_.CreateNow("t", Kind::kJob, JobBody("j", {{"parallelism", "many"}}), "ns");
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_THAT(result.message, HasSubstr("spec.parallelism"));
}

// --- Namespaces

TEST_F(Create, MakesTheNamespaceAppear) {
  CreatedPod("a");
  const kube::Object* made = api_.Find(Kind::kNamespace, "", "ns");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->Meta().labels.at("kubernetes.io/metadata.name"), "ns");
}

TEST_F(Create, OfANamespaceThatOnlyAppearedAddsItsLabelsOnce) {
  CreatedPod("a");
  const json::object body{{"metadata", {{"name", "ns"}, {"labels", {{"team", "red"}}}}}};
  EXPECT_EQ(api_.CreateNow("t", Kind::kNamespace, body).outcome, Outcome::kDone);
  EXPECT_EQ(api_.Find(Kind::kNamespace, "", "ns")->Meta().labels.at("team"), "red");
  EXPECT_EQ(api_.CreateNow("t", Kind::kNamespace, body).outcome, Outcome::kConflict);
}

// --- Pods

TEST_F(Create, FillsInAPodsDefaults) {
  const kube::Object pod = CreatedPod("a");
  EXPECT_EQ(StringOf(SpecOf(pod), "restartPolicy"), "Always");
  EXPECT_EQ(StringOf(SpecOf(pod), "schedulerName"), "default-scheduler");
  EXPECT_EQ(IntOf(SpecOf(pod), "terminationGracePeriodSeconds", 0), 30);
  EXPECT_EQ(IntOf(SpecOf(pod), "priority", -1), 0);
}

TEST_F(Create, MarksAGatedPod) {
  CreatedPod("a", {{"schedulingGates", json::array{{{"name", "x.y/gate"}}}}});
  const auto& conditions = Pod("a").status.conditions;
  ASSERT_THAT(conditions, SizeIs(1));
  EXPECT_EQ(conditions[0].type, "PodScheduled");
  EXPECT_EQ(conditions[0].reason, "SchedulingGated");
}

TEST_F(Create, OfAGatedPodWithANodeIsRefused) {
  const auto result = api_.CreateNow(
      "t", Kind::kPod,
      PodBody("a", {{"nodeName", "n1"}, {"schedulingGates", json::array{{{"name", "x.y/gate"}}}}}), "ns");
  EXPECT_EQ(result.outcome, Outcome::kRejected);
}

json::object PriorityClass(std::string_view name, int value, bool is_default = false) {
  return {{"metadata", {{"name", name}}}, {"value", value}, {"globalDefault", is_default}};
}

TEST_F(Create, TakesThePriorityFromTheClass) {
  Created(Kind::kPriorityClass, PriorityClass("high", 1000));
  CreatedPod("a", {{"priorityClassName", "high"}});
  EXPECT_EQ(Pod("a").spec.priority, 1000);
}

TEST_F(Create, KnowsTheSystemsPriorityClasses) {
  CreatedPod("a", {{"priorityClassName", "system-node-critical"}});
  EXPECT_EQ(Pod("a").spec.priority, 2'000'001'000);
}

TEST_F(Create, TakesTheGlobalDefaultForPodsWithoutAClass) {
  CreatedPod("before");
  Created(Kind::kPriorityClass, PriorityClass("normal", 7, true));
  CreatedPod("after");
  EXPECT_EQ(Pod("before").spec.priority, 0);
  EXPECT_EQ(Pod("after").spec.priority, 7);
  EXPECT_EQ(Pod("after").spec.priority_class_name, "normal");
}

TEST_F(Create, RefusesAPriorityThatIsNotTheClasss) {
  const auto result = api_.CreateNow("t", Kind::kPod, PodBody("a", {{"priority", 5}}), "ns");
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_THAT(result.message, HasSubstr("the integer value of priority (5) must not be provided"));
}

TEST_F(Create, TakesAnUnknownPriorityClassWithOneWarning) {
  CreatedPod("a", {{"priorityClassName", "ghost"}, {"priority", 40}});
  CreatedPod("b", {{"priorityClassName", "ghost"}});
  EXPECT_EQ(Pod("a").spec.priority, 40);
  EXPECT_EQ(Pod("b").spec.priority, 0);
  EXPECT_THAT(api_.warnings(), ElementsAre(AllOf(HasSubstr("ghost"), HasSubstr("pod a"))));
}

// --- Jobs and JobSets

TEST_F(Create, FillsInAJobsDefaults) {
  const kube::Object job = CreatedJob("j");
  const json::object& spec = SpecOf(job);
  EXPECT_EQ(IntOf(spec, "parallelism", -1), 1);
  EXPECT_EQ(IntOf(spec, "completions", -1), 1);
  EXPECT_EQ(IntOf(spec, "backoffLimit", -1), 6);
  EXPECT_EQ(StringOf(spec, "completionMode"), "NonIndexed");
  EXPECT_EQ(StringOf(spec, "podReplacementPolicy"), "TerminatingOrFailed");
  EXPECT_EQ(spec.at("suspend"), json::value(false));
}

TEST_F(Create, LeavesAWorkQueueWithoutCompletions) {
  const kube::Object job = CreatedJob("j", {{"parallelism", 3}});
  EXPECT_FALSE(SpecOf(job).contains("completions"));
}

TEST_F(Create, GivesAJobItsSelectorAndItsPodsTheLabelsOfBothAges) {
  const kube::Object job = CreatedJob("j");
  const std::string& uid = job.Meta().uid;
  EXPECT_EQ(SpecOf(job).at("selector"),
            json::value({{"matchLabels", {{"batch.kubernetes.io/controller-uid", uid}}}}));
  EXPECT_THAT(job.As<kube::Job>().spec.pod_template.labels,
              ElementsAre(std::pair("batch.kubernetes.io/controller-uid", uid),
                          std::pair("batch.kubernetes.io/job-name", "j"), std::pair("controller-uid", uid),
                          std::pair("job-name", "j")));
}

TEST_F(Create, GivesAJobWithoutLabelsThoseThatItsTemplateHadBefore) {
  json::object body = JobBody("j");
  body["spec"].as_object()["template"].as_object()["metadata"] = {{"labels", {{"app", "a"}}}};
  const kube::Object job = Created(Kind::kJob, body);
  EXPECT_THAT(job.Meta().labels, ElementsAre(std::pair("app", "a")));
}

TEST_F(Create, RefusesASelectorThatTheServerDidNotMake) {
  const auto result =
      api_.CreateNow("t", Kind::kJob, JobBody("j", {{"selector", {{"matchLabels", {{"a", "b"}}}}}}), "ns");
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_THAT(result.message, HasSubstr("not auto-generated"));
}

TEST_F(Create, TakesAJobOfADumpOnceItsServerFieldsAreStripped) {
  const kube::Object job = CreatedJob("j");
  ASSERT_EQ(Write(drive::Delete{{Kind::kJob, "ns", "j"}, drive::Propagation::kBackground, {}}).outcome,
            Outcome::kDone);
  json::object body = job.raw->get_object();
  StripServerFields(Kind::kJob, body);
  const kube::Object again = Created(Kind::kJob, body);
  EXPECT_NE(again.Meta().uid, job.Meta().uid);
  EXPECT_EQ(again.As<kube::Job>().spec.pod_template.labels.at("controller-uid"), again.Meta().uid);
}

TEST_F(Create, DefaultsAJobSetAsItsWebhookDoes) {
  const json::object job_template{
      {"spec", {{"template", {{"spec", {{"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}}}}}};
  const kube::Object jobset =
      Created(Kind::kJobSet, {{"metadata", {{"name", "js"}}},
                              {"spec",
                               {{"replicatedJobs", json::array{{{"name", "w"}, {"template", job_template}}}},
                                {"failurePolicy", {{"rules", json::array{{{"action", "FailJobSet"}}}}}}}}});
  const json::object& spec = SpecOf(jobset);
  EXPECT_EQ(spec.at("successPolicy"), json::value({{"operator", "All"}}));
  EXPECT_EQ(spec.at("startupPolicy"), json::value({{"startupPolicyOrder", "AnyOrder"}}));
  EXPECT_EQ(spec.at("network"),
            json::value({{"enableDNSHostnames", true}, {"publishNotReadyAddresses", true}}));
  EXPECT_EQ(spec.at("failurePolicy").at("rules").at(0).at("name"), json::value("failurePolicyRule0"));
  const json::value& job = spec.at("replicatedJobs").at(0);
  EXPECT_EQ(job.at("replicas"), json::value(1));
  EXPECT_EQ(job.at("groupName"), json::value("default"));
  EXPECT_EQ(job.at("template").at("spec").at("completionMode"), json::value("Indexed"));
  EXPECT_EQ(job.at("template").at("spec").at("template").at("spec").at("restartPolicy"),
            json::value("OnFailure"));
}

TEST_F(Create, IsShownToObserversWithWhatCameOut) {
  std::vector<std::string> seen;
  api_.AddWriteObserver([&](const WriteRecord& write) {
    seen.push_back(fmt::format("{} {} {}", write.user, write.before == nullptr, write.after->Meta().name));
  });
  CreatedPod("a");
  EXPECT_THAT(seen, ElementsAre("tester true a"));
}

TEST_F(Create, ThatIsRefusedIsNotShownToObservers) {
  int seen = 0;
  api_.AddWriteObserver([&](const WriteRecord&) { ++seen; });
  api_.CreateNow("t", Kind::kJob, JobBody("j", {{"parallelism", -1}}), "ns");
  EXPECT_EQ(seen, 0);
}

}  // namespace
}  // namespace cadre::sim
