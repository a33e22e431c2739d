#include "live/leader_election.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "live/rest.h"

namespace cadre::live {
namespace {

constexpr int kOk = 200;
constexpr int kCreated = 201;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr double kJitter = 1.2;  // client-go's JitterFactor: up to so much longer than the retry period
constexpr Duration kReleasesWithin{2'000};  // each request
constexpr int kMostReleases = 3;

}  // namespace

Result<void> Check(const LeaderElectionOptions& options) {
  if (options.retry_period <= Duration{0})
    return Err("retry-period: {}, expected more than 0", FormatDuration(options.retry_period));
  if (static_cast<double>(options.renew_deadline.count()) <=
      kJitter * static_cast<double>(options.retry_period.count()))
    return Err("renew-deadline: {}, expected more than {} times the retry-period of {}",
               FormatDuration(options.renew_deadline), kJitter, FormatDuration(options.retry_period));
  if (options.lease_duration <= options.renew_deadline)
    return Err("lease-duration: {}, expected more than the renew-deadline of {}",
               FormatDuration(options.lease_duration), FormatDuration(options.renew_deadline));
  if (options.lease_duration < std::chrono::seconds(1))
    return Err("lease-duration: {}, expected 1s or more: a Lease counts whole seconds",
               FormatDuration(options.lease_duration));
  if (options.lock_namespace.empty()) return Err("resource-namespace: empty");
  if (options.lock_name.empty()) return Err("resource-name: empty");
  return {};
}

LeaderElection::LeaderElection(net::EventLoop& loop, const drive::Clock& clock, net::Http2Client& client,
                               LeaderElectionOptions options, Callbacks callbacks)
    : loop_(loop),
      clock_(clock),
      client_(client),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)) {
  CADRE_ASSERT(Check(options_) && !options_.identity.empty(), "options are checked before");
  next_ = loop_.CallAfter(Duration{0}, [this] { Attempt(); });
}

LeaderElection::~LeaderElection() {
  loop_.Cancel(next_);
  loop_.Cancel(deadline_);
}

std::string LeaderElection::Path() const {
  return fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", options_.lock_namespace);
}

void LeaderElection::Problem(const std::string& what) const {
  if (callbacks_.on_problem)
    callbacks_.on_problem(fmt::format("lease {}/{}: {}", options_.lock_namespace, options_.lock_name, what));
}

net::Request LeaderElection::Request(std::string method, std::string body) const {
  net::Request request;
  request.path = method == "POST" ? Path() : Path() + "/" + options_.lock_name;
  request.method = std::move(method);
  request.headers = {{"accept", "application/json"}};
  if (!body.empty()) request.headers.push_back({"content-type", "application/json"});
  request.body = std::move(body);
  // So that one that is lost leaves time for two more before the deadline.
  request.timeout = std::max(Duration{1}, options_.renew_deadline / 3);
  return request;
}

void LeaderElection::AttemptLater() {
  const double share = options_.jitter ? options_.jitter() : 0.5;
  const double stretched = static_cast<double>(options_.retry_period.count()) *
                           (state_ == State::kLeads ? 1.0 : 1.0 + share * kJitter);
  loop_.Cancel(next_);
  next_ = loop_.CallAfter(Duration(static_cast<std::int64_t>(stretched)), [this] { Attempt(); });
}

void LeaderElection::Attempt() {
  if (state_ == State::kOver) return;
  // Who leads knows what stands there, until a write is refused.
  if (state_ == State::kLeads && seen_) return ConsiderTaking();
  Read();
}

void LeaderElection::Read() {
  client_.Send(Request("GET", ""), [this, alive = std::weak_ptr(alive_)](const net::RequestEnd& end) {
    if (!alive.expired() && state_ != State::kOver) OnRead(end);
  });
}

void LeaderElection::OnRead(const net::RequestEnd& end) {
  if (!end) {
    Problem(end.error().message);
    return AttemptLater();
  }
  if (end->status == kNotFound) {
    seen_.reset();
    is_absent_ = true;
    return ConsiderTaking();
  }
  if (end->status != kOk) {
    Problem("cannot be read: " + Words(end->status, end->body));
    return AttemptLater();
  }
  Result<Lease> lease = ReadLease(end->body);
  if (!lease) {
    Problem(lease.error().message);
    return AttemptLater();
  }
  is_absent_ = false;
  Observe(*std::move(lease));
  ConsiderTaking();
}

void LeaderElection::Observe(Lease lease) {
  if (!(lease.record == seen_record_)) {
    seen_record_ = lease.record;
    seen_at_ = loop_.Now();
  }
  if (!lease.record.holder.empty() && lease.record.holder != leader_) {
    leader_ = lease.record.holder;
    if (callbacks_.on_leader) callbacks_.on_leader(leader_);
  }
  seen_ = std::move(lease);
}

