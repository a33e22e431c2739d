#include "net/http2_client.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/text.h"
#include "net/http2_connection.h"
#include "net/transport.h"

namespace cadre::net {
namespace {

constexpr double kJitterWhenNoneIsGiven = 0.5;
constexpr int kMostDoublings = 30;  // far beyond any backoff_most

using Connection = std::shared_ptr<Http2Connection>;

// One request from Send to its end.
struct Pending {
  RequestId id{};
  Request request;
  std::function<void(RequestEnd)> done;
  Connection connection;  // null while it waits
  int sends = 0;
  int failed_connections = 0;  // seen while it waited
  std::optional<EventLoop::Timer> deadline;
  std::optional<EventLoop::Timer> head_deadline;
  Response response;

  StreamKey key() const { return StreamKey{static_cast<std::uint64_t>(id)}; }
  // Only a successful answer is streamed: the body of an error is read as a whole.
  bool IsStreamed() const { return request.on_data != nullptr && response.status / 100 == 2; }
};
using PendingPtr = std::shared_ptr<Pending>;

Failure NotSent(std::string message) {
  return {FailureKind::kNotSent, false, std::move(message)};
}

Result<void> CheckRequest(const Request& request) {
  CADRE_TRY_VOID(CheckMethod(request.method));
  CADRE_TRY_VOID(CheckPath(request.path));
  for (const Header& header : request.headers)
    CADRE_TRY_VOID(CheckHeader(header));
  return {};
}

}  // namespace

class Http2Client::Impl : public Http2Connection::Sink, public std::enable_shared_from_this<Impl> {
 public:
  Impl(EventLoop& loop, Url url, std::shared_ptr<const TlsContext> tls, Http2ClientOptions options)
      : loop_(loop), url_(std::move(url)), tls_(std::move(tls)), options_(std::move(options)) {}

  RequestId Send(Request request, std::function<void(RequestEnd)> done);
  void Cancel(RequestId id);
  void SetTls(std::shared_ptr<const TlsContext> tls, bool reconnect);
  bool NeedsTls() const { return url_.tls && tls_ == nullptr; }
  Counters counters() const;
  void Shut();

  void OnHead(StreamKey key, ResponseHead head) override;
  void OnData(StreamKey key, std::string_view data) override;
  void OnEnd(StreamKey key, StreamEnd end) override;
  void OnReady(Http2Connection& from) override;
  void OnDraining(Http2Connection& from) override;
  void OnClosed(Http2Connection& from, const std::string& reason) override;

 private:
  // Highest priority first, then in the order of Send: one that is sent again keeps its place.
  using WaitingKey = std::pair<int, RequestId>;

  // --- Requests
  std::optional<Failure> Admit(const Request& request) const;
  void SchedulePump();
  void Pump();
  void PutOnConnection(const PendingPtr& pending);
  std::vector<Header> HeadersOf(const Request& request, std::string authorization) const;
  void SetDeadlines(const PendingPtr& pending);
  void Overdue(const PendingPtr& pending, Duration limit);
  void End(const PendingPtr& pending, RequestEnd end);
  void CancelTimer(std::optional<EventLoop::Timer>& timer);
  PendingPtr Find(StreamKey key) const;

  // --- Connections
  void StartConnecting();
  void Connected(Result<std::unique_ptr<Transport>> transport);
  void ConnectionFailed(const std::string& reason);
  Duration PauseBeforeNextAttempt();
  void NothingServed(const std::string& reason);
  void RetireCurrent();
  void CutOffOldest();

  EventLoop& loop_;
  const Url url_;
  std::shared_ptr<const TlsContext> tls_;
  const Http2ClientOptions options_;

  std::map<RequestId, PendingPtr> live_;
  std::map<WaitingKey, PendingPtr> waiting_;
  std::uint64_t last_id_ = 0;
  std::size_t request_bytes_ = 0;
  bool pump_posted_ = false;
  bool shut_ = false;

