#include "live/cluster_access.h"

#include <gtest/gtest.h>

#include "live/live_testing.h"

namespace cadre::live {
namespace {

TEST(ServerUrl, APortIsThatOfItsSchemeWhereThereIsNone) {
  EXPECT_EQ(ParseServerUrl("https://api.example.com"),
            (ServerUrl{.tls = true, .host = "api.example.com", .port = 443, .path_prefix = ""}));
  EXPECT_EQ(ParseServerUrl("http://localhost/"),
            (ServerUrl{.tls = false, .host = "localhost", .port = 80, .path_prefix = ""}));
}

TEST(ServerUrl, APathBecomesThePrefixOfEveryRequest) {
  EXPECT_EQ(ParseServerUrl("https://rancher:8443/k8s/clusters/c-1/"),
            (ServerUrl{.tls = true, .host = "rancher", .port = 8443, .path_prefix = "/k8s/clusters/c-1"}));
}

TEST(ServerUrl, AnIPv6AddressStandsInBrackets) {
  const Result<ServerUrl> url = ParseServerUrl("https://[fd00::1]:6443");
  ASSERT_TRUE(url.has_value()) << url.error().message;
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(ToString(*url), "https://[fd00::1]:6443");
}

TEST(ServerUrl, WhatIsNotTheUrlOfAServerIsRefused) {
  for (const std::string_view text :
       {"", "10.0.0.1:6443", "ftp://a", "https://", "https://:6443", "https://a:0", "https://a:65536",
        "https://a:x", "https://[fd00::1", "https://[]:1", "https://a b", "https://a?x=1"}) {
    const Result<ServerUrl> url = ParseServerUrl(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_NE(url.error().message.find("expected a URL like https://10.0.0.1:6443"), std::string::npos);
  }
}

TEST(ServerUrl, APasswordInAUrlIsNotRepeated) {
  EXPECT_EQ(ErrorOf(ParseServerUrl("https://me:hush@a")).find("hush"), std::string::npos);
}

TEST(PemSource, AFileThatHoldsNoPemIsAnError) {
  const TempFolder folder;
  const std::string path = folder.Write("ca.crt", "not a certificate");
  EXPECT_EQ(ErrorOf(ReadPem({.pem = {}, .file = path})), path + ": holds no PEM block (-----BEGIN …-----)");
}

TEST(PemSource, AFileIsReadEachTime) {
  const TempFolder folder;
  const PemSource source{.pem = {}, .file = folder.Write("a", "-----BEGIN A-----")};
  EXPECT_EQ(ReadPem(source), "-----BEGIN A-----");
  folder.Write("a", "-----BEGIN B-----");
  EXPECT_EQ(ReadPem(source), "-----BEGIN B-----");
}

TEST(PemSource, AFileBeyondAMebibyteIsRefused) {
  const TempFolder folder;
  const std::string path = folder.Write("a", std::string((std::size_t{1} << 20U) + 1, 'x'));
  EXPECT_EQ(ErrorOf(ReadPem({.pem = {}, .file = path})),
            path + ": larger than the 1048576 bytes that are read");
}

}  // namespace
}  // namespace cadre::live
