#include "live/exec_source.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"

namespace cadre::live {
namespace {

constexpr Duration kFirstDelay{1'000};
constexpr Duration kLongestDelay{60'000};
constexpr int kDoublings = 6;  // 64 s: no longer than kLongestDelay needs
constexpr std::size_t kMostWaiting = 64;

class ExecSource : public CredentialSource {
 public:
  explicit ExecSource(FetchCredential fetch) : fetch_(std::move(fetch)) {}

  Result<Credential> Current(Time now) override {
    const std::scoped_lock lock(mutex_);
    if (credential_ && !Expired(now)) return *credential_;
    if (error_) return std::unexpected(*error_);
    if (credential_) return Err("the credentials expired at {}", FormatRfc3339(*credential_->expires));
    return Err("there are no credentials yet: the exec plugin has not answered");
  }

  bool NeedsRefresh(Time now) const override {
    const std::scoped_lock lock(mutex_);
    return !running_ && ShouldRun(now);
  }

  void Refresh(Time now, std::function<void()> done) override {
    switch (Enter(now, done)) {
      case Entry::kNothingToDo:
        return done();
      case Entry::kWait:
        return;
      case Entry::kStart:
        break;
    }
    // Joins the thread of the last fetch, which has set running_ to false and has nothing left to wait for.
    worker_ = std::jthread([this, now](const std::stop_token& stop) { Fetch(now, stop); });
  }

  void Refused(Time now, const Credential& credential) override {
    const std::scoped_lock lock(mutex_);
    if (credential_ != credential) return;
    // What was refused when it was new would be refused again: that is a failure like any other.
    const bool was_new = now < obtained_at_ + kLongestDelay;
    Fail(was_new ? now : Time::min(), Error{"the server refused the credentials of the exec plugin (401)"});
    if (!was_new) failures_ = 0;
    credential_.reset();
  }

 private:
  bool Expired(Time now) const { return credential_->expires && now >= *credential_->expires; }

  bool ShouldRun(Time now) const {
    return now >= not_before_ && (!credential_ || (renew_at_ && now >= *renew_at_));
  }

  enum class Entry { kNothingToDo, kWait, kStart };

  Entry Enter(Time now, const std::function<void()>& done) {
    const std::scoped_lock lock(mutex_);
    if (!running_ && !ShouldRun(now)) return Entry::kNothingToDo;
    CADRE_ASSERT(waiting_.size() < kMostWaiting, "more calls of Refresh wait than are allowed");
    waiting_.push_back(done);
    return std::exchange(running_, true) ? Entry::kWait : Entry::kStart;
  }

  void Fetch(Time started, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    Result<Credential> credential = fetch_(stop);
    const auto took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start);
    if (stop.stop_requested()) return;
    std::vector<std::function<void()>> waiting;
    {
      const std::scoped_lock lock(mutex_);
      Take(started + took, std::move(credential));
      running_ = false;
      waiting.swap(waiting_);
    }
    for (const std::function<void()>& done : waiting)
      done();
  }

  void Take(Time now, Result<Credential> credential) {
    if (credential && credential->expires && *credential->expires <= now) {
      credential = Err("the exec plugin gave credentials that expired at {}; is the clock right?",
                       FormatRfc3339(*credential->expires));
    }
    if (!credential) {
      CADRE_LOG(kWarn, "credentials cannot be renewed: {}", credential.error().message);
      return Fail(now, std::move(credential).error());
    }
    credential_ = *std::move(credential);
    obtained_at_ = now;
    renew_at_.reset();
    if (credential_->expires) renew_at_ = now + (*credential_->expires - now) / 5 * 4;
    error_.reset();
    not_before_ = Time::min();
  }

  void Fail(Time now, Error error) {
    error_ = std::move(error);
    if (now == Time::min()) {
      not_before_ = now;
      return;
    }
    not_before_ = now + std::min(kLongestDelay, kFirstDelay * (1 << std::min(failures_, kDoublings)));
    ++failures_;
  }

  const FetchCredential fetch_;
  mutable std::mutex mutex_;  // everything up to worker_
  std::optional<Credential> credential_;
  std::optional<Error> error_;  // of the last attempt, if it failed
  Time obtained_at_;            // of credential_
  std::optional<Time> renew_at_;
  Time not_before_ = Time::min();  // the next fetch
  int failures_ = 0;
  bool running_ = false;
  std::vector<std::function<void()>> waiting_;
  std::jthread worker_;  // last: stopped and joined before what it uses goes
};

}  // namespace

std::unique_ptr<CredentialSource> MakeExecSource(FetchCredential fetch) {
  return std::make_unique<ExecSource>(std::move(fetch));
}

}  // namespace cadre::live
