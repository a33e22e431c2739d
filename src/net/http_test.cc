#include "net/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::net {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Header, IsFoundByItsName) {
  const std::vector<Header> headers = {{"a", "1"}, {"b", "2"}, {"b", "3"}};
  EXPECT_EQ(FindHeader(headers, "b"), "2");
  EXPECT_EQ(FindHeader(headers, "c"), "");
}

TEST(Header, RetryAfterIsReadInSeconds) {
  const auto read = [](const char* value) { return RetryAfter(std::vector<Header>{{"retry-after", value}}); };
  EXPECT_EQ(read("3"), Duration{3'000});
  EXPECT_EQ(read("0"), Duration{0});
  EXPECT_EQ(read("99999999999999999999"), Duration{86'400'000});
  EXPECT_EQ(read("-1"), std::nullopt);
  EXPECT_EQ(read("1s"), std::nullopt);
  EXPECT_EQ(read("Fri, 31 Dec 1999 23:59:59 GMT"), std::nullopt);
  EXPECT_EQ(RetryAfter({}), std::nullopt);
}

class RefusedHeader : public testing::TestWithParam<Header> {};

TEST_P(RefusedHeader, IsNotSent) {
  EXPECT_FALSE(CheckHeader(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Http, RefusedHeader,
                         testing::Values(Header{"", "v"}, Header{"Accept", "v"}, Header{":path", "/"},
                                         Header{"a b", "v"}, Header{"a\r\nb", "v"}, Header{"a", "v\r\nb: c"},
                                         Header{"a", "v\n"}, Header{"a", std::string("v\0w", 3)},
                                         Header{"a", " v"}, Header{"a", "v\t"}, Header{"host", "h"},
                                         Header{"connection", "close"}, Header{"content-length", "3"},
                                         Header{"transfer-encoding", "chunked"},
                                         Header{"authorization", "Bearer x"}));

TEST(Header, MayHoldAnythingPrintable) {
  EXPECT_TRUE(CheckHeader({"accept", "application/json;as=Table, */*;q=0.1"}));
  EXPECT_TRUE(CheckHeader({"x-note", "\xc3\xa4\tb"}));
  EXPECT_TRUE(CheckHeader({"x-empty", ""}));
}

TEST(Header, IsNamedInTheErrorWithoutItsValue) {
  const Result<void> result = CheckHeader({"x-token", "secret\n"});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("x-token"));
  EXPECT_THAT(result.error().message, Not(HasSubstr("secret")));
}

TEST(Path, MustBeEscapedAndStartAtTheRoot) {
  EXPECT_TRUE(CheckPath("/api/v1/pods?labelSelector=a%3Db&limit=5"));
  EXPECT_FALSE(CheckPath(""));
  EXPECT_FALSE(CheckPath("api"));
  EXPECT_FALSE(CheckPath("/a b"));
  EXPECT_FALSE(CheckPath("/a\r\n"));
  EXPECT_FALSE(CheckPath("/a#b"));
  EXPECT_FALSE(CheckPath("/\xc3\xa4"));
}

TEST(Method, IsCapitalLetters) {
  EXPECT_TRUE(CheckMethod("PATCH"));
  EXPECT_FALSE(CheckMethod(""));
  EXPECT_FALSE(CheckMethod("GET /"));
}

}  // namespace
}  // namespace cadre::net
