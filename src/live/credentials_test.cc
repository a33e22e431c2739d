#include "live/credentials.h"

#include <chrono>
#include <filesystem>
#include <future>

#include <gtest/gtest.h>

#include "live/live_testing.h"

namespace cadre::live {
namespace {

using std::chrono::seconds;

const Time kStart = *ParseRfc3339("2026-01-02T03:00:00Z");

std::string TokenAt(CredentialSource& source, Time now) {
  const Result<Credential> credential = source.Current(now);
  return credential ? credential->bearer_token : credential.error().message;
}

TEST(Credentials, WithoutACredentialThereIsNothingToSend) {
  EXPECT_EQ(MakeCredentialSource({})->Current(kStart), Credential());
}

TEST(Credentials, AStaticTokenStays) {
  const auto source = MakeCredentialSource(StaticToken{.token = "abc"});
  source->Refused(kStart, *source->Current(kStart));
  EXPECT_EQ(TokenAt(*source, kStart + seconds(1'000'000)), "abc");
  EXPECT_FALSE(source->NeedsRefresh(kStart));
}

TEST(Credentials, ATokenThatWouldEndItsHeaderIsRefused) {
  const auto source = MakeCredentialSource(StaticToken{.token = "abc\r\nX-Remote-User: admin"});
  EXPECT_EQ(TokenAt(*source, kStart),
            "token: not a bearer token: it holds blanks or other characters that cannot be sent");
}

TEST(Credentials, WhereNothingHasToBeWaitedForRefreshIsDoneAtOnce) {
  const auto source = MakeCredentialSource(StaticToken{.token = "abc"});
  bool done = false;
  source->Refresh(kStart, [&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(Credentials, ATokenFileIsReadAgainAfterAMinute) {
  const TempFolder folder;
  const auto source = MakeCredentialSource(TokenFile{.path = folder.Write("token", "one\n")});
  EXPECT_EQ(TokenAt(*source, kStart), "one");
  folder.Write("token", "two\n");
  EXPECT_EQ(TokenAt(*source, kStart + seconds(59)), "one");
  EXPECT_EQ(TokenAt(*source, kStart + seconds(60)), "two");
}

TEST(Credentials, ATokenFileIsReadAgainAtOnceWhenItsTokenIsRefused) {
  const TempFolder folder;
  const auto source = MakeCredentialSource(TokenFile{.path = folder.Write("token", "one")});
  const Credential one = *source->Current(kStart);
  folder.Write("token", "two");
  source->Refused(kStart, one);
  EXPECT_EQ(TokenAt(*source, kStart), "two");
}

TEST(Credentials, WhileATokenFileCannotBeReadTheLastTokenIsUsed) {
  const TempFolder folder;
  const std::string path = folder.Write("token", "one");
  const auto source = MakeCredentialSource(TokenFile{.path = path});
  EXPECT_EQ(TokenAt(*source, kStart), "one");
  std::filesystem::remove(path);
  EXPECT_EQ(TokenAt(*source, kStart + seconds(60)), "one");
}

TEST(Credentials, AMissingTokenFileIsTriedWithEveryCall) {
  const TempFolder folder;
  const auto source = MakeCredentialSource(TokenFile{.path = folder / "token"});
  EXPECT_EQ(TokenAt(*source, kStart), (folder / "token") + ": cannot be opened: No such file or directory");
  folder.Write("token", "one");
  EXPECT_EQ(TokenAt(*source, kStart), "one");
}

TEST(Credentials, AnEmptyTokenFileIsAnError) {
  const TempFolder folder;
  const std::string path = folder.Write("token", " \n");
  EXPECT_EQ(TokenAt(*MakeCredentialSource(TokenFile{.path = path}), kStart), path + ": holds no token");
}

TEST(Credentials, AnExecPluginIsRunInTheBackground) {
  ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1beta1";
  plugin.command = "/bin/sh";
  plugin.args = {"-c", R"(echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential",
                                 "status":{"token":"abc"}}')"};
  const auto source = MakeCredentialSource(plugin);
  std::promise<void> done;
  source->Refresh(kStart, [&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_EQ(TokenAt(*source, kStart), "abc");
}

}  // namespace
}  // namespace cadre::live
