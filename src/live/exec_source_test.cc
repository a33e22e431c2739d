#include "live/exec_source.h"

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include <gtest/gtest.h>

#include "live/live_testing.h"

namespace cadre::live {
namespace {

using std::chrono::seconds;

const Time kStart = *ParseRfc3339("2026-01-02T03:00:00Z");

Credential Token(std::string token, std::optional<Time> expires = std::nullopt) {
  Credential credential;
  credential.bearer_token = std::move(token);
  credential.expires = expires;
  return credential;
}

// A source whose fetches the test answers.
class ExecSourceTest : public testing::Test {
 protected:
  // Refreshes and waits for `done`.
  void RefreshAt(Time now) {
    std::promise<void> done;
    source_->Refresh(now, [&] { done.set_value(); });
    done.get_future().wait();
  }

  std::atomic<int> fetches_ = 0;
  Result<Credential> answer_ = Token("a");  // read in the source's thread, set only between refreshes
  std::unique_ptr<CredentialSource> source_ = MakeExecSource([this](const std::stop_token&) {
    ++fetches_;
    return answer_;
  });
};

TEST_F(ExecSourceTest, BeforeTheFirstAnswerThereIsNothing) {
  EXPECT_TRUE(source_->NeedsRefresh(kStart));
  EXPECT_EQ(ErrorOf(source_->Current(kStart)),
            "there are no credentials yet: the exec plugin has not answered");
}

TEST_F(ExecSourceTest, WithoutAnExpiryACredentialIsGoodUntilItIsRefused) {
  RefreshAt(kStart);
  const Time later = kStart + std::chrono::hours(1000);
  EXPECT_EQ(source_->Current(later), Token("a"));
  EXPECT_FALSE(source_->NeedsRefresh(later));
  source_->Refused(later, Token("a"));
  EXPECT_EQ(ErrorOf(source_->Current(later)), "the server refused the credentials of the exec plugin (401)");
  EXPECT_TRUE(source_->NeedsRefresh(later));
}

TEST_F(ExecSourceTest, ACredentialIsRenewedWhileTheOldOneIsStillGood) {
  answer_ = Token("a", kStart + seconds(1000));
  RefreshAt(kStart);
  EXPECT_FALSE(source_->NeedsRefresh(kStart + seconds(700)));
  const Time late = kStart + seconds(820);
  EXPECT_TRUE(source_->NeedsRefresh(late));
  EXPECT_EQ(source_->Current(late)->bearer_token, "a");
  answer_ = Token("b", kStart + seconds(2000));
  RefreshAt(late);
  EXPECT_EQ(source_->Current(late)->bearer_token, "b");
}

TEST_F(ExecSourceTest, WhileRenewingFailsTheOldCredentialIsUsedToItsEnd) {
  answer_ = Token("a", kStart + seconds(1000));
  RefreshAt(kStart);
  answer_ = Err("no network");
  RefreshAt(kStart + seconds(900));
  EXPECT_EQ(source_->Current(kStart + seconds(999))->bearer_token, "a");
  EXPECT_EQ(ErrorOf(source_->Current(kStart + seconds(1000))), "no network");
}

TEST_F(ExecSourceTest, AfterFailuresTheDelayDoublesUpToAMinute) {
  answer_ = Err("no network");
  Time now = kStart;
  for (const int delay : {1, 2, 4, 8, 16, 32, 60, 60}) {
    RefreshAt(now);
    EXPECT_FALSE(source_->NeedsRefresh(now + seconds(delay) - Duration(1)));
    now += seconds(delay + 5);  // a fetch takes some time of its own, which counts
    EXPECT_TRUE(source_->NeedsRefresh(now));
  }
}

TEST_F(ExecSourceTest, ARefreshThatIsNotDueFetchesNothing) {
  RefreshAt(kStart);
  RefreshAt(kStart);
  EXPECT_EQ(fetches_, 1);
}

TEST_F(ExecSourceTest, ANewCredentialThatIsRefusedIsNotFetchedAgainAtOnce) {
  RefreshAt(kStart);
  source_->Refused(kStart + seconds(6), Token("a"));
  EXPECT_FALSE(source_->NeedsRefresh(kStart + seconds(6)));
  EXPECT_TRUE(source_->NeedsRefresh(kStart + seconds(7)));
}

TEST_F(ExecSourceTest, ARefusalOfAnOlderCredentialChangesNothing) {
  RefreshAt(kStart);
  source_->Refused(kStart, Token("older"));
  EXPECT_EQ(source_->Current(kStart), Token("a"));
}

TEST_F(ExecSourceTest, ACredentialThatExpiredBeforeItCameIsAFailure) {
  answer_ = Token("a", kStart);
  RefreshAt(kStart);
  EXPECT_EQ(ErrorOf(source_->Current(kStart)),
            "the exec plugin gave credentials that expired at 2026-01-02T03:00:00Z; is the clock right?");
}

TEST(ExecSource, CallsThatComeWhileAFetchRunsWaitForThatOne) {
  std::promise<void> answer;
  std::atomic<int> fetches = 0;
  const auto source = MakeExecSource([&](const std::stop_token&) -> Result<Credential> {
    ++fetches;
    answer.get_future().wait();
    return Token("a");
  });
  std::promise<void> first;
  std::promise<void> second;
  source->Refresh(kStart, [&] { first.set_value(); });
  EXPECT_FALSE(source->NeedsRefresh(kStart));
  source->Refresh(kStart, [&] { second.set_value(); });
  answer.set_value();
  first.get_future().wait();
  second.get_future().wait();
  EXPECT_EQ(fetches, 1);
  EXPECT_EQ(source->Current(kStart), Token("a"));
}

TEST(ExecSource, DestroyingItStopsTheFetchAndCallsNobody) {
  std::atomic<bool> called = false;
  std::promise<void> started;
  auto source = MakeExecSource([&](const std::stop_token& stop) -> Result<Credential> {
    std::promise<void> stopped;
    const std::stop_callback on_stop(stop, [&] { stopped.set_value(); });
    started.set_value();
    stopped.get_future().wait();
    return Err("stopped");
  });
  source->Refresh(kStart, [&] { called = true; });
  started.get_future().wait();
  source.reset();
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace cadre::live
