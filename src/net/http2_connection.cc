#include "net/http2_connection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <limits>
#include <map>
#include <utility>
#include <variant>

#include <nghttp2/nghttp2.h>

#include "base/check.h"
#include "base/text.h"

namespace cadre::net {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{64} << 10;  // per write; more is asked for when it is done
constexpr std::size_t kHeaderOverhead = 32;                 // RFC 9113 section 6.5.2
constexpr Duration kReadOnAfterWriteError{1'000};
constexpr int kFirstFinalStatus = 200;  // what is below comes before the response (RFC 9110 section 15.2)

struct HeadCame {
  StreamKey key;
  ResponseHead head;
};
struct DataCame {
  StreamKey key;
  std::string data;
};
struct Ended {
  StreamKey key;
  StreamEnd end;
};
struct Ready {};
struct Draining {};
struct Closed {
  std::string reason;
};
using Event = std::variant<HeadCame, DataCame, Ended, Ready, Draining, Closed>;

struct Stream {
  StreamKey key{};
  std::string body;
  std::size_t body_sent = 0;
  bool sent = false;  // its first frame has left
  ResponseHead head;
  std::size_t header_bytes = 0;
  bool head_complete = false;
  bool complete = false;
  bool cancelled = false;
  bool reset_by_us = false;
  bool headers_too_large = false;
};

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

nghttp2_nv View(const Header& header) {
  // nghttp2 only reads them; its type lacks the const.
  auto* name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(header.name.data()));
  auto* value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(header.value.data()));
  return {name, value, header.name.size(), header.value.size(), NGHTTP2_NV_FLAG_NONE};
}

