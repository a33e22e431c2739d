// Connections that fail, servers that misbehave, and what becomes of the requests.
#include <nghttp2/nghttp2.h>

#include "net/http2_client_testing.h"

namespace cadre::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Quick pauses, as each test waits for them.
class Http2Failure : public Http2ClientTest {
 protected:
  Http2Failure() {
    options_.backoff_first = Duration{2};
    options_.backoff_most = Duration{8};
  }
  // Sends a request that the server holds.
  void SendHeld(const std::string& path = "/held") {
    HoldRequests();
    client_->Send(Get(path), held_.Here());
    ASSERT_TRUE(UntilRequests(1));
  }
  const TestRequest& first() const { return server_->requests[0]; }
  void AnswerRequests() {
    server_->on_request = [&](const TestRequest& request) { server_->Answer(request, 200, {}, "ok"); };
  }

  Answered held_;
};

// --- No connection

TEST_F(Http2Failure, OfEveryAttemptEndsAWaitingRequestAsNotSent) {
  options_.connect_attempts = 3;
  Start();
  server_->StopListening();
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "refused"));
  EXPECT_EQ(client_->counters().failed_connections, 3U);
}

TEST_F(Http2Failure, OfTheNameIsExplained) {
  options_.connect_attempts = 1;
  client_ =
      std::make_unique<Http2Client>(loop_, Url{false, "no-such-host.invalid", 80, ""}, nullptr, options_);
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "no-such-host.invalid"));
}

TEST_F(Http2Failure, ToAnswerSettingsInTimeCountsAsNoConnection) {
  options_.connect_timeout = Duration{30};
  options_.connect_attempts = 1;
  Start({.says_nothing = true});
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "within 30 ms"));
}

TEST_F(Http2Failure, ToSpeakHttp2CountsAsNoConnection) {
  options_.connect_attempts = 1;
  Start({.raw_reply = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"});
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "HTTP/2 error"));
}

TEST_F(Http2Failure, ToConnectBeforeTheDeadlineIsNotSentAndSaysWhy) {
  options_.connect_attempts = 1'000'000;
  Start();
  server_->StopListening();
  Request request = Get("/");
  request.timeout = Duration{300};
  EXPECT_THAT(Ask(request), IsFailure(FailureKind::kDeadline, false, "refused"));
}

TEST_F(Http2Failure, PausesDoubleUpToTheirBoundWithJitterTakenFromThem) {
  // Each pause is at least half of its length: 20, 40, 80, 80 ms, and with this source exactly that half.
  options_.jitter = [] { return 0.0; };
  options_.backoff_first = Duration{20};
  options_.backoff_most = Duration{80};
  options_.connect_attempts = 5;
  Start();
  server_->StopListening();
  const Duration start = loop_.Now();
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kNotSent, false, "refused"));
  EXPECT_GE(loop_.Now() - start, Duration{10 + 20 + 40 + 40 - 4});  // each may seem a millisecond shorter
}

// --- A connection that is lost

TEST_F(Http2Failure, OfTheConnectionLeavesASentRequestUnknown) {
  Start();
  SendHeld();
  server_->CutConnections();
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, "closed the connection"));
}

TEST_F(Http2Failure, OfTheConnectionMidBodyIsNeverAResponse) {
  Start();
  SendHeld();
  server_->Begin(first(), 200, {{"content-length", "1000"}});
  server_->Chunk(first(), "half");
  Settle();
  server_->CutConnections();
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, ""));
}

TEST_F(Http2Failure, OfOneConnectionIsFollowedByAnother) {
  Start();
  ASSERT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  server_->CutConnections();
  ASSERT_TRUE(Until([&] { return server_->open() == 0; }));
  Settle();
  EXPECT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  EXPECT_EQ(client_->counters().connections, 2U);
}

TEST_F(Http2Failure, OfTheConnectionSendsWaitingRequestsOnTheNext) {
  Start({.max_concurrent_streams = 1});
  SendHeld();
  Answered waiting;
  client_->Send(Get("/waiting"), waiting.Here());
  Settle();
  AnswerRequests();
  server_->CutConnections();
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, ""));
  EXPECT_THAT(Wait(waiting), IsResponse(200, "ok"));
  EXPECT_THAT(server_->requests, SizeIs(2));  // the lost one is not among those that were sent again
}

// --- GOAWAY