  std::unique_ptr<Connecting> connecting_;
  Connection current_;
  bool current_is_ready_ = false;
  bool current_has_served_ = false;   // a response has begun
  std::vector<Connection> draining_;  // oldest first
  std::optional<EventLoop::Timer> connect_timer_;
  std::optional<EventLoop::Timer> backoff_timer_;
  int failures_ = 0;  // in a row
  Duration next_attempt_{0};
  std::string last_failure_;
  Counters counters_;
};

// --- Requests

RequestId Http2Client::Impl::Send(Request request, std::function<void(RequestEnd)> done) {
  CADRE_ASSERT(done != nullptr, "a request needs somebody who takes its end");
  CADRE_ASSERT(request.priority >= 0 && request.priority < Request::kPriorities, "no such priority");
  CADRE_ASSERT(request.timeout > Duration{0} && request.head_timeout >= Duration{0},
               "a request needs a bound on its time");
  const auto pending = std::make_shared<Pending>();
  pending->id = RequestId{++last_id_};
  pending->done = std::move(done);
  const std::optional<Failure> refused = Admit(request);
  pending->request = std::move(request);
  live_.emplace(pending->id, pending);
  request_bytes_ += pending->request.body.size();
  if (refused) {
    loop_.Post([weak = weak_from_this(), pending, failure = *refused] {
      if (const auto self = weak.lock()) self->End(pending, std::unexpected(failure));
    });
    return pending->id;
  }
  waiting_.emplace(WaitingKey{pending->request.priority, pending->id}, pending);
  SetDeadlines(pending);
  SchedulePump();
  return pending->id;
}

std::optional<Failure> Http2Client::Impl::Admit(const Request& request) const {
  if (const Result<void> valid = CheckRequest(request); !valid)
    return NotSent(fmt::format("{} {}: {}", request.method, request.path, valid.error().message));
  if (waiting_.size() >= options_.max_waiting) {
    return NotSent(
        fmt::format("{} requests to {} are waiting, which is the limit", waiting_.size(), url_.Text()));
  }
  if (request_bytes_ + request.body.size() > options_.max_request_bytes) {
    return NotSent(fmt::format("the bodies of requests to {} would exceed {}, which is the limit",
                               url_.Text(),
                               FormatBytes(static_cast<std::int64_t>(options_.max_request_bytes))));
  }
  return std::nullopt;
}

void Http2Client::Impl::SetDeadlines(const PendingPtr& pending) {
  const auto set = [&](Duration limit) {
    return loop_.CallAfter(limit, [weak = weak_from_this(), weak_pending = std::weak_ptr(pending), limit] {
      const auto self = weak.lock();
      const auto overdue = weak_pending.lock();
      if (self != nullptr && overdue != nullptr) self->Overdue(overdue, limit);
    });
  };
  pending->deadline = set(pending->request.timeout);
  if (pending->request.head_timeout > Duration{0})
    pending->head_deadline = set(pending->request.head_timeout);
}

void Http2Client::Impl::Overdue(const PendingPtr& pending, Duration limit) {
  Failure failure{FailureKind::kDeadline, false, {}};
  if (pending->connection != nullptr) failure.sent = pending->connection->WasSent(pending->key());
  failure.message = fmt::format("{} {}: not answered within {}", pending->request.method,
                                pending->request.path, FormatDuration(limit));
  if (!failure.sent && !last_failure_.empty()) failure.message += "; " + last_failure_;
  End(pending, std::unexpected(std::move(failure)));
}

void Http2Client::Impl::Cancel(RequestId id) {
  const auto found = live_.find(id);
  if (found == live_.end()) return;
  const PendingPtr pending = found->second;
  const bool sent = pending->connection != nullptr && pending->connection->WasSent(pending->key());
  // Off the connection and out of the queue at once; only the call has to wait.
  if (pending->connection != nullptr) pending->connection->Cancel(pending->key());
  pending->connection.reset();
  waiting_.erase({pending->request.priority, id});
  CancelTimer(pending->deadline);
  CancelTimer(pending->head_deadline);
  loop_.Post([weak = weak_from_this(), pending, sent] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->End(pending, std::unexpected(Failure{FailureKind::kCancelled, sent, "the request was cancelled"}));
  });
}

void Http2Client::Impl::CancelTimer(std::optional<EventLoop::Timer>& timer) {
  if (timer) loop_.Cancel(*timer);
  timer.reset();
}