class Connection : public Http2Connection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(EventLoop& loop, std::unique_ptr<Transport> transport, const Options& options,
             std::weak_ptr<Sink> sink)
      : loop_(loop), transport_(std::move(transport)), options_(options), sink_(std::move(sink)) {}
  ~Connection() override { Shut(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void StartSession();

  std::size_t FreeStreams() const override;
  std::size_t open_streams() const override { return streams_.size(); }
  void Open(StreamKey key, const std::vector<Header>& headers, std::string body) override;
  bool WasSent(StreamKey key) const override;
  void Cancel(StreamKey key) override;
  void Drain() override;
  void Close() override;

 private:
  friend struct Callbacks;

  // --- Bytes
  void ReadMore();
  void Take(Result<std::string_view> bytes);
  void Flush();
  void ScheduleFlush();
  void WriteDone(const Result<void>& result);
  void CheckAlive();
  void SetAlarm(Duration after, void (Connection::*run)());

  // --- Events
  void Tell(Event event) { events_.push_back(std::move(event)); }
  void Deliver();
  void ScheduleDelivery();
  void Hand(Sink& sink, const Event& event);

  // --- Ends
  void EndStream(std::int32_t id, std::uint32_t code);
  StreamEnd EndOf(std::int32_t id, const Stream& stream, std::uint32_t code) const;
  void StopOpening();
  void Fail(const std::string& reason);
  void Shut();
  Stream* Find(std::int32_t id);

  EventLoop& loop_;
  std::unique_ptr<Transport> transport_;
  const Options options_;
  std::weak_ptr<Sink> sink_;
  std::unique_ptr<nghttp2_session, Freer<nghttp2_session_del>> session_;

  std::map<std::int32_t, Stream> streams_;  // by their number, so that ends come in the order of requests
  std::map<StreamKey, std::int32_t> numbers_;
  std::deque<Event> events_;  // of at most one read, and the ends of streams
  std::string out_;
  std::optional<EventLoop::Timer> alarm_;
  Duration last_read_{0};
  std::int32_t last_accepted_ = std::numeric_limits<std::int32_t>::max();  // of the server's GOAWAY
  std::string protocol_error_;
  bool ready_ = false;
  bool draining_ = false;
  bool closed_ = false;
  bool silenced_ = false;  // by Close
  bool writing_ = false;
  bool write_failed_ = false;
  bool awaiting_pong_ = false;
  bool flush_posted_ = false;
  bool delivery_posted_ = false;
  bool delivering_ = false;
};

// nghttp2's view of a connection. It must not be touched from the sink, so these only note what happened.
struct Callbacks {
  static Connection& Self(void* user_data) { return *static_cast<Connection*>(user_data); }

  static int BeginHeaders(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    Stream* stream = Self(user_data).Find(frame->hd.stream_id);
    if (stream != nullptr && !stream->head_complete) {
      stream->head = {};  // of an informational response
      stream->header_bytes = 0;
    }
    return 0;
  }

  static int OneHeader(nghttp2_session* /*session*/, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t /*flags*/, void* user_data) {
    Connection& self = Self(user_data);
    Stream* stream = self.Find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->header_bytes += name_size + value_size + kHeaderOverhead;
    if (stream->header_bytes > self.options_.max_header_bytes) {
      stream->headers_too_large = true;
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (stream->head_complete) return 0;  // trailers: nothing here reads them
    const std::string_view name_text(reinterpret_cast<const char*>(name), name_size);
    const std::string_view value_text(reinterpret_cast<const char*>(value), value_size);
    if (name_text == ":status") {  // three digits: nghttp2 has checked it
      std::from_chars(value_text.data(), value_text.data() + value_text.size(), stream->head.status);
    } else {
      stream->head.headers.push_back({std::string(name_text), std::string(value_text)});
    }
    return 0;
  }

  static int FrameCame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    Connection& self = Self(user_data);
    if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
      self.ready_ = true;
      self.Tell(Ready{});
    } else if (frame->hd.type == NGHTTP2_GOAWAY) {
      self.last_accepted_ = frame->goaway.last_stream_id;
      self.StopOpening();
    }
    Stream* stream = self.Find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && !stream->head_complete &&
        stream->head.status >= kFirstFinalStatus) {
      stream->head_complete = true;
      if (!stream->cancelled) self.Tell(HeadCame{stream->key, std::move(stream->head)});
    }
    const bool may_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->complete = true;
    return 0;
  }

  static int DataCameIn(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t id,
                        const std::uint8_t* data, std::size_t size, void* user_data) {
    Connection& self = Self(user_data);
    const Stream* stream = self.Find(id);
    if (stream == nullptr || stream->cancelled) return 0;
    self.Tell(DataCame{stream->key, std::string(reinterpret_cast<const char*>(data), size)});
    return 0;
  }

  static int FrameLeft(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    Stream* stream = Self(user_data).Find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->sent = true;
    if (frame->hd.type == NGHTTP2_RST_STREAM) stream->reset_by_us = true;
    return 0;
  }

  static int FrameHeldBack(nghttp2_session* /*session*/, const nghttp2_frame* frame, int /*error*/,
                           void* user_data) {
    // A request that the session does not let out, for example after a GOAWAY.
    if (frame->hd.type == NGHTTP2_HEADERS) Self(user_data).EndStream(frame->hd.stream_id, NGHTTP2_NO_ERROR);
    return 0;
  }

  static int StreamClosed(nghttp2_session* /*session*/, std::int32_t id, std::uint32_t code,
                          void* user_data) {
    Self(user_data).EndStream(id, code);
    return 0;
  }

  static int Complain(nghttp2_session* /*session*/, int /*code*/, const char* message, std::size_t size,
                      void* user_data) {
    Self(user_data).protocol_error_.assign(message, size);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session* /*session*/, std::int32_t id, std::uint8_t* into, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* /*source*/, void* user_data) {
    Stream* stream = Self(user_data).Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t piece = stream->body.copy(reinterpret_cast<char*>(into), size, stream->body_sent);
    stream->body_sent += piece;
    if (stream->body_sent == stream->body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(piece);
  }

  static nghttp2_session* NewSession(Connection& self);
};

nghttp2_session* Callbacks::NewSession(Connection& self) {
  nghttp2_session_callbacks* made = nullptr;
  nghttp2_option* option = nullptr;
  const bool have_memory = nghttp2_session_callbacks_new(&made) == 0 && nghttp2_option_new(&option) == 0;
  CADRE_ASSERT(have_memory, "out of memory");
  const std::unique_ptr<nghttp2_session_callbacks, Freer<nghttp2_session_callbacks_del>> callbacks(made);
  const std::unique_ptr<nghttp2_option, Freer<nghttp2_option_del>> options(option);
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, BeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(made, OneHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, FrameCame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, DataCameIn);
  nghttp2_session_callbacks_set_on_frame_send_callback(made, FrameLeft);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(made, FrameHeldBack);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, StreamClosed);
  nghttp2_session_callbacks_set_error_callback2(made, Complain);
  nghttp2_session* session = nullptr;
  const int result = nghttp2_session_client_new2(&session, made, &self, option);
  CADRE_ASSERT(result == 0, "out of memory");
  return session;
}

void Connection::StartSession() {
  session_.reset(Callbacks::NewSession(*this));
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(options_.stream_window_bytes)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(options_.max_header_bytes)},
  }};
  const bool started =
      nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0 &&
      nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0,
                                            options_.connection_window_bytes) == 0;
  CADRE_ASSERT(started, "the options of a connection are out of range");
  last_read_ = loop_.Now();
  SetAlarm(options_.ping_after, &Connection::CheckAlive);
  ScheduleFlush();
  ReadMore();
}