TEST_F(Http2Failure, AfterGoawayRequestsAboveItsLastStreamAreSentAgainOnANewConnection) {
  Start();
  SendHeld();
  Answered unprocessed;
  client_->Send(Get("/unprocessed"), unprocessed.Here());
  ASSERT_TRUE(UntilRequests(2));
  AnswerRequests();
  server_->Goaway(first().stream);
  EXPECT_THAT(Wait(unprocessed), IsResponse(200, "ok"));
  EXPECT_EQ(server_->requests.back().connection, 1U);
  EXPECT_EQ(client_->counters().repetitions, 1U);
  EXPECT_FALSE(held_.has_value());
}

TEST_F(Http2Failure, AfterGoawayRequestsBelowItsLastStreamAreFinishedOnTheOldConnection) {
  Start();
  SendHeld();
  server_->Goaway();
  AnswerRequests();
  EXPECT_THAT(Ask(Get("/new")), IsResponse(200, "ok"));
  EXPECT_EQ(server_->requests.back().connection, 1U);
  EXPECT_EQ(server_->open(), 2U);
  server_->Answer(first(), 200, {}, "late");
  EXPECT_THAT(Wait(held_), IsResponse(200, "late"));
  EXPECT_TRUE(Until([&] { return server_->open() == 1; }));
}

TEST_F(Http2Failure, AfterGoawayTheIdleConnectionIsClosedAndReplaced) {
  Start();
  ASSERT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  server_->Goaway();
  ASSERT_TRUE(Until([&] { return server_->open() == 0; }));
  EXPECT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  EXPECT_EQ(server_->accepted(), 2U);
}

TEST_F(Http2Failure, OfAServerThatAlwaysGoesAwayIsBounded) {
  options_.connect_attempts = 3;
  Start({.goes_away_at_once = true});
  HoldRequests();
  const RequestEnd end = Ask(Get("/"));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, FailureKind::kNotSent);
  EXPECT_EQ(server_->accepted(), 3U);
}

TEST_F(Http2Failure, CutsOffTheOldestOfTooManyConnectionsThatDrain) {
  options_.max_draining = 1;
  Start();
  SendHeld();
  server_->Goaway();
  Answered second;
  client_->Send(Get("/second"), second.Here());
  ASSERT_TRUE(UntilRequests(2));
  server_->Begin(server_->requests[1], 200);
  Settle();
  server_->Goaway();
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, "too many connections"));
  EXPECT_FALSE(second.has_value());
}

// --- Streams that the server ends

TEST_F(Http2Failure, WithRefusedStreamIsNotSentAndLeftToTheCaller) {
  Start();
  SendHeld();
  server_->Reset(first(), NGHTTP2_REFUSED_STREAM);
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kNotSent, false, "REFUSED_STREAM"));
  EXPECT_THAT(server_->requests, SizeIs(1));
}

TEST_F(Http2Failure, WithAnyOtherResetIsUnknown) {
  Start();
  SendHeld();
  server_->Reset(first(), NGHTTP2_INTERNAL_ERROR);
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, "INTERNAL_ERROR"));
}

TEST_F(Http2Failure, WithAResetInTheMiddleOfTheBodyIsUnknownHoweverMildTheCode) {
  Start();
  SendHeld();
  server_->Begin(first(), 200);
  server_->Chunk(first(), "half");
  Settle();
  server_->Reset(first(), NGHTTP2_NO_ERROR);
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, "NO_ERROR"));
}

TEST_F(Http2Failure, OfOneStreamLeavesTheOthersAlone) {
  Start();
  SendHeld();
  Answered other;
  client_->Send(Get("/other"), other.Here());
  ASSERT_TRUE(UntilRequests(2));
  server_->Reset(first(), NGHTTP2_INTERNAL_ERROR);
  server_->Answer(server_->requests[1], 200, {}, "fine");
  EXPECT_THAT(Wait(other), IsResponse(200, "fine"));
}

// --- Responses that cannot be taken

