// HttpApi against an HTTP/2 server in the test's own hand.
#include "live/http_api.h"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "live/loop_clock.h"
#include "net/http2_server_testing.h"

namespace cadre::live {
namespace {

using kube::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kJobSets = "/apis/jobset.x-k8s.io/v1alpha2";

std::string Pod(std::string_view name, int version) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"d","uid":"u-{}",)"
      R"("resourceVersion":"{}"}},"spec":{{"containers":[{{"name":"c"}}]}}}})",
      name, name, version);
}

std::string PodList(std::string_view items, int version, std::string_view after = "") {
  return fmt::format(
      R"({{"kind":"PodList","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})", version,
      after, items);
}

class HttpApiTest : public testing::Test {
 protected:
  static constexpr Duration kLong{20'000};

  HttpApiTest() {
    options_.ask_again = Duration{20};
    options_.on_problem = [this](const std::string& problem) { problems_.push_back(problem); };
    server_.on_request = [this](const net::TestRequest& request) { Serve(request); };
  }

  // Answers of the server by the beginning of the path; the first that fits. Others get 404.
  void Given(std::string path, int status, std::string body) {
    answers_.push_back({std::move(path), status, std::move(body)});
  }
  void Serve(const net::TestRequest& request) {
    for (const Prepared& answer : answers_) {
      if (!request.path.starts_with(answer.path)) continue;
      return server_.Answer(request, answer.status, {{"content-type", "application/json"}}, answer.body);
    }
    server_.Answer(request, 404, {}, "");
  }

  HttpApi& api() {
    if (!api_) api_.emplace(loop_, clock_, HttpApiLanes{pods_, others_, writes_}, options_);
    return *api_;
  }

  template <class Condition>
  [[nodiscard]] bool Until(Condition condition) {
    const Duration end = loop_.Now() + kLong;
    while (!condition() && loop_.Now() < end)
      loop_.RunOne(Duration{50});
    return condition();
  }

  Result<drive::ListResult> Listed(Kind kind) {
    std::optional<Result<drive::ListResult>> listed;
    api().List(kind, [&](Result<drive::ListResult> result) { listed = std::move(result); });
    if (!Until([&] { return listed.has_value(); })) return Err("the test has waited in vain");
    return *std::move(listed);
  }

  void Watch(Kind kind, std::uint64_t from) {
    handle_ =
        api().Watch(kind, from, [this](drive::WatchEvent event) { events_.push_back(std::move(event)); });
  }
  // The next watch that arrives stays open, for the test to feed.
  void HoldWatches() {
    server_.on_request = [this](const net::TestRequest& request) {
      if (request.path.find("watch=true") == std::string::npos) return Serve(request);
      server_.Begin(request, 200, {{"content-type", "application/json"}});
      stream_ = request;
    };
  }
  const drive::WatchEnd* End() const {
    return events_.empty() ? nullptr : std::get_if<drive::WatchEnd>(&events_.back());
  }

  drive::WriteResult Written(drive::What what) {
    std::optional<drive::WriteResult> written;
    drive::Effect effect;
    effect.what = std::move(what);
    api().Write("cadre-scheduler", effect, [&](drive::WriteResult result) { written = std::move(result); });
    if (Until([&] { return written.has_value(); })) return *std::move(written);
    drive::WriteResult none;
    none.outcome = drive::Outcome::kNotSent;
    return none;
  }

  struct Prepared {
    std::string path;
    int status;
    std::string body;
  };

  net::EventLoop loop_;
  LoopClock clock_{loop_};
  net::TestServer server_{loop_};
  net::Http2Client pods_{loop_, server_.url(), nullptr, {}};
  net::Http2Client others_{loop_, server_.url(), nullptr, {}};
  net::Http2Client writes_{loop_, server_.url(), nullptr, {}};
  HttpApiOptions options_;
  std::vector<Prepared> answers_;
  std::vector<std::string> problems_;
  std::vector<drive::WatchEvent> events_;
  std::optional<net::TestRequest> stream_;
  std::optional<HttpApi> api_;
  std::unique_ptr<drive::WatchHandle> handle_;
};

std::vector<std::string> NamesOf(const drive::ListResult& list) {
  std::vector<std::string> names;
  for (const kube::Object& object : list.objects)
    names.push_back(object.Meta().name);
  return names;
}

// ---- lists

TEST_F(HttpApiTest, ListsAllPages) {
  Given("/api/v1/pods?limit=500&continue=more", 200, PodList(Pod("b", 3), 9));
  Given("/api/v1/pods?limit=500", 200, PodList(Pod("a", 2), 9, "more"));
  const auto list = Listed(Kind::kPod);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(NamesOf(*list), ElementsAre("a", "b"));
  EXPECT_EQ(list->resource_version, 9U);
}

TEST_F(HttpApiTest, ListsInOneWhenThePagesHaveExpired) {
  Given("/api/v1/pods?limit=500&continue=more", 410, "");
  Given("/api/v1/pods?limit=500", 200, PodList(Pod("old", 2), 9, "more"));
  Given("/api/v1/pods", 200, PodList(Pod("new", 20), 30));
  const auto list = Listed(Kind::kPod);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(NamesOf(*list), ElementsAre("new"));
  EXPECT_EQ(list->resource_version, 30U);
}

TEST_F(HttpApiTest, OneBadObjectDoesNotHideTheOthers) {
  Given("/api/v1/pods", 200,
        PodList(R"({"metadata":{"name":"bad"},"spec":{"containers":7}},)" + Pod("a", 2), 9));
  const auto list = Listed(Kind::kPod);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(NamesOf(*list), ElementsAre("a"));
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("list of pods: Pod bad")));
}