// --- Bytes

void Connection::ReadMore() {
  transport_->Read([weak = weak_from_this()](Result<std::string_view> bytes) {
    if (const auto self = weak.lock()) self->Take(bytes);
  });
}

void Connection::Take(Result<std::string_view> bytes) {
  if (closed_) return;
  if (!bytes) return Fail(bytes.error().message);
  last_read_ = loop_.Now();
  if (std::exchange(awaiting_pong_, false)) SetAlarm(options_.ping_after, &Connection::CheckAlive);
  const ssize_t taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
  if (taken < 0) return Fail(fmt::format("HTTP/2 error: {}", nghttp2_strerror(static_cast<int>(taken))));
  Flush();
  Deliver();
  if (!closed_) ReadMore();
}

void Connection::Flush() {
  if (closed_ || writing_ || write_failed_) return;
  while (out_.size() < kWriteBytes) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
    if (size < 0) return Fail(fmt::format("HTTP/2 error: {}", nghttp2_strerror(static_cast<int>(size))));
    if (size == 0) break;
    out_.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  if (!out_.empty()) {
    writing_ = true;
    transport_->Write(out_, [weak = weak_from_this()](const Result<void>& result) {
      if (const auto self = weak.lock()) self->WriteDone(result);
    });
  }
  if (draining_ && streams_.empty()) return Fail("its last request ended after a GOAWAY");
  const bool over = !writing_ && nghttp2_session_want_read(session_.get()) == 0;
  if (over)
    return Fail("HTTP/2 error: " + (protocol_error_.empty() ? "the session has ended" : protocol_error_));
  ScheduleDelivery();
}

void Connection::ScheduleFlush() {
  if (flush_posted_) return;
  flush_posted_ = true;
  loop_.Post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->flush_posted_ = false;
    self->Flush();
  });
}

void Connection::WriteDone(const Result<void>& result) {
  if (closed_) return;
  writing_ = false;
  if (result) return Flush();
  // A server that closes may have said before which requests it has not processed: that is still to be read.
  write_failed_ = true;
  SetAlarm(kReadOnAfterWriteError, &Connection::CheckAlive);
}

void Connection::CheckAlive() {
  if (write_failed_) return Fail("the connection cannot be written to");
  const Duration idle = loop_.Now() - last_read_;
  if (awaiting_pong_) {
    return Fail(fmt::format("the server did not answer a PING within {}, and nothing was read for {}",
                            FormatDuration(options_.ping_timeout), FormatDuration(idle)));
  }
  if (idle < options_.ping_after) return SetAlarm(options_.ping_after - idle, &Connection::CheckAlive);
  awaiting_pong_ = true;
  nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
  SetAlarm(options_.ping_timeout, &Connection::CheckAlive);
  Flush();
}

void Connection::SetAlarm(Duration after, void (Connection::*run)()) {
  if (alarm_) loop_.Cancel(*alarm_);
  alarm_ = loop_.CallAfter(after, [weak = weak_from_this(), run] {
    const auto self = weak.lock();
    if (self == nullptr || self->closed_) return;
    self->alarm_.reset();
    (self.get()->*run)();
  });
}

// --- Streams

std::size_t Connection::FreeStreams() const {
  if (!ready_ || draining_ || closed_) return 0;
  const std::size_t allowed =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  const std::size_t most = std::min(allowed, options_.max_streams);
  return most > streams_.size() ? most - streams_.size() : 0;
}

void Connection::Open(StreamKey key, const std::vector<Header>& headers, std::string body) {
  CADRE_ASSERT(FreeStreams() > 0 && !numbers_.contains(key), "a stream was opened that is not free");
  std::vector<nghttp2_nv> views;
  views.reserve(headers.size());
  for (const Header& header : headers)
    views.push_back(View(header));
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::ReadBody;
  const std::int32_t id = nghttp2_submit_request(session_.get(), nullptr, views.data(), views.size(),
                                                 body.empty() ? nullptr : &provider, nullptr);
  if (id < 0) {  // the numbers of streams are used up, after a thousand million requests
    Tell(Ended{key, {Failure{FailureKind::kNotSent, false, nghttp2_strerror(id)}, true}});
    return Drain();
  }
  Stream stream;
  stream.key = key;
  stream.body = std::move(body);
  streams_.emplace(id, std::move(stream));
  numbers_.emplace(key, id);
  ScheduleFlush();
}

bool Connection::WasSent(StreamKey key) const {
  const auto number = numbers_.find(key);
  return number != numbers_.end() && streams_.at(number->second).sent;
}