TEST_F(Http2Failure, OfABodyBeyondItsLimitNamesTheLimit) {
  Start();
  server_->on_request = [&](const TestRequest& request) {
    server_->Answer(request, 200, {}, std::string(5'000, 'x'));
  };
  Request request = Get("/");
  request.max_body_bytes = 4'096;
  EXPECT_THAT(Ask(request), IsFailure(FailureKind::kTooLarge, true, "4 KiB"));
  request.max_body_bytes = 5'000;
  EXPECT_TRUE(Ask(request)) << "the limit itself is allowed, and the connection still works";
}

TEST_F(Http2Failure, OfHeadersBeyondTheirLimitNamesTheLimit) {
  options_.max_header_bytes = 1'024;
  Start();
  server_->on_request = [&](const TestRequest& request) {
    server_->Answer(request, 200, {{"x-long", std::string(2'000, 'x')}}, "");
  };
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kTooLarge, true, "1 KiB"));
}

TEST_F(Http2Failure, OfABodyThatIsNotAsLongAsItSaysIsABadResponse) {
  Start();
  server_->on_request = [&](const TestRequest& request) {
    server_->Answer(request, 200, {{"content-length", "10"}}, "short");
  };
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kBadResponse, true, "not valid"));
}

TEST_F(Http2Failure, OfAHeaderThatHttp2ForbidsIsABadResponse) {
  Start();
  server_->on_request = [&](const TestRequest& request) {
    server_->Answer(request, 200, {{"connection", "close"}}, "");
  };
  EXPECT_THAT(Ask(Get("/")), IsFailure(FailureKind::kBadResponse, true, "not valid"));
}

TEST_F(Http2Failure, AFloodOfPingsEndsTheConnectionAndNotTheProgram) {
  Start();
  SendHeld();
  server_->FloodWithPings(20'000);
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, "HTTP/2 error"));
}

// --- Time

TEST_F(Http2Failure, ToAnswerInTimeIsADeadlineAndTheServerIsTold) {
  Start();
  HoldRequests();
  Request request = Get("/slow");
  request.timeout = Duration{300};
  EXPECT_THAT(Ask(request), IsFailure(FailureKind::kDeadline, true, "GET /slow"));
  EXPECT_TRUE(Until([&] { return server_->cancelled == 1; }));
}

TEST_F(Http2Failure, OfADeadlineIsTheOnlyEndHoweverLateTheAnswer) {
  Start();
  HoldRequests();
  Request request = Get("/slow");
  request.timeout = Duration{300};
  client_->Send(request, held_.Here());
  ASSERT_TRUE(Until([&] { return held_.has_value(); }));
  server_->Answer(first(), 200, {}, "late");
  Settle();
  AnswerRequests();
  ASSERT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  EXPECT_THAT(held_.ends, SizeIs(1));
}

TEST_F(Http2Failure, ToAnswerAPingIsTheEndOfTheConnection) {
  options_.ping_after = Duration{200};
  options_.ping_timeout = Duration{100};
  Start({.answers_pings = false});
  SendHeld();
  EXPECT_THAT(Wait(held_), IsFailure(FailureKind::kUnknown, true, "PING within 100 ms"));
  EXPECT_EQ(server_->pings, 1U);
}

TEST_F(Http2Failure, DoesNotComeOfSilenceWhenPingsAreAnswered) {
  options_.ping_after = Duration{10};
  options_.ping_timeout = Duration{5'000};
  Start();
  SendHeld();
  ASSERT_TRUE(Until([&] { return server_->pings >= 3; }));
  EXPECT_FALSE(held_.has_value());
  EXPECT_EQ(server_->accepted(), 1U);
}

TEST_F(Http2Failure, OfAServerThatStopsReadingIsFoundByPing) {
  options_.ping_after = Duration{200};
  options_.ping_timeout = Duration{100};
  Start();
  ASSERT_THAT(Ask(Get("/")), IsResponse(200, "ok"));
  server_->StopReading();
  EXPECT_THAT(Ask(Post("/", std::string(3'000'000, 'x'))), IsFailure(FailureKind::kUnknown, true, "PING"));
}

// --- Ends of the client

TEST_F(Http2Failure, IsNotToldToRequestsOfAClientThatIsGone) {
  Start();
  SendHeld();
  client_.reset();
  ASSERT_TRUE(Until([&] { return server_->open() == 0; }));
  EXPECT_THAT(held_.ends, IsEmpty());
}

TEST_F(Http2Failure, MayDestroyTheClientFromTheEndOfARequest) {
  options_.connect_attempts = 1;
  Start();
  server_->StopListening();
  int ends = 0;
  for (int i = 0; i < 3; ++i) {
    client_->Send(Get("/"), [&](const RequestEnd&) {
      ++ends;
      client_.reset();
    });
  }
  ASSERT_TRUE(Until([&] { return ends > 0; }));
  Settle();
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace cadre::net
