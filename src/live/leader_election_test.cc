// LeaderElection against a lease server in the test's own hand, in real but short times.
#include "live/leader_election.h"

#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/live_testing.h"
#include "live/loop_clock.h"
#include "net/http2_server_testing.h"

namespace cadre::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Duration kLease{1'000};
constexpr Duration kDeadline{600};
constexpr Duration kRetry{100};
constexpr Duration kLong{10'000};

LeaderElectionOptions Options(std::string identity) {
  LeaderElectionOptions options;
  options.lease_duration = kLease;
  options.renew_deadline = kDeadline;
  options.retry_period = kRetry;
  options.identity = std::move(identity);
  options.jitter = [] { return 0.0; };
  return options;
}

// One process: what it was told, and when.
struct Candidate {
  Candidate(net::EventLoop& loop, const drive::Clock& clock, const net::Url& url, const std::string& identity)
      : client(loop, url, nullptr, {}),
        election(loop, clock, client, Options(identity),
                 {.on_started =
                      [this](std::uint64_t transitions) {
                        started = true;
                        epoch = transitions;
                      },
                  .on_stopped =
                      [this, &loop](const std::string& reason) {
                        stopped.push_back(reason);
                        stopped_at = loop.Now();
                      },
                  .on_leader = [this](const std::string& leader) { leaders.push_back(leader); },
                  .on_problem = [this](const std::string& problem) { problems.push_back(problem); }}) {}

  bool started = false;
  std::uint64_t epoch = 0;
  std::vector<std::string> stopped;
  Duration stopped_at{0};
  std::vector<std::string> leaders;
  std::vector<std::string> problems;
  net::Http2Client client;
  LeaderElection election;
};

class LeaderElectionTest : public testing::Test {
 protected:
  LeaderElectionTest() {
    server_.on_request = [this](const net::TestRequest& request) { Serve(request); };
  }

  // What the API server does with one Lease: versions, and 409 for a stale one.
  void Serve(const net::TestRequest& request) {
    if (failing_ != 0) return server_.Answer(request, failing_, {}, "");
    if (request.method == "GET") {
      if (!lease_) return server_.Answer(request, 404, {}, "");
      return server_.Answer(request, 200, {}, LeaseBody("kube-system", "cadre", *lease_));
    }
    const json::value body = json::parse(request.body);
    const std::string version(FindString(body, {"metadata", "resourceVersion"}));
    if (request.method == "POST" ? lease_.has_value() : (!lease_ || version != lease_->resource_version))
      return server_.Answer(request, 409, {}, "");
    json::value stored = body;
    stored.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(++version_);
    lease_ = *ReadLease(json::serialize(stored));
    written_at_ = loop_.Now();
    server_.Answer(request, request.method == "POST" ? 201 : 200, {}, json::serialize(stored));
  }

  // Another process, of which only the lease is seen, holds it from now on.
  void HeldByAnother(Duration duration) {
    LeaseRecord record = Held(lease_ ? lease_->record : LeaseRecord{}, "another", duration, clock_.Now());
    lease_ = Lease{record, std::to_string(++version_)};
  }

  template <class Holds>
  [[nodiscard]] bool Await(Holds holds) {
    const Duration until = loop_.Now() + kLong;
    while (!holds() && loop_.Now() < until)
      loop_.RunOne(Duration{20});
    return holds();
  }

  net::EventLoop loop_;
  LoopClock clock_{loop_};
  net::TestServer server_{loop_};
  std::optional<Lease> lease_;
  int version_ = 0;
  int failing_ = 0;  // the status of every answer
  Duration written_at_{0};
};

TEST_F(LeaderElectionTest, TakesALeaseThatIsNotThereAndKeepsIt) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  EXPECT_EQ(lease_->record.holder, "a");
  EXPECT_THAT(a.leaders, ElementsAre("a"));
  const std::string acquired = lease_->record.acquire_time;
  const int writes = version_;
  ASSERT_TRUE(Await([&] { return version_ >= writes + 12; })) << "it is renewed for longer than it lasts";
  EXPECT_EQ(lease_->record.acquire_time, acquired);
  EXPECT_THAT(a.stopped, IsEmpty());
}

TEST_F(LeaderElectionTest, TakesTheLeaseOfAnotherOnceThatHasRunOutAndCountsATransition) {
  HeldByAnother(kLease);
  const Duration seen = loop_.Now();
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  EXPECT_GE(loop_.Now() - seen, kLease);
  EXPECT_EQ(a.epoch, 1U);
  EXPECT_THAT(a.leaders, ElementsAre("another", "a"));
}

TEST_F(LeaderElectionTest, WaitsForAsLongAsTheOtherRenews) {
  HeldByAnother(kLease);
  Candidate a(loop_, clock_, server_.url(), "a");
  const Duration until = loop_.Now() + kLease * 2;
  while (loop_.Now() < until) {
    HeldByAnother(kLease);
    loop_.RunOne(kRetry);
  }
  EXPECT_FALSE(a.started);
}

TEST_F(LeaderElectionTest, StopsBeforeAnotherMayTakeTheLeaseWhenItCannotRenew) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  failing_ = 500;
  ASSERT_TRUE(Await([&] { return !a.stopped.empty(); }));
  EXPECT_LT(a.stopped_at, written_at_ + kLease);
  EXPECT_THAT(a.stopped, ElementsAre(HasSubstr("could not be renewed for")));
  EXPECT_THAT(a.problems, testing::Contains(HasSubstr("500")));
}

