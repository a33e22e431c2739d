#include "live/exec_plugin.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "live/live_testing.h"

namespace cadre::live {
namespace {

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";

ExecPlugin Plugin() {
  ExecPlugin plugin;
  plugin.api_version = kV1;
  plugin.command = "get-token";
  return plugin;
}

ExecPlugin Shell(std::string script) {
  ExecPlugin plugin = Plugin();
  plugin.command = "/bin/sh";
  plugin.args = {"-c", std::move(script)};
  return plugin;
}

std::string ParseError(std::string_view output) {
  return ErrorOf(ParseExecCredential(Plugin(), output));
}

TEST(ExecInfo, SaysWhatIsAskedForAndThatNobodyIsThere) {
  EXPECT_EQ(boost::json::parse(ExecInfo(Plugin())),
            boost::json::parse(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
                                   "spec":{"interactive":false}})"));
}

TEST(ExecInfo, CarriesTheClusterWhereItIsAskedFor) {
  ExecPlugin plugin = Plugin();
  plugin.cluster_info = R"({"server":"https://a:1"})";
  EXPECT_EQ(boost::json::parse(ExecInfo(plugin)).at("spec").at("cluster"),
            boost::json::parse(R"({"server":"https://a:1"})"));
}

TEST(ParseExecCredential, ReadsATokenAndItsExpiry) {
  const auto credential = ParseExecCredential(
      Plugin(), R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
                    "status":{"token":"abc","expirationTimestamp":"2026-01-02T03:04:05Z"}})");
  ASSERT_TRUE(credential.has_value()) << credential.error().message;
  EXPECT_EQ(credential->bearer_token, "abc");
  EXPECT_EQ(credential->expires, *ParseRfc3339("2026-01-02T03:04:05Z"));
}

TEST(ParseExecCredential, ReadsACertificateAndItsKey) {
  const auto credential = ParseExecCredential(
      Plugin(), R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
                    "status":{"clientCertificateData":"cert","clientKeyData":"key"}})");
  ASSERT_TRUE(credential.has_value()) << credential.error().message;
  EXPECT_EQ(credential->client_certificate_pem, "cert");
  EXPECT_EQ(credential->client_key_pem, "key");
  EXPECT_FALSE(credential->expires.has_value());
}

TEST(ParseExecCredential, AnotherVersionThanWasAskedForIsRefused) {
  EXPECT_EQ(
      ParseError(R"({"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential",
                           "status":{"token":"abc"}})"),
      "exec plugin get-token printed no usable ExecCredential: found kind \"ExecCredential\" of apiVersion "
      "\"client.authentication.k8s.io/v1beta1\", asked for ExecCredential of "
      "client.authentication.k8s.io/v1");
}

TEST(ParseExecCredential, AStatusWithoutCredentialsIsRefused) {
  EXPECT_EQ(ParseError(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential"})"),
            "exec plugin get-token printed no usable ExecCredential: status has neither token nor "
            "clientCertificateData");
}

TEST(ParseExecCredential, ACertificateWithoutItsKeyIsRefused) {
  EXPECT_NE(ParseError(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
                           "status":{"token":"t","clientCertificateData":"cert"}})")
                .find("it takes both"),
            std::string::npos);
}

TEST(ParseExecCredential, AnErrorNeverRepeatsWhatMayBeASecret) {
  const std::string error = ParseError(R"({"apiVersion":"client.authentication.k8s.io/v1",
      "kind":"ExecCredential","status":{"token":"a b-secret"}})");
  EXPECT_NE(error.find("status.token: not a bearer token"), std::string::npos) << error;
  EXPECT_EQ(error.find("secret"), std::string::npos) << error;
  EXPECT_EQ(ParseError(R"({"status":{"expirationTimestamp":"hush"}})").find("hush"), std::string::npos);
}

TEST(ParseExecCredential, WhatIsNotJsonIsRefused) {
  EXPECT_TRUE(ParseError("please log in")
                  .starts_with("exec plugin get-token printed no usable ExecCredential: not JSON"));
}

TEST(RunExecPlugin, TheProgramSeesItsArgumentsVariablesAndTheExecInfo) {
  ExecPlugin plugin = Shell(
      R"sh(printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}' \
         "$1" "$USER_OF_TEST" "$(printf %s "$KUBERNETES_EXEC_INFO" | wc -c | tr -d ' ')")sh");
  plugin.args.insert(plugin.args.end(), {"sh", "arg"});
  plugin.env = {{"USER_OF_TEST", "env"}};
  const auto credential = RunExecPlugin(plugin, kLongestPluginRun, {});
  ASSERT_TRUE(credential.has_value()) << credential.error().message;
  EXPECT_EQ(credential->bearer_token, "arg-env-" + std::to_string(ExecInfo(plugin).size()));
}

TEST(RunExecPlugin, AFailureRepeatsWhatThePluginSays) {
  EXPECT_EQ(ErrorOf(RunExecPlugin(Shell("echo 'log in first' >&2; exit 1"), kLongestPluginRun, {})),
            "exec plugin /bin/sh failed with exit code 1: log in first");
}

TEST(RunExecPlugin, AMissingProgramComesWithTheHintOfItsVendor) {
  ExecPlugin plugin = Plugin();
  plugin.command = "/nowhere/get-token";
  plugin.install_hint = "Install it from example.com.";
  EXPECT_EQ(ErrorOf(RunExecPlugin(plugin, kLongestPluginRun, {})),
            "exec plugin /nowhere/get-token cannot be started: No such file or directory\n"
            "Install it from example.com.");
}

TEST(RunExecPlugin, AHintIsNotShownForAProgramThatIsThere) {
  ExecPlugin plugin = Shell("exit 1");
  plugin.install_hint = "Install it from example.com.";
  EXPECT_EQ(ErrorOf(RunExecPlugin(plugin, kLongestPluginRun, {})),
            "exec plugin /bin/sh failed with exit code 1");
}

}  // namespace
}  // namespace cadre::live
