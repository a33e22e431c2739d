// Requests and responses on connections that work. http2_client_failure_test.cc has the others.
#include "net/http2_client.h"

#include "net/http2_client_testing.h"

namespace cadre::net {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Http2Request : public Http2ClientTest {};

TEST_F(Http2Request, BringsStatusHeadersAndBody) {
  Start();
  server_->on_request = [&](const TestRequest& request) {
    server_->Answer(request, 404, {{"content-type", "application/json"}, {"audit-id", "a-1"}}, "{}");
  };
  const RequestEnd end = Ask(Get("/api/v1/pods?limit=1"));
  ASSERT_THAT(end, IsResponse(404, "{}"));
  EXPECT_EQ(FindHeader(end->headers, "content-type"), "application/json");
  EXPECT_EQ(FindHeader(end->headers, "audit-id"), "a-1");
}

TEST_F(Http2Request, CarriesMethodPathHeadersAndBody) {
  Start();
  Request request = Post("/api/v1/namespaces/a/pods", "{\"kind\":\"Pod\"}");
  request.headers = {{"content-type", "application/json"}};
  ASSERT_THAT(Ask(request), IsResponse(200, "ok"));
  ASSERT_THAT(server_->requests, SizeIs(1));
  const TestRequest& got = server_->requests[0];
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.path, "/api/v1/namespaces/a/pods");
  EXPECT_EQ(got.body, "{\"kind\":\"Pod\"}");
  EXPECT_EQ(got.authority, server_->url().Authority());
  EXPECT_THAT(got.headers,
              AllOf(Contains(Header{"content-type", "application/json"}),
                    Contains(Header{"content-length", "14"}), Contains(Header{"user-agent", "cadre"})));
}

TEST_F(Http2Request, GoesBehindThePathOfTheUrl) {
  StartServer();
  Url url = server_->url();
  url.path = "/k8s/clusters/c-1";
  client_ = std::make_unique<Http2Client>(loop_, url, nullptr, options_);
  ASSERT_THAT(Ask(Get("/api")), IsResponse(200, "ok"));
  EXPECT_EQ(server_->requests[0].path, "/k8s/clusters/c-1/api");
}

TEST_F(Http2Request, MayReplaceTheUserAgent) {
  Start();
  Request request = Get("/");
  request.headers = {{"user-agent", "cadre-scheduler"}};
  ASSERT_THAT(Ask(request), IsResponse(200, "ok"));
  EXPECT_THAT(server_->requests[0].headers, AllOf(Contains(Header{"user-agent", "cadre-scheduler"}),
                                                  Not(Contains(Header{"user-agent", "cadre"}))));
}

TEST_F(Http2Request, GetsTheCredentialOfItsOwnTime) {
  int asked = 0;
  options_.authorization = [&] { return "Bearer " + std::to_string(++asked); };
  Start();
  ASSERT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  ASSERT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  EXPECT_THAT(server_->requests[0].headers, Contains(Header{"authorization", "Bearer 1"}));
  EXPECT_THAT(server_->requests[1].headers, Contains(Header{"authorization", "Bearer 2"}));
}

TEST_F(Http2Request, IsNotSentWithoutACredential) {
  options_.authorization = []() -> Result<std::string> { return Err("the token file is empty"); };
  Start();
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "the token file is empty"));
  EXPECT_THAT(server_->requests, IsEmpty());
}

TEST_F(Http2Request, IsNotSentWithACredentialThatCouldBecomeAnotherHeader) {
  options_.authorization = [] { return "Bearer a\r\nimpersonate-user: admin"; };
  Start();
  const RequestEnd end = Ask(Get("/"));
  EXPECT_THAT(end, IsFailure(FailureKind::kNotSent, false, "no credential"));
  EXPECT_THAT(end.error().message, Not(HasSubstr("Bearer")));
}

