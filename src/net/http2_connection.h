// Http2Connection: the client's side of one HTTP/2 connection (RFC 9113): many requests at a time over one
// transport, watched by PING. For the files of this folder; http2_client.h is for everybody else.
//
// It lives until the peer closes it, it breaks, the last stream after a GOAWAY ends, or Close. It sends
// nothing again. Thread rule: the loop's thread; the sink is never called from inside a call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/event_loop.h"
#include "net/http.h"
#include "net/transport.h"

namespace cadre::net {

// The name of a stream between a connection and its owner, who chooses it.
enum class StreamKey : std::uint64_t {};

struct StreamEnd {
  // None: the response is complete.
  std::optional<Failure> failure;
  // With kNotSent: not the request was turned away but the connection ended before it. Another one may take
  // it at once.
  bool resend = false;
};

class Http2Connection {
 public:
  struct Options {
    // PING when nothing was read for this long; the connection is dead when then nothing is read for
    // `ping_timeout` (the figures are client-go's).
    Duration ping_after{30'000};
    Duration ping_timeout{15'000};
    // What the server may send before it is read: for all and for each stream. The standard's 64 KiB would
    // slow down long lists.
    std::int32_t connection_window_bytes = 16 << 20;
    std::int32_t stream_window_bytes = 1 << 20;
    // Headers of a response, each counted with 32 bytes more (RFC 9113 section 6.5.2).
    std::size_t max_header_bytes = std::size_t{64} << 10;
    // Streams open at a time; fewer when the server says so (SETTINGS_MAX_CONCURRENT_STREAMS).
    std::size_t max_streams = 1'000;
  };

  // The owner. Events of one stream come in order: at most one head, then data, and one end, which is also
  // the only event of a stream that fails early. No event comes for a stream that was cancelled.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnHead(StreamKey key, ResponseHead head) = 0;
    virtual void OnData(StreamKey key, std::string_view data) = 0;
    virtual void OnEnd(StreamKey key, StreamEnd end) = 0;
    // FreeStreams may have grown. The first time: the server's SETTINGS have come, it does speak HTTP/2.
    virtual void OnReady(Http2Connection& from) = 0;
    // No stream can be opened any more (GOAWAY); those that are open go on.
    virtual void OnDraining(Http2Connection& from) = 0;
    // The last call: the transport is closed, all streams have had their end.
    virtual void OnClosed(Http2Connection& from, const std::string& reason) = 0;
  };

  // Takes over a fresh transport. An owner that is gone is not called.
  static std::shared_ptr<Http2Connection> Start(EventLoop& loop, std::unique_ptr<Transport> transport,
                                                const Options& options, std::weak_ptr<Sink> sink);
  virtual ~Http2Connection() = default;

  // How many streams may be opened now: 0 before the first OnReady and after OnDraining.
  virtual std::size_t FreeStreams() const = 0;
  virtual std::size_t open_streams() const = 0;

  // Starts a request. The headers are complete, pseudo-headers first, and valid (http.h).
  // REQUIRES: FreeStreams() > 0; the key is not in use.
  virtual void Open(StreamKey key, const std::vector<Header>& headers, std::string body) = 0;

  // Whether any of the stream's request may have left. False for unknown streams.
  virtual bool WasSent(StreamKey key) const = 0;

  // Forgets the stream, and tells the server to. Unknown streams are ignored.
  virtual void Cancel(StreamKey key) = 0;

  // Opens no more streams, as after a GOAWAY, and closes when the last one ends. OnDraining is called.
  virtual void Drain() = 0;

  // Closes at once, and calls the sink no more.
  virtual void Close() = 0;
};

}  // namespace cadre::net
