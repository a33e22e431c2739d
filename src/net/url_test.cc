#include "net/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::net {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Accepted {
  std::string_view text;
  Url url;
  std::string_view authority;
};

class AcceptedUrl : public testing::TestWithParam<Accepted> {};

TEST_P(AcceptedUrl, IsTakenApart) {
  const Result<Url> url = ParseUrl(GetParam().text);
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(*url, GetParam().url) << url->Text();
  EXPECT_EQ(url->Authority(), GetParam().authority);
}

INSTANTIATE_TEST_SUITE_P(
    Url, AcceptedUrl,
    testing::Values(Accepted{"https://10.0.0.1:6443", {true, "10.0.0.1", 6443, ""}, "10.0.0.1:6443"},
                    Accepted{"https://k8s.example", {true, "k8s.example", 443, ""}, "k8s.example"},
                    Accepted{"https://k8s.example:443/", {true, "k8s.example", 443, ""}, "k8s.example"},
                    Accepted{"HTTP://LocalHost:8080", {false, "localhost", 8080, ""}, "localhost:8080"},
                    Accepted{"http://localhost", {false, "localhost", 80, ""}, "localhost"},
                    Accepted{"https://[::1]:6443", {true, "::1", 6443, ""}, "[::1]:6443"},
                    Accepted{"https://[2001:DB8::1]", {true, "2001:db8::1", 443, ""}, "[2001:db8::1]"},
                    Accepted{"https://rancher.example/k8s/clusters/c-1/",
                             {true, "rancher.example", 443, "/k8s/clusters/c-1"},
                             "rancher.example"}));

struct Refused {
  std::string_view text;
  std::string_view why;
};

class RefusedUrl : public testing::TestWithParam<Refused> {};

TEST_P(RefusedUrl, IsExplained) {
  const Result<Url> url = ParseUrl(GetParam().text);
  ASSERT_FALSE(url) << url->Text();
  EXPECT_THAT(url.error().message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Url, RefusedUrl,
    testing::Values(
        Refused{"", "expected https://"}, Refused{"localhost:8080", "expected https://"},
        Refused{"ftp://a", "expected https://"}, Refused{"https://", "not a host name"},
        Refused{"https://a b", "not a host name"}, Refused{"https://a\r\nx: y", "not a host name"},
        Refused{"https://:6443", "not a host name"}, Refused{"https://::1:6443", "not a host name"},
        Refused{"https://a%41", "not a host name"}, Refused{"https://[::1", "without"},
        Refused{"https://[fe80::1%eth0]:1", "not an IPv6 address"},
        Refused{"https://[::1]6443", "after the host"}, Refused{"https://a:", "the port is \"\""},
        Refused{"https://a:0", "from 1 to 65535"}, Refused{"https://a:65536", "from 1 to 65535"},
        Refused{"https://a:1x", "from 1 to 65535"}, Refused{"https://a/b?c=d", "not allowed here"},
        Refused{"https://a/b#c", "not allowed here"}, Refused{"https://a/b c", "not allowed here"},
        Refused{"https://a?b", "not allowed here"}));

TEST(Url, DoesNotRepeatAPasswordInItsError) {
  const Result<Url> url = ParseUrl("https://admin:geheim@host/");
  ASSERT_FALSE(url);
  EXPECT_THAT(url.error().message, Not(HasSubstr("geheim")));
}

TEST(Url, TellsAddressesFromNames) {
  EXPECT_TRUE(IsIpAddress("127.0.0.1"));
  EXPECT_TRUE(IsIpAddress("::1"));
  EXPECT_FALSE(IsIpAddress("localhost"));
  EXPECT_FALSE(IsIpAddress("127.0.0.1.nip.io"));
}

TEST(Url, EscapesWhatWouldEndASegment) {
  EXPECT_EQ(EscapePathSegment("a-b_c.d~9"), "a-b_c.d~9");
  EXPECT_EQ(EscapePathSegment("a/b?c#d e%"), "a%2Fb%3Fc%23d%20e%25");
  EXPECT_EQ(EscapePathSegment("\xc3\xa4"), "%C3%A4");
}

TEST(Url, WritesAQuery) {
  EXPECT_EQ(QueryText({}), "");
  EXPECT_EQ(QueryText({{"limit", "500"}, {"labelSelector", "a=b,c"}}), "?limit=500&labelSelector=a%3Db%2Cc");
}

}  // namespace
}  // namespace cadre::net
