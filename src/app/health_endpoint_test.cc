#include "app/health_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::app {
namespace {

using ::testing::HasSubstr;

const HealthCheck kLive[] = {{"ping", ""}};
const HealthCheck kNotReady[] = {{"ping", ""}, {"informer-sync", "pods are missing"}};

net::ServerResponse Ask(const std::string& target, const std::string& method = "GET") {
  return AnswerHealth({.method = method, .target = target, .headers = {}, .body = {}},
                      {.live = kLive, .ready = kNotReady, .metrics = [] { return "a 1\n"; }});
}

TEST(HealthEndpoint, SaysOkWhenAllChecksPass) {
  for (const char* path : {"/healthz", "/livez"}) {
    EXPECT_EQ(Ask(path).status, 200) << path;
    EXPECT_EQ(Ask(path).body, "ok") << path;
  }
}

TEST(HealthEndpoint, NamesEachCheckWhenAskedForThem) {
  EXPECT_EQ(Ask("/livez?verbose").body, "[+]ping ok\nlivez check passed\n");
}

TEST(HealthEndpoint, IsNotReadyWhileACheckFailsAndSaysWhich) {
  const net::ServerResponse answer = Ask("/readyz");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "[+]ping ok\n[-]informer-sync failed: pods are missing\nreadyz check failed\n");
}

TEST(HealthEndpoint, ServesMetricsAsPrometheusReadsThem) {
  const net::ServerResponse answer = Ask("/metrics");
  EXPECT_EQ(answer.body, "a 1\n");
  EXPECT_THAT(answer.headers.front().value, HasSubstr("version=0.0.4"));
}

TEST(HealthEndpoint, ServesNothingElseAndNoOtherMethod) {
  EXPECT_EQ(Ask("/debug").status, 404);
  EXPECT_EQ(Ask("/healthz", "POST").status, 405);
}

}  // namespace
}  // namespace cadre::app
