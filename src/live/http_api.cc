#include "live/http_api.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "live/list_page.h"
#include "live/rest.h"
#include "live/watch_stream.h"

namespace cadre::live {
namespace {

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

bool IsProtobuf(std::span<const net::Header> headers) {
  return net::FindHeader(headers, "content-type").starts_with(kProtobuf);
}

}  // namespace

// ---- lists

struct HttpApi::Listing {
  kube::Kind kind{};
  std::string version;
  std::string after;   // the continue token; empty: the first page
  bool whole = false;  // without pages: the token has expired once
  drive::ListResult result;
  std::function<void(Result<drive::ListResult>)> done;
};

HttpApi::HttpApi(net::EventLoop& loop, const drive::Clock& clock, HttpApiLanes lanes, HttpApiOptions options)
    : loop_(loop),
      clock_(clock),
      lanes_(lanes),
      options_(std::move(options)),
      versions_(loop, lanes.others) {}

HttpApi::~HttpApi() = default;

net::Http2Client& HttpApi::LaneOf(kube::Kind kind) {
  return kind == kube::Kind::kPod ? lanes_.pods : lanes_.others;
}

std::string HttpApi::AcceptOf(kube::Kind kind) const {
  return options_.protobuf && kube::HasProtobuf(kind) ? fmt::format("{},application/json", kProtobuf)
                                                      : "application/json";
}

void HttpApi::Problem(const std::string& what) const {
  if (options_.on_problem) options_.on_problem(what);
}

void HttpApi::Look(const net::RequestEnd& end) const {
  if (end && end->status == kUnauthorized && options_.on_unauthorized) options_.on_unauthorized();
}

void HttpApi::List(kube::Kind kind, std::function<void(Result<drive::ListResult>)> done) {
  auto listing = std::make_shared<Listing>();
  listing->kind = kind;
  listing->done = std::move(done);
  versions_.Find(kind, [this, listing, alive = std::weak_ptr(alive_)](Result<std::string> version) {
    if (alive.expired()) return;
    if (!version) return listing->done(std::unexpected(std::move(version).error()));
    if (version->empty()) return listing->done(drive::ListResult{});
    listing->version = *std::move(version);
    ListPage(listing);
  });
}

void HttpApi::ListPage(const std::shared_ptr<Listing>& listing) {
  const std::int64_t limit = listing->whole ? 0 : options_.objects_per_page;
  net::Request request;
  request.path = live::ListPage(listing->kind, listing->version, limit, listing->after).path;
  request.headers = {{"accept", AcceptOf(listing->kind)}};
  request.timeout = options_.page_timeout;
  // A list that could not be had in pages comes as one.
  if (listing->whole) request.max_body_bytes = std::size_t{4} << 30U;
  LaneOf(listing->kind)
      .Send(std::move(request), [this, listing, alive = std::weak_ptr(alive_)](net::RequestEnd end) {
        if (!alive.expired()) TakePage(listing, std::move(end));
      });
}

void HttpApi::TakePage(const std::shared_ptr<Listing>& listing, net::RequestEnd end) {
  Look(end);
  const std::string_view plural = kube::Info(listing->kind).plural;
  if (!end) return listing->done(Err("list of {}: {}", plural, end.error().message));
  // Etcd has compacted the version that the pages are of.
  if (end->status == kGone && !listing->after.empty()) {
    listing->after.clear();
    listing->whole = true;
    listing->result = {};
    return ListPage(listing);
  }
  if (end->status != kOk) return listing->done(Err("list of {}: {}", plural, Words(end->status, end->body)));
  Result<kube::ObjectList> page = IsProtobuf(end->headers) ? kube::DecodeProtobufList(end->body)
                                                           : DecodeJsonList(listing->kind, end->body);
  if (!page) return listing->done(Err("list of {}: {}", plural, page.error().message));
  for (const Error& unreadable : page->unreadable)
    Problem(fmt::format("list of {}: {}; it is left out", plural, unreadable.message));
  std::ranges::move(page->items, std::back_inserter(listing->result.objects));
  listing->result.resource_version = page->metadata.resource_version;
  listing->after = std::move(page->metadata.continue_token);
  if (!listing->after.empty()) return ListPage(listing);
  listing->done(std::move(listing->result));
}

// ---- watches

// One stream. Its request is cancelled when it is let go.
class HttpApi::Stream : public drive::WatchHandle {
 public:
  Stream(HttpApi& api, kube::Kind kind, std::function<void(drive::WatchEvent)> on_event)
      : api_(api), kind_(kind), on_event_(std::move(on_event)), client_(api.LaneOf(kind)) {}

  ~Stream() override {
    if (!ended_) client_.Cancel(request_);
  }

