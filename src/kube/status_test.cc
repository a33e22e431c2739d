#include "kube/status.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace cadre::kube {
namespace {

TEST(Status, IsReadWithItsDetails) {
  const auto status =
      DecodeStatus(boost::json::parse(R"({"kind":"Status","apiVersion":"v1","status":"Failure",
      "message":"wait","reason":"TooManyRequests","code":429,"details":{"name":"a","group":"batch","kind":"jobs",
      "uid":"u","retryAfterSeconds":2,"causes":[{"reason":"r","message":"m","field":"f"}]}})"));
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->status, "Failure");
  EXPECT_EQ(status->reason, "TooManyRequests");
  EXPECT_EQ(status->message, "wait");
  EXPECT_EQ(status->code, 429);
  EXPECT_EQ(status->group, "batch");
  EXPECT_EQ(status->retry_after_seconds, 2);
  ASSERT_EQ(status->causes.size(), 1U);
  EXPECT_EQ(status->causes[0].reason, "r");
}

TEST(Status, AnotherKindIsAnError) {
  EXPECT_EQ(DecodeStatus(boost::json::parse(R"({"kind":"Pod"})")).error().message,
            "found kind \"Pod\", expected Status");
}

TEST(Status, AFieldOfAWrongTypeIsNamed) {
  EXPECT_EQ(DecodeStatus(boost::json::parse(R"({"kind":"Status","code":"x"})")).error().message,
            "Status: code: found \"x\", expected a whole number");
}

}  // namespace
}  // namespace cadre::kube