// The only place where `done` is called. After it, the client may be gone: the callers hold it.
void Http2Client::Impl::End(const PendingPtr& pending, RequestEnd end) {
  if (live_.erase(pending->id) == 0) return;  // it had its end
  waiting_.erase({pending->request.priority, pending->id});
  request_bytes_ -= pending->request.body.size();
  CancelTimer(pending->deadline);
  CancelTimer(pending->head_deadline);
  if (pending->connection != nullptr) pending->connection->Cancel(pending->key());
  pending->connection.reset();
  SchedulePump();
  const auto done = std::exchange(pending->done, nullptr);
  done(std::move(end));
}

void Http2Client::Impl::SchedulePump() {
  if (pump_posted_ || waiting_.empty()) return;
  pump_posted_ = true;
  loop_.Post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->pump_posted_ = false;
    self->Pump();
  });
}

void Http2Client::Impl::Pump() {
  while (!waiting_.empty() && !shut_) {
    if (current_ == nullptr) return StartConnecting();
    if (current_->FreeStreams() == 0) return;  // OnReady or the end of another calls again
    const PendingPtr pending = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    PutOnConnection(pending);
  }
}

void Http2Client::Impl::PutOnConnection(const PendingPtr& pending) {
  std::string authorization;
  if (options_.authorization) {
    Result<std::string> value = options_.authorization();
    if (value && !value->empty()) {
      // Its name is the client's own, so that only the value is looked at.
      if (const Result<void> valid = CheckHeader({"x", *value}); !valid)
        value = Err("the credential holds characters that a header cannot");
    }
    if (!value) {
      return End(pending,
                 std::unexpected(NotSent(fmt::format("{} {}: no credential: {}", pending->request.method,
                                                     pending->request.path, value.error().message))));
    }
    authorization = *std::move(value);
  }
  ++counters_.requests;
  if (pending->sends > 0) ++counters_.repetitions;
  ++pending->sends;
  pending->connection = current_;
  current_->Open(pending->key(), HeadersOf(pending->request, std::move(authorization)),
                 pending->request.body);
}

std::vector<Header> Http2Client::Impl::HeadersOf(const Request& request, std::string authorization) const {
  std::vector<Header> headers = {{":method", request.method},
                                 {":scheme", url_.tls ? "https" : "http"},
                                 {":authority", url_.Authority()},
                                 {":path", url_.path + request.path}};
  if (FindHeader(request.headers, "user-agent").empty())
    headers.push_back({"user-agent", options_.user_agent});
  if (!authorization.empty()) headers.push_back({"authorization", std::move(authorization)});
  if (!request.body.empty()) headers.push_back({"content-length", std::to_string(request.body.size())});
  headers.insert(headers.end(), request.headers.begin(), request.headers.end());
  return headers;
}

// The request on a connection that has this stream; null when it was cancelled or has ended: what the
// connection had noted before may still come.
PendingPtr Http2Client::Impl::Find(StreamKey key) const {
  const auto found = live_.find(RequestId{static_cast<std::uint64_t>(key)});
  return found == live_.end() || found->second->connection == nullptr ? nullptr : found->second;
}

// --- What a connection tells

void Http2Client::Impl::OnHead(StreamKey key, ResponseHead head) {
  const PendingPtr pending = Find(key);
  if (pending == nullptr) return;
  if (pending->connection == current_) {
    current_has_served_ = true;
    failures_ = 0;
    last_failure_.clear();
  }
  CancelTimer(pending->head_deadline);
  pending->response.status = head.status;
  if (pending->IsStreamed() && pending->request.on_head) pending->request.on_head(head);
  pending->response.headers = std::move(head.headers);
}

void Http2Client::Impl::OnData(StreamKey key, std::string_view data) {
  const PendingPtr pending = Find(key);
  if (pending == nullptr) return;
  if (pending->IsStreamed()) return pending->request.on_data(data);
  std::string& body = pending->response.body;
  if (body.size() + data.size() > pending->request.max_body_bytes) {
    const auto limit = static_cast<std::int64_t>(pending->request.max_body_bytes);
    Failure failure{FailureKind::kTooLarge, true,
                    fmt::format("{} {}: the response is larger than {}, which is the limit",
                                pending->request.method, pending->request.path, FormatBytes(limit))};
    return End(pending, std::unexpected(std::move(failure)));
  }
  body.append(data);
}