TEST_F(HttpApiTest, AListThatFailsSaysWhy) {
  Given("/api/v1/nodes", 500,
        R"({"kind":"Status","code":500,"reason":"InternalError","message":"etcd is away"})");
  const auto list = Listed(Kind::kNode);
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().message, "list of nodes: 500 InternalError: etcd is away");
}

TEST_F(HttpApiTest, AsksForProtobufWhereItReadsIt) {
  Given("/api/v1/pods", 200, PodList("", 1));
  Given("/api/v1/services", 200, R"({"metadata":{"resourceVersion":"1"},"items":[]})");
  ASSERT_TRUE(Listed(Kind::kPod));
  ASSERT_TRUE(Listed(Kind::kService));
  EXPECT_EQ(net::FindHeader(server_.requests[0].headers, "accept"),
            "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(net::FindHeader(server_.requests[1].headers, "accept"), "application/json");
}

// ---- kinds that may not be there

TEST_F(HttpApiTest, AKindThatIsNotServedIsAnEmptyList) {
  const auto list = Listed(Kind::kJobSet);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(list->objects, IsEmpty());
}

TEST_F(HttpApiTest, TakesTheNewestVersionThatIsServed) {
  Given("/apis/scheduling.k8s.io/v1alpha2/podgroups", 200,
        R"({"metadata":{"resourceVersion":"5"},"items":[]})");
  Given("/apis/scheduling.k8s.io/v1alpha2", 200, R"({"resources":[{"name":"podgroups"}]})");
  Given("/apis/scheduling.k8s.io/v1beta1", 200, R"({"resources":[{"name":"workloads"}]})");
  const auto list = Listed(Kind::kPodGroup);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->resource_version, 5U);
}

TEST_F(HttpApiTest, ItsWatchEndsForANewListWhenItIsServed) {
  ASSERT_TRUE(Listed(Kind::kJobSet));
  Watch(Kind::kJobSet, 0);
  Given(std::string(kJobSets), 200, R"({"resources":[{"name":"jobsets"}]})");
  ASSERT_TRUE(Until([&] { return End() != nullptr; }));
  EXPECT_TRUE(End()->expired);
}

TEST_F(HttpApiTest, AWatchOfACrdThatIsDeletedEndsForANewList) {
  Watch(Kind::kJobSet, 7);
  ASSERT_TRUE(Until([&] { return End() != nullptr; }));
  EXPECT_TRUE(End()->expired);
}

// ---- watches

TEST_F(HttpApiTest, AWatchHandsOverEventsAsTheyCome) {
  HoldWatches();
  Watch(Kind::kPod, 41);
  ASSERT_TRUE(Until([&] { return stream_.has_value(); }));
  EXPECT_THAT(stream_->path, HasSubstr("resourceVersion=41"));
  EXPECT_THAT(stream_->path, HasSubstr("timeoutSeconds=450"));
  server_.Chunk(*stream_, R"({"type":"ADDED","object":)" + Pod("a", 42) + "}\n");
  ASSERT_TRUE(Until([&] { return events_.size() == 1; }));
  EXPECT_EQ(std::get<drive::WatchChange>(events_[0]).object.Meta().name, "a");
  server_.Finish(*stream_);
  ASSERT_TRUE(Until([&] { return End() != nullptr; }));
  EXPECT_FALSE(End()->expired);
}