void Connection::Cancel(StreamKey key) {
  const auto number = numbers_.find(key);
  if (number == numbers_.end()) return;
  streams_.at(number->second).cancelled = true;
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, number->second, NGHTTP2_CANCEL);
  numbers_.erase(number);
  ScheduleFlush();
}

Stream* Connection::Find(std::int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

// --- Events

void Connection::Deliver() {
  if (delivering_) return;
  const auto self = shared_from_this();  // the sink may let go of it
  delivering_ = true;
  while (!events_.empty() && !silenced_) {
    const Event event = std::move(events_.front());
    events_.pop_front();
    if (const auto sink = sink_.lock()) Hand(*sink, event);
  }
  delivering_ = false;
}

void Connection::ScheduleDelivery() {
  if (events_.empty() || delivery_posted_) return;
  delivery_posted_ = true;
  loop_.Post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->delivery_posted_ = false;
    self->Deliver();
  });
}

void Connection::Hand(Sink& sink, const Event& event) {
  if (const auto* head = std::get_if<HeadCame>(&event)) return sink.OnHead(head->key, head->head);
  if (const auto* data = std::get_if<DataCame>(&event)) return sink.OnData(data->key, data->data);
  if (const auto* ended = std::get_if<Ended>(&event)) return sink.OnEnd(ended->key, ended->end);
  if (std::holds_alternative<Ready>(event)) return sink.OnReady(*this);
  if (std::holds_alternative<Draining>(event)) return sink.OnDraining(*this);
  sink.OnClosed(*this, std::get<Closed>(event).reason);
}

// --- Ends

void Connection::EndStream(std::int32_t id, std::uint32_t code) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const Stream& stream = found->second;
  if (stream.cancelled) {
    Tell(Ready{});  // for its owner it ended long ago; now its place is free
  } else {
    Tell(Ended{stream.key, EndOf(id, stream, code)});
    numbers_.erase(stream.key);
  }
  streams_.erase(found);
}

StreamEnd Connection::EndOf(std::int32_t id, const Stream& stream, std::uint32_t code) const {
  const auto failed = [&](FailureKind kind, std::string message) {
    return StreamEnd{Failure{kind, stream.sent && kind != FailureKind::kNotSent, std::move(message)}, false};
  };
  if (stream.complete && stream.head_complete) return {};
  if (stream.headers_too_large) {
    return failed(FailureKind::kTooLarge,
                  fmt::format("the headers of the response are larger than {}, which is the limit",
                              FormatBytes(static_cast<std::int64_t>(options_.max_header_bytes))));
  }
  if (!stream.sent || id > last_accepted_) {
    StreamEnd end = failed(FailureKind::kNotSent, "the connection ended before the request");
    end.resend = true;
    return end;
  }
  if (stream.reset_by_us) return failed(FailureKind::kBadResponse, "the response is not valid HTTP/2");
  const std::string_view name = nghttp2_http2_strerror(code);
  if (code == NGHTTP2_REFUSED_STREAM)
    return failed(FailureKind::kNotSent, fmt::format("the server refused the request unread ({})", name));
  return failed(FailureKind::kUnknown, fmt::format("the server broke off the response ({})", name));
}

void Connection::StopOpening() {
  if (draining_) return;
  draining_ = true;
  Tell(Draining{});
}

void Connection::Drain() {
  StopOpening();
  ScheduleFlush();
}

void Connection::Fail(const std::string& reason) {
  if (closed_) return;
  Shut();
  for (const auto& [id, stream] : streams_) {
    if (stream.cancelled) continue;
    const bool resend = !stream.sent;
    const FailureKind kind = resend ? FailureKind::kNotSent : FailureKind::kUnknown;
    Tell(Ended{stream.key, {Failure{kind, stream.sent, "the connection was lost: " + reason}, resend}});
  }
  streams_.clear();
  numbers_.clear();
  Tell(Closed{reason});
  ScheduleDelivery();
}

void Connection::Shut() {
  closed_ = true;
  transport_->Close();
  if (alarm_) loop_.Cancel(*alarm_);
  alarm_.reset();
}

void Connection::Close() {
  silenced_ = true;
  Shut();
}

}  // namespace

std::shared_ptr<Http2Connection> Http2Connection::Start(EventLoop& loop, std::unique_ptr<Transport> transport,
                                                        const Options& options, std::weak_ptr<Sink> sink) {
  auto connection = std::make_shared<Connection>(loop, std::move(transport), options, std::move(sink));
  connection->StartSession();
  return connection;
}

}  // namespace cadre::net