void Http2Client::Impl::OnEnd(StreamKey key, StreamEnd end) {
  const PendingPtr pending = Find(key);
  if (pending == nullptr) return;
  pending->connection.reset();
  if (end.resend && pending->sends < options_.sends) {
    waiting_.emplace(WaitingKey{pending->request.priority, pending->id}, pending);
    return SchedulePump();
  }
  if (!end.failure) return End(pending, std::move(pending->response));
  end.failure->message =
      fmt::format("{} {}: {}", pending->request.method, pending->request.path, end.failure->message);
  End(pending, std::unexpected(*std::move(end.failure)));
}

void Http2Client::Impl::OnReady(Http2Connection& from) {
  if (&from != current_.get()) return;
  if (!current_is_ready_) {
    current_is_ready_ = true;
    ++counters_.connections;
    CancelTimer(connect_timer_);
    CADRE_LOG(kDebug, "{}: connected to {}", options_.name, url_.Text());
  }
  Pump();
}

void Http2Client::Impl::OnDraining(Http2Connection& from) {
  if (&from != current_.get() || !current_is_ready_) return;
  RetireCurrent();
  SchedulePump();
  // Not to run in circles with a server that only says goodbye.
  if (!current_has_served_)
    NothingServed(fmt::format("{} asked for another connection at once", url_.Text()));
}

void Http2Client::Impl::RetireCurrent() {
  draining_.push_back(std::exchange(current_, nullptr));
  current_is_ready_ = false;
  if (draining_.size() > options_.max_draining) CutOffOldest();
}

void Http2Client::Impl::CutOffOldest() {
  const Connection oldest = draining_.front();
  draining_.erase(draining_.begin());
  oldest->Close();
  std::vector<PendingPtr> cut;
  for (const auto& [id, pending] : live_) {
    if (pending->connection == oldest) cut.push_back(pending);
  }
  for (const PendingPtr& pending : cut) {
    const Failure failure{FailureKind::kUnknown, true,
                          "cut off: too many connections are waiting for their last requests"};
    loop_.Post([weak = weak_from_this(), pending, failure] {
      if (const auto self = weak.lock()) self->End(pending, std::unexpected(failure));
    });
  }
}

void Http2Client::Impl::OnClosed(Http2Connection& from, const std::string& reason) {
  std::erase_if(draining_, [&](const Connection& connection) { return connection.get() == &from; });
  if (&from != current_.get()) return;
  const bool is_failure = !current_has_served_;
  CADRE_LOG(kInfo, "{}: the connection to {} is closed: {}", options_.name, url_.Text(), reason);
  if (is_failure)
    return ConnectionFailed(fmt::format("the connection to {} was closed: {}", url_.Text(), reason));
  current_.reset();
  current_is_ready_ = false;
  SchedulePump();
}

// --- Connections

void Http2Client::Impl::StartConnecting() {
  if (connecting_ != nullptr || backoff_timer_) return;
  if (const Duration pause = next_attempt_ - loop_.Now(); pause > Duration{0}) {
    backoff_timer_ = loop_.CallAfter(pause, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      self->backoff_timer_.reset();
      self->Pump();
    });
    return;
  }
  connect_timer_ = loop_.CallAfter(options_.connect_timeout, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->connect_timer_.reset();
    self->ConnectionFailed(fmt::format("no connection to {} within {}", self->url_.Text(),
                                       FormatDuration(self->options_.connect_timeout)));
  });
  connecting_ = Connect(loop_, {url_.host, url_.port, url_.tls ? tls_ : nullptr},
                        [weak = weak_from_this()](Result<std::unique_ptr<Transport>> transport) {
                          if (const auto self = weak.lock()) self->Connected(std::move(transport));
                        });
}

void Http2Client::Impl::Connected(Result<std::unique_ptr<Transport>> transport) {
  if (!transport) return ConnectionFailed(transport.error().message);
  connecting_.reset();
  current_has_served_ = false;
  Http2Connection::Options options;
  options.ping_after = options_.ping_after;
  options.ping_timeout = options_.ping_timeout;
  options.max_header_bytes = options_.max_header_bytes;
  options.max_streams = options_.max_in_flight;
  current_ = Http2Connection::Start(loop_, *std::move(transport), options, weak_from_this());
}

