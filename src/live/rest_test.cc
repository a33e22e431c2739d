#include "live/rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace cadre::live {
namespace {

using drive::Effect;
using drive::Outcome;
using kube::Kind;
using testing::HasSubstr;
using testing::StartsWith;

const drive::Target kWeb{Kind::kPod, "prod", "web-0"};

Effect Of(drive::What what, std::string uid = {}, std::uint64_t version = 0) {
  Effect effect;
  effect.uid = std::move(uid);
  effect.resource_version = version;
  effect.what = std::move(what);
  return effect;
}

RestRequest Written(const Effect& effect) {
  return WriteOf("cadre-scheduler", effect, kube::Info(KindOf(effect)).version, Time{Duration{1'000}});
}

json::value BodyOf(const RestRequest& request) {
  return json::parse(request.body);
}

net::RequestEnd Answer(int status, std::string body = {}, std::vector<net::Header> headers = {}) {
  return net::Response{status, std::move(headers), std::move(body)};
}

std::string StatusBody(int code, std::string_view reason, std::string_view message,
                       std::string_view details = "{}") {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","code":{},"reason":"{}","message":"{}","details":{}}})",
      code, reason, message, details);
}

TEST(Paths, OfTheCoreGroupAndOfOthers) {
  EXPECT_EQ(CollectionPath(Kind::kPod, "v1"), "/api/v1/pods");
  EXPECT_EQ(CollectionPath(Kind::kJob, "v1", "prod"), "/apis/batch/v1/namespaces/prod/jobs");
  EXPECT_EQ(CollectionPath(Kind::kNode, "v1", "ignored"), "/api/v1/nodes");
  EXPECT_EQ(CollectionPath(Kind::kPodGroup, "v1alpha2"), "/apis/scheduling.k8s.io/v1alpha2/podgroups");
}

TEST(Paths, NamesCannotBreakOutOfThem) {
  EXPECT_EQ(CollectionPath(Kind::kPod, "v1", "a/../b?x"), "/api/v1/namespaces/a%2F..%2Fb%3Fx/pods");
}

TEST(Lists, GoOnWhereThePageBeforeEnded) {
  EXPECT_EQ(ListPage(Kind::kPod, "v1", 500, "").path, "/api/v1/pods?limit=500");
  EXPECT_EQ(ListPage(Kind::kPod, "v1", 500, "ab=").path, "/api/v1/pods?limit=500&continue=ab%3D");
  EXPECT_EQ(ListPage(Kind::kPod, "v1", 0, "").path, "/api/v1/pods");
}

TEST(Watches, StartAtAVersionAndEndByThemselves) {
  EXPECT_EQ(WatchFrom(Kind::kPod, "v1", 42, Duration{300'000}).path,
            "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=42&timeoutSeconds=300");
}

TEST(Writes, ABindCarriesItsAnnotationsAndTheUidOfThePod) {
  const RestRequest request = Written(Of(drive::Bind{kWeb, "node-3", {{"cadre.dev/plan", "{}"}}}, "u-1", 7));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/namespaces/prod/pods/web-0/binding?fieldManager=cadre-scheduler");
  EXPECT_EQ(BodyOf(request), json::parse(R"({"apiVersion":"v1","kind":"Binding",
      "metadata":{"name":"web-0","namespace":"prod","uid":"u-1","resourceVersion":"7",
                  "annotations":{"cadre.dev/plan":"{}"}},
      "target":{"apiVersion":"v1","kind":"Node","name":"node-3"}})"));
}

TEST(Writes, ACreatedObjectGetsItsKindAndVersion) {
  Effect effect =
      Of(drive::Create{Kind::kJob, "prod", json::object{{"metadata", json::object{{"name", "a"}}}}});
  const RestRequest request = Written(effect);
  EXPECT_THAT(request.path, StartsWith("/apis/batch/v1/namespaces/prod/jobs?"));
  EXPECT_EQ(BodyOf(request),
            json::parse(R"({"metadata":{"name":"a"},"apiVersion":"batch/v1","kind":"Job"})"));
}

TEST(Writes, APatchIsAMergePatchHeldToTheObjectThatWasSeen) {
  const drive::Target job{Kind::kJob, "prod", "a"};
  const RestRequest request =
      Written(Of(drive::Patch{job, json::object{{"spec", json::object{{"suspend", true}}}}}, "u-2", 9));
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  EXPECT_EQ(BodyOf(request),
            json::parse(R"({"spec":{"suspend":true},"metadata":{"uid":"u-2","resourceVersion":"9"}})"));
}

TEST(Writes, AStatusIsPatchedWhereItLives) {
  const RestRequest request = Written(Of(drive::PatchStatus{kWeb, {}}));
  EXPECT_THAT(request.path, StartsWith("/api/v1/namespaces/prod/pods/web-0/status?"));
  EXPECT_EQ(request.body, "{}");
}

TEST(Writes, AStrategicMergePatchSaysSo) {
  EXPECT_EQ(Written(Of(drive::PatchStatus{kWeb, {}, true})).content_type,
            "application/strategic-merge-patch+json");
  EXPECT_EQ(Written(Of(drive::PatchStatus{kWeb, {}})).content_type, "application/merge-patch+json");
}

TEST(Writes, ADeletionSaysHowAndOfWhich) {
  const RestRequest request = Written(Of(drive::Delete{kWeb, drive::Propagation::kForeground, 0}, "u-3"));
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(BodyOf(request), json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions",
      "propagationPolicy":"Foreground","gracePeriodSeconds":0,"preconditions":{"uid":"u-3"}})"));
}

TEST(Writes, AnEvictionIsOfOneVeryPod) {
  const RestRequest request = Written(Of(drive::Evict{kWeb}, "u-4"));
  EXPECT_THAT(request.path, StartsWith("/api/v1/namespaces/prod/pods/web-0/eviction?"));
  EXPECT_EQ(BodyOf(request).at("deleteOptions"), json::parse(R"({"preconditions":{"uid":"u-4"}})"));
}

TEST(Writes, ANoteIsAnEventInTheNamespaceOfWhatItIsAbout) {
  const RestRequest request = Written(Of(drive::Note{kWeb, "u-5", true, "Unschedulable", "no room"}));
  EXPECT_THAT(request.path, StartsWith("/api/v1/namespaces/prod/events?"));
  const json::value body = BodyOf(request);
  EXPECT_EQ(body.at("type"), "Warning");
  EXPECT_EQ(body.at("message"), "no room");
  EXPECT_EQ(body.at("involvedObject").at("uid"), "u-5");
  EXPECT_EQ(body.at("lastTimestamp"), "1970-01-01T00:00:01Z");
}

TEST(Writes, ANoteAboutANodeIsAnEventInTheDefaultNamespace) {
  EXPECT_THAT(Written(Of(drive::Note{{Kind::kNode, "", "n1"}, "u", false, "R", "m"})).path,
              StartsWith("/api/v1/namespaces/default/events?"));
}

struct Case {
  int status;
  Outcome outcome;
};
class StatusOf : public testing::TestWithParam<Case> {};

TEST_P(StatusOf, MeansWhatKubernetesMeansByIt) {
  EXPECT_EQ(ResultOf(Of(drive::Bind{kWeb, "n", {}}), Answer(GetParam().status)).outcome, GetParam().outcome);
}

INSTANTIATE_TEST_SUITE_P(All, StatusOf,
                         testing::Values(Case{200, Outcome::kDone}, Case{201, Outcome::kDone},
                                         Case{400, Outcome::kRejected}, Case{401, Outcome::kRetryable},
                                         Case{403, Outcome::kRejected}, Case{404, Outcome::kGone},
                                         Case{409, Outcome::kConflict}, Case{422, Outcome::kRejected},
                                         Case{429, Outcome::kRetryable}, Case{500, Outcome::kRetryable},
                                         Case{503, Outcome::kRetryable}, Case{504, Outcome::kUnknown}),
                         [](const auto& one) { return fmt::to_string(one.param.status); });

TEST(Results, SayItInTheServersWords) {
  const auto result =
      ResultOf(Of(drive::Bind{kWeb, "n", {}}), Answer(409, StatusBody(409, "Conflict", "already bound")));
  EXPECT_EQ(result.message, "409 Conflict: already bound");
}

TEST(Results, AreRetriedWhenTheServerSaysSo) {
  const Effect effect = Of(drive::Bind{kWeb, "n", {}});
  EXPECT_EQ(ResultOf(effect, Answer(429, "", {{"retry-after", "7"}})).retry_after, Duration{7'000});
  EXPECT_EQ(
      ResultOf(effect, Answer(429, StatusBody(429, "TooManyRequests", "later", R"({"retryAfterSeconds":3})")))
          .retry_after,
      Duration{3'000});
}

TEST(Results, APatchOfAnotherObjectOfThatNameIsAConflict) {
  const std::string causes =
      R"({"causes":[{"field":"metadata.uid","reason":"FieldValueInvalid","message":"immutable"}]})";
  const auto answer = [&] { return Answer(422, StatusBody(422, "Invalid", "uid", causes)); };
  EXPECT_EQ(ResultOf(Of(drive::Patch{kWeb, {}}, "u-1"), answer()).outcome, Outcome::kConflict);
  EXPECT_EQ(ResultOf(Of(drive::Patch{kWeb, {}}), answer()).outcome, Outcome::kRejected);
}

TEST(Results, BringBackTheObjectButNotAStatus) {
  const auto created = ResultOf(
      Of(drive::Create{Kind::kPod, "prod", {}}),
      Answer(201, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"prod","uid":"u"},
                      "spec":{"containers":[{"name":"c"}]}})"));
  ASSERT_TRUE(created.object.has_value());
  EXPECT_EQ(created.object->Meta().uid, "u");
  EXPECT_FALSE(
      ResultOf(Of(drive::Bind{kWeb, "n", {}}), Answer(201, R"({"kind":"Status","status":"Success"})"))
          .object);
}

TEST(Results, OfALostAnswerAreUnknownAndOfARequestThatNeverLeftAreNot) {
  const Effect effect = Of(drive::Bind{kWeb, "n", {}});
  const auto failed = [&](net::FailureKind kind, bool sent) {
    return ResultOf(effect, std::unexpected(net::Failure{kind, sent, "m"})).outcome;
  };
  EXPECT_EQ(failed(net::FailureKind::kUnknown, true), Outcome::kUnknown);
  EXPECT_EQ(failed(net::FailureKind::kDeadline, true), Outcome::kUnknown);
  EXPECT_EQ(failed(net::FailureKind::kDeadline, false), Outcome::kRetryable);
  EXPECT_EQ(failed(net::FailureKind::kNotSent, false), Outcome::kRetryable);
}

}  // namespace
}  // namespace cadre::live