TEST_F(LeaderElectionTest, StopsBeforeAnotherMayTakeTheLeaseWhenTheServerIsSilent) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  server_.on_request = [](const net::TestRequest&) {};
  ASSERT_TRUE(Await([&] { return !a.stopped.empty(); }));
  EXPECT_LT(a.stopped_at, written_at_ + kLease);
}

TEST_F(LeaderElectionTest, GoesOnAfterAConflictThatChangedNothingOfItsLease) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  lease_->resource_version = std::to_string(++version_);  // somebody has labelled the Lease
  const int writes = version_;
  ASSERT_TRUE(Await([&] { return version_ >= writes + 3; }));
  EXPECT_THAT(a.stopped, IsEmpty());
}

TEST_F(LeaderElectionTest, StopsAtOnceWhenAnotherHasTheLease) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  HeldByAnother(kLease);
  ASSERT_TRUE(Await([&] { return !a.stopped.empty(); }));
  EXPECT_THAT(a.stopped, ElementsAre("another leads now"));
  EXPECT_FALSE(a.election.IsLeading());
}

TEST_F(LeaderElectionTest, OneOfTwoLeadsAndTheOtherTakesOverAtOnceWhenItLetsGo) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  Candidate b(loop_, clock_, server_.url(), "b");
  ASSERT_TRUE(Await([&] { return !b.leaders.empty(); }));
  EXPECT_FALSE(b.started);
  bool released = false;
  a.election.Release([&] { released = true; });
  ASSERT_TRUE(Await([&] { return released; }));
  EXPECT_EQ(lease_->record.holder, "");
  const Duration since = loop_.Now();
  ASSERT_TRUE(Await([&] { return b.started; }));
  EXPECT_LT(loop_.Now() - since, kLease);
  EXPECT_EQ(b.epoch, 1U);
  EXPECT_THAT(a.stopped, IsEmpty()) << "who lets go is not told that it lost";
}

TEST_F(LeaderElectionTest, LettingGoWhileARenewalIsUnderWayLetsGoOfWhatTheRenewalWrote) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  std::optional<net::TestRequest> renewal;
  bool has_arrived = false;
  server_.on_request = [&](const net::TestRequest& request) {
    if (request.method == "PUT" && !renewal) {
      renewal = request;
      return;
    }
    if (request.method == "PUT" && !std::exchange(has_arrived, true)) Serve(*renewal);
    Serve(request);
  };
  ASSERT_TRUE(Await([&] { return renewal.has_value(); }));
  bool released = false;
  a.election.Release([&] { released = true; });
  ASSERT_TRUE(Await([&] { return released; }));
  EXPECT_TRUE(has_arrived);
  EXPECT_EQ(lease_->record.holder, "");
}

TEST_F(LeaderElectionTest, LettingGoAfterARenewalThatFailedReadsTheLeaseFirst) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  failing_ = 500;
  ASSERT_TRUE(Await([&] { return !a.problems.empty(); }));
  failing_ = 0;
  bool released = false;
  a.election.Release([&] { released = true; });
  ASSERT_TRUE(Await([&] { return released; }));
  EXPECT_EQ(lease_->record.holder, "");
}

TEST_F(LeaderElectionTest, LettingGoEndsThoughTheServerIsSilent) {
  Candidate a(loop_, clock_, server_.url(), "a");
  ASSERT_TRUE(Await([&] { return a.started; }));
  server_.on_request = [](const net::TestRequest&) {};
  bool released = false;
  a.election.Release([&] { released = true; });
  EXPECT_TRUE(Await([&] { return released; }));
}

TEST(LeaderElectionOptions, TimesThatDoNotFitTogetherAreNamed) {
  EXPECT_EQ(ErrorOf(Check({})), "no error");
  LeaderElectionOptions options;
  options.renew_deadline = options.lease_duration;
  EXPECT_THAT(ErrorOf(Check(options)),
              HasSubstr("lease-duration: 15 s, expected more than the renew-deadline"));
  options = {};
  options.retry_period = options.renew_deadline;
  EXPECT_THAT(ErrorOf(Check(options)), HasSubstr("renew-deadline: 10 s, expected more than 1.2 times"));
  options = {};
  options.retry_period = Duration{0};
  EXPECT_THAT(ErrorOf(Check(options)), HasSubstr("retry-period"));
  options = {};
  options.lock_name.clear();
  EXPECT_THAT(ErrorOf(Check(options)), HasSubstr("resource-name"));
}

}  // namespace
}  // namespace cadre::live