Duration Http2Client::Impl::PauseBeforeNextAttempt() {
  const int doublings = std::min(failures_, kMostDoublings);
  ++failures_;
  const double doubled = static_cast<double>(options_.backoff_first.count()) *
                         static_cast<double>(1U << static_cast<unsigned>(doublings));
  const double whole = std::min(doubled, static_cast<double>(options_.backoff_most.count()));
  const double jitter = options_.jitter ? options_.jitter() : kJitterWhenNoneIsGiven;
  const Duration pause{static_cast<std::int64_t>(whole * (1 + jitter) / 2)};
  next_attempt_ = loop_.Now() + pause;
  return pause;
}

void Http2Client::Impl::ConnectionFailed(const std::string& reason) {
  CancelTimer(connect_timer_);
  connecting_.reset();
  if (current_ != nullptr) current_->Close();
  current_.reset();
  current_is_ready_ = false;
  NothingServed(reason);
}

// No connection came about, or one that answered no request. Requests that still wait live through a number
// of those.
void Http2Client::Impl::NothingServed(const std::string& reason) {
  ++counters_.failed_connections;
  last_failure_ = reason;
  const Duration pause = PauseBeforeNextAttempt();
  CADRE_LOG(kWarn, "{}: {}; next attempt in {} at the earliest", options_.name, reason,
            FormatDuration(pause));
  std::vector<PendingPtr> given_up;
  for (const auto& [key, pending] : waiting_) {
    if (++pending->failed_connections >= options_.connect_attempts) given_up.push_back(pending);
  }
  SchedulePump();
  const auto self = shared_from_this();  // the end of a request may be the client's end
  for (const PendingPtr& pending : given_up) {
    if (shut_) return;
    End(pending, std::unexpected(NotSent(
                     fmt::format("{} {}: {}", pending->request.method, pending->request.path, reason))));
  }
}

void Http2Client::Impl::SetTls(std::shared_ptr<const TlsContext> tls, bool reconnect) {
  tls_ = std::move(tls);
  CADRE_ASSERT(!NeedsTls(), "an https URL needs TLS");
  if (!reconnect || current_ == nullptr || !current_is_ready_) return;
  current_->Drain();
  RetireCurrent();
  SchedulePump();
}

Http2Client::Counters Http2Client::Impl::counters() const {
  Counters now = counters_;
  now.waiting = waiting_.size();
  now.in_flight = live_.size() - waiting_.size();
  return now;
}

void Http2Client::Impl::Shut() {
  shut_ = true;
  CancelTimer(connect_timer_);
  CancelTimer(backoff_timer_);
  connecting_.reset();
  if (current_ != nullptr) current_->Close();
  for (const Connection& connection : draining_)
    connection->Close();
  waiting_.clear();
  // What the callbacks hold may call Cancel when it goes.
  const std::map<RequestId, PendingPtr> dropped = std::exchange(live_, {});
  for (const auto& [id, pending] : dropped) {
    CancelTimer(pending->deadline);
    CancelTimer(pending->head_deadline);
  }
}

Http2Client::Http2Client(EventLoop& loop, Url url, std::shared_ptr<const TlsContext> tls,
                         Http2ClientOptions options)
    : impl_(std::make_shared<Impl>(loop, std::move(url), std::move(tls), std::move(options))) {
  CADRE_ASSERT(!impl_->NeedsTls(), "an https URL needs TLS");
}

Http2Client::~Http2Client() {
  impl_->Shut();
}

RequestId Http2Client::Send(Request request, std::function<void(RequestEnd)> done) {
  return impl_->Send(std::move(request), std::move(done));
}

void Http2Client::Cancel(RequestId id) {
  impl_->Cancel(id);
}

void Http2Client::SetTls(std::shared_ptr<const TlsContext> tls, bool reconnect) {
  impl_->SetTls(std::move(tls), reconnect);
}

Http2Client::Counters Http2Client::counters() const {
  return impl_->counters();
}

}  // namespace cadre::net