  void Open(std::string_view version, std::uint64_t from) {
    const HttpApiOptions& options = api_.options_;
    const double share = options.jitter ? options.jitter() : 0.5;
    const auto spread = static_cast<double>((options.watch_at_most - options.watch_at_least).count());
    const Duration length = options.watch_at_least + Duration{static_cast<std::int64_t>(spread * share)};
    net::Request request;
    request.path = WatchFrom(kind_, version, from, length).path;
    request.headers = {{"accept", api_.AcceptOf(kind_)}};
    // The server ends it first; this is for one that forgets.
    request.timeout = length + options.page_timeout;
    request.head_timeout = options.watch_head_timeout;
    const auto alive = std::weak_ptr(alive_);
    request.on_head = [this, alive](const net::ResponseHead& head) {
      if (!alive.expired()) stream_.emplace(kind_, IsProtobuf(head.headers));
    };
    request.on_data = [this, alive](std::string_view piece) {
      if (!alive.expired()) Take(piece);
    };
    request_ = client_.Send(std::move(request), [this, alive](net::RequestEnd end) {
      if (!alive.expired()) TakeEnd(std::move(end));
    });
  }

 private:
  void Take(std::string_view piece) {
    if (ended_ || !stream_) return;
    std::vector<drive::WatchEvent> events = stream_->Append(piece);
    for (const std::string& problem : stream_->TakeProblems())
      api_.Problem(problem);
    const auto alive = std::weak_ptr(alive_);
    for (drive::WatchEvent& event : events) {
      if (std::holds_alternative<drive::WatchEnd>(event)) {
        ended_ = true;
        client_.Cancel(request_);
      }
      on_event_(std::move(event));
      if (alive.expired()) return;  // it has let go of this stream
    }
  }

  void TakeEnd(net::RequestEnd end) {
    if (std::exchange(ended_, true)) return;
    api_.Look(end);
    const std::string_view plural = kube::Info(kind_).plural;
    drive::WatchEnd over;
    if (!end) {
      over.reason = fmt::format("watch of {}: {}", plural, end.error().message);
    } else if (end->status == kOk) {
      over.reason = fmt::format("watch of {}: the server ended it", plural);
    } else {
      // Not found: the CRD is gone, or another version is served now. The list finds out.
      over.expired = end->status == kGone || end->status == kNotFound;
      over.reason = fmt::format("watch of {}: {}", plural, Words(end->status, end->body));
    }
    on_event_(std::move(over));
  }

  HttpApi& api_;
  kube::Kind kind_;
  std::function<void(drive::WatchEvent)> on_event_;
  net::Http2Client& client_;
  net::RequestId request_{};
  std::optional<WatchStream> stream_;
  bool ended_ = false;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

// Instead of the watch of a kind that is not served: asks whether it is, until it is.
class HttpApi::Question : public drive::WatchHandle {
 public:
  Question(HttpApi& api, kube::Kind kind, std::function<void(drive::WatchEvent)> on_event)
      : api_(api), kind_(kind), on_event_(std::move(on_event)) {
    AskLater();
  }
  ~Question() override { api_.loop_.Cancel(timer_); }

 private:
  void AskLater() {
    timer_ = api_.loop_.CallAfter(api_.options_.ask_again, [this] {
      api_.versions_.Find(kind_, [this, alive = std::weak_ptr(alive_)](const Result<std::string>& version) {
        if (!alive.expired()) Answered(version);
      });
    });
  }

  void Answered(const Result<std::string>& version) {
    if (!version || version->empty()) return AskLater();
    on_event_(drive::WatchEnd{.expired = true,
                              .reason = fmt::format("{} are served now", kube::Info(kind_).plural)});
  }

  HttpApi& api_;
  kube::Kind kind_;
  std::function<void(drive::WatchEvent)> on_event_;
  net::EventLoop::Timer timer_{};
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

std::unique_ptr<drive::WatchHandle> HttpApi::Watch(kube::Kind kind, std::uint64_t from,
                                                   std::function<void(drive::WatchEvent)> on_event) {
  const std::string_view version = versions_.Of(kind);
  if (version.empty()) return std::make_unique<Question>(*this, kind, std::move(on_event));
  auto stream = std::make_unique<Stream>(*this, kind, std::move(on_event));
  stream->Open(version, from);
  return stream;
}

// ---- writes

void HttpApi::Write(std::string_view user, const drive::Effect& effect,
                    std::function<void(drive::WriteResult)> done) {
  const std::string_view known = versions_.Of(KindOf(effect));
  const std::string_view version = known.empty() ? kube::Info(KindOf(effect)).version : known;
  RestRequest rest = WriteOf(user, effect, version, clock_.Now());
  net::Request request;
  request.method = std::move(rest.method);
  request.path = std::move(rest.path);
  request.headers = {{"accept", "application/json"},
                     {"content-type", std::move(rest.content_type)},
                     {"user-agent", std::string(user)}};
  request.body = std::move(rest.body);
  request.priority = static_cast<int>(effect.lane);
  request.timeout = options_.write_timeout;
  lanes_.writes.Send(std::move(request), [this, effect, done = std::move(done),
                                          alive = std::weak_ptr(alive_)](const net::RequestEnd& end) {
    if (alive.expired()) return;
    Look(end);
    done(ResultOf(effect, end));
  });
}

}  // namespace cadre::live