TEST_F(HttpApiTest, AWatchThatIsRefusedBecauseOfItsAgeIsExpired) {
  Given("/api/v1/pods", 410, "");
  Watch(Kind::kPod, 41);
  ASSERT_TRUE(Until([&] { return End() != nullptr; }));
  EXPECT_TRUE(End()->expired);
}

TEST_F(HttpApiTest, AWatchThatIsCutOffGoesOnLater) {
  HoldWatches();
  Watch(Kind::kPod, 41);
  ASSERT_TRUE(Until([&] { return stream_.has_value(); }));
  server_.CutConnections();
  ASSERT_TRUE(Until([&] { return End() != nullptr; }));
  EXPECT_FALSE(End()->expired);
}

TEST_F(HttpApiTest, LettingGoOfAWatchCancelsIt) {
  HoldWatches();
  Watch(Kind::kPod, 41);
  ASSERT_TRUE(Until([&] { return stream_.has_value(); }));
  handle_.reset();
  ASSERT_TRUE(Until([&] { return server_.cancelled == 1; }));
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(HttpApiTest, AWatchMayBeLetGoOfFromItsOwnEvent) {
  HoldWatches();
  handle_ = api().Watch(Kind::kPod, 41, [this](drive::WatchEvent event) {
    events_.push_back(std::move(event));
    handle_.reset();
  });
  ASSERT_TRUE(Until([&] { return stream_.has_value(); }));
  const std::string line = R"({"type":"ADDED","object":)" + Pod("a", 42) + "}\n";
  server_.Chunk(*stream_, line + line);
  ASSERT_TRUE(Until([&] { return server_.cancelled == 1; }));
  EXPECT_THAT(events_, SizeIs(1));
}

TEST_F(HttpApiTest, AnErrorInTheStreamIsItsEnd) {
  HoldWatches();
  Watch(Kind::kPod, 41);
  ASSERT_TRUE(Until([&] { return stream_.has_value(); }));
  server_.Chunk(*stream_, R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})"
                          "\n");
  ASSERT_TRUE(Until([&] { return End() != nullptr; }));
  EXPECT_TRUE(End()->expired);
  EXPECT_THAT(events_, SizeIs(1));
}

// ---- writes

TEST_F(HttpApiTest, AWriteNamesItsWriterAndIsAnswered) {
  Given("/api/v1/namespaces/d/pods/a/binding", 201, R"({"kind":"Status","status":"Success"})");
  const auto result = Written(drive::Bind{{Kind::kPod, "d", "a"}, "n1", {}});
  EXPECT_EQ(result.outcome, drive::Outcome::kDone);
  EXPECT_EQ(net::FindHeader(server_.requests.back().headers, "user-agent"), "cadre-scheduler");
}

TEST_F(HttpApiTest, AWriteWhoseAnswerIsLostIsUnknown) {
  server_.on_request = [this](const net::TestRequest&) { server_.CutConnections(); };
  EXPECT_EQ(Written(drive::Bind{{Kind::kPod, "d", "a"}, "n1", {}}).outcome, drive::Outcome::kUnknown);
}

TEST_F(HttpApiTest, SaysWhenTheTokenIsNotGoodAnyMore) {
  int refused = 0;
  options_.on_unauthorized = [&] { ++refused; };
  Given("/api/v1", 401, "");
  EXPECT_FALSE(Listed(Kind::kPod));
  EXPECT_EQ(Written(drive::Bind{{Kind::kPod, "d", "a"}, "n1", {}}).outcome, drive::Outcome::kRetryable);
  EXPECT_EQ(refused, 2);
}

TEST_F(HttpApiTest, NothingIsCalledOnceItIsGone) {
  server_.on_request = [](const net::TestRequest&) {};
  bool called = false;
  api().List(Kind::kPod, [&](const Result<drive::ListResult>&) { called = true; });
  ASSERT_TRUE(Until([&] { return !server_.requests.empty(); }));
  api_.reset();
  server_.Answer(server_.requests.front(), 200, {}, PodList("", 1));
  std::optional<net::RequestEnd> other;
  server_.on_request = [this](const net::TestRequest& request) { server_.Answer(request, 200, {}, "ok"); };
  net::Request request;
  request.path = "/";
  pods_.Send(request, [&](net::RequestEnd end) { other = std::move(end); });
  ASSERT_TRUE(Until([&] { return other.has_value(); }));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace cadre::live