TEST_F(Http2Request, IsNotSentWithAnInvalidHeader) {
  Start();
  Request request = Get("/");
  request.headers = {{"x-a", "b\r\nc: d"}};
  EXPECT_THAT(Ask(request), IsFailure(FailureKind::kNotSent, false, "x-a"));
}

TEST_F(Http2Request, IsNeverAnsweredFromInsideTheCall) {
  Start();
  Request invalid = Get("no slash");
  Answered answered;
  client_->Send(invalid, answered.Here());
  EXPECT_FALSE(answered.has_value());
  EXPECT_THAT(Wait(answered), IsFailure(FailureKind::kNotSent, false, "path"));
}

TEST_F(Http2Request, SharesItsConnectionWithTheNext) {
  Start();
  for (int i = 0; i < 5; ++i)
    ASSERT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  EXPECT_EQ(server_->accepted(), 1U);
}

TEST_F(Http2Request, CarriesLargeBodiesBothWays) {
  Start();
  server_->on_request = [&](const TestRequest& request) { server_->Answer(request, 200, {}, request.body); };
  std::string body(5'000'000, 'x');  // beyond all windows of the standard, and that of a stream
  for (std::size_t i = 0; i < body.size(); i += 1'000)
    body[i] = static_cast<char>('a' + i / 1'000 % 26);
  const RequestEnd end = Ask(Post("/", body));
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->body == body);
}

TEST_F(Http2Request, BringsA429WithItsRetryAfter) {
  Start();
  server_->on_request = [&](const TestRequest& request) {
    server_->Answer(request, 429, {{"retry-after", "2"}}, "too many");
  };
  const RequestEnd end = Ask(Get("/"));
  ASSERT_THAT(end, IsResponse(429, "too many"));
  EXPECT_EQ(RetryAfter(end->headers), Duration{2'000});
}

TEST_F(Http2Request, GetsItsOwnAnswerAmongMany) {
  Start();
  server_->on_request = [&](const TestRequest& request) { server_->Answer(request, 200, {}, request.path); };
  std::vector<Answered> answers(300);  // three times what the server allows at a time
  for (std::size_t i = 0; i < answers.size(); ++i)
    client_->Send(Get("/" + std::to_string(i)), answers[i].Here());
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_THAT(Wait(answers[i]), IsResponse(200, "/" + std::to_string(i)));
  Settle();
  EXPECT_THAT(answers, testing::Each(testing::Field(&Answered::ends, SizeIs(1))));
  EXPECT_EQ(client_->counters().in_flight, 0U);
}

// --- Streams

class Http2Stream : public Http2ClientTest {
 protected:
  Request Watch() {
    Request request = Get("/watch");
    request.on_head = [this](const ResponseHead& head) { seen_.push_back(std::to_string(head.status)); };
    request.on_data = [this](std::string_view data) { seen_.emplace_back(data); };
    return request;
  }
  void StartWatch(Request request) {
    Start();
    HoldRequests();
    id_ = client_->Send(std::move(request), end_.Here());
    ASSERT_TRUE(UntilRequests(1));
  }
  [[nodiscard]] bool UntilSeen(std::size_t count) {
    return Until([&] { return seen_.size() >= count; });
  }
  const TestRequest& watch() const { return server_->requests[0]; }

  RequestId id_{};
  Answered end_;
  std::vector<std::string> seen_;
};

TEST_F(Http2Stream, DeliversTheHeadAndEachPieceAsItComes) {
  StartWatch(Watch());
  server_->Begin(watch(), 200);
  ASSERT_TRUE(UntilSeen(1));
  server_->Chunk(watch(), "one\n");
  ASSERT_TRUE(UntilSeen(2));
  server_->Chunk(watch(), "two\n");
  ASSERT_TRUE(UntilSeen(3));
  EXPECT_FALSE(end_.has_value());
  server_->Finish(watch());
  EXPECT_THAT(Wait(end_), IsResponse(200, ""));
  EXPECT_THAT(seen_, ElementsAre("200", "one\n", "two\n"));
}

TEST_F(Http2Stream, CollectsTheBodyOfAnErrorInsteadOfStreamingIt) {
  StartWatch(Watch());
  server_->Answer(watch(), 410, {}, "too old");
  EXPECT_THAT(Wait(end_), IsResponse(410, "too old"));
  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(Http2Stream, IsNotBoundedInItsLength) {
  Request request = Watch();
  request.max_body_bytes = 10;
  StartWatch(std::move(request));
  server_->Begin(watch(), 200);
  server_->Chunk(watch(), "longer than ten bytes");
  server_->Finish(watch());
  EXPECT_THAT(Wait(end_), IsResponse(200, ""));
}

TEST_F(Http2Stream, EndsAtItsDeadlineHoweverBusy) {
  Request request = Watch();
  request.timeout = Duration{300};
  StartWatch(std::move(request));
  server_->Begin(watch(), 200);
  EXPECT_THAT(Wait(end_), IsFailure(FailureKind::kDeadline, true, "300 ms"));
  EXPECT_TRUE(Until([&] { return server_->cancelled == 1; }));
}

TEST_F(Http2Stream, EndsWhenItsHeadIsLate) {
  Request request = Watch();
  request.head_timeout = Duration{300};
  StartWatch(std::move(request));
  EXPECT_THAT(Wait(end_), IsFailure(FailureKind::kDeadline, true, "300 ms"));
}

TEST_F(Http2Stream, GoesOnAfterItsHeadBeyondTheTimeForThat) {
  Request request = Watch();
  request.head_timeout = Duration{1'000};
  StartWatch(std::move(request));
  server_->Begin(watch(), 200);
  ASSERT_TRUE(UntilSeen(1));
  bool later = false;
  loop_.CallAfter(Duration{1'050}, [&] { later = true; });
  ASSERT_TRUE(Until([&] { return later; }));
  EXPECT_FALSE(end_.has_value());
}

TEST_F(Http2Stream, SaysNothingMoreAfterItWasCancelled) {
  StartWatch(Watch());
  server_->Begin(watch(), 200);
  ASSERT_TRUE(UntilSeen(1));
  server_->Chunk(watch(), "under way");
  client_->Cancel(id_);
  EXPECT_FALSE(end_.has_value());
  EXPECT_THAT(Wait(end_), IsFailure(FailureKind::kCancelled, true, "cancelled"));
  ASSERT_TRUE(Until([&] { return server_->cancelled == 1; }));
  Settle();
  EXPECT_THAT(seen_, ElementsAre("200"));
  EXPECT_THAT(end_.ends, SizeIs(1));
}

TEST_F(Http2Stream, MayBeCancelledFromItsOwnData) {
  Request request = Watch();
  request.on_data = [this](std::string_view data) {
    seen_.emplace_back(data);
    client_->Cancel(id_);
  };
  StartWatch(std::move(request));
  server_->Begin(watch(), 200);
  server_->Chunk(watch(), "first");
  EXPECT_THAT(Wait(end_), IsFailure(FailureKind::kCancelled, true, ""));
}

TEST_F(Http2Stream, MayDestroyTheClientFromItsOwnData) {
  Request request = Watch();
  request.on_data = [this](std::string_view data) {
    seen_.emplace_back(data);
    client_.reset();
  };
  StartWatch(std::move(request));
  server_->Begin(watch(), 200);
  server_->Chunk(watch(), "first");
  ASSERT_TRUE(UntilSeen(2));
  ASSERT_TRUE(Until([&] { return server_->open() == 0; }));
  EXPECT_FALSE(end_.has_value());
}

// --- Order and bounds

class Http2Queue : public Http2ClientTest {
 protected:
  void SendNamed(const std::string& name, int priority) {
    Request request = Get("/" + name);
    request.priority = priority;
    client_->Send(std::move(request), answered_.Here());
  }
  std::vector<std::string> PathsSeen() const {
    std::vector<std::string> paths;
    for (const TestRequest& request : server_->requests)
      paths.push_back(request.path);
    return paths;
  }
  Answered answered_;
};

TEST_F(Http2Queue, KeepsToTheServersLimitOfStreams) {
  Start({.max_concurrent_streams = 2});
  HoldRequests();
  for (int i = 0; i < 4; ++i)
    SendNamed(std::to_string(i), 0);
  ASSERT_TRUE(UntilRequests(2));
  Settle();
  EXPECT_THAT(PathsSeen(), ElementsAre("/0", "/1"));
  server_->Answer(server_->requests[0], 200, {}, "");
  ASSERT_TRUE(UntilRequests(3));
  EXPECT_EQ(PathsSeen().back(), "/2");
}

TEST_F(Http2Queue, SendsTheHighestPriorityFirst) {
  Start({.max_concurrent_streams = 1});
  SendNamed("low", 7);
  SendNamed("middle", 3);
  SendNamed("high", 0);
  SendNamed("high-later", 0);
  ASSERT_TRUE(UntilRequests(4));
  EXPECT_THAT(PathsSeen(), ElementsAre("/high", "/high-later", "/middle", "/low"));
}

TEST_F(Http2Queue, SendsMoreWhenTheServerAllowsMore) {
  Start({.max_concurrent_streams = 1});
  HoldRequests();
  SendNamed("a", 0);
  SendNamed("b", 0);
  ASSERT_TRUE(UntilRequests(1));
  server_->LimitStreams(2);
  EXPECT_TRUE(UntilRequests(2));
}

TEST_F(Http2Queue, RefusesRequestsBeyondItsBound) {
  options_.max_waiting = 2;
  Start();
  Answered third;
  SendNamed("a", 0);
  SendNamed("b", 0);
  client_->Send(Get("/c"), third.Here());
  EXPECT_THAT(Wait(third), IsFailure(FailureKind::kNotSent, false, "2 requests"));
  EXPECT_TRUE(Until([&] { return answered_.ends.size() == 2; }));
}

TEST_F(Http2Queue, RefusesBodiesBeyondItsBound) {
  options_.max_request_bytes = 10;
  Start();
  EXPECT_THAT(Ask(Post("/", "eleven byte")), IsFailure(FailureKind::kNotSent, false, "10 B"));
  EXPECT_THAT(Ask(Post("/", "ten bytes.")), IsResponse(200, "ok"));
  EXPECT_THAT(Ask(Post("/", "ten bytes.")), IsResponse(200, "ok"));  // the first has given its bytes back
}

TEST_F(Http2Queue, ForgetsARequestThatIsCancelledBeforeItIsSent) {
  Start({.max_concurrent_streams = 1});
  HoldRequests();
  SendNamed("a", 0);
  Answered cancelled;
  const RequestId id = client_->Send(Get("/b"), cancelled.Here());
  ASSERT_TRUE(UntilRequests(1));
  client_->Cancel(id);
  EXPECT_THAT(Wait(cancelled), IsFailure(FailureKind::kCancelled, false, ""));
  server_->Answer(server_->requests[0], 200, {}, "");
  SendNamed("c", 0);
  ASSERT_TRUE(UntilRequests(2));
  EXPECT_THAT(PathsSeen(), ElementsAre("/a", "/c"));
}

TEST_F(Http2Queue, UsesThePlaceOfACancelledRequestForTheNext) {
  Start({.max_concurrent_streams = 1});
  HoldRequests();
  const RequestId first = client_->Send(Get("/a"), answered_.Here());
  SendNamed("b", 0);
  ASSERT_TRUE(UntilRequests(1));
  client_->Cancel(first);
  EXPECT_TRUE(UntilRequests(2));
}

}  // namespace
}  // namespace cadre::net