void LeaderElection::ConsiderTaking() {
  const LeaseRecord before = seen_ ? seen_->record : LeaseRecord{};
  const bool is_anothers = !before.holder.empty() && before.holder != options_.identity;
  if (is_anothers && state_ == State::kLeads) return Lose(fmt::format("{} leads now", before.holder));
  if (is_anothers && loop_.Now() < seen_at_ + before.duration) return AttemptLater();
  Write(Held(before, options_.identity, options_.lease_duration, clock_.Now()));
}

void LeaderElection::Write(const LeaseRecord& record) {
  const Lease lease{record, is_absent_ ? "" : seen_->resource_version};
  const Duration sent_at = loop_.Now();
  is_writing_ = true;
  client_.Send(
      Request(is_absent_ ? "POST" : "PUT", LeaseBody(options_.lock_namespace, options_.lock_name, lease)),
      [this, sent_at, alive = std::weak_ptr(alive_)](const net::RequestEnd& end) {
        if (alive.expired()) return;
        is_writing_ = false;
        if (state_ != State::kOver) OnWritten(end, sent_at);
      });
}

void LeaderElection::OnWritten(const net::RequestEnd& end, Duration sent_at) {
  if (!end || (end->status != kOk && end->status != kCreated)) {
    seen_.reset();  // it may have been written all the same, or by another: it is read again
    if (!end)
      Problem(end.error().message);
    else if (end->status != kConflict)
      Problem("cannot be written: " + Words(end->status, end->body));
    return AttemptLater();
  }
  Result<Lease> lease = ReadLease(end->body);
  if (!lease) {
    Problem(lease.error().message);
    seen_.reset();
    return AttemptLater();
  }
  is_absent_ = false;
  const std::uint64_t transitions = lease->record.transitions;
  const bool is_new = state_ == State::kWaits;
  state_ = State::kLeads;
  Observe(*std::move(lease));
  SetDeadline(sent_at);
  AttemptLater();
  if (is_new && callbacks_.on_started) callbacks_.on_started(transitions);
}

void LeaderElection::SetDeadline(Duration sent_at) {
  loop_.Cancel(deadline_);
  deadline_ = loop_.CallAfter(sent_at + options_.renew_deadline - loop_.Now(), [this] {
    Lose(fmt::format("the lease could not be renewed for {}", FormatDuration(options_.renew_deadline)));
  });
}

void LeaderElection::Lose(const std::string& why) {
  state_ = State::kOver;
  loop_.Cancel(next_);
  loop_.Cancel(deadline_);
  if (callbacks_.on_stopped) callbacks_.on_stopped(why);
}

void LeaderElection::Release(std::function<void()> done) {
  const bool may_hold = state_ == State::kLeads || is_writing_;
  state_ = State::kOver;
  loop_.Cancel(next_);
  loop_.Cancel(deadline_);
  if (!may_hold) return loop_.Post(std::move(done));
  if (seen_ && !is_writing_) return LetGo(*seen_, kMostReleases, std::move(done));
  ReadAndLetGo(kMostReleases, std::move(done));
}

void LeaderElection::LetGo(Lease lease, int attempts, std::function<void()> done) {
  lease.record.holder.clear();
  lease.record.duration = std::chrono::seconds(1);
  lease.record.renew_time = FormatRfc3339Micros(clock_.Now());
  net::Request request = Request("PUT", LeaseBody(options_.lock_namespace, options_.lock_name, lease));
  request.timeout = kReleasesWithin;
  client_.Send(std::move(request), [this, attempts, done = std::move(done),
                                    alive = std::weak_ptr(alive_)](const net::RequestEnd& end) {
    const bool is_outdated = end && end->status == kConflict;
    if (alive.expired() || !is_outdated || attempts <= 1) return done();
    ReadAndLetGo(attempts - 1, done);
  });
}

// A renewal that was under way may have changed the lease, or still do: then the version that is read here is
// outdated when it is written, and it is read again.
void LeaderElection::ReadAndLetGo(int attempts, std::function<void()> done) {
  net::Request request = Request("GET", "");
  request.timeout = kReleasesWithin;
  client_.Send(std::move(request), [this, attempts, done = std::move(done),
                                    alive = std::weak_ptr(alive_)](const net::RequestEnd& end) {
    if (alive.expired() || !end || end->status != kOk) return done();
    Result<Lease> lease = ReadLease(end->body);
    if (!lease || lease->record.holder != options_.identity) return done();
    LetGo(*std::move(lease), attempts, done);
  });
}

}  // namespace cadre::live
