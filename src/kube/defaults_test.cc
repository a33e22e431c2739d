#include "kube/defaults.h"

#include <gtest/gtest.h>

namespace cadre::kube {
namespace {

json::value Defaulted(Kind kind, std::string_view text) {
  json::value body = json::parse(text);
  ApplyDefaults(kind, body.as_object());
  return body;
}

TEST(JobDefaults, AreOnePodWhenNothingIsSaid) {
  const json::value job = Defaulted(Kind::kJob, R"({"spec":{"template":{"spec":{}}}})");
  EXPECT_EQ(job.at("spec").at("parallelism"), json::value(1));
  EXPECT_EQ(job.at("spec").at("completions"), json::value(1));
}

TEST(JobDefaults, LeaveAWorkQueueWithoutCompletions) {
  const json::value job = Defaulted(Kind::kJob, R"({"spec":{"parallelism":3}})");
  EXPECT_FALSE(job.at("spec").as_object().contains("completions"));
}

TEST(JobDefaults, LimitBackOffOnlyWhereIndexesHaveNoLimitOfTheirOwn) {
  EXPECT_EQ(Defaulted(Kind::kJob, R"({"spec":{}})").at("spec").at("backoffLimit"), json::value(6));
  EXPECT_EQ(Defaulted(Kind::kJob, R"({"spec":{"backoffLimitPerIndex":1}})").at("spec").at("backoffLimit"),
            json::value(2147483647));
}

TEST(JobDefaults, ReplaceFailedPodsOnlyUnderAFailurePolicy) {
  EXPECT_EQ(Defaulted(Kind::kJob, R"({"spec":{}})").at("spec").at("podReplacementPolicy"),
            json::value("TerminatingOrFailed"));
  EXPECT_EQ(Defaulted(Kind::kJob, R"({"spec":{"podFailurePolicy":{"rules":[]}}})")
                .at("spec")
                .at("podReplacementPolicy"),
            json::value("Failed"));
}

TEST(JobDefaults, ReadAPodConditionWithoutStatusAsTrue) {
  const json::value job = Defaulted(
      Kind::kJob,
      R"({"spec":{"podFailurePolicy":{"rules":[{"onPodConditions":[{"type":"DisruptionTarget"}]}]}}})");
  EXPECT_EQ(job.at("spec").at("podFailurePolicy").at("rules").at(0).at("onPodConditions").at(0).at("status"),
            json::value("True"));
}

TEST(JobDefaults, TakeLabelsFromTheTemplateWhenThereAreNone) {
  const json::value job = Defaulted(Kind::kJob, R"({"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}})");
  EXPECT_EQ(job.at("metadata").at("labels"), json::parse(R"({"a":"b"})"));
}

TEST(JobDefaults, KeepTheJobsOwnLabels) {
  const json::value job = Defaulted(
      Kind::kJob,
      R"({"metadata":{"labels":{"own":"1"}},"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}})");
  EXPECT_EQ(job.at("metadata").at("labels"), json::parse(R"({"own":"1"})"));
}

TEST(Defaults, ChangeNothingWhenAppliedTwice) {
  json::value once = Defaulted(Kind::kJobSet, R"({"metadata":{"name":"x"},"spec":{
      "failurePolicy":{"rules":[{"action":"FailJobSet"}]},"volumeClaimPolicies":[{}],
      "replicatedJobs":[{"name":"w","template":{"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}}}]}})");
  json::value twice = once;
  ApplyDefaults(Kind::kJobSet, twice.as_object());
  EXPECT_EQ(once, twice);
}

TEST(Defaults, OfALeaderWorkerSetAreOneGroupOfOnePod) {
  EXPECT_EQ(
      Defaulted(Kind::kLeaderWorkerSet, R"({"metadata":{"name":"x"},"spec":{"leaderWorkerTemplate":{}}})"),
      json::parse(R"({"metadata":{"name":"x"},"spec":{"leaderWorkerTemplate":{
              "size":1,"restartPolicy":"RecreateGroupOnPodRestart"},"replicas":1,"startupPolicy":"LeaderCreated"}})"));
}

TEST(Defaults, ChangeNothingThatIsThere) {
  const std::string_view text = R"({"metadata":{"name":"x"},"spec":{
      "successPolicy":{"operator":"Any"},"startupPolicy":{"startupPolicyOrder":"InOrder"},
      "network":{"enableDNSHostnames":false,"publishNotReadyAddresses":false},
      "failurePolicy":{"maxRestarts":3,"restartStrategy":"BlockingRecreate","rules":[{"name":"r","action":"FailJobSet"}]},
      "replicatedJobs":[{"name":"w","replicas":0,"groupName":"g","template":{"spec":{"completionMode":"NonIndexed",
        "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c"}]}}}}}]}})";
  EXPECT_EQ(Defaulted(Kind::kJobSet, text), json::parse(text));
}

TEST(Defaults, LeaveWhatIsOfTheWrongTypeToTheDecoder) {
  for (const std::string_view text :
       {R"({"spec":3})", R"({"spec":{"template":[]}})", R"({"spec":{"replicatedJobs":{}}})",
        R"({"metadata":[]})",
        R"({"spec":{"network":"yes","failurePolicy":[],"replicatedJobs":[1,{"template":2}]}})", R"({})"}) {
    for (const KindInfo& info : AllKinds()) {
      json::value body = json::parse(text);
      EXPECT_NO_THROW(ApplyDefaults(info.kind, body.as_object())) << info.name << " " << text;
    }
  }
}

TEST(PodDefaults, FillInWhatASchedulerReads) {
  const json::value pod =
      Defaulted(Kind::kPod, R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80}]}]}})");
  EXPECT_EQ(pod.at("spec").at("restartPolicy"), json::value("Always"));
  EXPECT_EQ(pod.at("spec").at("schedulerName"), json::value("default-scheduler"));
  EXPECT_EQ(pod.at("spec").at("terminationGracePeriodSeconds"), json::value(30));
  EXPECT_EQ(pod.at("spec").at("containers").at(0).at("ports").at(0).at("protocol"), json::value("TCP"));
}

}  // namespace
}  // namespace cadre::kube
